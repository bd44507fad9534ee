# SPDX-License-Identifier: Apache-2.0
"""What cable labels say, and where they stand on their sheets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import big_design, small_design

from rackloom.design import Design, Draft, edits
from rackloom.reports import ReportError, cable_schedule
from rackloom.reports.colouring import PALETTE, ColourBy
from rackloom.reports.label_text import TOKENS, fill, template_problem
from rackloom.reports.labels import SHEETS, Label, labels, preview, sheet_named


def without_own_labels(**settings: object) -> Design:
    """The small design; its splitter c9 (leaf 1 to N1 and N2 of gpu-01) has no label of its own."""
    draft = Draft(small_design())
    draft.put(replace(draft.cables["c9"], label=""))  # type: ignore[index]
    edits.change_settings(draft, **settings)
    return draft.close("Relabel")[0]


def by_end(found: list[Label]) -> dict[tuple[str, str], str]:
    return {(label.cable, label.end): label.text for label in found}


def test_each_end_says_where_it_is_and_then_where_the_other_one_is() -> None:
    found = by_end(labels(without_own_labels()))
    assert found["c14", "a"] == "R01-U40:2/1 / R01-U9:N1"
    assert found["c14", "b"] == "R01-U9:N1 / R01-U40:2/1"


def test_a_breakout_has_a_label_for_its_trunk_and_for_every_branch() -> None:
    found = {k: v for k, v in by_end(labels(without_own_labels())).items() if k[0] == "c9"}
    assert found == {
        ("c9", "a"): "R01-U40:1 / R01-U1:N1, R01-U1:N2",
        ("c9", "b1"): "R01-U1:N1 / R01-U40:1",
        ("c9", "b2"): "R01-U1:N2 / R01-U40:1",
    }


def test_a_label_of_its_own_goes_before_the_template_unless_that_asks_for_it() -> None:
    own = {text for key, text in by_end(labels(small_design())).items() if key[0] == "c9"}
    assert own == {"=DANGER()"}
    found = by_end(labels(small_design(), "{label}: {near_device} {near_u}"))
    assert found["c9", "b1"] == "=DANGER(): gpu-01 U1"
    assert found["c14", "b"] == ": gpu-02 U9"


def test_loose_ends_have_no_label() -> None:
    draft = Draft(small_design())
    cable = draft.cables["c14"]  # type: ignore[index]
    draft.put(replace(cable, ends=cable.ends[:1]))
    found = by_end(labels(draft.close("Pull")[0]))
    assert found["c14", "a"].endswith(" / loose")
    assert ("c14", "b") not in found


def test_every_token_is_filled_in() -> None:
    text = "|".join(f"{{{name}}}" for name in TOKENS)
    found = by_end(labels(without_own_labels(), text))["c9", "b2"].split("|")
    said = dict(zip(TOKENS, found, strict=True))
    assert "{" not in "".join(found)
    assert said == {
        "a": "R01-U40:1", "a_rack": "R01", "a_u": "U40", "a_device": "leaf-01", "a_port": "1",
        "b": "R01-U1:N2", "b_rack": "R01", "b_u": "U1", "b_device": "gpu-01", "b_port": "N2",
        "near": "R01-U1:N2", "near_rack": "R01", "near_u": "U1", "near_device": "gpu-01",
        "near_port": "N2", "far": "R01-U40:1", "far_rack": "R01", "far_u": "U40",
        "far_device": "leaf-01", "far_port": "1", "cable": "c9", "label": "",
        "part_number": said["part_number"], "type": "DAC 1:2", "length": "2",
        "fabric": "compute", "rail": "0+1", "rate": "400", "colour": "black",
    }  # fmt: skip
    assert said["part_number"]


def test_the_projects_template_is_that_of_the_schedule_too() -> None:
    design = without_own_labels(label_template="{cable} {far_device} rail {rail}")
    rows = {row.cable: row.label for row in cable_schedule(design)}
    assert rows["c14"] == "c14 gpu-02 rail 0"
    assert by_end(labels(design))["c14", "b"] == "c14 leaf-01 rail 0"
    assert by_end(labels(design, "{cable}"))["c14", "b"] == "c14"


def test_a_template_is_never_evaluated() -> None:
    assert fill("{near.__class__} {0} {} {near!r}", {"near": "x"}) == (
        "{near.__class__} {0} {} {near!r}"
    )
    assert fill("{near}", {"near": "{far}", "far": "no"}) == "{far}"


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{nere}", "did you mean {near}?"),
        ("{near.__class__}", "is no token"),
        ("x" * 401, "400 characters at most"),
        ("\x00", "cannot be printed"),
    ],
)
def test_a_broken_template_is_refused_with_a_sentence(template: str, says: str) -> None:
    assert says in str(template_problem(template))
    with pytest.raises(ReportError):
        labels(small_design(), template)
    with pytest.raises(ReportError):
        preview(small_design(), template)


def test_a_broken_template_in_a_file_breaks_no_schedule() -> None:
    rows = cable_schedule(without_own_labels(label_template="{nonsense} {cable}"))
    assert {row.label for row in rows} >= {"{nonsense} c14"}


def test_a_preview_shows_the_first_cables_and_an_example_without_any() -> None:
    shown = preview(small_design(), "{cable} {label}", 2)
    assert sorted(shown) == ["c14 ", "c14 ", *3 * ["c9 =DANGER()"]]
    assert preview(Design(), "") == ["R01-U40:1/1 / R02-U40:1/1", "R02-U40:1/1 / R01-U40:1/1"]


def test_colours_follow_fabric_rail_or_cable() -> None:
    design = small_design()
    assert {label.colour for label in labels(design)} == {"black", ""}
    assert {label.colour for label in labels(design, colour="none")} == {""}
    assert {label.colour for label in labels(design, colour="fabric")} == {PALETTE[0]}
    rails = {label.cable: label.colour for label in labels(design, colour="rail")}
    # Rails 0 (c14) and 0+1 (c9); the cables from leaf to spine are on none.
    assert rails == {"c14": PALETTE[0], "c9": PALETTE[1], "c15": "", "c16": ""}
    with pytest.raises(ReportError, match="not 'mood'"):
        labels(design, colour="mood")  # type: ignore[arg-type]


def test_labels_stand_where_the_sheets_have_them() -> None:
    # Letter, 3 x 10: labels of 2 5/8 in every 2 3/4 in: 8 1/8 in of 8 1/2: 3/16 in (4.7625 mm) of
    # margin; ten of 1 in: half an inch (12.7 mm) above.
    sheet = sheet_named("letter-3x10")
    assert sheet.place(0) == pytest.approx((0, 4.7625, 12.7))
    assert sheet.place(4) == pytest.approx((0, 4.7625 + 69.85, 12.7 + 25.4))
    assert sheet.place(30) == pytest.approx((1, 4.7625, 12.7))
    for each in SHEETS.values():
        _, x_mm, y_mm = each.place(each.count - 1)
        assert x_mm + each.label_mm[0] <= each.page_mm[0] + 1e-9
        assert y_mm + each.label_mm[1] <= each.page_mm[1] + 1e-9
    with pytest.raises(ReportError, match="there are a4-3x8"):
        sheet_named("a5")


def test_no_design_no_labels() -> None:
    assert labels(Design()) == []


@pytest.mark.parametrize("by", ["fabric", "rail"])
def test_the_schedule_takes_the_colours_of_the_labels_but_keeps_a_cables_own(by: ColourBy) -> None:
    draft = Draft(big_design(16))
    first = next(iter(draft.cables.values()))
    draft.put(replace(first, colour="aqua"))
    design = draft.close("Paint")[0]
    rows = cable_schedule(design, colour=by)
    own = [row.colour for row in rows if row.cable == first.id]
    assert set(own) == {"aqua"}
    of_labels = {label.cable: label.colour for label in labels(design, colour=by)}
    assert {row.colour for row in rows if row.cable != first.id} > {""} or by == "fabric"
    for row in rows:
        if row.cable != first.id:
            assert row.colour == of_labels[row.cable]
    assert len({row.colour for row in rows}) > (4 if by == "rail" else 1)
    assert {row.colour for row in cable_schedule(design, colour="none")} == {""}
    with pytest.raises(ReportError, match="cables are coloured by cable, fabric"):
        cable_schedule(design, colour="mood")  # type: ignore[arg-type]
