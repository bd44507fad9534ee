# SPDX-License-Identifier: Apache-2.0
"""Numbers with units, as people type them: "400 G", "1.2 kW", "30 ft", "2.5 m"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QWidget


@dataclass(frozen=True, slots=True)
class UnitFamily:
    """Units of one kind of quantity: factors to the base unit, and the base's own name."""

    base: str
    factors: Mapping[str, float]
    """Lower-case spelling to base units; the base itself may be left out by the user."""
    shown: tuple[tuple[float, str], ...]
    """Steps for showing: from this many base units on, this unit (its spelling is in `factors`)."""


def _family(base: str, shown: tuple[tuple[float, str], ...], **factors: float) -> UnitFamily:
    table = {base.lower(): 1.0, "": 1.0, **factors}
    return UnitFamily(base, MappingProxyType(table), shown)


FOOT_M = 0.3048
"""International foot, exact by definition (1959)."""
POUND_KG = 0.45359237
"""Avoirdupois pound, exact by definition (1959)."""

LENGTH_M = UnitFamily(
    "m",
    MappingProxyType(
        {
            "": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3,
            "ft": FOOT_M, "feet": FOOT_M, "foot": FOOT_M, "'": FOOT_M,
            "in": FOOT_M / 12, "inch": FOOT_M / 12, '"': FOOT_M / 12,
        }
    ),
    ((0.0, "m"),),
)  # fmt: skip
LENGTH_MM = UnitFamily(
    "mm",
    MappingProxyType({u: f * 1e3 for u, f in LENGTH_M.factors.items() if u} | {"": 1.0}),
    ((0.0, "mm"),),
)
POWER_W = _family(
    "W", ((0.0, "W"), (10e3, "kW"), (1e6, "MW")), kw=1e3, mw=1e6, va=1.0, kva=1e3
)  # "mw" is a megawatt: nobody enters milliwatts of a rack
RATE_GBPS = _family(
    "Gb/s", ((0.0, "Gb/s"), (1e4, "Tb/s")),
    g=1.0, gb=1.0, gbe=1.0, gbps=1.0, gbit=1.0, **{"gbit/s": 1.0},
    t=1e3, tb=1e3, tbps=1e3, **{"tb/s": 1e3, "tbit/s": 1e3},
    m=1e-3, mbps=1e-3, **{"mb/s": 1e-3, "mbit/s": 1e-3},
)  # fmt: skip
MASS_KG = _family("kg", ((0.0, "kg"), (10e3, "t")), g=1e-3, t=1e3, lb=POUND_KG, lbs=POUND_KG)
RACK_UNITS = _family("U", ((0.0, "U"),), ru=1.0)
PERCENT = _family("%", ((0.0, "%"),))
TIME_US = _family("µs", ((0.0, "µs"), (1e4, "ms"), (1e6, "s")), us=1.0, ns=1e-3, ms=1e3, s=1e6)
VOLTAGE_V = _family("V", ((0.0, "V"),), kv=1e3)
CURRENT_A = _family("A", ((0.0, "A"),))
COUNT = _family("", ((0.0, ""),))

_TYPED = re.compile(r"\s*([+-]?[\d.,’'   ]*\d[\d.,’   ]*(?:[eE][+-]?\d+)?)\s*(\D*?)\s*$")


def parse_quantity(text: str, family: UnitFamily, locale: QLocale | None = None) -> float | None:
    """Base units of a typed quantity, or None if it cannot be read.

    A number in the user's locale or with a decimal point, then a unit of the family or none.
    """
    match = _TYPED.match(text)
    if match is None:
        return None
    digits, unit = match.group(1).strip(), match.group(2).strip().lower()
    factor = family.factors.get(unit)
    if factor is None:
        return None
    value = _number(digits, locale if locale is not None else QLocale())
    return None if value is None else value * factor


def _number(digits: str, locale: QLocale) -> float | None:
    value, good = locale.toDouble(digits)
    if good:
        return float(value)
    value, good = QLocale.c().toDouble(digits)
    return float(value) if good else None


def format_quantity(
    value: float, family: UnitFamily, decimals: int = 3, locale: QLocale | None = None
) -> str:
    """A quantity as shown: at most so many decimals, no trailing zeros, its unit behind."""
    locale = locale if locale is not None else QLocale()
    unit = family.shown[0][1]
    for step, name in family.shown:
        if abs(value) >= step:
            unit = name
    scaled = value / family.factors[unit.lower()]
    text = locale.toString(scaled, "f", decimals)
    point = locale.decimalPoint()
    if point in text:
        text = text.rstrip("0").removesuffix(point)
    return f"{text} {unit}".rstrip()


