# SPDX-License-Identifier: Apache-2.0
"""The row of small buttons beside the headline of the chart."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from rackloom_gui.icons import Icons


class ChartTools(QWidget):
    """What can be done with the curve: show where it binds, keep it, lay a log over it, copy it."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(2)
        self._buttons: list[QToolButton] = []
        self.where = self._button("goto", self.tr("Show what limits it"))
        self.cut = self._button("eye", self.tr("Paint the binding cut on the drawing"))
        self.cut.setCheckable(True)
        self.pin = self._button("pin", self.tr("Keep this curve to compare with"))
        self.log = self._button("open", self.tr("Lay a log of nccl-tests over the chart"))
        self.copy_picture = self._button("image", self.tr("Copy as picture"))
        self.copy_csv = self._button("table", self.tr("Copy as CSV"))
        icons.changed.connect(self._load_icons)

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("iconName", icon)
        button.setIcon(self._icons.icon(icon))
        button.setIconSize(QSize(16, 16))
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        self._buttons.append(button)
        self._line.addWidget(button)
        return button

    def _load_icons(self) -> None:
        for button in self._buttons:
            button.setIcon(self._icons.icon(str(button.property("iconName"))))

    def enable(self, on: bool) -> None:
        """Whether there is a curve; a log can be opened without one."""
        for button in self._buttons:
            button.setEnabled(on or button is self.log)
