# SPDX-License-Identifier: Apache-2.0
"""The help page about accuracy, put together from the figures."""

from __future__ import annotations

from pathlib import Path

from tests.accuracy.accuracy_report import Gap, overall, table, worst_gaps
from tests.accuracy.accuracy_systems import SYSTEMS

_TEMPLATE = Path(__file__).with_name("accuracy_template.md")


def page(fitted: dict[str, list[Gap]], unseen: dict[str, list[Gap]]) -> str:
    """The page as Markdown."""
    seen, blind = overall(fitted), overall(unseen)

    def percent(value: float | None) -> str:
        return "unknown" if value is None else f"{100 * value:.1f} %"

    summary = (
        f"Over all: median {percent(seen.large_median)} and worst {percent(seen.large_worst)} from "
        f"256 MB up, {percent(seen.geometric)} over the whole range, {percent(seen.latency)} at "
        f"8 B. On systems left out: {percent(blind.large_median)}, {percent(blind.large_worst)}, "
        f"{percent(blind.geometric)}, {percent(blind.latency)}. The aims were 5 %, 15 %, 20 % and "
        "25 %."
    )
    return _TEMPLATE.read_text(encoding="utf-8").format(
        rows=sum(len(g) for g in fitted.values()),
        systems=len(SYSTEMS),
        summary=summary,
        table=table(fitted, unseen),
        worst=worst_gaps(fitted),
    )
