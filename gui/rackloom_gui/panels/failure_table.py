# SPDX-License-Identifier: Apache-2.0
"""The table of failures: one row a kind, with what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from rackloom_gui.charts.sizes import bandwidth_text
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens

if TYPE_CHECKING:
    from rackloom.collectives import FailureEffect

_Index = QModelIndex | QPersistentModelIndex
NOTHING = 0.005
"""Losses of less than this are none."""


class Effects(QAbstractTableModel):
    """Effects as rows, in the order they are given."""

    def __init__(self, theme: Theme, icons: Icons, parent: QObject) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._icons = icons
        self._effects: tuple[FailureEffect, ...] = ()
        self._stale = False
        theme.changed.connect(self._on_theme_changed)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._repaint()

    def _repaint(self) -> None:
        if self._effects:
            last = self.index(len(self._effects) - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def show(self, effects: tuple[FailureEffect, ...]) -> None:
        """Show other effects."""
        self.beginResetModel()
        self._effects = effects
        self.endResetModel()

    def set_stale(self, stale: bool) -> None:
        """Whether they are of an older design or question."""
        self._stale = stale
        self._repaint()

    def effect(self, row: int) -> FailureEffect | None:
        """The effect of a row."""
        return self._effects[row] if 0 <= row < len(self._effects) else None

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._effects)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 5

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("One of these fails"), self.tr("Costs"), self.tr("Leaves"),
                    self.tr("Tried"), self.tr("What binds then"))[section]  # fmt: skip
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        effect = self.effect(index.row())
        if effect is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._texts(effect)[index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                return effect.text
            case Qt.ItemDataRole.ForegroundRole if self._stale:
                return self._tokens.text_disabled
            case Qt.ItemDataRole.DecorationRole if index.column() == 0:
                return self._icon(effect)
            case Qt.ItemDataRole.FontRole if index.column() == 1 and effect.lost >= NOTHING:
                font = QFont()
                font.setBold(True)
                return font
        return None

    def _texts(self, effect: FailureEffect) -> tuple[str, ...]:
        kind = effect.kind[:1].upper() + effect.kind[1:]
        if effect.busbw_gb_per_s <= 0:
            costs = self.tr("everything")
        elif effect.lost >= NOTHING:
            costs = f"−{effect.lost * 100:.0f} %"
        elif effect.lost <= -NOTHING:
            costs = f"+{-effect.lost * 100:.0f} %"
        else:
            costs = self.tr("nothing")
        return (
            f"{kind} ({len(effect.members):,})",
            costs,
            bandwidth_text(effect.busbw_gb_per_s) if effect.busbw_gb_per_s > 0 else "–",
            effect.example,
            effect.text,
        )

    def _icon(self, effect: FailureEffect) -> Any:
        if effect.busbw_gb_per_s <= 0:
            return self._icons.icon("error", "error")
        if effect.lost >= NOTHING:
            return self._icons.icon("warning", "warning")
        return self._icons.icon("ok", "ok")
