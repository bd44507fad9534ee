# SPDX-License-Identifier: Apache-2.0
"""Why the fabric is as fast as it is: the chain of caps, the limit, the band, and the tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFont
from PySide6.QtWidgets import (
    QHeaderView,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.charts.sizes import bandwidth_text
from rackloom_gui.icons import Icons
from rackloom_gui.panels.figures import number
from rackloom_gui.panels.whole_sentences import WrappedColumn
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.widgets.text import EmptyState

if TYPE_CHECKING:
    from rackloom.collectives import Cap, Estimate
    from rackloom.fabric.tier_numbers import TierNumbers
    from rackloom.fabric.ways import GroupWays, WaysOfPairs

_IDS = Qt.ItemDataRole.UserRole


class ExplainPanel(QWidget):
    """A tree of numbers; a click on one selects where it comes from and shows it."""

    show_ids = Signal(list)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._estimate: Estimate | None = None
        self._tiers: tuple[TierNumbers, ...] = ()
        self._ways: GroupWays | None = None
        self._stale = False
        self.view = QTreeWidget(self)
        self.view.setAccessibleName(self.tr("Why it is so fast"))
        self.view.setHeaderLabels([self.tr("What"), self.tr("busbw"), self.tr("Where and why")])
        self.view.setRootIsDecorated(False)
        self.view.setIndentation(14)
        self.view.setAllColumnsShowFocus(True)
        self.view.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.view.setWordWrap(True)
        self.view.setItemDelegateForColumn(2, WrappedColumn(self.view, 2))
        header = self.view.header()
        header.setStretchLastSection(True)
        for column in (0, 1):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.view.itemClicked.connect(lambda item, _column: self._go(item))
        self.view.itemActivated.connect(lambda item, _column: self._go(item))
        self._empty = EmptyState("chart", self.tr("No estimate"), "", theme, icons, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self.view)
        theme.changed.connect(self._on_theme_changed)
        icons.changed.connect(self._fill)
        self.show_failure("")

    def sizeHint(self) -> QSize:
        return QSize(420, 280)

    # -- what is shown ----------------------------------------------------------------------------

    def show_estimate(self, estimate: Estimate) -> None:
        """Explain an estimate."""
        self._estimate = estimate
        self._stale = False
        self._fill()

    def show_tiers(self, tiers: Sequence[TierNumbers], ways: GroupWays | None = None) -> None:
        """Oversubscription and bisection of each tier, hops and ways between groups of servers."""
        self._tiers, self._ways = tuple(tiers), ways
        self._fill()

    def show_failure(self, sentence: str) -> None:
        """Say why there is nothing to explain."""
        self._estimate = None
        self._empty.set_text(self.tr("No estimate"), sentence)
        self._stack.setCurrentWidget(self._empty)

    def set_stale(self) -> None:
        """What is shown belongs to an older design."""
        if not self._stale:
            self._stale = True
            self._fill()

    def rows(self) -> list[tuple[str, str, str]]:
        """All lines as they are read, top to bottom."""
        found = []
        iterator = QTreeWidgetItemIterator(self.view)
        while (item := iterator.value()) is not None:
            found.append((item.text(0), item.text(1), item.text(2)))
            iterator += 1
        return found

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._fill()

    def _fill(self) -> None:
        estimate = self._estimate
        if estimate is None:
            return
        self._stack.setCurrentWidget(self.view)
        self.view.clear()
        last = estimate.points[-1]
        group = self._group(
            self.tr("Caps on {0} ({1})").format(estimate.collective.value, last.algorithm)
        )
        for place, cap in enumerate(estimate.caps):
            self._cap(group, cap, place == 0)
        self._limit(estimate)
        if self._tiers:
            group = self._group(self.tr("Tiers"))
            for tier in self._tiers:
                self._tier(group, tier)
        if self._ways is not None and self._ways.pairs:
            some = self._ways.looked_at < self._ways.groups
            title = self.tr("Ways between servers")
            if some:
                title = self.tr("Ways between servers ({0} of {1} groups looked at)").format(
                    self._ways.looked_at, number(float(self._ways.groups))
                )
            group = self._group(title)
            for pair in self._ways.pairs:
                self._pair(group, pair)
        self.view.expandAll()

    def _group(self, title: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self.view, [title, "", ""])
        item.setFirstColumnSpanned(True)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setForeground(0, QBrush(self._theme.tokens.text_muted))
        return item

    def _line(
        self, group: QTreeWidgetItem, what: str, value: str, why: str, where: Sequence[str]
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem(group, [what, value, why])
        item.setData(0, _IDS, list(where))
        item.setToolTip(2, why)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if self._stale:
            for column in range(3):
                item.setForeground(column, QBrush(self._theme.tokens.text_disabled))
        return item

    def _cap(self, group: QTreeWidgetItem, cap: Cap, binds: bool) -> None:
        words = {
            "scale-up": self.tr("GPU links"),
            "pcie": self.tr("PCIe"),
            "nic": self.tr("NICs"),
            "uplink": self.tr("Uplinks"),
            "link": self.tr("Links"),
            "library": self.tr("Library"),
        }
        why = cap.text
        if cap.efficiency < 0.9995:
            why += self.tr(" (wire {0}, of which {1} % is reached)").format(
                bandwidth_text(cap.busbw_gb_per_s), f"{cap.efficiency * 100:.0f}"
            )
        if cap.worst_share < 0.995:
            why += self.tr("; hashed badly {0}").format(bandwidth_text(cap.worst_gb_per_s))
        what = words.get(cap.kind, cap.kind)
        if binds:
            what = self.tr("{0}: binds").format(what)
        value = bandwidth_text(cap.expected_gb_per_s)
        item = self._line(group, what, value, why, cap.where)
        if binds:
            font = QFont(self.view.font())
            font.setBold(True)
            for column in range(2):
                item.setFont(column, font)
            item.setIcon(0, self._icons.icon("warning", "warning"))
        else:
            item.setIcon(0, self._icons.icon("ok", "ok"))

    def _limit(self, estimate: Estimate) -> None:
        group = self._group(self.tr("How good the number is"))
        limit = estimate.limit
        item = self._line(
            group,
            self.tr("Limit"),
            bandwidth_text(limit.busbw_gb_per_s),
            self.tr("no schedule beats it: {0}").format(limit.text),
            limit.cut,
        )
        item.setIcon(0, self._icons.icon("lock", "text_muted"))
        band = estimate.band
        item = self._line(
            group,
            self.tr("Error band"),
            f"±{band.fraction * 100:.0f} %",
            self.tr("from 256 MiB on, ±{0} % below; {1}").format(
                f"{band.small_fraction * 100:.0f}", band.rests_on
            ),
            (),
        )
        item.setIcon(0, self._icons.icon("info", "text_muted"))

    def _tier(self, group: QTreeWidgetItem, tier: TierNumbers) -> None:
        value = f"{tier.oversubscription:.3g}:1" if tier.oversubscription is not None else ""
        what = self.tr("{0} {1} of {2}").format(tier.switches, tier.role, tier.network)
        words = [self.tr("{0} Tb/s down").format(_tbps(tier.down_gbps))]
        if tier.up_gbps:
            words.append(self.tr("{0} Tb/s up").format(_tbps(tier.up_gbps)))
        if tier.bisection_gbps is not None:
            words.append(self.tr("bisection {0} Tb/s").format(_tbps(tier.bisection_gbps)))
        worst = tier.worst_oversubscription
        uneven = worst is not None and worst > (tier.oversubscription or worst) * 1.001
        if uneven and worst is not None:
            words.append(self.tr("worst {0}:1").format(f"{worst:.3g}"))
        item = self._line(group, what, value, ", ".join(words), tier.worst_at)
        over = worst is not None and worst > 1.001
        item.setIcon(0, self._icons.icon("warning" if over else "switch",
                                         "warning" if over else "text_muted"))  # fmt: skip

    def _pair(self, group: QTreeWidgetItem, pair: WaysOfPairs) -> None:
        what = self.tr("Within a group") if pair.within else self.tr("Between groups")
        ways = pair.ways
        if ways is None:
            item = self._line(group, what, "", self.tr("no way leads there"), pair.example)
            item.setIcon(0, self._icons.icon("warning", "warning"))
            return
        hops = self.tr("{0} hops").format(ways.hops)
        if ways.longest_hops != ways.hops:
            hops = self.tr("{0} to {1} hops").format(ways.hops, ways.longest_hops)
        why = self.tr("{0}, {1} shortest ways").format(hops, number(float(ways.paths)))
        item = self._line(group, what, "", why, pair.example)
        item.setIcon(0, self._icons.icon("cable", "text_muted"))

    # -- going there ------------------------------------------------------------------------------

    def _go(self, item: QTreeWidgetItem) -> None:
        ids = item.data(0, _IDS)
        if ids:
            self.show_ids.emit(list(ids))


def _tbps(gbps: float) -> str:
    return number(round(gbps / 1000, 2))
