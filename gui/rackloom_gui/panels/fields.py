# SPDX-License-Identifier: Apache-2.0
"""Fields of the inspector: each shows one value, or that the selected things differ."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from rackloom.design.notes import MOST_CHARACTERS, plain_text
from rackloom_gui.widgets.quantity import QuantityEdit, UnitFamily

Values = Sequence[Any]
"""The value of each selected thing."""


def common(values: Values) -> tuple[Any, bool]:
    """The value all share, or (None, False) where they differ."""
    first = values[0]
    return (first, True) if all(v == first for v in values[1:]) else (None, False)


class TextField(QLineEdit):
    """A line of text; `committed` on Enter or when the focus leaves, and only if it changed."""

    committed = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None, *, needed: bool = False) -> None:
        super().__init__(parent)
        self._shown = ""
        self._needed = needed
        self.setAccessibleName(name)
        self.editingFinished.connect(self._commit)

    def show_values(self, values: Values) -> None:
        """Show what the selected things have."""
        if self.hasFocus() and self.isModified():
            return  # somebody is typing
        value, same = common(values)
        self._shown = str(value or "")
        self.setPlaceholderText("" if same else self.tr("mixed"))
        if self.text() != self._shown:
            self.setText(self._shown)
            self.setCursorPosition(0)  # of a text longer than the field, the start is shown
        self.setModified(False)

    def _commit(self) -> None:
        if not self.isModified():
            return
        self.setModified(False)
        text = self.text().strip()
        if self._needed and not text:
            self.setText(self._shown)
            return
        self.committed.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown)
            self.setModified(False)
            event.accept()
            return
        super().keyPressEvent(event)


class TextArea(QPlainTextEdit):
    """The text of notes; `committed` on Ctrl+Enter or when the focus leaves, if they changed."""

    committed = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * 7 + 12)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_values(self, values: Values) -> None:
        """Show what the selected notes say."""
        if self.hasFocus() and self.document().isModified():
            return  # somebody is typing
        value, same = common(values)
        self._shown = plain_text(str(value or "")[:MOST_CHARACTERS]) if same else ""
        self.setPlaceholderText("" if same else self.tr("mixed"))
        if self.toPlainText() != self._shown:
            self.setPlainText(self._shown)
        self.document().setModified(False)

    def _commit(self) -> None:
        if not self.document().isModified():
            return
        self.document().setModified(False)
        text = self.toPlainText()
        if text.strip():
            self.committed.emit(text)
        else:
            self.setPlainText(self._shown)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Escape and self.document().isModified():
            self.setPlainText(self._shown)
            self.document().setModified(False)
        elif ctrl and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        else:
            super().keyPressEvent(event)


class NumberField(QuantityEdit):
    """A quantity with a unit."""

    def __init__(
        self,
        name: str,
        family: UnitFamily,
        parent: QWidget | None = None,
        *,
        decimals: int = 3,
        low: float = 0.0,
        high: float = float("inf"),
        optional: bool = False,
    ) -> None:
        super().__init__(family, parent, decimals=decimals, low=low, high=high, optional=optional)
        self.setAccessibleName(name)

    def show_values(self, values: Values) -> None:
        """Show what the selected things have."""
        if self.hasFocus() and self.isModified():
            return
        value, same = common(values)
        if same:
            self.set_value(value)
        else:
            self.set_mixed()


class ChoiceField(QComboBox):
    """One of a few values. The wheel turns it only while it has the focus."""

    committed = Signal(object)

    def __init__(
        self,
        name: str,
        choices: Sequence[tuple[Any, str]],
        parent: QWidget | None = None,
        *,
        editable: bool = False,
    ) -> None:
        super().__init__(parent)
        self._choices = list(choices)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setEditable(editable)
        if editable:
            self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            line = self.lineEdit()
            assert line is not None
            line.editingFinished.connect(self._commit_text)
        for _value, text in self._choices:
            self.addItem(text)
        self.activated.connect(self._commit)

    def show_values(self, values: Values) -> None:
        """Show what the selected things have."""
        line = self.lineEdit()
        if line is not None and line.hasFocus() and line.isModified():
            return
        value, same = common(values)
        place = next((n for n, (v, _) in enumerate(self._choices) if v == value), -1)
        self.setCurrentIndex(place if same else -1)
        if line is not None:
            line.setText(str(value or "") if same else "")
            line.setPlaceholderText("" if same else self.tr("mixed"))
            line.setModified(False)
        else:
            self.setPlaceholderText("" if same else self.tr("mixed"))

    def _commit(self, index: int) -> None:
        line = self.lineEdit()
        if line is not None:
            line.setModified(False)
        self.committed.emit(self._choices[index][0])

    def _commit_text(self) -> None:
        line = self.lineEdit()
        if line is not None and line.isModified():
            line.setModified(False)
            self.committed.emit(line.text().strip())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # the form behind scrolls


class CheckField(QCheckBox):
    """Yes or no, or half where the selected things differ."""

    committed = Signal(object)

    def __init__(self, name: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(name)
        self.clicked.connect(self._commit)

    def show_values(self, values: Values) -> None:
        """Show what the selected things have."""
        value, same = common(values)
        if same:
            self.setTristate(False)
            self.setChecked(bool(value))
        else:
            self.setCheckState(Qt.CheckState.PartiallyChecked)

    def _commit(self) -> None:
        on = self.checkState() is not Qt.CheckState.Unchecked
        self.setTristate(False)
        self.setChecked(on)
        self.committed.emit(on)


Field = TextField | TextArea | NumberField | ChoiceField | CheckField
Getter = Callable[[Any], Any]
