# SPDX-License-Identifier: Apache-2.0
"""One view of the design: racks from one side, the fabric, or the floor. A canvas holds several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from rackloom.catalog import Catalog
from rackloom.catalog.parts import DevicePart, Part, PartId, RackPart
from rackloom.catalog.words import Side
from rackloom.design import Change, Design, Draft, edits
from rackloom.design.hardware import default_face
from rackloom.design.ids import DeviceId
from rackloom.placement.elevation import Elevation, elevation
from rackloom.placement.geometry import CHASSIS_MM, FACEPLATE_MM, rack_opening_mm
from rackloom_gui.canvas.ahead import take_ahead
from rackloom_gui.canvas.arrays import Layout, SceneArrays
from rackloom_gui.canvas.cords import Cords
from rackloom_gui.canvas.faces import Face, kind_of, make_face
from rackloom_gui.canvas.gestures import PointerEvent, Tool
from rackloom_gui.canvas.hit import Hit, HitIndex
from rackloom_gui.canvas.keys import Keys
from rackloom_gui.canvas.layers import CableLayer, FloorLayer, NameLayer, OverlayLayer
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.note_editing import NoteEditing
from rackloom_gui.canvas.overlay import Marks, Overlay
from rackloom_gui.canvas.pencil import Pencil
from rackloom_gui.canvas.scene_reader import FULL_SCALE
from rackloom_gui.canvas.sprites import Sprites
from rackloom_gui.canvas.tips import cable_tip, device_tip, port_tip, rack_tip, tr, with_load
from rackloom_gui.canvas.tools.cable import CableTool
from rackloom_gui.canvas.tools.drop import PartDrop
from rackloom_gui.canvas.tools.ghosts import Box, Flight, Ghost, Hand
from rackloom_gui.canvas.tools.rack import RackTool
from rackloom_gui.canvas.tools.select import PanTool, SelectTool
from rackloom_gui.canvas.view import CanvasView
from rackloom_gui.canvas.zoom_view import new_scene
from rackloom_gui.document import Document
from rackloom_gui.tokens import DeviceColour, Tokens

MARGIN_MM = 100.0
SMALLEST_MM = 8.0
"""A port: one can zoom in until it is 100 px."""
_REDRAW_MS = 80
TIP_MS = 500
"""A resting pointer gets its tooltip after this; styles wait longer."""
LARGE = 4000
"""Building the arrays of more things than this takes long enough for a busy pointer."""


class Pane(CanvasView):
    """A view with its arrays, layers and tools. Everything shared comes from the document."""

    said = Signal(str)
    """A sentence for the status bar."""
    bundles_shown = Signal(bool)
    menu_wanted = Signal(object, QPoint)
    """(ids, global position)"""
    tool_wanted = Signal(str)
    cable_wanted = Signal(object, object)
    """(part or None, port or None): take the cable tool, in this pane."""

    def __init__(
        self,
        document: Document,
        catalog: Catalog,
        tokens: Tokens,
        layout: Layout,
        marks: Marks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(None, parent, unit_scale=0.5)
        self.setScene(new_scene(self))
        self.document, self.catalog, self.marks = document, catalog, marks
        self.arrays = SceneArrays(layout)
        self.look = Look(tokens, Sprites())
        self.hits = HitIndex(self.arrays)
        self.keys = Keys(self)
        self.overlay = Overlay(self.arrays, self.look, marks)
        self.hand: Hand | None = None
        self._flights: list[Flight] = []
        self._pending: Change | None = None
        self._stale = True
        self._bundled: bool | None = None
        self.can_edit = True
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(_REDRAW_MS)
        self._redraw.timeout.connect(self.refresh)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(TIP_MS)
        self._rest.timeout.connect(self._show_tip_at_rest)
        self._resting_at = QPointF()
        self._build_layers()
        self.tools: dict[str, Any] = {
            "select": SelectTool(self),
            "pan": PanTool(self),
            "cable": CableTool(self),
            "rack": RackTool(self),
        }
        self.set_tool(self.tools["select"])
        self.drop_target = PartDrop(self)
        self.overlay.extras.append(self._draw_preview)
        self.cords = Cords(self.arrays, self.look)
        if layout.name == "racks":
            self.overlay.extras.append(self._draw_cords)
        self.overlay.extras.append(self._draw_hand)
        self.overlay.extras.append(self.cable_tool.draw)
        self.tip_at = self._tip
        self.walk = self.keys.walk
        self.notes = NoteEditing(self)
        self.arrows_pan = lambda: not self.keys.moves_something()
        self.escaped.connect(lambda: self.document.select(()))
        self.context_requested.connect(self._context)
        self._dress()

    def _build_layers(self) -> None:
        from rackloom_gui.canvas.backdrops import backdrop_of

        floor = FloorLayer(
            self.arrays, self.look, backdrop_of(self.arrays.layout), self._redraw.start
        )
        self.cable_layer = CableLayer(self.arrays, self.look, self._note_bundles)
        cover = OverlayLayer(self.overlay.draw)
        layers = (floor, self.cable_layer, NameLayer(self.arrays, self.look), cover)
        for item in layers:
            self.scene().addItem(item)
        self.layer_count = len(layers)

    @property
    def cable_tool(self) -> CableTool:
        """The cable tool of this view."""
        tool: CableTool = self.tools["cable"]
        return tool

    @property
    def drawing(self) -> Elevation:
        """Where racks stand on the elevation drawing."""
        return elevation(self.document.design)

    # Following the document

    def forget(self) -> None:
        """The document holds another design: `catch_up`, or being shown, mirrors it anew."""
        self._pending = None
        self._stale = True

    def follow(self, _design: Design, change: Change) -> None:
        """Follow a change; put off while not on screen."""
        if not self._stale:
            self._pending = change if self._pending is None else self._pending.then(change)
        if self.isVisible():
            self.catch_up()

    def catch_up(self) -> None:
        """Do now what was put off."""
        design = self.document.design
        if self._stale:
            self._build(design)
        elif self._pending is not None:
            self.arrays.patch(design, self._pending)
        else:
            return
        self._stale, self._pending = False, None
        self.look.device_colours.clear()
        self._set_extent()
        self.cable_tool.design_changed()
        self.refresh()

    def _build(self, design: Design) -> None:
        ready = take_ahead(design, self.arrays.layout)
        if ready is not None:
            self.arrays.adopt(ready, design)
            return
        large = len(design.cables) + len(design.devices) > LARGE
        if large:
            QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            self.arrays.build(design)
        finally:
            if large:
                QApplication.restoreOverrideCursor()

    def fit_all(self) -> None:
        """Show the whole drawing, with its notes."""
        if self.document.design.notes:
            self._set_extent()
        super().fit_all()

    def _set_extent(self) -> None:
        x0, y0, x1, y1 = self.arrays.layout.bounds()
        rect = QRectF(x0, y0, x1 - x0, y1 - y0)
        if self.document.design.notes:
            # Notes are as large as their text: in mm that depends on the zoom at which all fits.
            room = self.viewport().size()
            fitting = min(room.width() / max(x1 - x0, 1), room.height() / max(y1 - y0, 1)) * 0.8
            for plate in self.arrays.notes.plates(min(max(fitting, 1e-3), FULL_SCALE)):
                rect = rect.united(QRectF(*plate.box))
        self.set_content_rect(
            rect.adjusted(-MARGIN_MM, -MARGIN_MM, MARGIN_MM, MARGIN_MM), SMALLEST_MM
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.notes.finish()  # a click beside a note that is being written keeps it
        super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        self.catch_up()
        super().showEvent(event)

    def set_loads(self, loads: Mapping[str, float] | None) -> None:
        """Colour cables by load; None: by network."""
        if loads == self.arrays.loads:
            return
        self.arrays.set_loads(loads)
        self.refresh()

    def refresh(self) -> None:
        """Paint again soon."""
        self.viewport().update()

    def dress(self, tokens: Tokens) -> None:
        """Put on another theme."""
        self.look.tokens = tokens
        self.look.device_colours.clear()
        self.look.labels.clear()
        if self.look.sprites is not None:
            self.look.sprites.clear()
        self.notes.follow()
        self._dress()

    def _dress(self) -> None:
        tokens = self.look.tokens
        self.setBackgroundBrush(tokens.canvas)
        self.set_focus_ring_colour(QColor(tokens.accent))
        self.refresh()

    def _note_bundles(self, bundled: bool) -> None:
        if bundled != self._bundled:
            self._bundled = bundled
            QTimer.singleShot(0, self, lambda: self.bundles_shown.emit(bool(self._bundled)))

    # Looking

    def window(self) -> Window:  # type: ignore[override]
        """What is on screen, in mm."""
        rect = self.visible_rect()
        return Window(rect.left(), rect.top(), rect.right(), rect.bottom())

    def hit_at(self, scene: QPointF) -> Hit:
        """What is under a place at the zoom in force."""
        return self.hits.at(scene.x(), scene.y(), self.scale_px, self.window())

    def port_under(self, scene: QPointF) -> tuple[DeviceId, str] | None:
        """The port that a click there means; a little beside it counts too."""
        return self.hits.port_at(scene.x(), scene.y(), min(6.0 / self.scale_px, 10.0))

    def on_frame(self, rack_id: str, scene: QPointF) -> bool:
        """Whether a place is on a rack's cabinet rather than in its opening."""
        box = self.arrays.box_of(rack_id)
        if box is None or self.arrays.layout.name != "racks":
            return True
        x, y, w, h = box
        design = self.document.design
        low, high = rack_opening_mm(design.part(design.racks[rack_id].part, RackPart))  # type: ignore[index]
        margin = (w - FACEPLATE_MM) / 2
        inside_x = x + margin <= scene.x() <= x + w - margin
        inside_y = y + h - high <= scene.y() <= y + h - low
        return not (inside_x and inside_y)

    def cables_in(self, device_id: str, cage: str) -> list[str]:
        """Cables plugged into a cage."""
        design = self.document.design
        return [
            c
            for c in design.index.cables_of_device.get(device_id, ())  # type: ignore[call-overload]
            if any(e.device == device_id and e.cage == cage for e in design.cables[c].ends)
        ]

    def hover_at(self, scene: QPointF | None) -> None:
        """The pointer is at a place, or has left."""
        if scene is None:
            self._rest.stop()
        else:
            self._resting_at = scene
            self._rest.start()
        hit = Hit() if scene is None else self.hit_at(scene)
        port = None
        if scene is not None:
            self.notes.menu_place = None
        if hit.note is None and hit.device is not None and hit.cage is not None:
            port = (hit.device, hit.cage)
        over = hit.id if hit.id != hit.rack else None
        if port != self.marks.hover_port or (over or "") != self.marks.hover:
            self.marks.hover_port = port
            self.marks.hover = over or ""
            self.document.set_hover(over or "")
            self.refresh()

    def _show_tip_at_rest(self) -> None:
        if self.gesture is None and self.viewport().underMouse():
            place = self.viewport().mapToGlobal(self.to_view(self._resting_at).toPoint())
            QToolTip.showText(place, self._tip(self._resting_at), self.viewport())

    def _tip(self, scene: QPointF) -> str:
        design = self.document.design
        port: tuple[DeviceId, str] | None = None
        if self._tool is self.cable_tool:
            port = self.port_under(scene)
        hit = self.hit_at(scene)
        if hit.note is not None:
            return ""  # all of its text is shown under the pointer
        if port is None and hit.cage is not None and hit.device is not None:
            port = (DeviceId(hit.device), hit.cage)
        if port is not None:
            tip = port_tip(design, *port, self.cable_tool.why_not(port))
            return with_load(tip, self.cables_in(*port), self.marks.load_text)
        if hit.cable is not None:
            return with_load(cable_tip(design, hit.cable), [hit.cable], self.marks.load_text)
        if self.hits.bundled(self.window()):
            count = self.hits.bundle_at(scene.x(), scene.y(), 3.0 / self.scale_px)
            if count:
                return tr("{count} cables: zoom in to see them singly").format(count=count)
        if hit.device is not None:
            return device_tip(design, hit.device)
        if hit.rack is not None:
            return rack_tip(design, hit.rack)
        return ""

    def click(self, found: str | None, event: PointerEvent) -> None:
        """A click on something, or on nothing."""
        document = self.document
        if found is None:
            if not (event.ctrl or event.shift):
                document.select(())
        elif event.ctrl:
            document.toggle([found])
        elif event.shift:
            document.select_more([found])
        else:
            document.select([found])

    def _context(self, scene: QPointF, place: QPoint) -> None:
        self.notes.menu_place = scene
        found = self.hit_at(scene).id
        if found is not None and found not in self.document.selection:
            self.document.select([found])
        elif found is None:
            self.document.select(())
        self.menu_wanted.emit(self.document.selection, place)

    def rect_of(self, ids: Iterable[str]) -> QRectF | None:
        """The rectangle around things, as far as they are in this view."""
        rect: QRectF | None = None
        for entity_id in ids:
            box = self.arrays.box_of(entity_id)
            if box is None:
                device = self.document.design.devices.get(entity_id)  # type: ignore[call-overload]
                box = self.arrays.box_of(device.rack) if device is not None else None
            if box is not None:
                piece = QRectF(*box)
                rect = piece if rect is None else rect.united(piece)
        return rect

    def show_ids(self, ids: Collection[str]) -> None:
        """Scroll so far that these are on screen."""
        self.catch_up()
        rect = self.rect_of(ids)
        if rect is not None:
            self.ensure_seen(rect)

    # What tools ask for

    def say(self, text: str) -> None:
        """A sentence for the status bar."""
        self.said.emit(text)

    def part(self, part_id: PartId) -> Part | None:
        """A part of the catalogue, or one the design brought along."""
        return self.catalog.get(part_id) or self.document.design.parts.get(part_id)

    def start_cable(self, part: Any, port: tuple[str, str] | None) -> None:
        """Take the cable tool, with a part and a first port if given."""
        self.cable_wanted.emit(part, port)

    def take_in_hand(self, ids: Collection[str]) -> None:
        """Devices that the layers leave out meanwhile, because they are in the hand."""
        self.arrays.hidden_devices = frozenset(ids)
        self.refresh()

    def show_hand(self, hand: Hand | None) -> None:
        """What is in the hand, drawn over the drawing."""
        for flight in tuple(self._flights):
            flight.stop()
        self.hand = hand
        self.refresh()

    def fly_back(self, ghosts: list[Ghost], home: list[Box]) -> None:
        """Ghosts fly home."""
        if not ghosts or len(ghosts) != len(home):
            return
        for ghost in ghosts:
            ghost.reason = None
        self._flights.append(Flight(self, ghosts, home, self.refresh, self._landed))

    def _landed(self, flight: Flight) -> None:
        if flight in self._flights:
            self._flights.remove(flight)
            flight.deleteLater()
        self.refresh()

    def _draw_cords(self, pencil: Pencil, window: Window) -> None:
        self.cords.selection = self.marks.selection
        self.cords.draw(pencil, window)

    def _draw_hand(self, pencil: Pencil, window: Window) -> None:
        for flight in self._flights:
            flight.draw(pencil, self.look)
        if self.hand is not None:
            self.hand.draw(pencil, window, self.look)

    def _draw_preview(self, pencil: Pencil, window: Window) -> None:
        if self.marks.preview is not None:
            drawing = self.drawing if self.arrays.layout.name == "racks" else None
            self.marks.preview.draw(pencil, window, self.overlay, self.document.design, drawing)

    def face_of(self, device_id: str) -> tuple[Face | None, DeviceColour | None]:
        """Face and colours of a placed device."""
        row = self.arrays.devices.row_of.get(device_id)
        if row is None:
            return None, None
        colours = self.look.colours_of(self.arrays)
        face = self.arrays.book.faces[int(self.arrays.devices["face"][row])]
        return face, colours[int(self.arrays.devices["look"][row])]

    def new_face(self, part: DevicePart) -> Side:
        """Which way a new device looks: so that it draws in air at the rack's front."""
        return default_face(part)

    def face_of_part(
        self, part: DevicePart, face: Side, rack_id: str
    ) -> tuple[Face | None, DeviceColour]:
        """Face and colours of a part that is not placed yet."""
        seen = Side.FRONT if face is self.arrays.layout.side else Side.REAR
        draft = Draft(self.document.design)
        new = edits.add_device(draft, part, rack_id, 1, face=face)  # type: ignore[arg-type]
        trial = self.document.design.apply(draft.change())
        width = FACEPLATE_MM if seen is Side.FRONT else CHASSIS_MM
        height = part.rack_units * 44.45
        return (
            make_face(trial, trial.devices[new], seen, width, height),
            self.look.tokens.device(kind_of(part)),
        )

    def place_in(self, design: Design, device_id: str) -> tuple[Box, Face | None, DeviceColour]:
        """Where a device of another design would be in this view, and how it looks."""
        places = self.arrays.layout.places(design, self.arrays.book, [device_id])
        x, y, w, h = (float(v) for v in places.boxes[0])
        face = self.arrays.book.faces[int(places.faces[0])]
        colour = self.look.tokens.device(kind_of(face.part))
        return (x, y, w, h), face if places.shown[0] else None, colour

    def use_tool(self, name: str) -> None:
        """Take a tool by name."""
        tool: Tool = self.tools[name]
        if tool is not self._tool:
            self.set_tool(tool)
