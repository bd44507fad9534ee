# SPDX-License-Identifier: Apache-2.0
"""Type a few letters, press Enter: every action of the table, and every named thing to go to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.actions import ActionTable, translated
from rackloom_gui.dialogs.fuzzy import Match, best_matches
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens

WIDTH_PX = 620
ROW_PX = 30
ROWS_SHOWN = 12
ITEMS_LIMIT = 100
ITEMS_AFTER_COMMANDS = 15
_RECENT = 6
_REFUSED = 25.0
"""What cannot be done now comes later, but not after every poor match."""
_ICON_PX = 16
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class GotoItem:
    """Something one can go to: a device, a rack, a cable."""

    title: str
    detail: str
    """Where it is, for instance "rack A01, U 12"."""
    icon: str
    run: Callable[[], object]
    """Select it and show it."""


GotoProvider = Callable[[], Sequence[GotoItem]]
"""Gives all things one can go to; asked each time the palette opens."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list."""

    title: str
    detail: str
    keys: str
    icon: str
    reason: str
    """Why it cannot be done now; "" if it can."""
    match: Match
    run: Callable[[], object]
    action_id: str = ""


class _Rows(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []

    def show(self, rows: list[Row]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.title, row.detail, row.keys, row.reason)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.reason or None
        return None


class CommandPalette(QFrame):
    """A list over the window's top that runs what is chosen; Esc or a click elsewhere closes it."""

    def __init__(
        self,
        table: ActionTable,
        theme: Theme,
        icons: Icons,
        window: QWidget,
        goto: GotoProvider | None = None,
    ) -> None:
        super().__init__(window)
        self._table = table
        self._window = window
        self._goto = goto
        self._items: Sequence[GotoItem] = ()
        self._recent: list[str] = []
        self._before: QWidget | None = None
        self._items_only = False
        self._edit = QLineEdit(self)
        self._list = QListView(self)
        self._rows = _Rows(self)
        self._foot = QLabel(self)
        self._delegate = _RowDelegate(theme, icons, self)
        self._build()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.hide()

    def _build(self) -> None:
        self.setObjectName("commandPalette")
        self.setAutoFillBackground(True)
        self._edit.setObjectName("commandPaletteEdit")
        self._edit.setClearButtonEnabled(True)
        self._edit.installEventFilter(self)
        self._edit.textChanged.connect(self._refill)
        self._edit.setAccessibleName(self.tr("Command"))
        self._list.setModel(self._rows)
        self._list.setItemDelegate(self._delegate)
        self._list.setUniformItemSizes(True)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(lambda _index: self._accept())
        self._list.selectionModel().currentChanged.connect(lambda _new, _old: self._explain())
        self._list.setAccessibleName(self.tr("Matches"))
        self._foot.setContentsMargins(4, 0, 4, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self._edit)
        layout.addWidget(self._list)
        layout.addWidget(self._foot)
        self._window.installEventFilter(self)

    # -- opening and closing ------------------------------------------------------------------

    def open_commands(self) -> None:
        """Show all actions, and things to go to once something is typed."""
        self._open(items_only=False)

    def open_goto(self) -> None:
        """Show the things to go to; ">" as the first letter turns to the actions."""
        self._open(items_only=True)

    def _open(self, *, items_only: bool) -> None:
        self._items_only = items_only
        self._items = self._goto() if self._goto is not None else ()
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self._edit.setPlaceholderText(
            self.tr("Go to a device, rack, cable or note; > for commands")
            if items_only
            else self.tr("Type a command or the name of a thing")
        )
        self._edit.clear()
        self._refill("")
        self._place()
        self.show()
        self.raise_()
        self._edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Close without doing anything; the focus goes back to where it was."""
        if not self.isVisible():
            return
        self.hide()
        self._items = ()
        if self._before is not None:
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        self._before = None

    def _place(self) -> None:
        window = self._window
        width = min(WIDTH_PX, window.width() - 32)
        rows = min(ROWS_SHOWN, max(1, len(self._rows.rows)))
        self._list.setFixedHeight(rows * ROW_PX)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((window.width() - width) // 2, min(72, max(8, window.height() // 10)))

    # -- content ------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """What is listed now."""
        return list(self._rows.rows)

    def _refill(self, text: str) -> None:
        only_items = self._items_only and not text.startswith(">")
        query = text.removeprefix(">").strip()
        rows: list[Row] = [] if only_items else self._commands(query)
        if only_items or (query and not self._items_only):
            rows += self._things(query, ITEMS_LIMIT if only_items else ITEMS_AFTER_COMMANDS)
        self._rows.show(rows)
        if rows:
            self._list.setCurrentIndex(self._rows.index(0))
        self._explain()
        if self.isVisible():
            self._place()

    def _commands(self, query: str) -> list[Row]:
        ids = [action_id for action_id in self._table.specs if action_id != "help.palette"]
        found = best_matches(query, ids, self._table.title, len(ids))
        rows = [self._command(entry.item, entry.match) for entry in found]
        if not query:
            last = {action_id: place for place, action_id in enumerate(self._recent)}
            rows.sort(key=lambda row: (bool(row.reason), last.get(row.action_id, _RECENT)))
            return rows
        met = {row.action_id for row in rows}
        rows.sort(key=lambda row: row.match.score - (_REFUSED if row.reason else 0), reverse=True)
        by_group = (i for i in ids if i not in met and self._group(i).startswith(query.casefold()))
        return rows + [self._command(action_id, Match(0.0, ())) for action_id in by_group]

    def _group(self, action_id: str) -> str:
        return translated(str(self._table.specs[action_id].category)).casefold()

    def _command(self, action_id: str, match: Match) -> Row:
        spec = self._table.specs[action_id]
        return Row(
            title=self._table.title(action_id),
            detail=translated(str(spec.category)),
            keys=next(iter(self._table.shortcut_texts(action_id)), ""),
            icon=spec.icon,
            reason=self._table.reason(action_id),
            match=match,
            run=lambda: self._table.trigger(action_id),
            action_id=action_id,
        )

    def _things(self, query: str, limit: int) -> list[Row]:
        found = best_matches(query, self._items, lambda item: item.title, limit)
        return [
            Row(
                title=entry.item.title,
                detail=entry.item.detail,
                keys="",
                icon=entry.item.icon,
                reason="",
                match=entry.match,
                run=entry.item.run,
            )
            for entry in found
        ]

    def _current(self) -> Row | None:
        index = self._list.currentIndex()
        inside = index.isValid() and index.row() < len(self._rows.rows)
        return self._rows.rows[index.row()] if inside else None

    def _explain(self) -> None:
        row = self._current()
        if row is None:
            self._foot.setText(self.tr("Nothing fits."))
        elif row.reason:
            self._foot.setText(row.reason)
        else:
            self._foot.setText(self.tr("Enter: do it    Up, Down: choose    Esc: close"))

    def _accept(self) -> None:
        row = self._current()
        if row is None or row.reason:
            return  # the foot says why
        if row.action_id:
            if row.action_id in self._recent:
                self._recent.remove(row.action_id)
            self._recent = [row.action_id, *self._recent][:_RECENT]
        self.dismiss()
        row.run()

    # -- events -----------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._edit:
            if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._edit_key(event)
            if kind == QEvent.Type.FocusOut and self.isVisible():
                reason = getattr(event, "reason", lambda: None)()
                if reason not in (
                    Qt.FocusReason.PopupFocusReason,
                    Qt.FocusReason.ActiveWindowFocusReason,
                ):
                    self._before = None  # the user chose another place
                    self.hide()
        elif kind == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _edit_key(self, event: QKeyEvent) -> bool:
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: ROWS_SHOWN,
            Qt.Key.Key_PageUp: -ROWS_SHOWN,
        }
        key = Qt.Key(event.key())
        if key in steps:
            self._step(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._accept()
        elif key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key not in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return False
        return True

    def _step(self, step: int) -> None:
        count = len(self._rows.rows)
        if not count:
            return
        row = self._list.currentIndex().row() + step
        row = row % count if abs(step) == 1 else min(max(row, 0), count - 1)
        self._list.setCurrentIndex(self._rows.index(row))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.setStyleSheet(
            f"#commandPalette {{ background: {tokens.raised.name()};"
            f" border: 1px solid {tokens.border_strong.name()}; border-radius: 6px; }}"
            f" #commandPalette QListView {{ background: transparent; }}"
            f" #commandPalette QLabel {{ color: {tokens.text_muted.name()}; }}"
        )


class _RowDelegate(QStyledItemDelegate):
    """Icon, title with the met letters marked, group, and the keys at the right end."""

    def __init__(self, theme: Theme, icons: Icons, parent: CommandPalette) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._icons = icons
        theme.changed.connect(self._on_theme_changed)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(200, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        model = index.model()
        if not isinstance(model, _Rows):
            return
        row, tokens = model.rows[index.row()], self._tokens
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.selected)
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), 4, 4)
        ink = tokens.selected_text if chosen else tokens.text
        quiet = tokens.selected_text if chosen else tokens.text_muted
        if row.reason:
            ink = quiet
        if row.icon:
            ratio = painter.device().devicePixelRatio()
            pixmap = self._icons.pixmap(row.icon, ink, _ICON_PX, ratio)
            painter.drawPixmap(rect.left() + 8, rect.center().y() - _ICON_PX // 2 + 1, pixmap)
        self._texts(painter, rect.adjusted(32, 0, -10, 0), row, (ink, quiet), chosen)
        painter.restore()

    def _texts(
        self, painter: QPainter, rect: QRect, row: Row, inks: tuple[Any, Any], chosen: bool
    ) -> None:
        ink, quiet = inks
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(quiet)
        right = self.tr("not now") if row.reason else row.keys
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, right)
        room = rect.adjusted(0, 0, -painter.fontMetrics().horizontalAdvance(right) - 16, 0)
        left = self._title(painter, room, row, ink, chosen)
        detail = room.adjusted(left + 12, 0, 0, 0)
        if detail.width() > 24:
            painter.setPen(quiet)
            text = painter.fontMetrics().elidedText(
                row.detail, Qt.TextElideMode.ElideRight, detail.width()
            )
            painter.drawText(detail, middle, text)

    def _title(self, painter: QPainter, room: QRect, row: Row, ink: Any, chosen: bool) -> int:
        """Draw the title with the met letters bold; gives its width."""
        plain = QFont(painter.font())
        strong = QFont(plain)
        strong.setBold(True)
        met = set(row.match.positions)
        left = 0
        for start, end, is_met in _runs(len(row.title), met):
            painter.setFont(strong if is_met else plain)
            painter.setPen(self._tokens.accent if is_met and not chosen else ink)
            piece = row.title[start:end]
            space = room.adjusted(left, 0, 0, 0)
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(piece, Qt.TextElideMode.ElideRight, space.width())
            painter.drawText(space, Qt.AlignmentFlag.AlignVCenter, shown)
            left += metrics.horizontalAdvance(piece)
        painter.setFont(plain)
        return left


def _runs(length: int, met: set[int]) -> list[tuple[int, int, bool]]:
    """Stretches of a text that were met by the query, or not."""
    runs: list[tuple[int, int, bool]] = []
    start = 0
    for at in range(1, length + 1):
        if at == length or (at in met) != (start in met):
            runs.append((start, at, start in met))
            start = at
    return runs
