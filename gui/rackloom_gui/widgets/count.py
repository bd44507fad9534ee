# SPDX-License-Identifier: Apache-2.0
"""A field for a whole number that does not run away when a page is scrolled over it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSpinBox, QWidget

_MOST = 10**7


class Count(QSpinBox):
    """A whole number; the wheel turns it only while it has the focus."""

    def __init__(
        self, name: str, parent: QWidget, *, low: int = 1, high: int = _MOST, zero: str = ""
    ) -> None:
        super().__init__(parent)
        self.setRange(0 if zero else low, high)
        self.setSpecialValueText(zero)
        self.setAccessibleName(name)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(56)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
