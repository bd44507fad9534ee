# SPDX-License-Identifier: Apache-2.0
"""Findings and throughput of the open design, kept up with every step.

Findings of a small design are patched at once, on the thread of the window; a big one is checked
in a thread, as is a whole one when it is opened. The estimate always runs in a thread. A thread
works on the design as it was (designs never change); a result that was overtaken is dropped, and
what is shown until then is marked as stale.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from rackloom.bulk import set_heap_apart
from rackloom.catalog.load import Catalog
from rackloom.design import Change, Design
from rackloom_gui.charts.asked import Answered, Asked, answer
from rackloom_gui.document import Document
from rackloom_gui.engine import load_chart, load_checks, load_engines, load_fabric
from rackloom_gui.fabric_keeper import FabricKeeper
from rackloom_gui.jobs import LatestJob
from rackloom_gui.keeper import Keeper

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings

ESTIMATE_DELAY_MS = 60
"""A pause in editing after which the estimate starts: several steps in a row cost one run."""
BIG_CHANGE = 3000
"""Changes of more records than this are checked in the thread, not between two frames."""
BIG_DESIGN = 4000
"""With more devices and cables than this, findings are patched in the thread: 50 ms and more that
the window can draw in. Smaller designs are checked before the next frame shows the edit.
"""
SMALL_DESIGN = 400
"""Designs of up to so many devices and cables are checked at once on opening: it takes 50 ms."""

FIRST_CHECK_MS = 100
"""The window is drawn first: for a check all rules have to be read from disk."""

ESTIMATE_TABLES = frozenset({"devices", "cables", "modules", "racks", "rows", "settings", "parts"})
"""Changes elsewhere (notes, accepted findings) make nothing faster or slower."""


class Analysis(QObject):
    """What is wrong and how fast it is, for panels, chart, canvas and status bar."""

    findings_changed = Signal(object)
    """(Findings) of the design as it is now."""
    findings_stale = Signal()
    """The design was replaced or changed much: new findings will come."""
    estimate_changed = Signal(object)
    """(Estimate) of the design as it is now, less what is unplugged."""
    estimate_failed = Signal(str)
    """Why there is no estimate, in one sentence."""
    estimate_stale = Signal()
    """What is shown belongs to an older design."""
    busy_changed = Signal(bool)
    """The estimate takes longer than a moment."""
    unplugged_changed = Signal(object)
    """(frozenset of ids) taken out in the what-if; not an edit."""
    fault = Signal(object)
    """(Exception) that nobody expected."""

    def __init__(
        self, document: Document, catalog: Catalog | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._catalog = catalog
        self._findings: Findings | None = None
        self._estimate: object | None = None
        self._unplugged: frozenset[str] = frozenset()
        self._asked = Asked()
        self._whole: tuple[Design, Asked, Any] | None = None
        """The latest estimate with nothing unplugged, the design it is of, and what was asked."""
        self._note = ""
        self._fresh: set[str] = set()
        """What is still to come of a design that was just opened."""
        self._also: tuple[Any, ...] = ()
        self._fabric: Any = None
        self.keeper = FabricKeeper(document.design)
        self._checked = self._new_checked()
        self._checks = LatestJob(self)
        self._checks.done.connect(self._on_checked)
        self._checks.failed.connect(self._on_check_failed)
        self._checks.busy_changed.connect(self._on_checks_busy)
        self._estimates = LatestJob(self, delay_ms=ESTIMATE_DELAY_MS)
        self._estimates.done.connect(self._on_estimated)
        self._estimates.failed.connect(self._on_estimate_failed)
        self._estimates.busy_changed.connect(self.busy_changed)
        self._first = QTimer(self)
        self._first.setSingleShot(True)
        self._first.setInterval(FIRST_CHECK_MS)
        self._first.timeout.connect(lambda: self._check_soon(document.design))
        document.changed.connect(self._on_changed)
        document.replaced.connect(self._on_replaced)

    def set_catalog(self, catalog: Catalog) -> None:
        """Which parts fixes may choose from."""
        self._catalog = catalog
        self.check_all()

    def shut_down(self) -> None:
        """Wait for the threads; call before the window goes."""
        self._first.stop()
        self._checks.wait()
        self._estimates.wait()

    # -- findings ---------------------------------------------------------------------------------

    @property
    def findings(self) -> Findings | None:
        """The latest findings, or None before the first run is over."""
        return self._findings

    @property
    def up_to_date(self) -> bool:
        """Whether findings and estimate belong to the design as it is now."""
        checking = self._first.isActive() or self._checks.pending
        return not (checking or self._estimates.pending)

    def begin(self) -> None:
        """Look at the design of a new window, which is empty: beside the window, once it stands."""
        self._first.start()
        self.findings_stale.emit()
        self.ask_estimate()

    def check_all(self) -> None:
        """Check the whole design again."""
        design = self._document.design
        self._first.stop()
        self._checked = self._new_checked()
        self._findings = None
        self.findings_stale.emit()
        if _size(design) <= SMALL_DESIGN:
            self._checks.cancel()
            self._check_now(design)
        else:
            self._check_soon(design)

    def _new_checked(self) -> Keeper[Findings]:
        """Findings by design, for this catalogue and from nothing."""
        catalog = self._catalog
        return Keeper(
            self._document.design,
            lambda design: _run(design, catalog),
            lambda findings, design, change: findings.patched(design, change),
        )

    def _on_replaced(self, design: Design) -> None:
        self.keeper.reset(design)
        self._fresh = {"findings", "estimate"}
        self._set_unplugged(frozenset())
        self._estimate = None
        self.check_all()
        self.ask_estimate()

    def _on_changed(self, design: Design, change: Change) -> None:
        self.keeper.note(design, change)
        gone = {record.id for record in change if record.after is None}
        self._set_unplugged(self._unplugged - gone)
        if change.tables & ESTIMATE_TABLES:
            self.ask_estimate()
        self._checked.note(design, change)
        self._first.stop()
        size = _size(design)
        if len(change) > BIG_CHANGE:
            self.findings_stale.emit()
            self._check_soon(design)
        elif size > BIG_DESIGN or (size > SMALL_DESIGN and self._checks.pending):
            self._check_soon(design)
        else:
            self._checks.cancel()
            self._check_now(design)

    def _check_soon(self, design: Design) -> None:
        checked = self._checked

        def work() -> Findings:
            findings = _check(checked, design)
            len(findings)  # puts them in order, which takes a while too
            return findings

        self._checks.ask(work)

    def _check_now(self, design: Design) -> None:
        """A rule that fails does not stop the edit: old findings turn grey, and it is told."""
        try:
            findings = _check(self._checked, design)
        except Exception as error:
            self._on_check_failed(error)
        else:
            self._on_checked(findings)

    def _on_checks_busy(self, busy: bool) -> None:
        if busy:
            self.findings_stale.emit()

    def _on_check_failed(self, error: Exception) -> None:
        self._checked = self._new_checked()  # the next step checks everything anew
        self._findings = None
        self.findings_stale.emit()
        self.fault.emit(error)

    def _on_checked(self, findings: Findings) -> None:
        if findings.design is not self._document.design:
            return  # an edit was made meanwhile: its change is on the way, and asks anew
        self._set_apart("findings")
        self._findings = findings
        self.findings_changed.emit(findings)

    # -- throughput -------------------------------------------------------------------------------

    @property
    def estimate(self) -> object | None:
        """The latest estimate, or None where there is none."""
        return self._estimate

    @property
    def estimate_due(self) -> bool:
        """Whether an estimate is being worked out: what is shown is of an older design."""
        return self._estimates.pending

    def ask_estimate(self) -> None:
        """Work the estimate out again, soon."""
        design, failed, asked = self._document.design, self._unplugged, self._asked
        if not design.devices:  # and nothing that estimates has to be imported
            self._estimates.cancel()
            self._estimate = None
            self.estimate_failed.emit(self.tr("Put GPU servers in to see how fast they will be."))
            return
        self.estimate_stale.emit()
        keeper, whole = self.keeper, self._known_whole()
        self._estimates.ask(lambda: (design, asked, _answer(keeper, design, asked, failed, whole)))

    @property
    def asked(self) -> Asked:
        """What the estimate is of: collective, group, settings."""
        return self._asked

    def ask(self, asked: Asked) -> None:
        """Estimate something else from now on."""
        if asked != self._asked:
            self._asked = asked
            self.ask_estimate()

    @property
    def fabric(self) -> Any:
        """The `Fabric` that the latest estimate is of, with nothing unplugged; None before it."""
        return self._fabric

    @property
    def note(self) -> str:
        """What unplugging changes and why, in a sentence; empty while nothing is unplugged."""
        return self._note if self._unplugged else ""

    @property
    def also(self) -> tuple[Any, ...]:
        """Estimates of the further collectives that were asked for."""
        return self._also

    def _known_whole(self) -> Any:
        """The estimate of the design as it is with nothing unplugged, where it is known."""
        if self._whole is None:
            return None
        design, asked, estimate = self._whole
        return estimate if design is self._document.design and asked == self._asked else None

    @property
    def baseline(self) -> Any:
        """The estimate of the same design with nothing unplugged, while something is; or None."""
        return self._known_whole() if self._unplugged else None

    def _set_apart(self, what: str) -> None:
        """Keep the collector off what a big design brought with it, once, when it is there."""
        design = self._document.design
        if what in self._fresh and _size(design) > SMALL_DESIGN:
            set_heap_apart()
        self._fresh.discard(what)

    def _on_estimated(self, result: tuple[Design, Asked, Answered]) -> None:
        self._set_apart("estimate")
        design, asked, found = result
        whole = found.whole if self._unplugged else found.estimate
        if whole is not None:
            self._whole = (design, asked, whole)
        self._note = found.note
        self._also = found.also
        self._fabric = found.fabric
        self._estimate = found.estimate
        self.estimate_changed.emit(found.estimate)

    def _on_estimate_failed(self, error: Exception) -> None:
        from rackloom.collectives.errors import EstimateError

        self._estimate = None
        if isinstance(error, EstimateError):
            self.estimate_failed.emit(str(error))
        else:
            self.estimate_failed.emit(self.tr("The estimate failed; the log says why."))
            self.fault.emit(error)

    # -- what if ----------------------------------------------------------------------------------

    @property
    def unplugged(self) -> frozenset[str]:
        """Devices and cables that are taken out in thought."""
        return self._unplugged

    def unplug(self, ids: Iterable[str]) -> None:
        """See what the fabric does without these; the design stays as it is."""
        self._change_unplugged(self._unplugged | frozenset(ids))

    def plug_in(self, ids: Iterable[str]) -> None:
        """Put them back."""
        self._change_unplugged(self._unplugged - frozenset(ids))

    def _change_unplugged(self, ids: frozenset[str]) -> None:
        if self._set_unplugged(ids):
            self.ask_estimate()

    def _set_unplugged(self, ids: frozenset[str]) -> bool:
        if ids == self._unplugged:
            return False
        self._unplugged = ids
        self.unplugged_changed.emit(ids)
        return True


def _size(design: Design) -> int:
    return len(design.devices) + len(design.cables)


def _run(design: Design, catalog: Catalog | None) -> Findings:
    from rackloom.checks.engine import run

    return run(design, catalog)


def _check(checked: Keeper[Findings], design: Design) -> Findings:
    """Rules look at the network; its modules must not be imported by two threads at once."""
    load_checks()
    if design.devices:
        load_fabric()
    return checked.of(design)


def _answer(
    keeper: FabricKeeper, design: Design, asked: Asked, failed: frozenset[str], whole: Any
) -> Answered:
    load_engines()
    found = answer(keeper.fabric(design), asked, failed, whole)
    load_chart()  # or the window would have to, while it shows the first estimate
    return found
