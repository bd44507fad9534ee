# SPDX-License-Identifier: Apache-2.0
"""The canvas of the main window: racks (front, rear or both), fabric and floor of one document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from rackloom.catalog import Catalog
from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import Side
from rackloom.design import Change, Design
from rackloom_gui.canvas.elevation_layout import ElevationLayout
from rackloom_gui.canvas.overlay import Marks
from rackloom_gui.canvas.pane import Pane
from rackloom_gui.canvas.preview import Preview
from rackloom_gui.canvas.selecting import select_all
from rackloom_gui.canvas.sides import ports_face, side_of_cables, side_of_ports
from rackloom_gui.canvas.tips import tr
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme
from rackloom_gui.tokens import Tokens

NEAR_MM = (760.0, 480.0)
"""Going to a thing shows at least this much of what is around it."""
VIEWS = ("racks", "fabric", "floor")


class Canvas(QWidget):
    """All views of a document, one of them shown; one selection, one tool, one set of marks."""

    status = Signal(str)
    hovered = Signal(str)
    """Id of what is under the pointer, or an empty string."""
    pointer_moved = Signal(QPointF)
    context_menu = Signal(object, QPoint)
    """(ids, global position)"""
    zoom_changed = Signal(float)
    bundles_shown = Signal(bool)
    view_changed = Signal()
    """The visible part moved: for a minimap."""
    tool_changed = Signal(str)
    view_switched = Signal(str)

    def __init__(
        self,
        document: Document,
        catalog: Catalog,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.document, self.catalog, self.theme = document, catalog, theme
        self.marks = Marks()
        self._view = "racks"
        self._side: Side | None = Side.FRONT
        self._tool = "select"
        self._syncing = False
        self._build()
        document.changed.connect(self._on_changed)
        document.replaced.connect(self._on_replaced)
        document.selection_changed.connect(self._on_selection)
        document.hover_changed.connect(self._on_hover)
        theme.changed.connect(self._on_theme)
        self.setFocusProxy(self.front)

    def _build(self) -> None:
        from rackloom_gui.canvas.fabric_layout import FabricLayout
        from rackloom_gui.canvas.floor_layout import FloorLayout

        self.front = self._pane(ElevationLayout(Side.FRONT), self.tr("Racks, front"))
        self.rear = self._pane(ElevationLayout(Side.REAR), self.tr("Racks, rear"))
        self.fabric_layout = FabricLayout()
        self.fabric = self._pane(self.fabric_layout, self.tr("Fabric"))
        self.floor = self._pane(FloorLayout(), self.tr("Floor"))
        self._racks = QSplitter(Qt.Orientation.Horizontal, self)
        self._racks.setChildrenCollapsible(False)
        self._racks.setHandleWidth(3)
        self._racks.addWidget(self.front)
        self._racks.addWidget(self.rear)
        self.rear.hide()
        self._stack = QStackedWidget(self)
        for page in (self._racks, self.fabric, self.floor):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        for one, other in ((self.front, self.rear), (self.rear, self.front)):
            one.view_changed.connect(lambda a=one, b=other: self._sync(a, b))

    def _pane(self, layout: Any, name: str) -> Pane:
        pane = Pane(self.document, self.catalog, self.theme.tokens, layout, self.marks, self)
        pane.setAccessibleName(name)
        pane.said.connect(self.status)
        pane.menu_wanted.connect(self.context_menu)
        pane.zoom_changed.connect(self.zoom_changed)
        pane.bundles_shown.connect(self._on_bundles)
        pane.hovered.connect(self.pointer_moved)
        pane.view_changed.connect(self.view_changed)
        pane.tool_wanted.connect(self.set_tool)
        pane.cable_wanted.connect(lambda part, port, p=pane: self._start_cable(p, part, port))
        return pane

    # Which view

    @property
    def panes(self) -> tuple[Pane, ...]:
        """All views, shown or not."""
        return self.front, self.rear, self.fabric, self.floor

    @property
    def shown_panes(self) -> tuple[Pane, ...]:
        """The views on screen."""
        if self._view == "fabric":
            return (self.fabric,)
        if self._view == "floor":
            return (self.floor,)
        if self._side is None:
            return self.front, self.rear
        return (self.front if self._side is Side.FRONT else self.rear,)

    @property
    def pane(self) -> Pane:
        """The view that has the focus, or the first on screen."""
        return next((p for p in self.shown_panes if p.hasFocus()), self.shown_panes[0])

    @property
    def view(self) -> str:
        """``racks``, ``fabric`` or ``floor``."""
        return self._view

    @property
    def side(self) -> Side | None:
        """The side the racks are seen from; None: both."""
        return self._side

    def set_view(self, view: str) -> None:
        """Show the racks, the fabric or the floor."""
        if view not in VIEWS:
            raise ValueError(f"no view {view!r}; there are {', '.join(VIEWS)}")
        if view == self._view:
            return
        first = self._never_fitted(view)
        self._view = view
        self._stack.setCurrentIndex(VIEWS.index(view))
        self._after_switch(first)

    def set_side(self, side: Side | str | None) -> None:
        """Show the racks from the front, the rear, or (None or ``both``) side by side."""
        wanted = None if side in (None, "both") else Side(side)
        if wanted is self._side:
            return
        source = self.shown_panes[0] if self._view == "racks" else None
        self._side = wanted
        self.front.setVisible(wanted is not Side.REAR)
        self.rear.setVisible(wanted is not Side.FRONT)
        if source is not None:
            centre = source.visible_rect().center()
        self._racks.refresh()  # the views must have their sizes before anything is fitted into them
        half = max(self._racks.width() // 2, 1)
        self._racks.setSizes([half, half])
        if source is not None:
            for pane in self.shown_panes:
                self._show_same(source.zoom, centre, pane)
        self._after_switch(False)

    def _never_fitted(self, view: str) -> bool:
        pane = {"racks": self.front, "fabric": self.fabric, "floor": self.floor}[view]
        return not pane.property("fitted")

    def _after_switch(self, fit: bool) -> None:
        pane = self.shown_panes[0]
        self.setFocusProxy(pane)
        if fit:
            self.fit_all()
        for shown in self.shown_panes:
            shown.use_tool(self._tool)
        pane.setFocus()
        self.zoom_changed.emit(pane.zoom)
        self.view_switched.emit(self._view)

    def _sync(self, source: Pane, other: Pane) -> None:
        """Front and rear, side by side, show the same racks at the same zoom."""
        if self._syncing or self._side is not None or self._view != "racks":
            return
        if source.isVisible() and other.isVisible():
            self._show_same(source.zoom, source.visible_rect().center(), other)

    def _show_same(self, zoom: float, centre: QPointF, other: Pane) -> None:
        self._syncing = True
        try:
            other.catch_up()
            other.zoom_to(zoom)
            other.centre_on(centre)
        finally:
            self._syncing = False

    # Zoom

    def fit_all(self) -> None:
        """Show the whole design."""
        for pane in self.shown_panes:
            pane.catch_up()
            pane.fit_all()
            pane.setProperty("fitted", True)

    def fit_ids(self, ids: Collection[str]) -> None:
        """Show these things as large as they fit."""
        self._turn_to(ids)
        for pane in self.shown_panes:
            pane.catch_up()
            rect = pane.rect_of(ids)
            if rect is not None:
                margin = max(rect.width(), rect.height()) * 0.06
                pane.fit_rect(rect.adjusted(-margin, -margin, margin, margin))

    def zoom_to(self, ids: Collection[str]) -> None:
        """Go to these things: close enough to read them, with what is around them."""
        self._turn_to(ids)
        for pane in self.shown_panes:
            pane.catch_up()
            rect = pane.rect_of(ids)
            if rect is None:
                continue
            grow_x = max((NEAR_MM[0] - rect.width()) / 2, rect.width() * 0.15)
            grow_y = max((NEAR_MM[1] - rect.height()) / 2, rect.height() * 0.15)
            pane.fit_rect(rect.adjusted(-grow_x, -grow_y, grow_x, grow_y), 3.0)

    def _turn_to(self, ids: Collection[str]) -> None:
        """Show the view, and the side, from which the first of the devices or notes is seen."""
        notes = [i for i in ids if i in self.document.design.notes]
        if notes and len(notes) == len(ids):
            self._turn_to_note(notes[0])
            return
        if self._view != "racks" or self._side is None:
            return
        devices = [i for i in ids if i in self.document.design.devices]
        pane = self.shown_panes[0]
        pane.catch_up()
        hidden = [
            i
            for i in devices
            if (row := pane.arrays.devices.row_of.get(i)) is not None
            and not pane.arrays.devices["shown"][row]
        ]
        if devices and len(hidden) == len(devices):
            self.set_side(self._side.other)

    def zoom_in(self) -> None:
        """One step closer."""
        self.pane.zoom_in()

    def zoom_out(self) -> None:
        """One step away."""
        self.pane.zoom_out()

    def zoom_100(self) -> None:
        """True size on a usual screen would not fit: 100 % is half a pixel a millimetre."""
        self.pane.zoom_100()

    @property
    def zoom(self) -> float:
        """1.0 is 100 %."""
        return self.pane.zoom

    # Tools and edits

    @property
    def tool(self) -> str:
        """Name of the tool in hand."""
        return self._tool

    def set_tool(self, name: str) -> None:
        """Take ``select``, ``pan``, ``cable`` or ``rack``."""
        if name not in self.front.tools:
            raise ValueError(f"no tool {name!r}; there are {', '.join(self.front.tools)}")
        self._tool = name
        if name == "cable":
            self._turn_to_ports()
        for pane in self.panes:
            pane.use_tool(name)
        if name == "cable":
            for pane in self.shown_panes:
                pane.cable_tool.begin(None, None)
        self.tool_changed.emit(name)

    def _turn_to_ports(self) -> None:
        """Show the racks from where the ports are, when none can be seen from here."""
        design = self.document.design
        if self._view != "racks" or self._side is None or ports_face(design, self._side):
            return
        side = side_of_ports(design)
        if side is not None:
            self.set_side(side)
            self.status.emit(self.tr("The ports are at the {0} of the racks.").format(side.value))

    def start_cable(self, part: CablePart | None, port: tuple[str, str] | None = None) -> None:
        """Take the cable tool with a part of the palette."""
        self._start_cable(self.pane, part, port)

    def _start_cable(self, pane: Pane, part: CablePart | None, port: Any) -> None:
        self.set_tool("cable")
        for shown in self.shown_panes:
            shown.cable_tool.begin(part, port if shown is pane else None)
        pane.setFocus()

    def insert_part(self, part_id: str) -> bool:
        """Put a part where it fits without the mouse: into the selected rack, or the next slot."""
        from rackloom_gui.canvas.inserting import insert_part

        return insert_part(self, part_id)

    def nudge(self, across: int, up: int) -> None:
        """Move selected devices by racks and U."""
        self.pane.keys.nudge(across, up)

    def delete_selection(self) -> None:
        """Delete what is selected."""
        self.pane.keys.delete()

    def duplicate_selection(self) -> None:
        """Copy what is selected to the next free places."""
        self.pane.keys.duplicate()

    def add_note(self) -> None:
        """Begin a note at the pointer, beside what is selected, or in the middle of the view."""
        under = (p for p in self.shown_panes if p.notes.menu_place or p.pointer_place())
        next(under, self.pane).notes.add()

    def edit_note(self, note_id: str) -> None:
        """Write in a note, in a view it belongs to."""
        self._turn_to_note(note_id)
        next((pane for pane in self.shown_panes if pane.notes.edit(note_id)), None)

    def _turn_to_note(self, note_id: str) -> None:
        """Show a view in which a note is seen, if it is not in the present one."""

        def seen(pane: Pane) -> bool:
            pane.catch_up()
            return pane.arrays.notes.plate_of(note_id, pane.scale_px) is not None

        if any(seen(pane) for pane in self.shown_panes):
            return
        if seen(self.floor):
            self.set_view("floor")
        elif seen(self.front) or seen(self.rear):
            if self._side is not None:
                self.set_side(Side.FRONT if seen(self.front) else Side.REAR)
            self.set_view("racks")

    def finish_note(self) -> None:
        """Keep what is being written in a note."""
        for pane in self.panes:
            pane.notes.finish()

    def select_all(self) -> None:
        """All of the kinds that are selected; once they are, all devices and racks."""
        self.status.emit(select_all(self.document))

    def set_read_only(self, read_only: bool) -> None:
        """Let nothing be dragged or dropped."""
        for pane in self.panes:
            pane.can_edit = not read_only

    # Marks

    def set_problem_marks(self, severities: Mapping[str, str]) -> None:
        """Mark things with the worst severity of their findings."""
        self._mark("problems", dict(severities))

    def set_cords(self, wanted: bool) -> None:
        """Draw the power cords of what is selected, or none."""
        for pane in self.panes:
            pane.cords.wanted = wanted
        self._refresh()

    def set_link_loads(self, loads: Mapping[str, float] | None) -> None:
        """Colour cables by their load, 0 to 1 and beyond; None: by network again."""
        for pane in self.panes:
            pane.set_loads(loads)

    def set_load_texts(self, text_of: Callable[[str], str] | None) -> None:
        """What tooltips of cables say of their load; None: nothing."""
        self.marks.load_text = text_of

    def set_oversubscribed(self, ratios: Mapping[str, float]) -> None:
        """Mark switches with more below than above, with the ratio."""
        self._mark("oversubscribed", dict(ratios))

    def set_cut(self, ids: Collection[str]) -> None:
        """Paint the cut that limits throughput."""
        self._mark("cut", frozenset(ids))

    def set_unplugged(self, ids: Collection[str]) -> None:
        """Show what is taken to be dead."""
        self._mark("unplugged", frozenset(ids))

    def set_preview(self, change: Change | None) -> None:
        """Show what an edit would change, before it is made; None: nothing any more."""
        self._mark("preview", None if change is None else Preview.of(self.document.design, change))

    def _mark(self, name: str, marks: object) -> None:
        """Paint other marks. After an edit findings, cut, loads and ratios come one by one, mostly
        as they were, and a great design takes 15 ms to paint.
        """
        if getattr(self.marks, name) != marks:
            setattr(self.marks, name, marks)
            self._refresh()

    def _refresh(self) -> None:
        for pane in self.shown_panes:
            pane.refresh()

    # Following

    def _on_changed(self, design: Design, change: Change) -> None:
        self.marks.preview = None  # it was of the design before
        for pane in self.panes:
            pane.follow(design, change)

    def _on_replaced(self, design: Design) -> None:
        # Problem marks, cut and unplugged are set by those who know them, maybe before this call.
        self.marks.hover, self.marks.hover_port = "", None
        self.marks.preview = None
        for pane in self.panes:
            pane.setProperty("fitted", False)
            pane.forget()
        side = side_of_cables(design)
        if side is not None and self._side is not None:
            self.set_side(side)  # a design is opened where its cables can be seen
        self.fit_all()

    def _on_selection(self, selection: frozenset[str]) -> None:
        self.marks.selection = selection
        self._refresh()

    def _on_hover(self, entity_id: str) -> None:
        self.marks.hover = entity_id
        if not entity_id:
            self.marks.hover_port = None
        self.hovered.emit(entity_id)
        self._refresh()

    def _on_theme(self, tokens: Tokens) -> None:
        for pane in self.panes:
            pane.dress(tokens)

    def _on_bundles(self, bundled: bool) -> None:
        self.bundles_shown.emit(bundled)
        if bundled:
            self.status.emit(tr("Cables bundled: zoom in or select"))
