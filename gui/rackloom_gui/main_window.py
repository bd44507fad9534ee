# SPDX-License-Identifier: Apache-2.0
"""The main window: drawing in the middle, panels docked around it, everything bound to actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.files import SUFFIX
from rackloom_gui.action_layout import CONTEXT_MENUS, MENUS, TOOL_BAR
from rackloom_gui.action_list import ACTIONS, PANELS
from rackloom_gui.actions import ActionTable
from rackloom_gui.analysis import Analysis
from rackloom_gui.bindings import Bindings
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.floor_notes import FloorNotes
from rackloom_gui.canvas.load_legend import LoadLegend
from rackloom_gui.canvas.overview import Overview
from rackloom_gui.charts.overlays import dropped_log
from rackloom_gui.dialogs.questions import WindowQuestions
from rackloom_gui.docks import Docks
from rackloom_gui.document import Document
from rackloom_gui.editing import Editing
from rackloom_gui.frame import Banner, Welcome, WindowStatus
from rackloom_gui.icons import Icons
from rackloom_gui.panel_set import Panels
from rackloom_gui.session import Questions, Session
from rackloom_gui.settings import Settings
from rackloom_gui.theme import Theme
from rackloom_gui.throughput_wiring import ThroughputWiring
from rackloom_gui.window_context import WindowContext

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings
    from rackloom_gui.panels.bom import BomPanel
    from rackloom_gui.panels.explain import ExplainPanel
    from rackloom_gui.panels.failures import FailuresPanel
    from rackloom_gui.panels.history import HistoryPanel
    from rackloom_gui.panels.power import PowerPanel
    from rackloom_gui.panels.tables import EntityTable
    from rackloom_gui.panels.workload import WorkloadPanel


class MainWindow(QMainWindow):
    """One document with everything one can do to it."""

    def __init__(
        self,
        theme: Theme,
        catalog: Catalog,
        settings: Settings | None = None,
        questions: Questions | None = None,
    ) -> None:
        super().__init__()
        self.theme = theme
        self.settings = settings or Settings()
        self.icons = Icons(theme, self)
        self.document = Document(self)
        self.editing = Editing(self.document, catalog, self)
        self.analysis = Analysis(self.document, catalog, self)
        self.questions = questions or WindowQuestions(self)
        self.session = Session(self.document, self.settings, self.questions, self)
        self.actions_table = ActionTable(ACTIONS, self.icons, self)
        self._closing = False
        self._build_centre(catalog)
        self._build_panels()
        self._build_bars()
        self.context = WindowContext(
            self.document,
            self.session,
            self.analysis,
            self.problems,
            self.settings,
            lambda: self.canvas.view,
        )
        self.speed = ThroughputWiring(self)
        self.bindings = Bindings(self)
        self._connect()
        self._place()
        self._refresh_timer = QTimer(self)
        self._refresh_timer.setSingleShot(True)
        self._refresh_timer.setInterval(0)
        self._refresh_timer.timeout.connect(self.refresh_actions)
        self.refresh_actions()
        self._show_title()
        self.analysis.begin()

    # -- building ---------------------------------------------------------------------------------

    def _build_centre(self, catalog: Catalog) -> None:
        self.setObjectName("mainWindow")
        self.setAcceptDrops(True)
        self.canvas = Canvas(self.document, catalog, self.theme, self)
        self.floor_notes = FloorNotes(self.document, self.canvas)
        self.banner = Banner(self.theme, self.icons, self)
        centre = QWidget(self)
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self.canvas, 1)
        self.setCentralWidget(centre)
        self.load_legend = LoadLegend(self.theme, self.canvas)
        self.overview = Overview(self.document, self.canvas, self.theme)
        self.overview.set_wanted(self.settings.overview)
        self.canvas.set_cords(self.settings.cords)
        self.welcome = Welcome(self.actions_table, self.theme, self.icons, self.canvas)

    def _build_panels(self) -> None:
        self.panels = Panels(self.document, self.editing, self.theme, self.icons, self)
        self.palette_panel = self.panels.palette
        self.inspector = self.panels.inspector
        self.problems = self.panels.problems
        self.chart = self.panels.chart
        widgets = self.panels.by_name()
        titles = {name: self.actions_table.title(f"panel.{name}") for name, _t, _i in PANELS}
        self.docks = Docks(self, {name: (titles[name], widgets[name]) for name in titles})
        self.palette_panel.set_catalog(self.editing.catalog)

    @property
    def history(self) -> HistoryPanel:
        """All steps; this and what follows is made when first asked for."""
        return self.panels.history.get()

    @property
    def explain(self) -> ExplainPanel:
        """Why it is so fast."""
        return self.panels.explain.get()

    @property
    def failures(self) -> FailuresPanel:
        """What breaks."""
        return self.panels.failures.get()

    @property
    def workload(self) -> WorkloadPanel:
        """What a job gets."""
        return self.panels.workload.get()

    @property
    def devices_table(self) -> EntityTable:
        """Devices as a table."""
        return self.panels.devices.get()

    @property
    def cables_table(self) -> EntityTable:
        """Cables as a table."""
        return self.panels.cables.get()

    @property
    def power_panel(self) -> PowerPanel:
        """Who needs and who gives how many watts."""
        return self.panels.power.get()

    @property
    def bom_panel(self) -> BomPanel:
        """What to order."""
        return self.panels.bom.get()

    def set_catalog(self, catalog: Catalog) -> None:
        """Another catalogue: the user's own parts changed."""
        self.editing.catalog = catalog
        self.analysis.set_catalog(catalog)
        self.canvas.catalog = catalog
        for pane in self.canvas.panes:
            pane.catalog = catalog
        self.palette_panel.set_catalog(catalog)
        self.inspector.set_catalog(catalog)

    def _build_bars(self) -> None:
        table = self.actions_table
        table.build_menu_bar(self.menuBar(), MENUS)
        bar = QToolBar(self.tr("Tools"), self)
        bar.setObjectName("toolBar")
        bar.setIconSize(QSize(18, 18))
        bar.setMovable(False)
        table.build_tool_bar(bar, TOOL_BAR)
        self.addToolBar(bar)
        self.tool_bar = bar
        table.attach_window(self)
        table.attach_canvas(self.canvas)
        self._context_menus = {
            name: table.build_menu(spec, self) for name, spec in CONTEXT_MENUS.items()
        }
        self.status = WindowStatus(self.statusBar(), self.theme, self.icons)

    def _place(self) -> None:
        """Stand where the window stood the last time, else fill most of the screen."""
        self.resize(1440, 900)
        self.setMinimumSize(900, 560)
        if not self.restoreGeometry(self.settings.geometry):
            screen = self.screen() or QGuiApplication.primaryScreen()
            if screen is not None:
                room = screen.availableGeometry()
                self.resize(min(1600, room.width()), min(1000, room.height()))
        self.docks.restore(self.settings.layout)

    def dock(self, name: str) -> QDockWidget:
        """The dock of a panel."""
        return self.docks[name]

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front."""
        self.docks.show(name)

    # -- wiring -----------------------------------------------------------------------------------

    def _connect(self) -> None:
        document, canvas, analysis = self.document, self.canvas, self.analysis
        document.state_changed.connect(self._soon)
        document.state_changed.connect(self._show_title)
        document.changed.connect(lambda _d, _c: self._show_welcome())
        document.replaced.connect(lambda _d: self._show_welcome())
        document.selection_changed.connect(lambda _s: self._soon())
        self.session.banner.connect(self.banner.say)
        self.session.busy_changed.connect(self._on_busy)
        self.session.working.connect(self.status.set_work)
        self.session.recent_changed.connect(self.bindings.fill_recent)
        self.session.recent_changed.connect(self._soon)
        self.editing.refused.connect(self.status.say)
        self.editing.told.connect(self.status.say)
        canvas.status.connect(self.status.say)
        canvas.hovered.connect(self._on_hovered)
        canvas.zoom_changed.connect(self.status.set_zoom)
        canvas.bundles_shown.connect(self.status.set_bundled)
        canvas.context_menu.connect(self._open_context_menu)
        canvas.tool_changed.connect(lambda name: self.actions_table.set_checked(f"tool.{name}"))
        canvas.view_switched.connect(self._on_view_switched)
        self.status.set_zoom(canvas.zoom)
        analysis.findings_changed.connect(self._on_findings)
        analysis.findings_stale.connect(self.problems.set_stale)
        analysis.unplugged_changed.connect(canvas.set_unplugged)
        analysis.unplugged_changed.connect(lambda _ids: self._soon())
        self.inspector.go_to.connect(canvas.zoom_to)
        for table in (self.panels.devices, self.panels.cables):
            table.then(lambda made: made.go_to.connect(canvas.zoom_to))
            table.then(lambda made: made.context_menu.connect(self._open_context_menu))
        self.palette_panel.insert_requested.connect(self.bindings.insert)
        self.palette_panel.dragging.connect(self._on_dragging)
        self.palette_panel.part_chosen.connect(self.inspector.show_part)
        self.problems.current_changed.connect(self._soon)
        self.status.badge_clicked.connect(self._on_badge)
        self.status.throughput_clicked.connect(lambda: self.show_panel("chart"))
        QGuiApplication.clipboard().dataChanged.connect(self._soon)
        self.docks.toggled.connect(
            lambda name, on: self.actions_table.set_checked(f"panel.{name}", on)
        )

    def _soon(self) -> None:
        self._refresh_timer.start()

    def refresh_actions(self) -> None:
        """Enable what can be done now."""
        if self._closing:
            return
        self.context.snapshot()
        self.actions_table.refresh(self.context)

    # -- following the document -------------------------------------------------------------------

    def _show_title(self) -> None:
        star = "" if self.document.is_clean else "*"
        self.setWindowTitle(f"{star}{self.document.title} – Rackloom")
        self.setWindowModified(False)
        self._show_welcome()

    def _show_welcome(self) -> None:
        design = self.document.design
        empty = not (design.racks or design.devices or design.notes)
        self.welcome.setVisible(empty and not self.session.busy)

    def _on_dragging(self, dragging: bool) -> None:
        """Nothing lies in the way of a part on its way to the drawing."""
        if dragging:
            self.welcome.hide()
        else:
            self._show_welcome()

    def _on_busy(self, text: str) -> None:
        self.canvas.set_read_only(bool(text) or self.session.read_only)
        self.status.say(text)
        self._show_welcome()
        self._soon()

    def _on_hovered(self, entity_id: str) -> None:
        self.status.set_hover(self._describe(entity_id) if entity_id else "")

    def _describe(self, entity_id: str) -> str:
        design = self.document.design
        found = design.find(entity_id)
        if found is None:
            return ""
        table, entity = found
        if table == "devices":
            part = design.device_part(entity.id)
            place = design.racks[entity.rack].name
            if entity.bottom_u is not None:
                place += f" U{entity.bottom_u}"
            return f"{entity.name}: {part.title}, {place}"
        if table == "racks":
            return f"{entity.name}: {design.parts[entity.part].title}"
        if table == "cables":
            names = dict.fromkeys(design.devices[e.device].name for e in entity.ends)
            model = design.parts[entity.part].model
            label = entity.label or entity.id
            return f"{label}: {model}, {entity.length_m:g} m, {' – '.join(names)}"
        return design.name_of(entity_id)

    def _on_view_switched(self, view: str) -> None:
        self.actions_table.set_checked(f"view.{view}")
        side = self.canvas.side
        self.actions_table.set_checked(f"view.{side.value if side else 'both'}")
        self.status.set_zoom(self.canvas.zoom)
        self._soon()

    def _open_context_menu(self, ids: object, at: QPoint) -> None:
        design = self.document.design
        listed = list(ids) if isinstance(ids, list | tuple | set | frozenset) else []
        kind = "empty"
        kinds = ("devices", "device"), ("cables", "cable"), ("racks", "rack"), ("notes", "note")
        for table, name in kinds:
            if any(i in design.table(table) for i in listed):
                kind = name
                break
        self.refresh_actions()
        menu: QMenu = self._context_menus[kind]
        menu.popup(at)

    # -- results ----------------------------------------------------------------------------------

    def _on_findings(self, findings: Findings) -> None:
        self.problems.set_findings(findings)
        self.status.set_findings(findings)
        marks: dict[str, str] = {}
        for finding in reversed(findings.open):  # the worst comes first, so it is written last
            if finding.where and finding.severity.value != "info":
                marks[finding.where[0]] = finding.severity.value
        self.canvas.set_problem_marks(marks)
        self._soon()

    def _on_badge(self, severity: str) -> None:
        self.show_panel("problems")
        self.problems.show_only(severity)

    def show_ids(self, ids: list[str]) -> None:
        """Select things and show them."""
        self.document.select(ids)
        self.canvas.zoom_to(ids)

    # -- files on the window ----------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._dropped_file(event) is not None or dropped_log(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = self._dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            # Out of the drop first: a question may follow, and the source waits for an answer.
            QTimer.singleShot(0, self, lambda: self.session.open(path))
            return
        log = dropped_log(event)
        if log is not None:
            event.acceptProposedAction()
            QTimer.singleShot(0, self, lambda: self.speed.load_log(log))

    def _dropped_file(self, event: QDropEvent) -> Path | None:
        urls = event.mimeData().urls()
        if len(urls) != 1 or not urls[0].isLocalFile():
            return None
        path = Path(urls[0].toLocalFile())
        return path if path.suffix.lower() == SUFFIX else None

    # -- the end ----------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_welcome()
        self.docks.tidy_soon()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._closing:  # a second time, while the first is waiting for threads
            return
        if not self.session.may_leave():
            event.ignore()
            return
        self._closing = True
        self.bindings.exporting.wait()
        self.settings.geometry = self.saveGeometry()
        self.settings.layout = self.docks.save()
        self.settings.sync()
        self.hide()  # what is waited for now is nobody's business any more
        self._refresh_timer.stop()
        self.docks.stop()
        self.panels.stop()
        self.floor_notes.job.wait()
        QGuiApplication.clipboard().dataChanged.disconnect(self._soon)
        self.analysis.shut_down()
        self.speed.shut_down()
        self.session.shut_down()
        event.accept()
