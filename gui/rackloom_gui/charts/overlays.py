# SPDX-License-Identifier: Apache-2.0
"""Logs of nccl-tests for the chart: reading them, and what to say of their gaps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QDropEvent

from rackloom_gui.charts.series import gaps_of, median_gap
from rackloom_gui.charts.shown import Log
from rackloom_gui.charts.sizes import collective_text

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.interop.nccl_log import MeasuredRun

LOG_SUFFIXES = frozenset({".log", ".txt", ".out", ".json"})
"""Files that are taken for logs of nccl-tests when they are dropped anywhere on the window."""
MOST_BYTES = 64 << 20
BIG_BYTES = 500_000
"""Greater logs are read in a thread: 8 MB of lines take a second."""
SAME = 0.005
"""A gap that rounds to 0 %."""


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("Throughput", text)


def is_big_log(path: Path) -> bool:
    """Whether reading a log takes longer than a window may stand still."""
    try:
        return path.stat().st_size > BIG_BYTES
    except OSError:
        return False


def read_log(path: Path) -> tuple[MeasuredRun, ...]:
    """The runs in a file; ValueError with one sentence where there are none."""
    from rackloom.interop.nccl_log import decoded, read_nccl_log

    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(tr("{0} is larger than 64 MB: cut it down to the table.").format(path))
        text = decoded(path.read_bytes())
    except OSError as error:
        why = error.strerror or str(error)
        raise ValueError(tr("{0} cannot be read: {1}.").format(path.name, why)) from error
    try:
        return read_nccl_log(text)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}.") from error


def log_text(log: Log, estimate: Estimate | None) -> str:
    """How a log compares with the estimate, in a sentence."""
    run = log.run
    if estimate is None:
        return ""
    if run.collective is not None and run.collective is not estimate.collective:
        return tr("{0} measured {1}: choose that collective to compare.").format(
            log.name, collective_text(run.collective.value)
        )
    middle = median_gap(gaps_of(estimate, run))
    if middle is None:
        return tr("{0} has no size that the chart shows.").format(log.name)
    share, large = middle
    where = tr("from 256 MiB on") if large else tr("over all sizes")
    way = tr("faster") if share > 0 else tr("slower")
    text = tr("{0}: measured {1} % {2} than expected {3} (median).").format(
        log.name, f"{abs(share) * 100:.0f}", way, where
    )
    if abs(share) < SAME:
        text = tr("{0}: measured as expected {1} (median).").format(log.name, where)
    if run.collective is None:
        text += " " + tr("It does not say which test it is of.")
    if run.ranks is not None and run.ranks != estimate.gpus:
        text += " " + tr("It ran on {0} GPUs, the estimate is of {1}.").format(
            run.ranks, estimate.gpus
        )
    return text


def dropped_log(event: QDropEvent) -> Path | None:
    """The log that is being dropped, if it is one file that may be a log."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix.lower() in LOG_SUFFIXES or not path.suffix else None
