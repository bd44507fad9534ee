# SPDX-License-Identifier: Apache-2.0
"""How much of what was gathered is in the catalogue, and what the newer kinds of parts say."""

from __future__ import annotations

import math
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from pydantic import ValidationError

from rackloom import checks, reports
from rackloom.catalog import (
    CablePart,
    Catalog,
    DevicePart,
    PanelPart,
    PowerShelfPart,
    RackPart,
    RackSystemPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
    load_bundled,
    load_parts,
)
from rackloom.catalog.user_parts import catalog_text
from rackloom.catalog.words import FormFactor
from rackloom.design import History, edits
from rackloom.files import load, save


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_bundled()


# What the gathered lists hold, less what each file says is left out, plus what is split in two.
SWITCHES = 67 - 2  # a line card, and a switch of unknown height
SERVERS = 33 - 3  # three are whole racks
NICS = 27 - 1  # one exists in the cloud only
COPPER_AND_AOC = 48 - 1 + 2  # one without lengths; one family is three parts, by its plugs
TRANSCEIVERS = 59 + 5  # five optics come in two form factors
FIBRE = 20
PANELS = 11 + 1  # one housing, filled in two ways
ILLUSTRATIVE = {"generic-ualink-rack-48u", "generic-ualink-tray", "generic-ualink-switch-tray"}


def test_every_list_is_carried_over(catalog: Catalog) -> None:
    kinds = Counter(
        part.kind  # type: ignore[attr-defined]
        for part in catalog.values()
        if part.id not in ILLUSTRATIVE
    )
    assert kinds == {
        "switch": SWITCHES,
        "server": SERVERS,
        "nic": NICS,
        "cable": COPPER_AND_AOC + FIBRE,
        "transceiver": TRANSCEIVERS,
        "rack": 15,
        "pdu": 17,
        "power-shelf": 4,
        "panel": PANELS,
        "accessory": 6,
        "consumable": 3,
        "gpu-board": 4,
        "rack-system": 3,
    }
    assert len(catalog.feeds) == 13


def test_figures_of_single_servers_are_those_of_their_user_guides(catalog: Catalog) -> None:
    """DGX H100: 1,105 CFM at 80 % fan speed, 130.45 kg, 10.2 kW, six supplies of which four run it;
    B200: 1,550 CFM and 14.3 kW, five of six supplies."""
    for part_id, cfm, power_w, weight_kg, psus, needed in (
        ("dgx-h100", 1105, 10_200, 130.45, 6, 4),
        ("dgx-h200", 1105, 10_200, 130.45, 6, 4),
        ("dgx-b200", 1550, 14_300, None, 6, 5),
    ):
        server = catalog.require(part_id)
        assert isinstance(server, ServerPart)
        assert (server.airflow_cfm, server.power_max_w) == (cfm, power_w)
        assert weight_kg is None or server.weight_kg == weight_kg
        assert server.psu is not None
        assert (server.psu.count, server.psu.needed) == (psus, needed)


def test_what_is_left_out_is_said_where_one_would_look() -> None:
    folder = files("rackloom_resources") / "catalog"
    for name, model in (
        ("switches.yaml", "7800R3A-36D-LC"),
        ("switches.yaml", "QFX5250"),
        ("nics.yaml", "EFA v3"),
        ("cables.yaml", "MFA7U40-H"),
    ):
        head = (folder / name).read_text(encoding="utf-8").partition("sources:")[0]
        assert model in " ".join(head.replace("#", "").split()), (name, model)


def test_only_what_is_not_public_is_illustrative(catalog: Catalog) -> None:
    assert {part.id for part in catalog.values() if part.illustrative} == ILLUSTRATIVE


def test_every_part_survives_being_written_and_read(catalog: Catalog) -> None:
    parts = list(catalog.values())
    text = catalog_text(parts, catalog.sources)
    again, sources = load_parts(text, "again.yaml")
    assert again == parts
    cited = {key for part in parts for key in part.sources}
    assert sources == {key: catalog.sources[key] for key in cited}


# Feeds.


