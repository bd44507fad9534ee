# SPDX-License-Identifier: Apache-2.0
"""Racks sold whole draw what their maker says of the rack, where nobody says it of the trays."""

from pathlib import Path

import pytest

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.catalog.words import Trust
from rackloom.design import Design, History, edits
from rackloom.design.copying import paste, snippet
from rackloom.design.draft import Draft
from rackloom.design.ids import DeviceId, RackId
from rackloom.design.kits import add_rack_system
from rackloom.files import load, save
from rackloom.generate import generate
from rackloom.placement.draws import Draw
from rackloom.placement.loads import Loads
from rackloom.placement.sold_racks import rack_as_sold
from rackloom.reports import PowerTotal, power_report, power_sum
from rackloom.reports.power import power_of

CATALOG = load_bundled()


def one_rack(system: str = "gb200-nvl72-rack") -> tuple[Design, RackId]:
    draft = Draft(Design())
    row = edits.add_row(draft, "A")
    part = CATALOG.require(system)
    assert isinstance(part, RackSystemPart)
    rack = add_rack_system(draft, part, CATALOG, row, 0.0)
    return draft.close("place")[0], rack


def test_a_scalable_unit_of_eight_racks_draws_what_nvidia_says() -> None:
    """1.2 MW with the racks around it (DGX SuperPOD reference architecture, GB200)."""
    design = generate("nvl72", CATALOG, options={"racks": "8"}).design
    rows = power_report(design).places
    gpus = [r for r in rows if r.place == "rack" and r.maximum_w == pytest.approx(132_000)]
    assert len(gpus) == 8
    assert [r.typical_w for r in gpus] == pytest.approx(8 * [120_000])
    assert {(r.maximum_unknown, r.typical_unknown) for r in gpus} == {(0, 0)}
    site = rows[-1]
    assert site.maximum_w == pytest.approx(1.2e6, rel=0.05)
    assert site.maximum_w == pytest.approx(sum(r.maximum_w or 0 for r in rows if r.place == "rack"))
    assert power_sum(design).maximum_w == pytest.approx(site.maximum_w)
    assert power_sum(design).unknown_devices == site.maximum_unknown


def test_heat_of_the_whole_rack_is_carried_off_nobody_says_how() -> None:
    design, _ = one_rack()
    row = power_report(design).places[0]
    assert row.heat_btu_per_h == pytest.approx(132_000 * 3.412142)
    parts = (row.air_w, row.liquid_w, row.cooling_unknown_w)
    assert sum(w or 0.0 for w in parts) == pytest.approx(132_000)


def test_without_a_tray_nobody_knows_and_undo_brings_it_back() -> None:
    design, rack = one_rack()
    history, total = History(design), PowerTotal()
    history.listen(lambda now, step: total.follow(now, step.change))
    assert total.sum(design).maximum_w == pytest.approx(132_000)
    tray = next(d.id for d in design.devices.values() if "tray-07" in d.name)
    history.do("Take out", edits.remove, [tray])
    assert rack_as_sold(history.design, rack) is None
    assert total.sum(history.design) == power_sum(history.design)
    assert total.sum(history.design).unknown_devices > 20
    history.undo()
    assert total.sum(history.design) == power_sum(history.design) == power_sum(design)
    history.do("Take out", edits.remove, [rack])
    assert total.sum(history.design).maximum_w == 0


def test_a_part_of_the_rack_is_not_taken_for_all_of_it() -> None:
    design, _ = one_rack()
    some = [d.id for d in design.devices.values() if "tray" in d.name]
    assert power_sum(design, some).maximum_w == 0
    assert power_sum(design, some).unknown_devices == 18


def test_figures_of_the_trays_themselves_come_first() -> None:
    design, _ = one_rack()
    draft = Draft(design)
    for part in list(design.parts.values()):
        if isinstance(part, ServerPart | SwitchPart):
            draft.replace_part(part.model_copy(update={"power_max_w": 5000.0}))
    known = draft.close("figures")[0]
    drawing = len(power_of(known))
    assert power_sum(known).unknown_devices == 0
    assert power_sum(known).maximum_w == pytest.approx(5000.0 * drawing)


def test_the_figure_goes_along_into_files_and_copies(tmp_path: Path) -> None:
    design, rack = one_rack()
    save(tmp_path / "rack.rackloom", design)
    again = load(tmp_path / "rack.rackloom").design
    assert power_sum(again).maximum_w == pytest.approx(132_000)
    draft = Draft(Design())
    edits.add_row(draft, "B")
    paste(draft, snippet(design, [rack]))
    assert power_sum(draft.close("paste")[0]).maximum_w == pytest.approx(132_000)


@pytest.mark.parametrize(("trust", "load_w"), [(Trust.DATASHEET, 132_000), (Trust.ESTIMATE, 0)])
def test_busbars_carry_published_figures_not_estimates(trust: Trust, load_w: float) -> None:
    design, rack = one_rack()
    draft = Draft(design)
    system = CATALOG.require("gb200-nvl72-rack")
    estimates = ("power_max_w",) if trust is Trust.ESTIMATE else ()
    draft.replace_part(system.model_copy(update={"estimates": estimates}))
    design = draft.close("trust")[0]
    powers = power_of(design)

    def draw(device: DeviceId) -> Draw:
        return Draw(powers[device].known_w, not powers[device].complete)

    load = Loads(design, draw).busbar(rack)
    assert load.watts == pytest.approx(load_w)
    assert (load.unknown == 0) is (load_w > 0)


def test_what_hangs_in_the_rack_beside_the_system_is_added() -> None:
    design, rack = one_rack()
    draft = Draft(design)
    switch = CATALOG.require("nvidia-qm9700")
    assert isinstance(switch, SwitchPart)
    edits.add_device(draft, switch, rack, 45)
    found = power_sum(draft.close("switch")[0])
    assert found.maximum_w == pytest.approx(132_000 + 1720)
    assert found.unknown_devices == 0


def test_racks_may_carry_what_pdus_and_shelves_do_with_a_feed_lost() -> None:
    design = generate("nvl72", CATALOG, options={"racks": "1"}).design
    row = next(r for r in power_report(design).places if r.maximum_w == pytest.approx(132_000))
    pdu_w = 415 * 32 * 3**0.5 * 0.8  # one of a pair is left
    assert row.usable_w == pytest.approx(4 * 33_000 + pdu_w, rel=1e-3)
