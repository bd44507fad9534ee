# SPDX-License-Identifier: Apache-2.0
"""BOM, cable schedule, power and summary of designs whose content is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders import big_design, catalog, leaf_part, small_design

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    PartId,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.words import Trust
from rackloom.design import CableEnd, Design, Draft, edits
from rackloom.design.ids import DeviceId
from rackloom.files import load
from rackloom.reports import (
    BomRow,
    CableRow,
    bom,
    cable_schedule,
    csv_text,
    power_of,
    power_sum,
    summary,
    summary_text,
)
from rackloom.reports.schedule import end_pairs

DATA = Path(__file__).parent.parent / "data" / "reports"
FROZEN = DATA.parent / "files" / "version-1.rackloom"


def after(design: Design, change: object, *args: object, **kwargs: object) -> Design:
    draft = Draft(design)
    change(draft, *args, **kwargs)  # type: ignore[operator]
    edited, _ = draft.close("Edit")
    return edited


def known_design() -> Design:
    """The small design with figures of its own, which no correction of the catalogue alters."""
    draft = Draft(small_design())
    leaf = leaf_part().model_copy(
        update={"power_max_w": 940.0, "trust": Trust.DATASHEET, "estimates": ()}
    )
    draft.replace_part(leaf)
    for part_id, power_w in (("mma4z00-ns", 15.0), ("mma4z00-ns400", 8.0)):
        part = draft.part(PartId(part_id), TransceiverPart)
        draft.replace_part(
            part.model_copy(update={"power_max_w": power_w, "trust": Trust.DATASHEET})
        )
    return draft.close("Set figures")[0]


@pytest.mark.parametrize(
    ("name", "rows", "kind"), [("bom", bom, BomRow), ("cables", cable_schedule, CableRow)]
)
def test_the_csv_is_as_it_was_agreed(name: str, rows: object, kind: type) -> None:
    """Scripts read these columns. The project is the frozen sample, not today's catalogue."""
    golden = (DATA / f"{name}.csv").read_bytes().decode()
    assert csv_text(rows(load(FROZEN).design), kind) == golden  # type: ignore[operator]


def test_the_columns_are_those_of_the_agreement() -> None:
    assert csv_text([], BomRow).strip() == (
        "part_number,manufacturer,model,category,description,quantity,unit,length_m,"
        "unit_power_w,notes"
    )
    assert csv_text([], CableRow).strip() == (
        "cable,label,part_number,type,length_m,a_rack,a_u,a_device,a_port,b_rack,b_u,b_device,"
        "b_port,rate_gbps,fabric,colour"
    )


def test_the_bom_counts_everything_once() -> None:
    design = big_design(256)
    rows = bom(design)
    quantity = Counter({(row.category, row.model): row.quantity for row in rows})
    assert quantity["server", "Server 8 GPU"] == 32
    assert quantity["switch", leaf_part().model] == 8 + 8 + 4
    assert quantity["rack", "48U 600x1200"] == len(design.racks)
    assert sum(r.quantity for r in rows if r.category == "transceiver") == len(design.modules)
    assert sum(r.quantity for r in rows if r.category == "fibre") == len(design.cables)


def test_lengths_of_one_part_are_lines_of_their_own() -> None:
    design = small_design()
    fibres = [row for row in bom(design) if row.category == "fibre"]
    assert [(row.length_m, row.quantity) for row in fibres] == [(3.0, 1), (5.0, 2)]
    odd = after(design, edits.set_cable, "c15", length_m=4.2)
    row = next(row for row in bom(odd) if row.length_m == 4.2)
    assert row.part_number == ""
    assert "not a stocked length" in row.notes
    assert "part number not known" in row.notes


def test_an_unknown_power_is_blank_and_said() -> None:
    draft = Draft(small_design())
    part = leaf_part().model_copy(update={"power_max_w": None, "power_max_with_optics_w": None})
    draft.replace_part(part)
    design = draft.close("Forget")[0]
    row = next(row for row in bom(design) if row.category == "switch")
    assert row.unit_power_w is None
    assert "power not known" in row.notes
    assert csv_text([row], BomRow).splitlines()[1].split(",")[-2] == ""


def test_cards_and_cords_are_ordered_too() -> None:
    rows = bom(small_design())
    assert [row.model for row in rows if row.category == "nic"] == [
        catalog()[PartId("cx7-osfp-400")].model
    ]
    (cord,) = [row for row in rows if row.category == "power cord"]
    assert (cord.model, cord.quantity) == ("C19 to C20", 1)  # not the PDU's own input


