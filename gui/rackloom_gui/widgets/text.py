# SPDX-License-Identifier: Apache-2.0
"""A search field, a label that shortens itself, and what to show where nothing is."""

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens

SEARCH_DELAY_MS = 120


class SearchField(QLineEdit):
    """A line with a lens and a clear button; `searched` follows the typing with a short delay."""

    searched = Signal(str)
    """The text after a pause in typing, on Enter, or at once when cleared."""
    down_pressed = Signal()
    """Arrow down: move into the list below."""

    def __init__(self, icons: Icons, placeholder: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.setClearButtonEnabled(True)
        self.setPlaceholderText(placeholder or self.tr("Search"))
        self.setAccessibleName(placeholder or self.tr("Search"))
        self._lens = QAction(self)
        self.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self._said = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SEARCH_DELAY_MS)
        self._timer.timeout.connect(self._say)
        self.textChanged.connect(self._on_text)
        self.returnPressed.connect(self._say)
        icons.changed.connect(self._load_icons)
        self._load_icons()

    def _load_icons(self) -> None:
        self._lens.setIcon(self._icons.icon("search", "text_muted"))
        for action in self.findChildren(QAction):
            if action.objectName() == "_q_qlineeditclearaction":
                action.setIcon(self._icons.icon("close", "text_muted"))

    def _on_text(self, text: str) -> None:
        if text:
            self._timer.start()
        else:
            self._say()

    def _say(self) -> None:
        self._timer.stop()
        if self.text() != self._said:
            self._said = self.text()
            self.searched.emit(self._said)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self._say()
            self.down_pressed.emit()
        else:
            super().keyPressEvent(event)


class ElidedLabel(QLabel):
    """One line that ends in … when there is no room; the whole text is then its tooltip."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text, parent)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(2 * self.fontMetrics().averageCharWidth())

    def shown_text(self) -> str:
        """What there is room for."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, room)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), self.fontMetrics().height())

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)
        self._set_tip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_tip()

    def _set_tip(self) -> None:
        self.setToolTip("" if self.shown_text() == self.text() else self.text())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            self.alignment(),
            self.palette(),
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )
        painter.end()


class EmptyState(QWidget):
    """What a panel or the canvas shows while there is nothing: why, and what to do next."""

    def __init__(
        self,
        icon: str,
        title: str,
        text: str,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        actions: tuple[QAction, ...] = (),
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._icons = icons
        self._picture = QLabel(self, alignment=Qt.AlignmentFlag.AlignHCenter)
        self._title = QLabel(title, self, alignment=Qt.AlignmentFlag.AlignHCenter)
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._text = QLabel(text, self, alignment=Qt.AlignmentFlag.AlignHCenter)
        for label in (self._title, self._text):
            label.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(6)
        layout.addStretch(2)
        layout.addWidget(self._picture)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addLayout(self._buttons(actions))
        layout.addStretch(3)
        self.set_text(title, text)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def set_text(self, title: str, text: str) -> None:
        """Say something else, for instance while a filter hides everything."""
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))

    def _buttons(self, actions: tuple[QAction, ...]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(0, 8, 0, 0)
        row.addStretch()
        for action in actions:
            button = QPushButton(action.text().replace("&", ""), self)
            button.setIcon(action.icon())
            button.setToolTip(action.toolTip())
            button.setEnabled(action.isEnabled())
            button.clicked.connect(lambda _checked=False, action=action: action.trigger())
            action.changed.connect(lambda b=button, a=action: b.setEnabled(a.isEnabled()))
            action.changed.connect(lambda b=button, a=action: b.setIcon(a.icon()))
            row.addWidget(button)
        row.addStretch()
        return row

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._picture.setPixmap(
            self._icons.pixmap(self._icon_name, tokens.text_muted, 40, self.devicePixelRatioF())
        )
        palette = self._text.palette()
        palette.setColor(self._text.foregroundRole(), tokens.text_muted)
        self._text.setPalette(palette)
