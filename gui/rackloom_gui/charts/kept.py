# SPDX-License-Identifier: Apache-2.0
"""The curves that lie over the chart: pinned ones, measured logs, further collectives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from rackloom.files import FileError
from rackloom_gui.charts.legend import Entry
from rackloom_gui.charts.pin_store import read_pins, write_pins
from rackloom_gui.charts.shown import Log, Pin, free_colour
from rackloom_gui.charts.sizes import collective_text
from rackloom_gui.theme import Tokens

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.interop.nccl_log import MeasuredRun


_GONE = Path()
"""Home of the curves of a design that was closed without a file: no project takes them over."""


class KeptCurves(QObject):
    """Holds them, gives them colours, and keeps the pinned ones of a project on the disk."""

    changed = Signal()
    told = Signal(str)
    """A sentence for the status bar."""

    def __init__(self, colours: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._project: Path | None = None
        self._pins: list[Pin] = []
        self._logs: list[Log] = []
        self._also: dict[str, Pin] = {}

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Curves that were kept."""
        return tuple(self._pins)

    @property
    def logs(self) -> tuple[Log, ...]:
        """Measured runs."""
        return tuple(self._logs)

    @property
    def curves(self) -> tuple[Pin, ...]:
        """Pinned curves, and further collectives after them."""
        return (*self._pins, *self._also.values())

    def entries(self, tokens: Tokens) -> list[Entry]:
        """What the legend says of them."""
        colours = tokens.series
        found = [
            Entry(f"pin:{n}", pin.name, colours[pin.colour % len(colours)])
            for n, pin in enumerate(self._pins)
        ]
        for name, pin in self._also.items():
            found.append(Entry(f"also:{name}", pin.name, colours[pin.colour % len(colours)]))
        for n, log in enumerate(self._logs):
            colour = colours[log.colour % len(colours)]
            found.append(Entry(f"log:{n}", log.name, colour, dot=True))
        return found

    def _colour(self) -> int:
        taken = {pin.colour for pin in self.curves} | {log.colour for log in self._logs}
        return free_colour(taken, self._colours)

    # -- what comes and goes ----------------------------------------------------------------------

    def free_name(self, estimate: Estimate) -> str:
        """A name that no pinned curve has yet."""
        base = collective_text(estimate.collective.value)
        taken = {pin.name for pin in self._pins}
        numbers = range(1, len(self._pins) + 2)
        return next(n for n in (f"{base} {k}" for k in numbers) if n not in taken)

    def pin(self, name: str, estimate: Estimate) -> None:
        """Keep a curve under a name."""
        name = " ".join(name.split())[:60] or self.free_name(estimate)
        self._pins.append(Pin(name, estimate, self._colour(), home=self._project))
        self._write()
        self.changed.emit()

    def show_also(self, estimates: Sequence[Estimate]) -> None:
        """Further collectives beside the one of the chart; those of before go."""
        self._also = {}
        for found in estimates:
            name = found.collective.value
            self._also[name] = Pin(collective_text(name), found, self._colour())

    def add_log(self, name: str, runs: Sequence[MeasuredRun]) -> None:
        """Lay the runs of a log over the chart."""
        for number, run in enumerate(runs, start=1):
            called = name if len(runs) == 1 else f"{name} {number}"
            self._logs.append(Log(called, run, self._colour()))

    def remove(self, key: str) -> str:
        """Take off what the legend calls so; the collective, where it was a further one."""
        kind, _, rest = key.partition(":")
        if kind == "also":
            self._also.pop(rest, None)
        elif kind == "pin":
            gone = self._pins.pop(int(rest))
            if gone.home == self._project:
                self._write()
        else:
            del self._logs[int(rest)]
        self.changed.emit()
        return rest if kind == "also" else ""

    # -- the project they belong to ---------------------------------------------------------------

    def follow(self, project: Path | None) -> None:
        """A project was opened: its curves come beside those of others that are shown."""
        self._project = project
        self._pins = [replace(p, home=_GONE) if p.home is None else p for p in self._pins]
        if project is None:
            return
        self._pins = [pin for pin in self._pins if pin.home != project]
        for pin in read_pins(project):
            taken = {p.colour for p in self.curves} | {log.colour for log in self._logs}
            colour = pin.colour if pin.colour not in taken else self._colour()
            self._pins.append(replace(pin, colour=colour))
        self.changed.emit()

    def moved_to(self, project: Path | None) -> None:
        """The project was saved under a name, maybe a new one: its curves go along."""
        if project is None or project == self._project:
            return
        here, self._project = self._project, project
        self._pins = [replace(p, home=project) if p.home == here else p for p in self._pins]
        self._write()

    def _write(self) -> None:
        if self._project is None:
            return
        mine = [pin for pin in self._pins if pin.home == self._project]
        try:
            write_pins(self._project, mine)
        except FileError as error:
            self.told.emit(self.tr("The curve is kept until the program ends: {0}").format(error))
