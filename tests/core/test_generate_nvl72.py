# SPDX-License-Identifier: Apache-2.0
"""The preset ``nvl72`` against the published scalable unit, and what its designs can do."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from rackloom.catalog import load_bundled
from rackloom.checks import run
from rackloom.cli import main
from rackloom.collectives import estimate
from rackloom.design import Design
from rackloom.design.domains import scale_up_domains
from rackloom.design.ids import FeedId
from rackloom.design.invariants import check_all_references
from rackloom.fabric import Fabric
from rackloom.files import load, save
from rackloom.generate import GenerateError, generate
from rackloom.reports import summary
from rackloom.reports.summary import summary_text

CATALOG = load_bundled()


@cache
def made(racks: int, **options: str) -> Design:
    return generate("nvl72", CATALOG, options={"racks": str(racks), **options}).design


def fabric(design: Design, name: str) -> dict[str, dict[str, int]]:
    """Switches, cables and links of one network, as ``rackloom summary`` counts them."""
    found = {f["name"]: f for f in summary(design)["fabrics"]}
    return found[name]  # type: ignore[no-any-return]


def test_the_published_scalable_unit_of_eight_racks() -> None:
    """DGX SuperPOD GB200, NDR: 8 racks x 4 rails = 32 leaves, 18 down and 18 up, 2 to each of 9
    spines; 576 cables from nodes to leaves and 576 from leaves to spines."""
    design = made(8)
    compute = fabric(design, "compute")
    assert compute["switches"] == {"leaf": 32, "spine": 9}
    assert compute["cables"] == {"server-leaf": 576, "leaf-spine": 576}
    assert {d.part for d in design.devices.values() if d.fabric == "compute"} == {"nvidia-qm9700"}
    pairs: Counter[frozenset[str]] = Counter()
    down: Counter[str] = Counter()
    for cable in design.cables.values():
        if cable.fabric != "compute":
            continue
        a, b = (design.devices[end.device] for end in cable.ends)
        if {a.role, b.role} == {"leaf", "spine"}:
            pairs[frozenset((a.id, b.id))] += 1
        else:
            down[next(d.id for d in (a, b) if d.role == "leaf")] += 1
    assert set(pairs.values()) == {2}
    assert len(pairs) == 32 * 9
    assert list(down.values()) == [18] * 32


def test_each_rack_holds_what_is_published() -> None:
    """DGX GB200 user guide: 18 compute trays, 9 NVLink switch trays, 8 power shelves, 72 GPUs."""
    design = made(2)
    check_all_references(design)
    racks = [r for r in design.racks.values() if r.part == "nvl72-mgx"]
    assert len(racks) == 2
    for rack in racks:
        parts = Counter[str](design.devices[d].part for d in design.index.devices_in_rack[rack.id])
        assert parts["gb200-compute-tray"] == 18
        assert parts["nvidia-nvlink5-switch-tray"] == 9
        assert parts["nvl72-shelf"] == 8
        assert parts["nvidia-sn2201"] == 2
    assert summary(design)["gpus"] == 144
    assert [(d.gpus, len(d.servers), len(d.switches)) for d in scale_up_domains(design)] == [
        (72, 18, 9)
    ] * 2


def test_nvlink_switches_make_a_network_of_their_own_in_the_summary() -> None:
    """They are plugged, into the backplane: nobody should look for their cables."""
    assert "\nfabric scale-up   no cables\n" in summary_text(summary(made(2)))
    names = {f["name"] for f in summary(made(2))["fabrics"]}
    assert names == {"compute", "in-band", "out-of-band", "scale-up"}
    assert fabric(made(2), "scale-up")["switches"] == {"switch": 18}


def test_shelves_hang_half_on_each_feed() -> None:
    design = made(1)
    groups = Counter(
        design.feeds[FeedId(cord.source)].group
        for cord in design.cords.values()
        if design.devices[cord.device].part == "nvl72-shelf"
    )
    assert groups == {"A": 4, "B": 4}
    shelf_feeds = [f for f in design.feeds.values() if "shelf" in f.name]
    # 33 kW at 415 V, three phases: 45.9 A, 57.4 A with the derating of 0.8
    assert {(f.voltage_v, f.phases, f.current_a) for f in shelf_feeds} == {(415, 3, 58)}


@pytest.mark.parametrize("racks", [1, 2, 8, 32])
def test_designs_have_no_errors_and_no_known_warnings(racks: int, tmp_path: Path) -> None:
    """What is left is what the catalogue does not know: inlets of some parts.

    The design is saved and opened, so that nothing is remembered from when it was being made.
    """
    file = tmp_path / "racks.rackloom"
    save(file, made(racks))
    found = run(load(file).design, CATALOG)
    assert [f.message for f in found if f.severity == "error"] == []
    assert {f.rule for f in found if f.severity == "warning"} <= {"power.unpublished-inlets"}


@pytest.mark.parametrize(
    "options",
    [
        {"system": "gb300-nvl72-rack"},
        {"switch": "nvidia-sn5600"},
        {"switch": "arista-7060x6-64pe", "storage": "yes"},
        {"oversubscription": "2", "rails_per_leaf": "2"},
        {"scale_out": "no", "front_end": "no", "out_of_band": "no", "cdus": "0"},
        {"rack": "generic-48u-600", "racks_per_row": "5"},
        {"network_pdu": "apc-ap8965"},
    ],
)
def test_other_choices_have_no_errors_either(options: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "racks.rackloom"
    save(file, made(5, **options))
    found = run(load(file).design, CATALOG)
    assert [f.message for f in found if f.severity == "error"] == []


@pytest.mark.parametrize(
    ("options", "leaves", "spines"),
    [
        # 144 x 800G: four racks of 18 trays share a leaf, as 72 nodes do in the XDR design
        ({"system": "gb300-nvl72-rack"}, {"leaf": 8, "spine": 4}, "nvidia-q3400-ra"),
        # 128 x 400G: three racks of 18 share a leaf
        ({"switch": "nvidia-sn5600"}, {"leaf": 12, "spine": 6}, "nvidia-sn5600"),
        ({"racks_per_leaf": "1"}, {"leaf": 32, "spine": 9}, "nvidia-qm9700"),
    ],
)
def test_leaves_serve_as_many_whole_racks_as_their_ports_allow(
    options: dict[str, str], leaves: dict[str, int], spines: str
) -> None:
    design = made(8, **options)
    assert fabric(design, "compute")["switches"] == leaves
    assert {d.part for d in design.devices.values() if d.fabric == "compute"} == {spines}


def test_one_rack_needs_no_network_for_its_72_gpus() -> None:
    """coreweave/nccl-tests, 72 GPUs of one rack: all_reduce busbw 839 GB/s at 4 GiB."""
    alone = made(1, scale_out="no", front_end="no")
    answer = estimate(Fabric.of(alone), collective="all-reduce", sizes=[4 << 30])
    assert answer.gpus == 72
    assert answer.points[0].busbw_gb_per_s == pytest.approx(839, rel=0.08)
    assert "NVLink 5" in answer.bottleneck.text
    cabled = estimate(Fabric.of(made(1)), collective="all-reduce", sizes=[4 << 30])
    assert cabled.points[0].busbw_gb_per_s == pytest.approx(answer.points[0].busbw_gb_per_s)


def test_all_to_all_across_racks_is_bounded_by_the_network_cards() -> None:
    """Closed form b_x (n-1)/(n-g): 50 GB/s a GPU, 144 GPUs in racks of 72."""
    answer = estimate(Fabric.of(made(2)), collective="alltoall", sizes=[4 << 30])
    assert answer.points[0].limit_busbw_gb_per_s == pytest.approx(50 * 143 / 72, rel=0.001)


def test_rail_k_of_all_trays_meets_in_leaves_of_that_rail() -> None:
    design = made(3)
    rails: dict[str, set[int]] = {}
    for links in design.links.values():
        for link in links:
            for here, there in ((link.a, link.b), (link.b, link.a)):
                leaf = design.devices[there.device]
                if leaf.fabric == "compute" and leaf.role == "leaf":
                    part = design.device_part(here.device)
                    port = part.cage_by_name[here.cage].ports[here.index]
                    if port.rail is not None:
                        rails.setdefault(leaf.id, set()).add(port.rail)
    assert len(rails) == 12
    assert all(len(found) == 1 for found in rails.values())


@pytest.mark.parametrize("racks", [1, 2, 5, 32])
def test_everything_with_a_management_port_is_on_one_out_of_band_network(racks: int) -> None:
    design = made(racks)
    assert not [f for f in run(design, CATALOG) if f.rule == "fabric.no-management"]
    trays = 18 * racks
    managed = Counter(
        end.device
        for cable in design.cables.values()
        if cable.fabric == "out-of-band"
        for end in cable.ends
        if design.devices[end.device].part == "gb200-compute-tray"
    )
    assert (len(managed), set(managed.values())) == (trays, {1})
    # One network: every management switch reaches every other.
    graph = Fabric.of(design).graph
    switches = [d.id for d in design.devices.values() if d.fabric == "out-of-band"]
    reached, edge = {str(switches[0])}, [str(switches[0])]
    while edge:
        for peer in graph.neighbors(edge.pop()):
            if peer in switches and peer not in reached:
                reached.add(peer)
                edge.append(peer)
    assert reached == set(switches)


def test_sizes_are_whole_racks() -> None:
    by_gpus = generate("nvl72", CATALOG, gpus=144).design
    assert by_gpus == generate("nvl72", CATALOG, servers=36).design == made(2)
    for size, sentence in (
        ({"gpus": 100}, "100 GPUs do not fill racks of 72: take 72 or 144"),
        ({"servers": 4}, "4 trays do not fill racks of 18: take 18"),
        ({}, "the size is needed once"),
        ({"gpus": 72, "options": {"racks": "1"}}, "the size is needed once"),
    ):
        with pytest.raises(GenerateError, match=sentence):
            generate("nvl72", CATALOG, **size)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"system": "amd-helios-rack"}, "what stands in it is not published"),
        ({"system": "dgx-h100"}, "that is not a rack system part"),
        ({"switch": "nvidia-q3400-ra"}, "sends lanes of 100 Gb/s on the fibre"),
        ({"racks_per_leaf": "4"}, "a leaf of .* takes 32 trays of a rail, and racks have 18"),
    ],
)
def test_what_cannot_be_built_is_refused_with_a_sentence(
    options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(GenerateError, match=sentence):
        made(8, **options)


def test_coolant_units_take_the_heat_of_all_racks_and_one_is_spare() -> None:
    """132 kW a rack, 250 kW a unit: 8 racks give off 1,056 kW, five units take it."""
    units = Counter[str](d.part for d in made(8).devices.values())["cdu-4u-250"]
    assert units == 6


def test_the_command_line_takes_racks_as_an_option(tmp_path: Path) -> None:
    file = tmp_path / "racks.rackloom"
    assert main(["new", "nvl72", "--set", "racks=2", "-o", str(file)]) == 0
    assert load(file).design == made(2)
