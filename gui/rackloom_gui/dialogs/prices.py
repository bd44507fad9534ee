# SPDX-License-Identifier: Apache-2.0
"""Spares by category, and what the project's price list covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from rackloom.design.buying import ALL_OTHERS, MOST_SPARES_PERCENT
from rackloom.reports.bom import BomRow
from rackloom.reports.buying import Price
from rackloom_gui.panels.bom import category_title

_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel
_Close = QDialogButtonBox.StandardButton.Close


class SparesDialog(QDialog):
    """A percentage for each category of the bill, and one for those that may come."""

    def __init__(
        self,
        categories: Sequence[str],
        spares: Mapping[str, Fraction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Spares"))
        intro = QLabel(
            self.tr(
                "So much more of each line is ordered than is drawn, rounded up line by line: a "
                "spare cable is of use only in its own length. The project keeps these figures."
            ),
            self,
        )
        intro.setWordWrap(True)
        form = QFormLayout()
        self.fields: dict[str, QDoubleSpinBox] = {}
        others = spares.get(ALL_OTHERS, Fraction(0))
        listed = dict.fromkeys((*categories, *(c for c in spares if c != ALL_OTHERS), ALL_OTHERS))
        self._before: list[tuple[Fraction, float]] = []
        """Each share as it was, and as its field showed it."""
        for category in listed:
            share = spares.get(category, others)
            field = QDoubleSpinBox(self)
            field.setRange(0.0, MOST_SPARES_PERCENT)
            field.setDecimals(1)
            field.setSuffix(" %")
            field.setValue(float(share))
            title = category_title(category)
            if category == ALL_OTHERS:
                title = self.tr("All other categories")
            field.setAccessibleName(title)
            form.addRow(title, field)
            self.fields[category] = field
            self._before.append((share, field.value()))
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(intro)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self.setMinimumWidth(380)

    def spares(self) -> dict[str, float]:
        """Per cent by category; what nobody touched is as exact as it was."""
        return {
            category: float(before) if field.value() == shown else round(field.value(), 1)
            for (category, field), (before, shown) in zip(
                self.fields.items(), self._before, strict=True
            )
        }


class PricesDialog(QDialog):
    """The price list that the project keeps: what it prices, and what it does not know."""

    def __init__(
        self,
        rows: Sequence[BomRow],
        prices: Mapping[str, Price],
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Price List"))
        self.remove_prices = False
        self.another_wanted = False
        count = QLocale().toString
        unpriced = [row for row in rows if row.part_number not in prices]
        known = len(rows) - len(unpriced)
        text = QLabel(
            self.tr("{0} names {1} part numbers; {2} of the bill's {3} lines are priced.").format(
                name, count(len(prices)), count(known), count(len(rows))
            )
            + "\n\n"
            + self.tr(
                "The project keeps these prices: whoever gets its file can read them. To follow "
                "a newer list, read that in their place."
            ),
            self,
        )
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        self.missing = QPlainTextEdit(self)
        self.missing.setReadOnly(True)
        self.missing.setAccessibleName(self.tr("Lines without a price"))
        lines = [
            f"{row.quantity} × "
            + f"{row.manufacturer} {row.model}".strip()
            + (f", {row.length_m:g} m" if row.length_m is not None else "")
            + f": {row.part_number or self.tr('part number unknown')}"
            for row in unpriced
        ]
        self.missing.setPlainText("\n".join(lines))
        self.missing.setVisible(bool(unpriced))
        head = QLabel(self.tr("Without a price:"), self)
        head.setVisible(bool(unpriced))
        remove = QPushButton(self.tr("Take All Prices Away"), self)
        remove.clicked.connect(self._remove)
        self.another = QPushButton(self.tr("Read Another List…"), self)
        self.another.clicked.connect(self._want_another)
        buttons = QDialogButtonBox(_Close, self)
        buttons.addButton(remove, QDialogButtonBox.ButtonRole.DestructiveRole)
        buttons.addButton(self.another, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.accept)
        for button in (remove, self.another):
            button.setAutoDefault(False)  # Enter closes: it must not throw a price list away
        buttons.button(_Close).setDefault(True)
        layout = QVBoxLayout(self)
        for widget in (text, head, self.missing, buttons):
            layout.addWidget(widget)
        self.resize(560, 420 if unpriced else 180)

    def _want_another(self) -> None:
        self.another_wanted = True
        self.accept()

    def _remove(self) -> None:
        self.remove_prices = True
        self.accept()
