# SPDX-License-Identifier: Apache-2.0
"""The panels of one window: those in front at first at once, those behind tabs when they are seen.

Making a panel takes up to 50 ms, and its modules are to be read from disk before; nobody waits for
eight of them to see the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from rackloom_gui.charts.throughput import ThroughputPanel
from rackloom_gui.document import Document
from rackloom_gui.editing import Editing
from rackloom_gui.icons import Icons
from rackloom_gui.late import Late
from rackloom_gui.panels.inspector import InspectorPanel
from rackloom_gui.panels.palette import PalettePanel
from rackloom_gui.panels.problems import ProblemsPanel
from rackloom_gui.theme import Theme

if TYPE_CHECKING:
    from rackloom_gui.panels.bom import BomPanel
    from rackloom_gui.panels.explain import ExplainPanel
    from rackloom_gui.panels.failures import FailuresPanel
    from rackloom_gui.panels.history import HistoryPanel
    from rackloom_gui.panels.power import PowerPanel
    from rackloom_gui.panels.tables import EntityTable
    from rackloom_gui.panels.workload import WorkloadPanel


class Panels:
    """Every panel of a window. What hangs on a late one is told to it by `Late.then`."""

    def __init__(
        self, document: Document, editing: Editing, theme: Theme, icons: Icons, window: QWidget
    ) -> None:
        self._document, self._theme, self._icons, self._window = document, theme, icons, window
        self.palette = PalettePanel(theme, icons, window)
        self.inspector = InspectorPanel(document, editing, theme, icons, window)
        self.problems = ProblemsPanel(theme, icons, window)
        self.chart = ThroughputPanel(theme, icons, window)
        self.history = Late(self._history)
        self.devices = Late(self._devices)
        self.cables = Late(self._cables)
        self.explain = Late(self._explain)
        self.failures = Late(self._failures)
        self.workload = Late(self._workload)
        self.power = Late(self._power)
        self.bom = Late(self._bom)

    def by_name(self) -> Mapping[str, QWidget | Late[QWidget]]:
        """The panels as the docks call them."""
        return {name: thing for name, thing in vars(self).items() if not name.startswith("_")}

    def stop(self) -> None:
        """The window goes: no more results for any of them."""
        self.problems.stop()
        for late in (self.power, self.bom):
            if late.made is not None:
                late.made.stop()
        for worker in (self.failures, self.workload):
            if worker.made is not None:
                worker.made.shut_down()

    # -- made when first needed -------------------------------------------------------------------

    def _history(self) -> HistoryPanel:
        from rackloom_gui.panels.history import HistoryPanel

        return HistoryPanel(self._document, self._theme, self._icons, self._window)

    def _devices(self) -> EntityTable:
        from rackloom_gui.panels.columns import device_columns
        from rackloom_gui.panels.tables import EntityTable

        title = QCoreApplication.translate("MainWindow", "Devices")
        return EntityTable(
            self._document, "devices", device_columns(), title, self._theme, self._icons,
            self._window,
        )  # fmt: skip

    def _cables(self) -> EntityTable:
        from rackloom_gui.panels.columns import cable_columns
        from rackloom_gui.panels.tables import EntityTable

        title = QCoreApplication.translate("MainWindow", "Cables")
        return EntityTable(
            self._document, "cables", cable_columns(), title, self._theme, self._icons,
            self._window,
        )  # fmt: skip

    def _explain(self) -> ExplainPanel:
        from rackloom_gui.panels.explain import ExplainPanel

        return ExplainPanel(self._theme, self._icons, self._window)

    def _failures(self) -> FailuresPanel:
        from rackloom_gui.panels.failures import FailuresPanel

        return FailuresPanel(self._theme, self._icons, self._window)

    def _workload(self) -> WorkloadPanel:
        from rackloom_gui.panels.workload import WorkloadPanel

        return WorkloadPanel(self._theme, self._icons, self._window)

    def _power(self) -> PowerPanel:
        from rackloom_gui.panels.power import PowerPanel

        return PowerPanel(self._document, self._theme, self._icons, self._window)

    def _bom(self) -> BomPanel:
        from rackloom_gui.panels.bom import BomPanel

        return BomPanel(self._document, self._theme, self._icons, self._window)
