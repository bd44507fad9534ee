# SPDX-License-Identifier: Apache-2.0
"""Generated designs: counts, places, lengths, power; wishes that cannot be met are refused."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackloom.catalog import CatalogError, RackPart, load_bundled
from rackloom.checks import run
from rackloom.design import Design
from rackloom.design.ids import DeviceId, FeedId
from rackloom.design.invariants import check_all_references
from rackloom.design.slots import overlap, top_u
from rackloom.fabric import Fabric
from rackloom.fabric.tier_numbers import tier_numbers
from rackloom.generate import GenerateError, generate

CATALOG = load_bundled()


def made(preset: str, servers: int, **options: str) -> Design:
    return generate(preset, CATALOG, servers=servers, options=options).design


def roles(design: Design) -> Counter[str]:
    return Counter(d.role for d in design.devices.values() if d.role)


def layer(design: Design, a: str, b: str) -> int:
    """Cables between devices of two roles; servers have none."""
    found = 0
    for cable in design.cables.values():
        ends = {design.devices[end.device].role or "server" for end in cable.ends}
        found += ends == {a, b}
    return found


def assert_sound(design: Design) -> None:
    """Nothing refers to nothing, no two devices in one place, every cable carries a link."""
    check_all_references(design)
    for rack in design.racks.values():
        devices = [design.devices[d] for d in design.index.devices_in_rack.get(rack.id, ())]
        units = design.part(rack.part, RackPart).rack_units
        for n, device in enumerate(devices):
            assert not any(overlap(design, device, other) for other in devices[:n])
            assert device.bottom_u is None or top_u(design, device) <= units
    assert design.links.keys() == design.cables.keys()


@pytest.mark.parametrize(
    ("servers", "to_leaves", "leaves", "spines", "up"),
    [(31, 252, 8, 4, 256), (63, 508, 16, 8, 512), (127, 1020, 32, 16, 1024)],
)
def test_superpod_h100_has_the_published_cables(
    servers: int, to_leaves: int, leaves: int, spines: int, up: int
) -> None:
    """RA-11333-001: cables = nodes x 8 + 4 for UFM; spine-leaf = leaf x 32."""
    design = made("superpod-h100", servers)
    assert_sound(design)
    found = roles(design)
    assert (found["leaf"], found["spine"]) == (leaves, spines)
    assert layer(design, "server", "leaf") + layer(design, "ufm", "leaf") == to_leaves
    assert layer(design, "leaf", "spine") == up


def test_superpod_with_32_servers_needs_a_second_unit_for_ufm() -> None:
    design = made("superpod-h100", 32)
    assert_sound(design)
    assert roles(design)["leaf"] == 16


@pytest.mark.parametrize("servers", [1, 4, 9, 31, 70])
def test_rail_k_of_every_server_goes_to_the_leaf_of_its_unit_and_rail(servers: int) -> None:
    design = made("rail-fat-tree", servers, tiers="2")
    assert_sound(design)
    rail_of_leaf: dict[str, set[int]] = {}
    for links in design.links.values():
        for link in links:
            for here, there in ((link.a, link.b), (link.b, link.a)):
                if design.devices[there.device].role != "leaf":
                    continue
                if design.devices[here.device].role:
                    continue
                cage = design.device_part(here.device).cage_by_name[here.cage]
                rail = cage.ports[here.index].rail
                assert rail is not None
                rail_of_leaf.setdefault(there.device, set()).add(rail)
    assert all(len(rails) == 1 for rails in rail_of_leaf.values())


def test_ethernet_servers_get_ethernet_switches() -> None:
    """The MI300X server's NICs speak Ethernet, so an InfiniBand default would never link."""
    generated = generate(
        "rail-fat-tree",
        CATALOG,
        servers=16,
        options={"server": "supermicro-as-8125gs-tnmr2"},
    )
    assert_sound(generated.design)
    assert {d.part for d in generated.design.devices.values() if d.role} == {"nvidia-sn5600"}
    assert any("no power cords" in note for note in generated.notes)


def test_every_cable_is_as_long_as_its_route_and_no_stocked_length_shorter_would_do() -> None:
    from rackloom.placement.lengths import needed_m

    design = made("rail-fat-tree", 12)
    for cable in list(design.cables.values())[::17]:
        wanted = needed_m(design, cable.id)
        assert wanted is not None
        lengths = CATALOG.require(cable.part).lengths_m  # type: ignore[attr-defined]
        assert cable.length_m == min(m for m in lengths if m >= wanted - 1e-9)


@pytest.mark.parametrize("rails_per_leaf", ["3", "5", "6"])
def test_leaves_whose_rails_do_not_divide_evenly_have_ports_for_the_fullest(
    rails_per_leaf: str,
) -> None:
    """Eight rails, five on one leaf and three on the other: no port is used twice."""
    design = made("rail-fat-tree", 20, tiers="2", rails_per_leaf=rails_per_leaf)
    assert [f.message for f in run(design, CATALOG) if f.severity == "error"] == []


@pytest.mark.parametrize("servers", [2, 16, 40])
def test_a_generated_design_has_no_errors(servers: int) -> None:
    findings = run(made("rail-fat-tree", servers), CATALOG)
    errors = [f.message for f in findings if f.severity == "error"]
    assert errors == []