def test_a_breakout_has_a_row_for_each_branch() -> None:
    rows = [row for row in cable_schedule(small_design()) if row.cable == "c9"]
    assert [(r.a_device, r.a_port, r.b_device, r.b_port) for r in rows] == [
        ("leaf-01", "1/1", "gpu-01", "N1"),
        ("leaf-01", "1/2", "gpu-01", "N2"),
    ]
    assert {row.rate_gbps for row in rows} == {400.0}
    assert {row.type for row in rows} == {"DAC 1:2"}


def test_both_sockets_of_an_optic_can_be_told_apart() -> None:
    rows = {row.cable: row for row in cable_schedule(small_design())}
    assert (rows["c15"].a_port, rows["c15"].b_port) == ("17/1", "1/1")
    assert (rows["c16"].a_port, rows["c16"].b_port) == ("17/2", "1/2")
    assert rows["c16"].label == "R01-U40:17/2 / R02-U40:1/2"
    assert rows["c16"].type == "fibre OM4"


def test_a_dark_fibre_has_sockets_but_no_rate() -> None:
    design = small_design()
    draft = Draft(design)
    spine_optic = next(m for m in design.modules.values() if m.device == "d7")
    edits.swap_module(draft, spine_optic.id, catalog()[PartId("mms4x00-ns")])  # type: ignore[arg-type]
    draft.remove("cables", "c15")
    draft.remove("modules", spine_optic.id)
    dark = draft.close("Pull the optic")[0]
    row = next(row for row in cable_schedule(dark) if row.cable == "c16")
    assert row.rate_gbps is None
    assert (row.a_port, row.b_port) == ("17/2", "1")
    assert csv_text([row], CableRow).splitlines()[1].split(",")[13] == ""


def test_a_straight_cable_carries_both_ports_of_its_cages() -> None:
    draft = Draft(small_design())
    twin = catalog()[PartId("mcp4y10-n")]
    assert isinstance(twin, CablePart)
    ends = [CableEnd(0, DeviceId("d6"), "30"), CableEnd(1, DeviceId("d7"), "30")]
    cable = edits.plug_cable(draft, twin, ends, 2.0)
    row = next(r for r in cable_schedule(draft.close("Plug")[0]) if r.cable == cable)
    assert (row.a_port, row.b_port, row.rate_gbps) == ("30", "30", 800.0)


def test_the_connectors_of_a_trunk_cable_pair_up_one_by_one() -> None:
    straight = catalog()[PartId("mfp7e10")]
    assert isinstance(straight, CablePart)
    trunk = straight.model_copy(update={"ends": straight.ends * 2, "connectors_per_side": 2})
    device = DeviceId("d6")
    ends = {n: CableEnd(n, device, str(n)) for n in range(4)}
    pairs = end_pairs(trunk, (ends[3], ends[0], ends[2], ends[1]))
    assert pairs == [(ends[0], ends[2]), (ends[1], ends[3])]
    assert end_pairs(trunk, (ends[3],)) == [(None, ends[3])]
    assert end_pairs(trunk, ()) == [(None, None)]
    assert end_pairs(straight, (ends[1], ends[0])) == [(ends[0], ends[1])]


def test_loose_ends_are_empty() -> None:
    design = small_design()
    fibre = design.cables["c14"]  # type: ignore[index]
    tables = {name: dict(design.table(name)) for name in (*_TABLES, "cables")}
    tables["cables"] = {
        "c1": replace(fibre, id="c1", ends=()),  # type: ignore[arg-type]
        "c2": replace(fibre, id="c2", ends=fibre.ends[:1]),  # type: ignore[arg-type]
        "c3": replace(fibre, id="c3", ends=fibre.ends[1:]),  # type: ignore[arg-type]
    }
    rows = {row.cable: row for row in cable_schedule(Design(tables))}
    assert [(r.a_device, r.b_device) for r in (rows["c1"], rows["c2"], rows["c3"])] == [
        ("", ""),
        ("leaf-01", ""),
        ("", "gpu-02"),
    ]
    assert rows["c2"].label == "R01-U40:2/1 / loose"


_TABLES = ("rows", "racks", "devices", "modules", "parts")


