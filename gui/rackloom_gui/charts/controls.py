# SPDX-License-Identifier: Apache-2.0
"""What the chart is asked: collective, group of GPUs, quantity, and how the network is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QInputDialog,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from rackloom_gui.charts.asked import (
    ALL_GPUS,
    COLLECTIVES,
    FLOWS,
    ONE_PER_SERVER,
    SELECTION,
    Asked,
)
from rackloom_gui.charts.series import QUANTITIES
from rackloom_gui.charts.sizes import collective_text
from rackloom_gui.icons import Icons

MOST_PODS = 40
ALGORITHMS = (
    "auto", "ring", "tree", "nvls", "nvls-tree", "collnet-direct", "collnet-chain", "pat",
    "direct", "direct-without-pxn",
)  # fmt: skip
"""As the engine names them; a test holds them equal."""
_ROUTINGS: tuple[tuple[str, str], ...] = (
    ("auto", str(QT_TRANSLATE_NOOP("ChartControls", "By protocol"))),
    ("adaptive", str(QT_TRANSLATE_NOOP("ChartControls", "Adaptive or packet spray"))),
    ("ecmp", str(QT_TRANSLATE_NOOP("ChartControls", "Hashed (ECMP)"))),
)
_TRANSPORTS: tuple[tuple[str, str], ...] = (
    ("", str(QT_TRANSLATE_NOOP("ChartControls", "As the Switches Speak"))),
    ("infiniband", "InfiniBand"),
    ("ethernet", str(QT_TRANSLATE_NOOP("ChartControls", "Ethernet (RoCE)"))),
    ("efa", "EFA (AWS P6)"),
    ("efa-p5", "EFA (AWS P4, P5)"),
)
PROTOCOLS = ("auto", "LL", "LL128", "Simple")
"""As the engine names them; a test holds them equal."""
_FLOWS = (1, 2, 4, 8, FLOWS, 32, 64)
_HEALTH = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
_ASK_FIRST, _ASK_EVERY = "ask:first", "ask:every"
MOST_GPUS = 1 << 22
"""More GPUs than any design has."""


class ChartControls(QWidget):
    """One row of selectors; `asked_changed` carries the whole question."""

    asked_changed = Signal(object)
    """(Asked)"""
    quantity_changed = Signal(str)
    algorithms_shown = Signal(bool)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = Asked()
        self._servers: tuple[str, ...] = ()
        self._more: list[str] = []
        """Groups that were asked for or a log brought: ``16`` (the first so many), ``every:4``."""
        self._pods: tuple[str, ...] = ()
        self._icons = icons
        self.collective = self._combo(self.tr("Collective"))
        for name in COLLECTIVES:
            self.collective.addItem(collective_text(name), name)
        self.group = self._combo(self.tr("Group of GPUs"))
        self.quantity = self._combo(self.tr("Quantity"))
        words = {"busbw": self.tr("Bus bandwidth"), "algbw": self.tr("Algorithm bandwidth"),
                 "time": self.tr("Time")}  # fmt: skip
        for name in QUANTITIES:
            self.quantity.addItem(words[name], name)
        self.settings = QToolButton(self)
        self.settings.setAutoRaise(True)
        self.settings.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.settings.setToolTip(self.tr("Algorithm, protocol, routing and state of the network"))
        self.settings.setAccessibleName(self.settings.toolTip())
        self._build_menu()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in (self.collective, self.group, self.quantity):
            layout.addWidget(widget, 1)
        layout.addWidget(self.settings)
        self._fill_groups()
        self.collective.activated.connect(lambda _n: self._take())
        self.group.activated.connect(lambda _n: self._take())
        self.quantity.currentIndexChanged.connect(
            lambda _n: self.quantity_changed.emit(self.quantity.currentData())
        )
        icons.changed.connect(self._load_icons)
        self._load_icons()

    def _combo(self, name: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(7)
        return box

    def minimumSizeHint(self) -> QSize:
        return QSize(120, super().minimumSizeHint().height())

    def _load_icons(self) -> None:
        self.settings.setIcon(self._icons.icon("settings"))

    # -- the menu ---------------------------------------------------------------------------------

    def _build_menu(self) -> None:
        menu = QMenu(self)
        self.show_algorithms = menu.addAction(self.tr("Show All Algorithms"))
        self.show_algorithms.setCheckable(True)
        self.show_algorithms.setChecked(True)
        self.show_algorithms.toggled.connect(self.algorithms_shown)
        beside = menu.addMenu(self.tr("Other Collectives Beside It"))
        self.also = {name: beside.addAction(collective_text(name)) for name in COLLECTIVES}
        for action in self.also.values():
            action.setCheckable(True)
            action.toggled.connect(lambda _on: self._take_also())
        menu.addSeparator()
        algorithms = [(a, a if a != "auto" else self.tr("The Fastest")) for a in ALGORITHMS]
        self.algorithm = self._choice(menu, self.tr("Algorithm"), "algorithm", algorithms)
        protocols = [(p, p if p != "auto" else self.tr("The Fastest")) for p in PROTOCOLS]
        self.protocol = self._choice(menu, self.tr("Protocol"), "protocol", protocols)
        menu.addSeparator()
        routings = [(key, QCoreApplication.translate("ChartControls", t)) for key, t in _ROUTINGS]
        self.routing = self._choice(menu, self.tr("Routing"), "routing", routings)
        flows = [
            (n, self.tr("1 flow") if n == 1 else self.tr("{0} flows").format(n)) for n in _FLOWS
        ]
        self.flows = self._choice(menu, self.tr("Flows per Connection (ECMP)"), "flows", flows)
        speak = [(key, QCoreApplication.translate("ChartControls", t)) for key, t in _TRANSPORTS]
        self.transport = self._choice(menu, self.tr("Transport"), "transport", speak)
        health = [
            (part, self.tr("{0} % of its rate").format(f"{part * 100:.0f}")) for part in _HEALTH
        ]
        self.efficiency = self._choice(menu, self.tr("Network Reaches"), "efficiency", health)
        self.sharp = menu.addAction(self.tr("Switches Add Up (SHARP)"))
        self.sharp.setCheckable(True)
        self.sharp.toggled.connect(lambda on: self._set(sharp=on))
        self.settings.setMenu(menu)

    def _choice(
        self, menu: QMenu, title: str, field: str, choices: Sequence[tuple[object, str]]
    ) -> dict[object, QAction]:
        sub = menu.addMenu(title)
        group = QActionGroup(sub)
        found: dict[object, QAction] = {}
        for value, text in choices:
            action = sub.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == getattr(self._asked, field))
            group.addAction(action)
            action.triggered.connect(lambda _on=False, v=value: self._set(**{field: v}))
            found[value] = action
        return found

    # -- what is asked ----------------------------------------------------------------------------

    @property
    def asked(self) -> Asked:
        """The question as it stands."""
        return self._asked

    def set_selection(self, servers: tuple[str, ...]) -> None:
        """Which servers are selected: that group follows the selection while it is chosen."""
        if servers == self._servers:
            return
        self._servers = servers
        self._fill_groups()
        if self._asked.group == SELECTION and servers:
            self._set(servers=servers)

    def set_pods(self, pods: tuple[str, ...]) -> None:
        """The pods of the design."""
        if pods != self._pods:
            self._pods = pods
            self._fill_groups()

    def ask_for(self, collective: str | None, ranks: int | None, all_gpus: int | None) -> None:
        """Turn to what a log measured: its collective, on the first so many GPUs."""
        if collective is not None:
            self.collective.setCurrentIndex(max(self.collective.findData(collective), 0))
        if ranks is not None and all_gpus is not None and 2 <= ranks <= all_gpus:
            whole = ranks == all_gpus
            self._offer(ALL_GPUS if whole else str(ranks))
        self._take()

    def _fill_groups(self) -> None:
        now = self._asked.group
        entries = [
            (ALL_GPUS, self.tr("All GPUs")),
            (ONE_PER_SERVER, self.tr("One GPU per server")),
            ("every:8", self.tr("Every 8th GPU")),
        ]
        count = len(self._servers)
        if count or now == SELECTION:
            entries.insert(1, (SELECTION, self.tr("Selected servers ({0})").format(count)))
        entries += [(key, self._more_text(key)) for key in self._more]
        entries += [
            (f"pod:{pod}", self.tr("Pod {0}").format(pod)) for pod in self._pods[:MOST_PODS]
        ]
        entries += [
            (_ASK_FIRST, self.tr("First N GPUs…")),
            (_ASK_EVERY, self.tr("Every Nth GPU…")),
        ]
        self.group.blockSignals(True)
        self.group.clear()
        for key, text in entries:
            self.group.addItem(text, key)
        self.group.setCurrentIndex(max(self.group.findData(now), 0))
        self.group.blockSignals(False)
        if self.group.currentData() != now:  # the pod is gone
            self._set(group=self.group.currentData())

    def _take_also(self) -> None:
        self._set(also=tuple(name for name, action in self.also.items() if action.isChecked()))

    def _more_text(self, key: str) -> str:
        if key.startswith("every:"):
            return self.tr("Every {0} GPU").format(_ordinal(int(key.removeprefix("every:"))))
        return self.tr("First {0} GPUs").format(key)

    def _offer(self, key: str) -> None:
        """Choose a group, which is added to the list where it is not there yet."""
        if self.group.findData(key) < 0:
            self._more.append(key)
            self._fill_groups()
        self.group.setCurrentIndex(self.group.findData(key))

    def _ask_number(self, key: str) -> None:
        """Ask how many GPUs, or every which one; the list stays at what it was until then."""
        self.group.setCurrentIndex(self.group.findData(self._asked.group))
        every = key == _ASK_EVERY
        dialog = QInputDialog(self)
        dialog.setWindowTitle(self.tr("Group of GPUs"))
        dialog.setLabelText(
            self.tr("One GPU of how many (8: one of each server of eight):")
            if every
            else self.tr("How many GPUs, from the first server on:")
        )
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(2, MOST_GPUS)
        dialog.setIntValue(4 if every else 16)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.intValueSelected.connect(
            lambda n: self._take_group(f"every:{n}" if every else str(n))
        )
        dialog.open()

    def _take_group(self, key: str) -> None:
        self._offer(key)
        self._take()

    def _take(self) -> None:
        group = str(self.group.currentData())
        if group in {_ASK_FIRST, _ASK_EVERY}:
            self._ask_number(group)
            return
        self._set(
            collective=str(self.collective.currentData()),
            group=group,
            servers=self._servers if group == SELECTION else (),
        )

    def _set(self, **fields: object) -> None:
        asked = replace(self._asked, **fields)  # type: ignore[arg-type]
        if asked != self._asked:
            self._asked = asked
            self.asked_changed.emit(asked)


def _ordinal(number: int) -> str:
    """``2nd``, ``8th``: which one of a row."""
    last = number % 10 if number // 10 % 10 != 1 else 0
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(last, "th")