class UnitSpinBox(QDoubleSpinBox):
    """A spin box whose value is in base units and whose text may be in any unit of the family.

    The wheel does nothing unless the box has the focus, so that scrolling a form changes nothing.
    """

    def __init__(
        self,
        family: UnitFamily,
        parent: QWidget | None = None,
        *,
        low: float = 0.0,
        high: float = 1e9,
        step: float = 1.0,
        decimals: int = 3,
    ) -> None:
        super().__init__(parent)
        self._family = family
        self._shown_decimals = decimals
        # The box itself rounds to these; two more than shown keep a foot from becoming 0.305 m.
        self.setDecimals(decimals + 2)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(4, 0, 0, 0)  # in line with plain fields
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def textFromValue(self, val: float) -> str:
        return format_quantity(val, self._family, self._shown_decimals, self.locale())

    def valueFromText(self, text: str) -> float:
        value = parse_quantity(text, self._family, self.locale())
        return self.value() if value is None else value

    def validate(self, input: str, pos: int) -> tuple[QValidator.State, str, int]:
        value = parse_quantity(input, self._family, self.locale())
        if value is not None and self.minimum() <= value <= self.maximum():
            return QValidator.State.Acceptable, input, pos
        return QValidator.State.Intermediate, input, pos

    def fixup(self, input: str) -> str:
        value = parse_quantity(input, self._family, self.locale())
        if value is None:
            return self.textFromValue(self.value())
        return self.textFromValue(min(max(value, self.minimum()), self.maximum()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # the form behind scrolls


class QuantityEdit(QLineEdit):
    """A quantity that may be unknown (None) or mixed among several selected things.

    Unknown is empty text, never 0. `committed` carries the new value once, on Enter or when the
    focus leaves; what cannot be read turns the field red and is put back on Esc.
    """

    committed = Signal(object)
    """The new value in base units, or None for "unknown"."""

    def __init__(
        self,
        family: UnitFamily,
        parent: QWidget | None = None,
        *,
        decimals: int = 3,
        low: float = 0.0,
        high: float = float("inf"),
        optional: bool = True,
    ) -> None:
        super().__init__(parent)
        self._family = family
        self._decimals = decimals
        self._low, self._high = low, high
        self._optional = optional
        self._value: float | None = None
        self._mixed = False
        self._problem = ""
        self.set_value(None)
        self.editingFinished.connect(self._commit)
        self.textEdited.connect(lambda _text: self._set_problem(self._read()[1]))

    @property
    def value(self) -> float | None:
        """Base units; None if unknown or mixed."""
        return self._value

    @property
    def problem(self) -> str:
        """Why the text is not taken, or ""."""
        return self._problem

    def set_value(self, value: float | None) -> None:
        """Show a value; None is "unknown"."""
        self._value = value
        self._mixed = False
        self._show()

    def set_mixed(self) -> None:
        """Show that the selected things differ; nothing is committed until the user types."""
        self._value = None
        self._mixed = True
        self._show()

    def _show(self) -> None:
        text = ""
        if self._value is not None:
            text = format_quantity(self._value, self._family, self._decimals, self.locale())
        if self.text() != text:
            self.setText(text)
        self.setModified(False)
        hint = self.tr("mixed") if self._mixed else self.tr("unknown")
        self.setPlaceholderText(hint)
        self._set_problem("")

    def _read(self) -> tuple[float | None, str]:
        text = self.text().strip()
        if not text:
            needed = "" if self._optional else self.tr("A value is needed here.")
            return None, needed
        value = parse_quantity(text, self._family, self.locale())
        if value is None:
            example = format_quantity(max(self._low, 1.0), self._family, self._decimals)
            return None, self.tr("“{0}” is not a quantity; write it like “{1}”.").format(
                text, example
            )
        if not self._low <= value <= self._high:
            low = format_quantity(self._low, self._family, self._decimals)
            if self._high == float("inf"):
                return None, self.tr("It must be at least {0}.").format(low)
            high = format_quantity(self._high, self._family, self._decimals)
            return None, self.tr("It must be between {0} and {1}.").format(low, high)
        return value, ""

    def _set_problem(self, problem: str) -> None:
        if problem == self._problem:
            return
        self._problem = problem
        self.setToolTip(problem)
        self.setAccessibleDescription(problem)
        self.setProperty("invalid", bool(problem))  # the theme's style sheet frames it
        self.style().unpolish(self)
        self.style().polish(self)

    def _commit(self) -> None:
        if not self.isModified():
            return
        value, problem = self._read()
        self._set_problem(problem)
        if problem:
            return
        self._value = value
        self._mixed = False
        self._show()
        self.committed.emit(value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self._show()
            event.accept()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._problem and event.reason() != Qt.FocusReason.PopupFocusReason:
            self._show()  # leave no half-typed text behind that looks like a value