def test_feeds_follow_from_volts_and_amperes(catalog: Catalog) -> None:
    """Published: 415 V 60 A is 43.1 kVA and 34.5 kW at 80 %; 230 V 32 A single-phase 7.36 kVA."""
    by_rating = {(f.voltage_v, f.current_a, f.phases): f for f in catalog.feeds}
    three = by_rating[415, 60, 3]
    assert three.apparent_kva == pytest.approx(43.1, abs=0.05)
    assert three.usable_kw() == pytest.approx(34.5, abs=0.05)
    assert by_rating[230, 32, 1].apparent_kva == pytest.approx(7.36)
    assert by_rating[208, 30, 3].usable_kw() == pytest.approx(8.6, abs=0.06)
    for feed in catalog.feeds:
        if feed.transient_kw is not None:
            assert feed.transient_kw == pytest.approx(0.75 * feed.usable_kw(), rel=0.012)


# Switches that are more, or less, than they look.


def switch(catalog: Catalog, part_id: str) -> SwitchPart:
    part = catalog.require(part_id)
    assert isinstance(part, SwitchPart)
    return part


def test_q3200_is_two_switches_in_one_box(catalog: Catalog) -> None:
    part = switch(catalog, "nvidia-q3200-ra")
    assert part.partitions == 2
    sides = Counter(part.partition_of(cage.name) for cage in part.data_cages)
    assert sides == {0: 18, 1: 18}
    assert part.partition_of("18") == 0
    assert part.partition_of("19") == 1
    assert switch(catalog, "nvidia-q3400-ra").partitions == 1


@pytest.mark.parametrize(
    ("part_id", "pipelines", "ports"),
    [("celestica-ds4000", 8, 18), ("celestica-ds4101", 16, 16), ("celestica-ds5000", 32, 10)],
)
def test_pipelines_limit_ports(catalog: Catalog, part_id: str, pipelines: int, ports: int) -> None:
    part = switch(catalog, part_id)
    assert part.pipeline_limit is not None
    assert part.pipeline_limit.ports_max == ports
    assert {part.pipeline_of(c.name) for c in part.data_cages} == set(range(pipelines))
    assert part.logical_port_limit == pipelines * ports
    service = [c for c in part.cages if c not in part.data_cages]
    assert all(part.pipeline_of(cage.name) is None for cage in service)
    assert switch(catalog, "nvidia-sn5600").pipeline_of("1") is None


# Panels.


def panel(catalog: Catalog, part_id: str) -> PanelPart:
    part = catalog.require(part_id)
    assert isinstance(part, PanelPart)
    return part


@pytest.mark.parametrize(
    ("part_id", "fibres"),
    [
        ("fs-fhd-1ufce", 144),
        ("fs-fhd-2ufce", 288),
        ("fs-fhu-96", 96),
        ("corning-edge-01u-sp", 144),
        ("panduit-flex1u06", 144),
        ("panduit-flex4u06", 576),
        ("panduit-flex1u06-mpo", 864),
        ("generic-mpo-panel-1u", 864),
    ],
)
def test_panels_hold_the_fibres_of_their_data_sheets(
    catalog: Catalog, part_id: str, fibres: int
) -> None:
    part = panel(catalog, part_id)
    for group in part.cage_groups:
        assert group.lanes * 2 * len(group.cage_names()) == fibres, group.group


def test_a_cassette_fans_out_and_comes_back(catalog: Catalog) -> None:
    part = panel(catalog, "fs-fhd-1ufce")
    rear = part.passages["R2"]
    assert [(p.cage, p.near, p.far, p.width) for p in rear] == [
        (f"F{7 + k}", k, 0, 1) for k in range(6)
    ]
    assert [(p.cage, p.near, p.far, p.width) for p in part.passages["F9"]] == [("R2", 0, 2, 1)]


def test_every_port_of_a_panel_leads_somewhere_and_back(catalog: Catalog) -> None:
    for part in catalog.of_kind(PanelPart):
        assert set(part.passages) == set(part.cage_by_name), part.id
        for cage, steps in part.passages.items():
            for step in steps:
                back = part.passages[step.cage]
                assert (cage, step.far, step.near) in {(b.cage, b.near, b.far) for b in back}
                sides = {part.cage_by_name[name].side for name in (cage, step.cage)}
                assert len(sides) == 2, (part.id, cage)


def test_couplers_lose_one_joint_and_cassettes_two(catalog: Catalog) -> None:
    """0.35 dB for an MPO joint, 0.25 dB for an LC one: NVIDIA's component limits."""
    assert {s.loss_db for s in panel(catalog, "generic-mpo-panel-1u").passages["F1"]} == {0.35}
    assert {s.loss_db for s in panel(catalog, "fs-fhu-96").passages["F1"]} == {0.35 + 0.25}


