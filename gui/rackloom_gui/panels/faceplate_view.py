# SPDX-License-Identifier: Apache-2.0
"""A part as it is drawn: its faces with names under the pointer, a cable with its plugs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import (
    U_MM,
    CablePart,
    DevicePart,
    NicPart,
    Part,
    PartId,
    RackPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import AccessoryPart, RackSystemPart
from rackloom.catalog.words import Side
from rackloom.placement.geometry import FACEPLATE_MM
from rackloom_gui.canvas.faceplates import paint_face
from rackloom_gui.canvas.faces import Face, kind_of
from rackloom_gui.canvas.pencil import Pencil
from rackloom_gui.panels.cable_picture import CablePicture
from rackloom_gui.panels.figures import rate_text
from rackloom_gui.panels.rack_picture import RackPicture
from rackloom_gui.panels.thumbnails import paint_rack, part_face
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.tokens import DeviceColour

_GAP_PX = 22.0
_MARGIN_PX = 8.0
_STRIP_MM = (56.0, 1200.0)
"""Width and height of a 0U device as drawn: the catalogue does not know how long they are."""
_TALL_MM = 2.5 * U_MM
_LARGEST_SCALE = 2.4
"""Pixels per mm: a faceplate is not blown up beyond what its drawing holds."""
_BRACKET_MM = (120.0, 21.6)
"""A card's bracket lying down: full height, one slot wide (PCIe CEM)."""
_RACK_PX = 150.0
_WHOLE_RACK_PX = 360.0
"""Height of an empty rack, and of one whose devices are to be told apart."""


