# SPDX-License-Identifier: Apache-2.0
"""What the action table asks about a window: counts of what is selected, and what goes on."""

from __future__ import annotations

from collections.abc import Callable

from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.design.ids import DeviceId
from rackloom_gui import clipboard
from rackloom_gui.analysis import Analysis
from rackloom_gui.document import Document
from rackloom_gui.panels.problems import ProblemsPanel
from rackloom_gui.session import Session
from rackloom_gui.settings import Settings


class WindowContext:
    """An `ActionContext` over the parts of a main window; counted anew by each `snapshot`."""

    def __init__(
        self,
        document: Document,
        session: Session,
        analysis: Analysis,
        problems: ProblemsPanel,
        settings: Settings,
        view_name: Callable[[], str],
    ) -> None:
        self._document = document
        self._session = session
        self._analysis = analysis
        self._problems = problems
        self._settings = settings
        self._view_name = view_name
        self.selected_devices = 0
        self.selected_racks = 0
        self.selected_cables = 0
        self.selected_notes = 0
        self.selected_servers = 0
        self.selected_switches = 0
        self.selected_unplugged = 0

    def snapshot(self) -> None:
        """Count the selection."""
        design, selection = self._document.design, self._document.selection
        devices = [DeviceId(i) for i in selection if i in design.devices]
        self.selected_devices = len(devices)
        self.selected_racks = sum(1 for i in selection if i in design.racks)
        self.selected_cables = sum(1 for i in selection if i in design.cables)
        self.selected_notes = sum(1 for i in selection if i in design.notes)
        kinds = [type(design.device_part(d)) for d in devices]
        self.selected_servers = sum(1 for k in kinds if k is ServerPart)
        self.selected_switches = sum(1 for k in kinds if k is SwitchPart)
        self.selected_unplugged = len(self._analysis.unplugged & selection)

    @property
    def busy(self) -> str:
        return self._session.busy

    @property
    def read_only(self) -> bool:
        return self._session.read_only

    @property
    def modified(self) -> bool:
        return not self._document.is_clean

    @property
    def undo_label(self) -> str:
        return self._document.undo_label or ""

    @property
    def redo_label(self) -> str:
        return self._document.redo_label or ""

    @property
    def device_count(self) -> int:
        return len(self._document.design.devices)

    @property
    def rack_count(self) -> int:
        return len(self._document.design.racks)

    @property
    def cable_count(self) -> int:
        return len(self._document.design.cables)

    @property
    def can_paste(self) -> bool:
        return clipboard.has_snippet()

    @property
    def recent_count(self) -> int:
        return len(self._settings.recent())

    @property
    def finding_count(self) -> int:
        return self._problems.shown_count

    @property
    def selected_finding_fixes(self) -> int:
        return len(self._problems.fixes())

    @property
    def view_name(self) -> str:
        return self._view_name()