PANEL = """
parts:
  - id: p1
    kind: panel
    manufacturer: Acme
    model: P
    rack_units: 1
    cage_groups:
      - {group: f, form_factor: LC duplex, passive: true, lanes: 1, count: FRONT, name: "F{n}",
         layout: {side: front, columns: 8, x_mm: 20, y_mm: 20}}
      - {group: r, form_factor: MPO-12, passive: true, lanes: 6, count: 2, name: "R{n}",
         layout: {side: rear, columns: 2, x_mm: 20, y_mm: 20}}
    passes:
      - {front: f, rear: REAR, fronts_per_rear: FAN}
"""


def panel_text(front: int = 8, rear: str = "r", fan: int = 4) -> str:
    return PANEL.replace("FRONT", str(front)).replace("REAR", rear).replace("FAN", str(fan))


def test_a_panel_whose_ports_do_not_match_is_refused() -> None:
    assert load_parts(panel_text(), "p.yaml")[0]
    with pytest.raises(ValueError, match="do not make the 7 ports of 'f'"):
        load_parts(panel_text(front=7), "p.yaml")
    with pytest.raises(ValueError, match="names the cage group 'x'"):
        load_parts(panel_text(rear="x"), "p.yaml")
    with pytest.raises(ValueError, match="6 pairs does not reach 7 ports"):
        load_parts(panel_text(front=14, fan=7), "p.yaml")
    active = panel_text().replace("passive: true, lanes: 1,", "rate_gbps: 1, lanes: 1,", 1)
    with pytest.raises(ValueError, match=r"protocols|passive"):
        load_parts(active, "p.yaml")


def test_only_passive_cages_have_no_rate() -> None:
    text = panel_text().replace("lanes: 1,", "lanes: 1, rate_gbps: 10,", 1)
    with pytest.raises(ValueError, match="passive cage"):
        load_parts(text, "p.yaml")


# Trunks.


