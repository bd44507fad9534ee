# SPDX-License-Identifier: Apache-2.0
"""Leaves of fast ports and servers of slower ones; every server part with every preset."""

from __future__ import annotations

from collections import Counter

import pytest

from rackloom.catalog import CatalogError, ServerPart, load_bundled
from rackloom.catalog.words import CableTechnology
from rackloom.checks import run
from rackloom.design import Design
from rackloom.fabric import Fabric
from rackloom.fabric.tier_numbers import tier_numbers
from rackloom.generate import GenerateError, generate, presets
from rackloom.generate.tree import plan_tree

CATALOG = load_bundled()

OSFP_800 = ["arista-7060x6-64pe", "juniper-qfx5240-64od", "dell-z9864f", "cisco-n9364e-sg2-o"]


def made(servers: int, **options: str) -> Design:
    return generate("rail-fat-tree", CATALOG, servers=servers, options=options).design


def roles(design: Design) -> Counter[str]:
    return Counter(d.role for d in design.devices.values() if d.role)


def errors(design: Design) -> list[str]:
    return [f.message for f in run(design, CATALOG) if f.severity == "error"]


@pytest.mark.parametrize("switch", OSFP_800)
@pytest.mark.parametrize("server", ["dell-xe9680-h100", "supermicro-as-8125gs-tnhr"])
def test_64_cages_of_800g_serve_128_cards_of_400g(switch: str, server: str) -> None:
    """Twin-port optics, a fibre for each card: 16 servers of 8 cards on one switch."""
    design = made(16, server=server, switch=switch)
    assert roles(design) == {"leaf": 1}
    assert errors(design) == []
    links = [link for found in design.links.values() for link in found]
    assert Counter(link.rate_gbps for link in links) == {400.0: 128}
    leaf = next(d.id for d in design.devices.values() if d.role == "leaf")
    modules = [m for m in design.modules.values() if m.device == leaf]
    assert len(modules) == 64
    assert roles(made(17, server=server, switch=switch))["leaf"] > 1


def test_a_stripe_of_eight_leaves_serves_512_gpus() -> None:
    """Juniper JVD: eight QFX5240-64OD, 1:1, serve 64 servers and 512 GPUs; at least 4 spines."""
    design = made(64, server="supermicro-as-8125gs-tnhr", switch="juniper-qfx5240-64od")
    assert roles(design) == {"leaf": 8, "spine": 4}
    rates = Counter(link.rate_gbps for found in design.links.values() for link in found)
    assert rates == {400.0: 512, 800.0: 256}
    leaf = next(n for n in tier_numbers(Fabric.of(design)) if n.role == "leaf")
    assert leaf.worst_oversubscription == pytest.approx(1.0)


def test_without_breakout_a_card_has_a_whole_cage() -> None:
    design = made(
        16, server="supermicro-as-8125gs-tnhr", switch="juniper-qfx5240-64od", breakout="no"
    )
    assert roles(design)["leaf"] == 8


def test_an_uplink_takes_the_place_of_two_split_ports() -> None:
    tree = plan_tree(64, 8, leaf_ports=128, spine_ports=64, ratio=2.0, uplink_ports=2)
    assert (tree.leaves, tree.leaf_uplinks, tree.spines) == (8, 32, 4)
    with pytest.raises(GenerateError, match="do not fit a leaf of 128 ports, 2 for an uplink"):
        plan_tree(64, 8, leaf_ports=128, spine_ports=64, ratio=2.0, uplink_ports=2, leaf_uplinks=33)


def test_leaves_and_spines_of_different_ports_are_joined_at_the_slower_rate() -> None:
    """SN5600 comes as 128 x 400G, a 7060X6 as 64 x 800G: both take 2x400 in a cage."""
    design = made(64, switch="nvidia-sn5600", spine_switch="arista-7060x6-64pe")
    assert roles(design) == {"leaf": 8, "spine": 4}
    assert errors(design) == []
    rates = Counter(link.rate_gbps for found in design.links.values() for link in found)
    assert rates == {400.0: 1024}


