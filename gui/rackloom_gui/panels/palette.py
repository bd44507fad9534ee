# SPDX-License-Identifier: Apache-2.0
"""The catalogue as a tree one can search and drag from."""

from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDrag,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import (
    DevicePart,
    Part,
    PartId,
    RackPart,
)
from rackloom_gui.icons import Icons
from rackloom_gui.panels.palette_model import (
    FIGURES_ROLE,
    SHELF_ROLE,
    Index,
    PartFilter,
    PartModel,
    part_of,
)
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.widgets.text import SearchField

ROW_PX = 44
HEADING_PX = 28
_PICTURE = QSize(48, 30)


class PalettePanel(QWidget):
    """Every part of the catalogue, by kind; drag it, or press Enter to put it in."""

    insert_requested = Signal(object)
    """(Part): put it into the design where it fits best."""
    dragging = Signal(bool)
    """A part is being dragged, or no longer."""
    part_chosen = Signal(object)
    """(Part or None): the part under the keyboard, for the inspector and the cable tool."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._search = SearchField(icons, self.tr("Search the catalogue"), self)
        self._model = PartModel(self)
        self._proxy = PartFilter(self)
        self._proxy.setSourceModel(self._model)
        self.tree = _PartTree(self)
        self._delegate = _PartDelegate(theme, icons, self)
        self._build()
        theme.changed.connect(self._on_theme_changed)

    def _build(self) -> None:
        tree = self.tree
        tree.setModel(self._proxy)
        tree.setItemDelegate(self._delegate)
        tree.setHeaderHidden(True)
        tree.setRootIsDecorated(False)
        tree.setIndentation(10)
        tree.setUniformRowHeights(False)
        tree.setDragEnabled(True)
        tree.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        tree.setFrameShape(QTreeView.Shape.NoFrame)
        tree.setExpandsOnDoubleClick(False)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.setAccessibleName(self.tr("Catalogue"))
        tree.activated.connect(self._activate)
        tree.dragging.connect(self.dragging)
        tree.clicked.connect(self._click)
        tree.selectionModel().currentChanged.connect(lambda new, _old: self._choose(new))
        self._search.searched.connect(self._filter)
        self._search.down_pressed.connect(self._into_list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(6)
        self._search.setContentsMargins(0, 0, 0, 0)
        top = QVBoxLayout()
        top.setContentsMargins(8, 0, 8, 0)
        top.addWidget(self._search)
        layout.addLayout(top)
        layout.addWidget(tree)
        self.setFocusProxy(self._search)
        self.setMinimumWidth(190)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.tree.viewport().update()

    def set_catalog(self, catalog: Catalog) -> None:
        """Show the parts of a catalogue."""
        self._model.fill(catalog)
        self._delegate.clear()
        self.tree.collapseAll()
        for row in range(min(3, self._proxy.rowCount())):
            self.tree.expand(self._proxy.index(row, 0))

    def current_part(self) -> Part | None:
        """The part under the keyboard, or None on a heading."""
        return part_of(self.tree.currentIndex())

    def show_part(self, part_id: str) -> bool:
        """Open the shelf of a part and put the keyboard on it; False where there is none."""
        self._search.clear()
        for shelf in range(self._proxy.rowCount()):
            heading = self._proxy.index(shelf, 0)
            for row in range(self._proxy.rowCount(heading)):
                index = self._proxy.index(row, 0, heading)
                part = part_of(index)
                if part is not None and part.id == part_id:
                    self.tree.expand(heading)
                    self.tree.setCurrentIndex(index)
                    self.tree.scrollTo(index)
                    return True
        return False

    def shown_parts(self) -> list[PartId]:
        """Ids of the parts that the search leaves."""
        found = []
        for shelf in range(self._proxy.rowCount()):
            heading = self._proxy.index(shelf, 0)
            rows = range(self._proxy.rowCount(heading))
            parts = (part_of(self._proxy.index(row, 0, heading)) for row in rows)
            found += [part.id for part in parts if part is not None]
        return found

    def _filter(self, text: str) -> None:
        self._proxy.set_words(text)
        if text:
            self.tree.expandAll()
            first = self._proxy.index(0, 0, self._proxy.index(0, 0))
            if first.isValid():
                self.tree.setCurrentIndex(first)

    def _into_list(self) -> None:
        self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.tree.currentIndex().isValid():
            self.tree.setCurrentIndex(self._proxy.index(0, 0))

    def _click(self, index: QModelIndex) -> None:
        if part_of(index) is None:
            self.tree.setExpanded(index, not self.tree.isExpanded(index))

    def _activate(self, index: QModelIndex) -> None:
        part = part_of(index)
        if part is not None:
            self.insert_requested.emit(part)
        else:
            self.tree.setExpanded(index, not self.tree.isExpanded(index))

    def _choose(self, index: QModelIndex) -> None:
        self.part_chosen.emit(part_of(index))


class _PartTree(QTreeView):
    """Starts a drag with a picture that is sharp on every screen."""

    dragging = Signal(bool)

    def startDrag(self, actions: Qt.DropAction) -> None:
        indexes = [i for i in self.selectedIndexes() if part_of(i) is not None]
        if not indexes:
            return
        delegate = self.itemDelegate()
        drag = QDrag(self)
        drag.setMimeData(self.model().mimeData(indexes))
        if isinstance(delegate, _PartDelegate):
            picture = delegate.picture(indexes[0], self.devicePixelRatioF())
            if picture is not None:
                drag.setPixmap(picture)
                # Up and to the left of the pointer: below it and to its right the canvas says what
                # a drop would do, and this picture would lie over the start of that sentence.
                size = picture.deviceIndependentSize()
                drag.setHotSpot(QPoint(round(size.width()) + 6, round(size.height()) + 6))
        self.dragging.emit(True)
        try:
            drag.exec(actions, Qt.DropAction.CopyAction)
        finally:
            self.dragging.emit(False)

    def keyPressEvent(self, event: Any) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated.emit(self.currentIndex())
            event.accept()
            return
        super().keyPressEvent(event)


class _PartDelegate(QStyledItemDelegate):
    """Picture, name, and the key figures in small below it."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._icons = icons
        self._pictures: dict[tuple[str, float], QPixmap | None] = {}
        theme.changed.connect(self._on_theme_changed)

    def clear(self) -> None:
        """Forget pictures of another catalogue."""
        self._pictures.clear()

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._pictures.clear()

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, ROW_PX if index.parent().isValid() else HEADING_PX)

    def picture(self, index: Index, ratio: float) -> QPixmap | None:
        """The thumbnail of a part, or None for parts without a face."""
        part = part_of(index)
        if part is None:
            return None
        key = (part.id, ratio)
        if key not in self._pictures:
            self._pictures[key] = thumbnail(part, _PICTURE, ratio, self._tokens)
        return self._pictures[key]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        tokens = self._tokens
        if chosen:
            painter.fillRect(rect, tokens.selected)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, tokens.base_alternate)
        ink = tokens.selected_text if chosen else tokens.text
        quiet = tokens.selected_text if chosen else tokens.text_muted
        if index.parent().isValid():
            self._paint_part(painter, rect, index, ink, quiet)
        else:
            self._paint_heading(painter, rect, index, ink, quiet)
        painter.restore()

    def _paint_heading(
        self, painter: QPainter, rect: QRect, index: Index, ink: QColor, quiet: QColor
    ) -> None:
        view = self.parent()
        tree = view.tree if isinstance(view, PalettePanel) else None
        is_open = tree is not None and tree.isExpanded(index)
        ratio = painter.device().devicePixelRatio()
        arrow = self._icons.pixmap("chevron-right", quiet, 14, ratio)
        middle = rect.center().y()
        painter.save()
        painter.translate(rect.left() + 10, middle + 1)
        if is_open:
            painter.rotate(90)
        painter.drawPixmap(-7, -7, arrow)
        painter.restore()
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(ink)
        words = rect.adjusted(22, 0, -40, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        font.setBold(False)
        painter.setFont(font)
        painter.setPen(quiet)
        count = index.model().rowCount(index)
        painter.drawText(
            rect.adjusted(0, 0, -10, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
            str(count),
        )

    def _paint_part(
        self, painter: QPainter, rect: QRect, index: Index, ink: QColor, quiet: QColor
    ) -> None:
        part = part_of(index)
        if part is None:
            return
        figures = index.data(FIGURES_ROLE)
        shelf = index.data(SHELF_ROLE)
        ratio = painter.device().devicePixelRatio()
        room = QRect(rect.left() + 8, rect.center().y() - _PICTURE.height() // 2 + 1,
                     _PICTURE.width(), _PICTURE.height())  # fmt: skip
        picture = self.picture(index, ratio)
        if picture is not None:
            painter.drawPixmap(room.topLeft(), picture)
        else:
            icon = self._icons.pixmap(shelf.icon, quiet, 20, ratio)
            painter.drawPixmap(room.center() - QPoint(9, 9), icon)
        text = rect.adjusted(8 + _PICTURE.width() + 8, 0, -8, 0)
        metrics = painter.fontMetrics()
        line = metrics.height()
        top = rect.top() + (rect.height() - 2 * line) // 2
        elide = Qt.TextElideMode.ElideRight
        painter.setPen(ink)
        upper = QRect(text.left(), top, text.width(), line)
        painter.drawText(
            upper,
            Qt.AlignmentFlag.AlignVCenter,
            metrics.elidedText(part.title, elide, text.width()),
        )
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 0.9)
        painter.setFont(font)
        painter.setPen(quiet)
        lower = upper.translated(0, line)
        small = painter.fontMetrics().elidedText(figures, elide, text.width())
        painter.drawText(lower, Qt.AlignmentFlag.AlignVCenter, small)


def thumbnail(part: Part, size: QSize, ratio: float, tokens: Tokens) -> QPixmap | None:
    """A device's faceplate with its ports, fitted into a size; None for what has no face."""
    from rackloom_gui.panels.thumbnails import paint_device, paint_rack

    if not isinstance(part, DevicePart | RackPart):
        return None
    pixmap = QPixmap(round(size.width() * ratio), round(size.height() * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    if isinstance(part, RackPart):
        paint_rack(painter, pixmap.size(), part, tokens)
    else:
        paint_device(painter, pixmap.size(), part, tokens)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
