# SPDX-License-Identifier: Apache-2.0
"""The estimate against published runs: errors as the help page states them, constants as fitted."""

from __future__ import annotations

import re

import pytest
from tests.core.workload_runs import HELP, fabric_for

from rackloom.workload import accuracy
from rackloom.workload.figures import load_figures

DRIFT = 0.05
"""How far figures of the page may be from today's, so that it need not follow every small step."""
RENEW = "renew the table: PYTHONPATH=. python tests/core/workload_runs.py"


@pytest.fixture(scope="module")
def checked() -> list[accuracy.Checked]:
    """All runs, estimated."""
    return accuracy.check_runs(fabric_for)


def rows(page: str) -> dict[str, list[str]]:
    """Cells of the table by run."""
    inside = page.partition(accuracy.START)[2].partition(accuracy.END)[0]
    cells = [line.strip("| ").split(" | ") for line in inside.splitlines() if line[:1] == "|"]
    return {row[0]: row for row in cells[2:]}


def number(text: str) -> float:
    found = re.search(r"[+-]?[\d,.]+", text)
    assert found is not None
    return float(found[0].replace(",", ""))


def test_the_help_page_has_todays_errors(checked: list[accuracy.Checked]) -> None:
    stated = rows(HELP.read_text("utf-8"))
    assert list(stated) == [c.run.run for c in checked], RENEW
    for c in checked:
        run, gpus, measured, estimated, _, error = stated[c.run.run]
        assert number(gpus) == c.run.gpus
        assert number(measured) == pytest.approx(c.run.published, rel=0.01)
        assert number(estimated) == pytest.approx(c.estimated, rel=DRIFT), f"{run}: {RENEW}"
        assert number(error) == pytest.approx(100 * c.error, abs=100 * DRIFT), f"{run}: {RENEW}"


def test_the_summary_on_the_page_is_todays(checked: list[accuracy.Checked]) -> None:
    page = HELP.read_text("utf-8")
    found = re.search(r"half are estimated within (\d+)%, the worst is\s+(\d+)% off", page)
    assert found is not None, RENEW
    worst = max(abs(c.error) for c in checked)
    assert int(found[1]) == pytest.approx(100 * accuracy.median_error(checked), abs=2), RENEW
    assert int(found[2]) == pytest.approx(100 * worst, abs=5), RENEW


def test_half_of_all_runs_are_within_ten_per_cent(checked: list[accuracy.Checked]) -> None:
    assert accuracy.median_error(checked) < 0.08
    assert accuracy.median_error_left_out(checked) < 0.12


def test_the_fitted_shares_are_the_medians_of_the_runs(checked: list[accuracy.Checked]) -> None:
    figures = load_figures()
    for precision in ("bf16", "fp8"):
        stated = figures.layer_of(precision).fraction
        assert stated == pytest.approx(accuracy.fitted(checked, precision), abs=0.02)
    assert figures.experts.fraction == pytest.approx(accuracy.fitted(checked, "experts"), abs=0.05)


def test_every_run_is_estimated_or_said_why_not() -> None:
    known = accuracy.published_runs()
    names = [run.run for run in known.runs] + [row.run for row in known.left_out]
    assert len(set(names)) == len(names) > 40
    page = HELP.read_text("utf-8")
    assert all(name in page for name in names)
    assert all(run.source for run in known.runs)