class FaceplateView(QWidget):
    """Both faces of a device or of a whole rack, an empty rack's front, a card's bracket.

    Of a cable or a transceiver its plugs and connectors, how it fans out and how long it is.

    A 0U device lies on its side, its upper end at the left: upright its outlets would be specks.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._part: Part | None = None
        self._faces: list[Face] = []
        self._rack: RackPicture | None = None
        self._cable: CablePicture | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(0)
        theme.changed.connect(self._on_theme_changed)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()

    def show_part(self, part: Part | None, parts: Mapping[PartId, Part] | None = None) -> None:
        """Draw another part; hidden for parts without a face.

        ``parts`` is where the parts of a whole rack are looked up.
        """
        self._part = part
        self._faces = []
        self._rack = None
        self._cable = None
        if isinstance(part, CablePart | TransceiverPart):
            self._cable = CablePicture(part)
        if isinstance(part, RackSystemPart):
            self._rack = RackPicture.of(part, parts or {})
        if isinstance(part, DevicePart):
            width, height = FACEPLATE_MM, max(part.rack_units, 0.5) * U_MM
            sides: tuple[Side, ...] = (Side.FRONT, Side.REAR)
            if part.rack_units == 0:
                (width, height), sides = _STRIP_MM, (Side.REAR,)
            self._faces = [part_face(part, side, width, height) for side in sides]
        if isinstance(part, NicPart):
            self._faces = [_bracket(part)]
        drawn = bool(self._faces) or isinstance(part, RackPart)
        self.setVisible(drawn or self._rack is not None or self._cable is not None)
        name = part.title if part is not None else ""
        words = self.tr("Faceplate of {0}") if self._cable is None else self.tr("Drawing of {0}")
        self.setAccessibleName(words.format(name))
        self.setFixedHeight(self.heightForWidth(self.width()))
        self.updateGeometry()
        self.update()

    # -- measures ---------------------------------------------------------------------------------

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if self._cable is not None:
            return round(self._cable.height_px)
        if self._rack is not None:
            return round(_WHOLE_RACK_PX + _GAP_PX)
        if not self._faces:
            return round(_RACK_PX)
        if self._lying:
            across = self._faces[0].width_mm * self._scale(width)
            return round(across + _GAP_PX + _MARGIN_PX)
        scale = self._scale(width)
        heights = [face.height_mm * scale + _GAP_PX for face in self._faces]
        return round((max(heights) if self._beside else sum(heights)) + _MARGIN_PX)

    def sizeHint(self) -> QSize:
        return QSize(420, self.heightForWidth(420))

    def resizeEvent(self, event: object) -> None:
        self.setFixedHeight(self.heightForWidth(self.width()))
        super().resizeEvent(event)  # type: ignore[arg-type]

    def _scale(self, width: float) -> float:
        face = self._faces[0]
        if self._lying:
            return max((width - 2 * _MARGIN_PX) / face.height_mm, 0.1)
        across = (width - 2 * _MARGIN_PX) / face.width_mm
        if self._beside:
            across = (width - 3 * _MARGIN_PX) / (2 * face.width_mm)
        return max(min(across, _LARGEST_SCALE, 420.0 / face.height_mm), 0.1)

    @property
    def _lying(self) -> bool:
        """0U devices are drawn on their side."""
        return bool(self._faces) and self._faces[0].height_mm > 4 * self._faces[0].width_mm

    @property
    def _beside(self) -> bool:
        """Tall devices show their faces side by side: one above the other leaves no room."""
        return len(self._faces) > 1 and self._faces[0].height_mm > _TALL_MM

    def _places(self) -> list[tuple[Face, float, float]]:
        """Every face with the left and top of where it is drawn."""
        scale, top = self._scale(self.width()), _GAP_PX - 4
        if self._beside:
            wide = self._faces[0].width_mm * scale
            left = (self.width() - 2 * wide - _MARGIN_PX) / 2
            return [(f, left + n * (wide + _MARGIN_PX), top) for n, f in enumerate(self._faces)]
        places = []
        for face in self._faces:
            places.append((face, (self.width() - face.width_mm * scale) / 2, top))
            top += face.height_mm * scale + _GAP_PX
        return places

    # -- drawing ----------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        part = self._part
        if isinstance(part, RackPart):
            painter.translate(0, 4)
            paint_rack(painter, QSize(self.width(), self.height() - 8), part, self._tokens)
            return
        if self._cable is not None:
            self._cable.paint(painter, float(self.width()), self._tokens)
            return
        if self._rack is not None:
            self._paint_whole_rack(painter, self._rack)
            return
        if not self._faces:
            return
        scale, ratio = self._scale(self.width()), self.devicePixelRatioF()
        colour = self._tokens.device(kind_of(self._faces[0].part))
        if self._lying:
            self._paint_lying(painter, self._faces[0], scale, ratio, colour)
            return
        for face, left, top in self._places():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            paint_face(Pencil(painter, scale, (left, top), ratio=ratio), face, colour, self._tokens)
            if isinstance(part, NicPart):
                self._title(painter, self.tr("Bracket"), left, top)
            else:
                self._side_title(painter, face.side, left, top)

    def _paint_lying(
        self, painter: QPainter, face: Face, scale: float, ratio: float, colour: DeviceColour
    ) -> None:
        """A 0U device with its upper end at the left."""
        left, top = (self.width() - face.height_mm * scale) / 2, _GAP_PX - 4
        painter.save()
        painter.translate(left, top + face.width_mm * scale)
        painter.rotate(-90)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        paint_face(Pencil(painter, scale, (0.0, 0.0), ratio=ratio), face, colour, self._tokens)
        painter.restore()
        self._title(painter, self.tr("Top at the left"), left, top)

    def _paint_whole_rack(self, painter: QPainter, picture: RackPicture) -> None:
        ratio = self.devicePixelRatioF()
        wide = picture.rack.width_mm * _WHOLE_RACK_PX / picture.height_mm
        gap = 3 * _MARGIN_PX
        left = (self.width() - 2 * wide - gap) / 2
        for number, side in enumerate((Side.FRONT, Side.REAR)):
            x = left + number * (wide + gap)
            area = QRectF(x, _GAP_PX - 4, wide, _WHOLE_RACK_PX)
            picture.paint(painter, area, side, self._tokens, ratio)
            self._side_title(painter, side, x, area.top())

    def _side_title(self, painter: QPainter, side: Side, left: float, top: float) -> None:
        title = self.tr("Front") if side is Side.FRONT else self.tr("Rear")
        self._title(painter, title, left, top)

    def _title(self, painter: QPainter, title: str, left: float, top: float) -> None:
        painter.setPen(self._tokens.text_muted)
        font = painter.font()
        font.setPixelSize(11)
        painter.setFont(font)
        area = QRectF(max(left, 4.0), top - 16, 200, 14)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft, title)

    # -- names under the pointer ------------------------------------------------------------------

    def cage_at(self, at: QPointF) -> Cage | None:
        """The cage drawn at a place of the widget, or None."""
        if not self._faces or self._lying:
            return None
        scale = self._scale(self.width())
        for face, left, top in self._places():
            x_mm, y_mm = (at.x() - left) / scale, (at.y() - top) / scale
            if 0 <= x_mm <= face.width_mm and 0 <= y_mm <= face.height_mm:
                found = face.cage_at(x_mm, y_mm, 1.5)
                return None if found is None else face.cages[found]
        return None

    def place_of(self, cage_name: str) -> QPointF | None:
        """Where the middle of a cage is drawn, or None where it is not."""
        scale = self._scale(self.width()) if self._faces else 1.0
        for face, left, top in self._places() if self._faces else ():
            number = face.number.get(cage_name)
            if number is not None and face.seen[number]:
                x_mm, y_mm = face.centres[number]
                return QPointF(left + x_mm * scale, top + y_mm * scale)
        return None

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cage = self.cage_at(QPointF(event.pos()))
            if cage is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), self.tip(cage), self)
            return True
        return super().event(event)

    def tip(self, cage: Cage) -> str:
        """What is said of a cage: its name, shape, speed, ports and what stands behind them."""
        lines = [f"<b>{cage.name}</b> {cage.form_factor} {cage.shell or ''}".rstrip()]
        if not cage.passive:
            lines.append(
                ", ".join([rate_text(cage.rate_gbps), *sorted(p.value for p in cage.protocols)])
            )
            splits = [f"{m.ports} × {rate_text(m.rate_gbps)}" for m in cage.modes]
            lines.append(self.tr("as {0}").format(" / ".join(splits)))
        for port in cage.ports:
            behind = [port.nic or ""]
            behind += [f"GPU {port.gpu}"] if port.gpu is not None else []
            behind += [self.tr("rail {0}").format(port.rail)] if port.rail is not None else []
            if any(behind):
                lines.append(f"{port.name}: {', '.join(word for word in behind if word)}")
        return "<br>".join(lines)


def _bracket(card: NicPart) -> Face:
    """A card as the strip of sheet metal that one sees of it, its cages where they are."""
    side = card.cage_groups[0].layout.side if card.cage_groups else Side.REAR
    sheet = AccessoryPart(
        id=card.id,
        manufacturer=card.manufacturer,
        model=card.model,
        rack_units=0.5,
        purpose="other",
        cage_groups=card.cage_groups,
    )
    # The cards of a whole baseboard stand in one row, wider than any bracket.
    right_mm = max((cage.x_mm + cage.width_mm / 2 for cage in card.cages), default=0.0)
    width_mm, height_mm = _BRACKET_MM
    return part_face(sheet, side, max(width_mm, right_mm + 8.0), height_mm)