def test_uplinks_are_split_where_no_whole_cage_goes_far_enough() -> None:
    """Whole 800G cables end at 50 m; two fibres of 400G from the same cage go on."""
    options = {"server": "dell-xe9680-h100", "switch": "arista-7060x6-64pe"}
    near = made(16, **options, tiers="2", row_pitch_m="3")
    assert {link.rate_gbps for found in near.links.values() for link in found} == {400.0, 800.0}
    spread = {"racks_per_row": "1", "row_pitch_m": "30", "unit_servers": "8"}
    far = generate(
        "rail-fat-tree", CATALOG, servers=16, options={**options, "tiers": "2", **spread}
    )
    assert any("run at 400G" in note for note in far.notes)
    assert errors(far.design) == []
    assert {link.rate_gbps for found in far.design.links.values() for link in found} == {400.0}
    with pytest.raises(GenerateError, match="leaf to spine: the longest way is"):
        made(16, **options, tiers="2", **spread, uplink_gbps="800")


@pytest.mark.parametrize(
    ("server", "switch", "branches", "cables", "rate_gbps"),
    [
        ("generic-1u", "nvidia-sn3700", 4, 8, 25.0),  # 100G to four of 25G, copper
        ("dgx-a100", "nvidia-qm9700", 2, 32, 200.0),  # NDR to two of HDR, active optical
    ],
)
def test_where_nothing_else_joins_splitters_do(
    server: str, switch: str, branches: int, cables: int, rate_gbps: float
) -> None:
    servers = 16 if server == "generic-1u" else 8
    design = made(servers, server=server, switch=switch, tiers="1")
    assert errors(design) == []
    assert len(design.cables) == cables
    for cable in design.cables.values():
        part = design.parts[cable.part]
        assert part.technology is not CableTechnology.FIBRE  # type: ignore[attr-defined]
        assert len(cable.ends) == branches + 1
        assert [link.rate_gbps for link in design.links[cable.id]] == [rate_gbps] * branches


def test_switches_with_two_kinds_of_cages_get_what_fits_each() -> None:
    """SSE-T8196: 32 OSFP of 800G and 64 QSFP112 of 400G, so 128 cards of 400G."""
    design = made(16, server="supermicro-as-8125gs-tnhr", switch="supermicro-sse-t8196")
    assert roles(design) == {"leaf": 1}
    assert errors(design) == []


def test_switches_that_blow_to_the_cold_side_stand_apart_from_servers() -> None:
    design = made(16, server="dell-xe9680-h100", switch="arista-7060x6-64pe")
    leaf = next(d for d in design.devices.values() if d.role == "leaf")
    beside = design.index.devices_in_rack[leaf.rack]
    assert not [d for d in beside if design.devices[d].part == "dell-xe9680-h100"]


def test_servers_on_a_busbar_stand_in_racks_that_have_one() -> None:
    """DGX B300 (busbar): Open Rack, shelves on both feeds that each carry it all."""
    design = made(8, server="dgx-b300-busbar")
    assert errors(design) == []
    for device in design.devices.values():
        if device.part == "dgx-b300-busbar":
            assert design.racks[device.rack].part == "ocp-orv3"
    with pytest.raises(GenerateError, match="has no busbar, and NVIDIA DGX B300"):
        made(8, server="dgx-b300-busbar", busbar_rack="generic-48u-800")


@pytest.mark.parametrize("preset", ["rail-fat-tree", "superpod-h100"])
@pytest.mark.parametrize("generation", ["gb200", "gb300"])
def test_trays_of_whole_racks_are_sent_to_their_preset(preset: str, generation: str) -> None:
    with pytest.raises(GenerateError, match=f"preset nvl72 with system={generation}-nvl72-rack"):
        generate(preset, CATALOG, servers=18, options={"server": f"{generation}-compute-tray"})


REFUSED = {
    "dell-xe9640": "has no network ports",
    "generic-ualink-tray": "needs a rack whose backplane joins it",
    "gb200-compute-tray": "take the preset nvl72",
    "gb300-compute-tray": "take the preset nvl72",
    "gaudi3-8x": "carries several links",
}
"""Servers that ``rail-fat-tree`` does not cable, and what it says."""


@pytest.mark.parametrize("server", sorted(p.id for p in CATALOG.of_kind(ServerPart)))
@pytest.mark.parametrize("servers", [2, 8])
def test_every_server_makes_a_design_without_errors_or_is_refused_in_a_sentence(
    server: str, servers: int
) -> None:
    for preset in presets():
        try:
            design = generate(
                preset.name, CATALOG, servers=servers, options={"server": server}
            ).design
        except (GenerateError, CatalogError) as refusal:
            text = str(refusal)
            assert len(text) < 300
            assert "\n" not in text
            if preset.name == "rail-fat-tree":
                assert REFUSED[server] in text
            continue
        assert errors(design) == []
        assert preset.name != "rail-fat-tree" or server not in REFUSED