def test_both_feeds_carry_every_server() -> None:
    design = made("rail-fat-tree", 8)
    for device in design.devices.values():
        if device.part != "dgx-h100":
            continue
        groups = Counter(
            design.feeds[FeedId(design.cords[pdu_cord].source)].group
            for cord in design.index.cords_of_device[device.id]
            for pdu_cord in design.index.cords_of_device[DeviceId(design.cords[cord].source)]
        )
        assert groups == {"A": 3, "B": 3}


@settings(max_examples=15, deadline=None)
@given(
    servers=st.integers(1, 90),
    oversubscription=st.sampled_from(["1", "2", "3"]),
    rails_per_leaf=st.sampled_from(["1", "2", "4"]),
    server=st.sampled_from(["dgx-h100", "dgx-b200"]),
)
def test_any_wish_is_met_soundly_or_refused(
    servers: int, oversubscription: str, rails_per_leaf: str, server: str
) -> None:
    try:
        design = made(
            "rail-fat-tree",
            servers,
            oversubscription=oversubscription,
            rails_per_leaf=rails_per_leaf,
            server=server,
        )
    except GenerateError:
        return
    assert_sound(design)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 4.0])
def test_oversubscription_is_of_bandwidths_not_of_ports(ratio: float) -> None:
    """400G servers on leaves of 800G ports: half as many uplinks as server links carry as much."""
    design = made(
        "rail-fat-tree",
        64,
        server="dell-xe9680-h100",
        switch="arista-7060x6-64pe",
        oversubscription=str(ratio),
    )
    assert_sound(design)
    leaf = next(numbers for numbers in tier_numbers(Fabric.of(design)) if numbers.role == "leaf")
    worst = leaf.worst_oversubscription  # of the full units; one that is not full has as many up
    assert worst is not None
    assert 0.75 * ratio <= worst <= ratio + 1e-9


@pytest.mark.parametrize(
    ("server", "leaf", "rate_gbps"),
    [
        ("dgx-a100", "nvidia-qm8700", 200),
        ("dgx-h100", "nvidia-qm9700", 400),
        ("dgx-b300-ps", "nvidia-q3400-ra", 800),
        ("dgx-b300-busbar", "nvidia-q3400-ra", 800),
        ("dell-xe9680-mi300x", "nvidia-sn5600", 400),
        ("rtx-pro-6000-node", "nvidia-qm9700", 400),
        ("cpu-node-1u", "nvidia-qm9700", 200),
        ("generic-2u", "nvidia-sn4600c", 100),
    ],
)
def test_switches_are_chosen_to_suit_the_ports_of_the_servers(
    server: str, leaf: str, rate_gbps: float
) -> None:
    """HDR servers get an HDR switch, XDR servers an XDR one; every link runs at the NIC's rate."""
    design = made("rail-fat-tree", 2, server=server)
    assert_sound(design)
    assert {d.part for d in design.devices.values() if d.role == "leaf"} == {leaf}
    assert {link.rate_gbps for found in design.links.values() for link in found} == {rate_gbps}
    assert not [f for f in run(design) if f.rule == "port.no-link"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"servers": "4"}, "no option 'servers'; did you mean server"),
        ({"oversubscription": "0.5"}, "the least is 1"),
        ({"oversubscription": "nan"}, "a number is wanted"),
        ({"tiers": "two"}, "a whole number is wanted"),
        ({"server": "nvidia-qm9700"}, "not a server part"),
        ({"switch": "dgx-h100"}, "not a switch part"),
        ({"switch": "nvidia-qm8700"}, "server to leaf"),
        ({"server": "dell-xe9640"}, "no network ports"),
        ({"server": "gaudi3-8x"}, "carries several links"),
        ({"switch_place": "moon"}, "auto, network and top"),
    ],
)
def test_wishes_that_make_no_fabric_are_refused_with_a_sentence(
    options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(GenerateError, match=sentence):
        generate("rail-fat-tree", CATALOG, servers=16, options=options)


def test_scripts_may_give_numbers_as_numbers() -> None:
    as_text = {"oversubscription": "2", "racks_per_row": "8"}
    as_numbers = {"oversubscription": 2, "racks_per_row": 8}
    texts, numbers = (
        generate("rail-fat-tree", CATALOG, servers=32, options=o).design
        for o in (as_text, as_numbers)
    )
    assert numbers == texts
    with pytest.raises(GenerateError, match="a whole number is wanted"):
        generate("rail-fat-tree", CATALOG, servers=32, options={"racks_per_row": 8.5})


def test_unknown_parts_and_presets_name_what_there_is() -> None:
    with pytest.raises(CatalogError, match="did you mean"):
        generate("rail-fat-tree", CATALOG, servers=4, options={"switch": "qm9700"})
    with pytest.raises(GenerateError, match="did you mean rail-fat-tree"):
        generate("rail-fat-tre", CATALOG, servers=4)
    with pytest.raises(GenerateError, match="take 8 or 16"):
        generate("rail-fat-tree", CATALOG, gpus=12)
    with pytest.raises(GenerateError, match="once"):
        generate("rail-fat-tree", CATALOG)
    with pytest.raises(GenerateError, match="1 to 100000"):
        generate("rail-fat-tree", CATALOG, servers=0)
