# SPDX-License-Identifier: Apache-2.0
"""What the colours of cables and labels may stand for, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QComboBox, QWidget

from rackloom_gui.refusals import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from rackloom.reports.colouring import ColourBy

WORDS: dict[ColourBy, str] = {
    "cable": QT_TRANSLATE_NOOP("Colouring", "the cable's own"),
    "fabric": QT_TRANSLATE_NOOP("Colouring", "by network"),
    "rail": QT_TRANSLATE_NOOP("Colouring", "by rail"),
    "none": QT_TRANSLATE_NOOP("Colouring", "none"),
}


class ColouringBox(QComboBox):
    """Chooses one; `currentData` is its name in `rackloom.reports.colouring`."""

    def __init__(self, chosen: str, parent: QWidget) -> None:
        super().__init__(parent)
        for name, words in WORDS.items():
            self.addItem(QCoreApplication.translate("Colouring", words), name)
        self.setCurrentIndex(max(self.findData(chosen), 0))