@pytest.mark.parametrize("fibres", [8, 12, 24, 48, 72, 96, 144, 288])
def test_trunks_have_a_connector_for_every_twelve_fibres(catalog: Catalog, fibres: int) -> None:
    part = catalog.require(f"trunk-{fibres}-os2")
    assert isinstance(part, CablePart)
    assert part.connectors_per_side == max(fibres // 12, 1)
    assert len(part.ends) == 2 * part.connectors_per_side
    assert part.branches == 1
    assert part.fibre is not None
    assert part.fibre.pinned
    for end in range(len(part.ends)):
        (far,) = part.far_ends(end)
        assert list(part.far_ends(far)) == [end]
        assert abs(far - end) == part.connectors_per_side


def test_far_ends_of_a_breakout(catalog: Catalog) -> None:
    part = catalog.require("mpo12-4xlc-sm")
    assert isinstance(part, CablePart)
    assert list(part.far_ends(0)) == [1, 2, 3, 4]
    assert list(part.far_ends(3)) == [0]


def test_a_trunk_with_one_connector_too_few_is_refused(catalog: Catalog) -> None:
    good = catalog.require("trunk-24-os2").model_dump()
    with pytest.raises(ValidationError, match="2 connectors at each side make 4 ends, not 3"):
        CablePart.model_validate({**good, "ends": good["ends"][:3]})


# Power shelves and whole racks.


def test_shelves_carry_their_rating_with_the_rectifiers_they_need(catalog: Catalog) -> None:
    for part in catalog.of_kind(PowerShelfPart):
        assert part.rectifier_w is not None
        assert part.rectifiers is not None
        carried = part.rectifiers_needed or part.rectifiers
        assert carried * part.rectifier_w / 1000 == pytest.approx(part.rated_kw), part.id


def rack_system(catalog: Catalog, part_id: str) -> RackSystemPart:
    part = catalog.require(part_id)
    assert isinstance(part, RackSystemPart)
    return part


@pytest.mark.parametrize("part_id", ["gb200-nvl72-rack", "gb300-nvl72-rack"])
def test_an_nvl72_rack_holds_what_nvidia_says(catalog: Catalog, part_id: str) -> None:
    """18 compute trays, 9 switch trays, 8 shelves of 33 kW: 72 GPUs, 264 kW for about 120 kW."""
    system = rack_system(catalog, part_id)
    counts = {item.part: len(item.bottom_u) for item in system.items}
    trays = {p: n for p, n in counts.items() if p.endswith("compute-tray")}
    assert list(trays.values()) == [18]
    assert counts["nvidia-nvlink5-switch-tray"] == 9  # type: ignore[index]
    assert counts["nvl72-shelf"] == 8  # type: ignore[index]
    tray = catalog.require(next(iter(trays)))
    assert isinstance(tray, ServerPart)
    assert tray.gpu is not None
    assert system.gpu is not None
    assert 18 * tray.gpu.count == system.gpu.count == 72
    assert tray.gpu.model == system.gpu.model
    assert tray.scale_up == system.scale_up
    shelf = catalog.require("nvl72-shelf")
    assert isinstance(shelf, PowerShelfPart)
    assert 8 * shelf.rated_kw == 264
    assert system.power_max_w is not None
    assert system.power_max_w < 264_000


def test_what_stands_in_a_rack_system_fits_and_does_not_overlap(catalog: Catalog) -> None:
    for system in catalog.of_kind(RackSystemPart):
        if system.rack is None:
            continue
        rack = catalog.require(system.rack)
        assert isinstance(rack, RackPart)
        taken: set[int] = set()
        for item in system.items:
            part = catalog.require(item.part)
            assert isinstance(part, DevicePart)
            for bottom in item.bottom_u:
                units = set(range(bottom, bottom + math.ceil(part.rack_units)))
                assert not units & taken, (system.id, item.part, bottom)
                taken |= units
        assert max(taken) <= rack.rack_units
        assert rack.backplane is not None
        assert system.scale_up is not None
        assert rack.backplane.domain_gpus == system.scale_up.domain_gpus
        assert rack.busbar_v is not None


def test_trays_that_span_a_rack_find_a_rack_that_joins_them(catalog: Catalog) -> None:
    backplanes = {
        (r.backplane.scale_up, r.backplane.generation)
        for r in catalog.of_kind(RackPart)
        if r.backplane
    }
    spanning = [p for p in catalog.of_kind(ServerPart) if p.scale_up and p.scale_up.spans_rack]
    assert len(spanning) >= 3
    for part in spanning:
        assert part.scale_up is not None
        assert (part.scale_up.kind, part.scale_up.generation) in backplanes, part.id


def test_ualink_stations_are_four_lanes_of_200g(catalog: Catalog) -> None:
    tray = catalog.require("generic-ualink-tray")
    assert isinstance(tray, ServerPart)
    assert tray.scale_up is not None
    assert tray.scale_up.links_per_gpu is not None
    station_gb_per_s = 4 * 200 / 8
    assert tray.scale_up.bandwidth_gb_per_s == tray.scale_up.links_per_gpu * station_gb_per_s


def test_fibre_connectors_of_panels_are_those_of_cords_and_optics(catalog: Catalog) -> None:
    plugs = {e.form_factor for c in catalog.of_kind(CablePart) if c.fibre for e in c.ends}
    assert {t.connector for t in catalog.of_kind(TransceiverPart)} <= plugs
    for part in catalog.of_kind(PanelPart):
        assert {c.form_factor for c in part.cages} <= plugs | {FormFactor.RJ45}, part.id


def test_every_part_that_can_be_placed_is_checked_counted_saved_and_read(
    catalog: Catalog, tmp_path: Path
) -> None:
    history = History()
    row = history.do("row", edits.add_row)
    cabinet = catalog.require("generic-48u-800")
    assert isinstance(cabinet, RackPart)
    rack, next_u = None, 49
    placed = 0
    for part in catalog.of_kind(DevicePart):
        height = math.ceil(part.rack_units)
        hung = 0 if rack is None else len(history.design.index.devices_in_rack.get(rack, ()))
        if rack is None or next_u + height > 49 or (height == 0 and hung):
            position_m = float(len(history.design.racks))
            rack, next_u = history.do("rack", edits.add_rack, cabinet, row, position_m), 1
        history.do("put", edits.add_device, part, rack, next_u if height else None)
        next_u += height
        placed += 1
    design = history.design
    assert len(design.devices) == placed > 100
    assert not [f for f in checks.run(design) if f.rule.startswith("port.")]
    assert sum(row.quantity for row in reports.bom(design)) == placed + len(design.racks)
    save(tmp_path / "all.rackloom", design)
    assert load(tmp_path / "all.rackloom").design == design
