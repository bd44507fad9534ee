# SPDX-License-Identifier: Apache-2.0
"""What stands around the drawing: the banner above it, the welcome on it, the status bar below."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStatusBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom.design.names import shortened
from rackloom_gui.actions import ActionTable
from rackloom_gui.charts.spinner import Spinner
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens, mix
from rackloom_gui.widgets.badge import SeverityBadge
from rackloom_gui.widgets.text import ElidedLabel

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings

LONGEST_TEXT = 600
"""Characters of a sentence in the banner, which must not hide the drawing."""
MESSAGE_MS = 8000
"""How long a sentence of the program stays in the status bar."""


class Banner(QFrame):
    """One sentence above the drawing, until it is put away; no dialog that stops the work."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._severity = "info"
        self._until: Callable[[], bool] | None = None
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = QPushButton(self)
        self._more.clicked.connect(lambda _checked=False: self._on_more())
        self._on_more: Callable[[], object] = lambda: None
        self._close = QToolButton(self)
        self._close.setAutoRaise(True)
        self._close.setToolTip(self.tr("Put away"))
        self._close.setAccessibleName(self.tr("Put away"))
        self._close.clicked.connect(lambda _checked=False: self.hide())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._more)
        layout.addWidget(self._close)
        self.hide()
        theme.changed.connect(self._on_theme_changed)

    @property
    def text(self) -> str:
        """What it says; empty while it is put away."""
        return "" if self.isHidden() else self._text.text()

    @property
    def more(self) -> QPushButton:
        """The button that leads on from the sentence; hidden where nothing follows."""
        return self._more

    def say(
        self,
        severity: str,
        text: str,
        until: Callable[[], bool] | None = None,
        more: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show a sentence; an empty one puts the banner away.

        ``until`` says when the sentence has had its day, see :meth:`look_again`; ``more`` is what
        a button beside it says and does.
        """
        self._more.setVisible(more is not None)
        if more is not None:
            self._more.setText(more[0])
            self._on_more = more[1]
        self._until = until
        self._severity = severity or "info"
        self._text.setText(shortened(text, LONGEST_TEXT))
        self.setVisible(bool(text))
        self._dress()
        if text:
            announce(self, text)

    def look_again(self) -> None:
        """Put the banner away if what it says is over: the step it is about was undone."""
        if self._until is not None and self._until():
            self.say("", "")

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._dress()

    def _dress(self) -> None:
        tokens = self._theme.tokens
        mark = tokens.severity(self._severity)
        fill = mix(tokens.surface, mark, 0.16)
        self.setStyleSheet(
            f"Banner {{ background: {fill.name()}; border-bottom: 1px solid {mark.name()}; }}"
        )
        ratio = self.devicePixelRatioF()
        ink = tokens.severity_text(self._severity)
        self._icon.setPixmap(self._icons.pixmap(self._severity, ink, 18, ratio))
        self._close.setIcon(self._icons.icon("close", "text_muted"))


class Welcome(QFrame):
    """On an empty canvas: three things to begin with."""

    IDS = ("file.new", "file.open", "file.open_example")

    def __init__(self, actions: ActionTable, theme: Theme, icons: Icons, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._icons = icons
        self._theme = theme
        title = QLabel(self.tr("What shall it be?"), self)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        title.setFont(font)
        title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._text = QLabel(self.tr("Or drag a rack from the catalogue onto the drawing."), self)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words = {
            "file.new": (self.tr("New from Preset"), self.tr("A whole fabric from a few numbers")),
            "file.open": (self.tr("Open"), self.tr("A design from a file")),
            "file.open_example": (self.tr("Example"), self.tr("32 GPUs on two rail leaves")),
        }
        icon_names = {"file.new": "new", "file.open": "open", "file.open_example": "racks"}
        row = QHBoxLayout()
        row.setSpacing(12)
        self._buttons: list[tuple[QPushButton, str]] = []
        for action_id in self.IDS:
            action = actions.action(action_id)
            head, small = words[action_id]
            button = QPushButton(f"{head}\n{small}", self)
            button.setObjectName(f"welcome.{action_id}")
            button.setAccessibleName(head)
            button.setMinimumSize(190, 64)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _checked=False, a=action: a.trigger())
            row.addWidget(button)
            self._buttons.append((button, icon_names[action_id]))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 18)
        layout.setSpacing(14)
        layout.addWidget(title)
        layout.addLayout(row)
        layout.addWidget(self._text)
        canvas.installEventFilter(self)
        theme.changed.connect(self._on_theme_changed)
        self._dress()
        self._place()

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._dress()

    def _dress(self) -> None:
        tokens = self._theme.tokens
        self.setStyleSheet(
            f"Welcome {{ background: {tokens.raised.name()}; border: 1px solid"
            f" {tokens.border.name()}; border-radius: 8px; }}"
            f"Welcome QPushButton {{ text-align: left; padding: 8px 14px; border-radius: 6px;"
            f" background: {tokens.base.name()};"
            f" border: 1px solid {tokens.border_strong.name()}; }}"
            f"Welcome QPushButton:hover, Welcome QPushButton:focus"
            f" {{ border-color: {tokens.accent.name()};"
            f" background: {mix(tokens.base, tokens.accent, 0.10).name()}; }}"
        )
        for button, icon in self._buttons:
            button.setIcon(self._icons.icon(icon, "accent"))
        palette = self._text.palette()
        palette.setColor(self._text.foregroundRole(), tokens.text_muted)
        self._text.setPalette(palette)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.adjustSize()
        room = self._canvas.rect()
        self.move(
            max((room.width() - self.width()) // 2, 0),
            max((room.height() - self.height()) * 2 // 5, 0),
        )


class WorkSign(QWidget):
    """Says what a thread is doing and how far it is; several things are said one by one."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._works: dict[str, tuple[str, float]] = {}
        self._text = QLabel(self)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(96, 8)
        self._turning = Spinner(theme, self)
        self._turning.setToolTip("")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(self._turning)
        layout.addWidget(self._text)
        layout.addWidget(self._bar)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty where nothing goes on."""
        return "" if self.isHidden() else self._text.text()

    def set_work(self, key: str, text: str, fraction: float) -> None:
        """Say how far a work is, -1 where nobody knows; an empty text: it is done."""
        if text:
            self._works[key] = (text, fraction)
        else:
            self._works.pop(key, None)
        self.setVisible(bool(self._works))
        if not self._works:
            return
        said, done = next(iter(self._works.values()))
        if said != self._text.text():
            self._text.setText(said)
            self._bar.setAccessibleName(said)
            self._turning.setAccessibleName(said)
        self._bar.setVisible(done >= 0)
        self._turning.setVisible(done < 0)
        self._bar.setValue(round(max(done, 0.0) * 100))


class WindowStatus(QObject):
    """The permanent parts of a status bar: throughput, problems, zoom, and what is hovered."""

    throughput_clicked = Signal()
    badge_clicked = Signal(str)

    def __init__(self, bar: QStatusBar, theme: Theme, icons: Icons) -> None:
        super().__init__(bar)
        self._bar = bar
        self._hover = ""
        self._said = ""
        self._bundled = False
        self.message = ElidedLabel(parent=bar)
        self.message.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.work = WorkSign(theme, bar)
        self.throughput = QToolButton(bar)
        self.throughput.setAutoRaise(True)
        self.throughput.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.throughput.setAccessibleName(self.tr("Throughput"))
        self.throughput.clicked.connect(lambda _checked=False: self.throughput_clicked.emit())
        self.badges = {
            name: SeverityBadge(name, theme, icons, bar) for name in ("error", "warning", "info")
        }
        self.zoom = QLabel(bar)
        self.zoom.setMinimumWidth(bar.fontMetrics().horizontalAdvance("0000 %"))
        self.zoom.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._icons = icons
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MESSAGE_MS)
        self._timer.timeout.connect(self._forget)
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(8, 0, 8, 0)
        bar.addWidget(self.message, 1)
        bar.addPermanentWidget(self.work)
        bar.addPermanentWidget(self.throughput)
        for name, badge in self.badges.items():
            bar.addPermanentWidget(badge)
            badge.set_count(0)
            badge.clicked.connect(lambda name=name: self.badge_clicked.emit(name))
        bar.addPermanentWidget(self.zoom)
        icons.changed.connect(self._load_icons)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self._load_icons()
        self.set_throughput("", "")

    def _load_icons(self) -> None:
        self.throughput.setIcon(self._icons.icon("chart", "text_muted"))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        palette = self.zoom.palette()
        palette.setColor(self.zoom.foregroundRole(), tokens.text_muted)
        self.zoom.setPalette(palette)

    # -- left: what is said -----------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Say something for a while; it goes before the hover text."""
        self._said = text
        if text:
            self._timer.start()
            announce(self._bar, text)
        self._show()

    def _forget(self) -> None:
        self._said = ""
        self._show()

    def set_hover(self, text: str) -> None:
        """Say what is under the pointer."""
        self._hover = text
        if text:
            self._said = ""
        self._show()

    def set_bundled(self, bundled: bool) -> None:
        """Say why no single cables are seen."""
        self._bundled = bundled
        self._show()

    def _show(self) -> None:
        hint = self.tr("Cables bundled: zoom in or select") if self._bundled else ""
        self.message.setText(self._said or self._hover or hint)

    def set_work(self, key: str, text: str, fraction: float) -> None:
        """Say what goes on in a thread; see `WorkSign.set_work`."""
        self.work.set_work(key, text, fraction)

    # -- right: numbers ---------------------------------------------------------------------------

    def set_throughput(self, text: str, reason: str) -> None:
        """The headline number, and what limits it."""
        self.throughput.setText(text or self.tr("no estimate"))
        self.throughput.setToolTip(reason or self.tr("All-reduce bus bandwidth of the fabric"))
        self.throughput.setAccessibleDescription(reason)

    def set_stale(self, stale: bool) -> None:
        """Grey the headline number while it is worked out anew."""
        self.throughput.setEnabled(not stale)

    def set_findings(self, findings: Findings) -> None:
        """Count what is wrong."""
        counts = findings.counts
        for name, badge in self.badges.items():
            badge.set_count(counts.get(name, 0))

    def set_zoom(self, zoom: float) -> None:
        """1.0 is 100 %."""
        percent = zoom * 100
        text = f"{percent:.0f} %" if percent >= 10 else f"{percent:.1f} %"
        self.zoom.setText(text)
        self.zoom.setAccessibleName(self.tr("Zoom {0}").format(text))


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say it."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