def test_the_schedule_goes_by_rack_then_unit_then_port() -> None:
    rows = cable_schedule(big_design(256))
    racks = [row.a_rack for row in rows]
    assert racks == sorted(racks)
    first = [row for row in rows if row.a_device == "leaf-0001"]
    assert [row.a_port for row in first[:4]] == ["1/1", "1/2", "2/1", "2/2"]
    assert len({row.cable for row in rows}) == len(rows)


# Power and summary


def test_power_is_that_of_devices_with_their_optics() -> None:
    design = known_design()
    powers = {design.devices[d].name: power for d, power in power_of(design).items()}
    assert powers["gpu-01"].known_w == 10_200
    # two twin optics at 15 W, and one end of a passive cable at 0.1 W
    assert powers["leaf-01"].known_w == pytest.approx(940 + 2 * 15 + 0.1)
    assert powers["spine-01"].known_w == pytest.approx(940 + 15)
    assert "pdu-01" not in powers
    total = power_sum(design)
    assert total.maximum_w == pytest.approx(2 * 10_200 + 2 * 940 + 3 * 15 + 0.1)
    assert total.unknown_devices == 0


def test_what_is_unknown_is_counted_not_guessed() -> None:
    draft = Draft(known_design())
    optic = draft.part(PartId("mma4z00-ns"), TransceiverPart)
    draft.replace_part(optic.model_copy(update={"power_max_w": None}))
    design = draft.close("Forget")[0]
    assert power_sum(design).unknown_devices == 2  # leaf and spine hold that optic
    draft = Draft(design)
    switch = draft.part(PartId("nvidia-qm9700"), SwitchPart)
    update = {"power_max_w": None, "power_max_with_optics_w": 1720.0}
    draft.replace_part(switch.model_copy(update=update))
    design = draft.close("Other figure")[0]
    assert power_sum(design).unknown_devices == 0  # the figure with all optics holds them
    assert power_sum(design).maximum_w == pytest.approx(2 * 10_200 + 2 * 1720)


def test_the_summary_counts_cables_and_links_by_layer() -> None:
    found = summary(small_design())
    assert found["schema"] == 1
    assert (found["racks"], found["servers"], found["gpus"]) == (2, 2, 16)
    assert found["switches"] == {"leaf": 1, "spine": 1}
    assert found["cables"] == {"server-leaf": 2, "leaf-spine": 2}
    assert found["links"] == {"server-leaf": 3, "leaf-spine": 2}  # the splitter carries two
    assert found["dark_cables"] == 0
    (fabric,) = found["fabrics"]
    assert fabric["name"] == "compute"
    assert fabric["cables"] == found["cables"]
    assert "2 cables         3 links" in summary_text(found)


def test_management_servers_are_counted_apart() -> None:
    managing = [p for p in catalog().values() if getattr(p, "purpose", "") == "management"]
    assert managing
    design = small_design()
    rack = next(iter(design.racks))
    added = after(design, edits.add_device, managing[0], rack, 20)
    found = summary(added)
    assert (found["servers"], found["management_servers"]) == (2, 1)


def test_an_empty_design_has_nothing() -> None:
    found = summary(Design())
    assert found == {
        "schema": 1,
        "racks": 0,
        "servers": 0,
        "management_servers": 0,
        "gpus": 0,
        "switches": {},
        "cables": {},
        "dark_cables": 0,
        "links": {},
        "power_w": {"maximum": 0, "unknown_devices": 0},
        "fabrics": [],
    }
    assert bom(Design()) == []
    assert cable_schedule(Design()) == []


def test_the_bill_says_which_cassettes_a_housing_takes_and_that_nobody_named_them() -> None:
    draft = Draft(small_design())
    rack = next(iter(draft.racks))
    for n, part_id in enumerate(("fs-fhd-1ufce", "generic-mpo-panel-1u", "generic-patch-24-rj45")):
        part = catalog()[PartId(part_id)]
        assert isinstance(part, DevicePart)
        edits.add_device(draft, part, rack, 20 + n)
    rows = {row.model: row.notes for row in bom(draft.close("Add")[0]) if row.category == "panel"}
    assert "takes 4 cassettes, ordered apart" in rows["FHD-1UFCE with LC cassettes"]
    assert "takes 6 adapter panels, ordered apart" in rows["1U MPO adapter panel"]
    assert "ordered apart" not in rows["24-port copper patch panel"]
