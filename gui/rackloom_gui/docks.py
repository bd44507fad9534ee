# SPDX-License-Identifier: Apache-2.0
"""The panels docked around the drawing: where they are at first, and how they stay tidy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QMainWindow,
    QScrollArea,
    QTabBar,
    QTabWidget,
    QWidget,
)

from rackloom_gui.late import Late
from rackloom_gui.settings import LAYOUT_VERSION

SETTLE_MS = 30
"""After this long Qt has laid the docks out, and tab bars are where they belong."""


LEAST_PX = {"palette": 160, "inspector": 250, "history": 250}
"""Least width of a panel; together with two of the bottom it fits the least window."""
LEAST_BELOW_PX = 220
LEAST_HEIGHT_BELOW_PX = 176
"""Least height, as the tallest of the bottom needs it: making a panel must not move the others."""
LEAST_HEIGHT_PX = 76


class Hold(QScrollArea):
    """Holds a panel in its dock, and scrolls sideways where the dock is narrower than the panel.

    Without it the widest panel, even one behind a tab, keeps the docks wider than a small window
    (960 x 600 is what 200 % leaves of 1920 x 1200), and Qt lays them over each other.

    Qt only moves a dock that goes behind a tab out of sight, and still calls it visible. Here its
    panel is hidden, so that a panel that works only while it is seen rests; a late one is not even
    made before its dock comes to the front.
    """

    def __init__(self, panel: QWidget | Late[QWidget], least: QSize) -> None:
        super().__init__()
        self._panel, self._least = panel, least
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if isinstance(panel, Late):
            panel.then(self._take)
        else:
            self._take(panel)

    def _take(self, panel: QWidget) -> None:
        self.setWidget(panel)
        self.setFocusProxy(panel)

    def set_in_front(self, in_front: bool) -> None:
        """Whether the panel is seen: it is made then if it was not yet."""
        if in_front and isinstance(self._panel, Late):
            self._panel.get()
        panel = self.widget()
        if panel is not None and panel.isHidden() == in_front:
            panel.setVisible(in_front)

    def minimumSizeHint(self) -> QSize:
        panel = self.widget()
        if panel is None:
            return self._least
        return QSize(self._least.width(), panel.minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        panel = self.widget()
        return self.minimumSizeHint() if panel is None else panel.sizeHint()


class Docks(QObject):
    """The docks of a main window by the names of their panels."""

    toggled = Signal(str, bool)
    """(panel, whether it is open): also while it is behind another tab."""

    def __init__(
        self, window: QMainWindow, panels: Mapping[str, tuple[str, QWidget | Late[QWidget]]]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._docks: dict[str, QDockWidget] = {}
        self._in_front: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self.tidy)
        for name, (title, widget) in panels.items():
            dock = QDockWidget(title, window)
            dock.setObjectName(f"dock.{name}")
            least = QSize(LEAST_BELOW_PX, LEAST_HEIGHT_BELOW_PX)
            if name in LEAST_PX:
                least = QSize(LEAST_PX[name], LEAST_HEIGHT_PX)
            hold = Hold(widget, least)
            hold.set_in_front(False)
            dock.setWidget(hold)
            dock.visibilityChanged.connect(partial(self._on_seen, name))
            dock.dockLocationChanged.connect(lambda _area: self.tidy_soon())
            dock.topLevelChanged.connect(lambda _floats: self.tidy_soon())
            self._docks[name] = dock
        self._lay_out()
        self._default = window.saveState(LAYOUT_VERSION)

    def _lay_out(self) -> None:
        window, docks = self._window, self._docks
        area = Qt.DockWidgetArea
        options = QMainWindow.DockOption
        window.setDockOptions(
            options.AllowNestedDocks | options.AllowTabbedDocks | options.GroupedDragging
        )
        window.setTabPosition(area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)
        window.addDockWidget(area.LeftDockWidgetArea, docks["palette"])
        window.addDockWidget(area.RightDockWidgetArea, docks["inspector"])
        window.tabifyDockWidget(docks["inspector"], docks["history"])
        docks["inspector"].raise_()
        window.addDockWidget(area.BottomDockWidgetArea, docks["problems"])
        window.splitDockWidget(docks["problems"], docks["chart"], Qt.Orientation.Horizontal)
        window.tabifyDockWidget(docks["problems"], docks["devices"])
        for name in ("cables", "power", "bom"):
            window.tabifyDockWidget(docks["problems"], docks[name])
        docks["problems"].raise_()
        for name in ("explain", "failures", "workload"):
            window.tabifyDockWidget(docks["chart"], docks[name])
        docks["chart"].raise_()
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        window.resizeDocks([docks["palette"], docks["inspector"]], [250, 300], across)
        window.resizeDocks([docks["problems"]], [300], down)
        window.resizeDocks([docks["problems"], docks["chart"]], [400, 550], across)

    def restore(self, layout: QByteArray) -> None:
        """Take a saved layout; what cannot be restored leaves the default standing."""
        if not layout.isEmpty():
            self._window.restoreState(layout, LAYOUT_VERSION)
        self.tidy()

    def save(self) -> QByteArray:
        """The layout as it is, for `restore`."""
        return self._window.saveState(LAYOUT_VERSION)

    def reset(self) -> None:
        """Put all panels back where they were at first."""
        self._window.restoreState(self._default, LAYOUT_VERSION)
        self.tidy_soon()

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def show(self, name: str) -> None:
        """Bring a panel to the front."""
        dock = self._docks[name]
        dock.show()
        dock.raise_()
        self._show_panel(name, self._window.isVisible())

    def in_front(self, name: str) -> bool:
        """Whether a panel is seen: open, and not behind another tab."""
        return name in self._in_front

    def stop(self) -> None:
        """The window goes."""
        self._timer.stop()

    # -- tidiness ---------------------------------------------------------------------------------

    def _on_seen(self, name: str, seen: bool) -> None:
        self._show_panel(name, seen)
        self.toggled.emit(name, not self._docks[name].isHidden())
        self.tidy_soon()

    def _show_panel(self, name: str, seen: bool) -> None:
        """Let a panel work, or rest; made where it is seen for the first time."""
        (self._in_front.add if seen else self._in_front.discard)(name)
        hold = self._docks[name].widget()
        if isinstance(hold, Hold):
            hold.set_in_front(seen)

    def tidy_soon(self) -> None:
        """Tidy once Qt has laid everything out."""
        self._timer.start()

    def tidy(self) -> None:
        """A dock among tabs has its title on the tab already: no second line that repeats it."""
        for dock in self._docks.values():
            others = [d for d in self._window.tabifiedDockWidgets(dock) if not d.isHidden()]
            bare = bool(others) and not dock.isFloating()
            has_none = dock.titleBarWidget() is not None
            if bare and not has_none:
                dock.setTitleBarWidget(QWidget(dock))
            elif has_none and not bare:
                old = dock.titleBarWidget()
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # what Qt documents
                if old is not None:
                    old.deleteLater()
        self._hide_stray_tabs()

    def _hide_stray_tabs(self) -> None:
        """Qt leaves tab bars of layouts that are gone over the window (seen with 6.12): hide them.

        A bar that is in use sits right above the dock in front of its group.
        """
        window = self._window
        grouped = [
            dock.geometry()
            for dock in self._docks.values()
            if not dock.isFloating() and dock.isVisible() and window.tabifiedDockWidgets(dock)
        ]
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        for bar in window.findChildren(QTabBar, options=direct):
            place = bar.geometry()
            used = any(
                abs(place.bottom() + 1 - area.top()) <= 2
                and place.left() <= area.right()
                and place.right() >= area.left()
                for area in grouped
            )
            bar.setVisible(used)
