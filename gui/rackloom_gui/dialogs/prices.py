# SPDX-License-Identifier: Apache-2.0
"""Spares by category, and what a price list covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

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

from rackloom.reports.bom import BomRow
from rackloom.reports.buying import MOST_SPARES_PERCENT, Price
from rackloom_gui.panels.bom import category_title

_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel
_Close = QDialogButtonBox.StandardButton.Close


class SparesDialog(QDialog):
    """A percentage for each category of the bill."""

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
                "spare cable is of use only in its own length."
            ),
            self,
        )
        intro.setWordWrap(True)
        form = QFormLayout()
        self.fields: dict[str, QDoubleSpinBox] = {}
        for category in categories:
            field = QDoubleSpinBox(self)
            field.setRange(0.0, MOST_SPARES_PERCENT)
            field.setDecimals(1)
            field.setSuffix(" %")
            field.setValue(float(spares.get(category, 0)))
            field.setAccessibleName(category)
            form.addRow(category_title(category), field)
            self.fields[category] = field
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(intro)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self.setMinimumWidth(380)

    def spares(self) -> dict[str, Fraction]:
        """What was set, as exact percentages."""
        return {
            category: Fraction(str(round(field.value(), 1)))
            for category, field in self.fields.items()
        }


class PricesDialog(QDialog):
    """What came of a price list: what it prices, and what it does not know."""

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
        unpriced = [row for row in rows if row.part_number not in prices]
        known = len(rows) - len(unpriced)
        text = QLabel(
            self.tr("{0} names {1} part numbers; {2} of the bill's {3} lines are priced.").format(
                name, len(prices), known, len(rows)
            ),
            self,
        )
        text.setWordWrap(True)
        self.missing = QPlainTextEdit(self)
        self.missing.setReadOnly(True)
        self.missing.setAccessibleName(self.tr("Lines without a price"))
        lines = [
            f"{row.quantity} × {row.manufacturer} {row.model}"
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
        buttons = QDialogButtonBox(_Close, self)
        buttons.addButton(remove, QDialogButtonBox.ButtonRole.DestructiveRole)
        buttons.rejected.connect(self.accept)
        layout = QVBoxLayout(self)
        for widget in (text, head, self.missing, buttons):
            layout.addWidget(widget)
        self.resize(520, 380 if unpriced else 140)

    def _remove(self) -> None:
        self.remove_prices = True
        self.accept()
