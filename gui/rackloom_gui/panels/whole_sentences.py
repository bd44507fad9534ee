# SPDX-License-Identifier: Apache-2.0
"""Rows of a tree as tall as their sentences need: wrapped at the edge of the view, never cut."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

_LEAST_PX = 80
"""Narrower than this, lines would hold a word or less."""
_SPARE_PX = 4
"""What styles keep free around a wrapped text beyond their margins."""


class WholeSentences(QStyledItemDelegate):
    """Measures the first column for the width the view has, again whenever that changes."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view = view
        self._width = -1
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._view.viewport():
            width = self._view.viewport().width()
            if width != self._width:
                self._width = width
                self._view.scheduleDelayedItemsLayout()
        return super().eventFilter(watched, event)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        level, parent = 1, index.parent()
        while parent.isValid():
            level, parent = level + 1, parent.parent()
        view = self._view
        width = max(view.viewport().width() - level * view.indentation(), _LEAST_PX)
        own.rect = QRect(0, 0, width, 1 << 14)
        own.features |= QStyleOptionViewItem.ViewItemFeature.WrapText
        style = view.style()
        room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, own, view).width()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, own, view) + 1
        text = own.fontMetrics.boundingRect(
            QRect(0, 0, max(room - 2 * margin, _LEAST_PX // 2), 1 << 14),
            int(Qt.TextFlag.TextWordWrap),
            own.text,
        )
        lines = text.height() - own.fontMetrics.height()  # beyond the first
        return QSize(min(size.width(), width), self._one_line(own) + max(lines, 0))

    def _one_line(self, option: QStyleOptionViewItem) -> int:
        """Height of a row whose text needs one line."""
        return max(option.fontMetrics.height(), option.decorationSize.height()) + 4


class WrappedColumn(QStyledItemDelegate):
    """Measures and draws one column in as many lines as its sentences need at its width."""

    def __init__(self, view: QTreeView, column: int) -> None:
        super().__init__(view)
        self._view, self._column = view, column
        view.header().sectionResized.connect(self._on_resized)

    def _on_resized(self, column: int, _old: int, _new: int) -> None:
        if column == self._column:
            self._view.scheduleDelayedItemsLayout()

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.WrapText

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        view = self._view
        style = view.style()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, own, view) + 1
        width = max(view.columnWidth(self._column) - 2 * margin - _SPARE_PX, _LEAST_PX)
        text = own.fontMetrics.boundingRect(
            QRect(0, 0, width, 1 << 14),
            int(Qt.TextFlag.TextWordWrap),
            own.text,
        )
        height = text.height() + _SPARE_PX
        return QSize(_LEAST_PX, max(height, super().sizeHint(option, index).height()))
