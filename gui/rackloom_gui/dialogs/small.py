# SPDX-License-Identifier: Apache-2.0
"""The small dialogs: another name, a reason for accepting, what program this is."""

from PySide6.QtCore import Qt, qVersion
from PySide6.QtSvgWidgets import QSvgWidget
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

import rackloom
from rackloom.design.names import shortened

_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel


class RenameDialog(QDialog):
    """One line with the name selected."""

    def __init__(
        self, title: str, name: str, parent: QWidget | None = None, *, optional: bool = False
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(shortened(title))
        self.edit = QLineEdit(name, self)
        self.edit.setAccessibleName(title)
        self.edit.setMinimumWidth(300)
        self.edit.selectAll()
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        ok = buttons.button(_Ok)
        self.edit.textChanged.connect(lambda text: ok.setEnabled(optional or bool(text.strip())))
        layout = QVBoxLayout(self)
        layout.addWidget(self.edit)
        layout.addWidget(buttons)

    @property
    def name(self) -> str:
        """What was typed."""
        return self.edit.text().strip()


class AcceptDialog(QDialog):
    """Accept a finding, with the reason that stays in the project."""

    def __init__(self, message: str, author: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Accept Problem"))
        text = QLabel(shortened(message, 1000), self)
        text.setTextFormat(Qt.TextFormat.PlainText)  # it holds names, which may look like markup
        text.setWordWrap(True)
        self.reason_edit = QPlainTextEdit(self)
        self.reason_edit.setAccessibleName(self.tr("Reason"))
        self.reason_edit.setPlaceholderText(self.tr("Why this may stay as it is"))
        self.reason_edit.setFixedHeight(80)
        self.reason_edit.setTabChangesFocus(True)
        self.author_edit = QLineEdit(author, self)
        note = QLabel(
            self.tr("It stays listed as accepted, and comes back when what it is about changes."),
            self,
        )
        note.setWordWrap(True)
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._ok = buttons.button(_Ok)
        self._ok.setText(self.tr("Accept"))
        self._ok.setEnabled(False)
        self.reason_edit.textChanged.connect(lambda: self._ok.setEnabled(bool(self.reason)))
        form = QFormLayout()
        form.addRow(self.tr("Reason"), self.reason_edit)
        form.addRow(self.tr("Accepted by"), self.author_edit)
        layout = QVBoxLayout(self)
        layout.addWidget(text)
        layout.addLayout(form)
        layout.addWidget(note)
        layout.addWidget(buttons)
        self.resize(460, self.sizeHint().height())

    @property
    def reason(self) -> str:
        """Why it is accepted."""
        return self.reason_edit.toPlainText().strip()

    @property
    def author(self) -> str:
        """Who accepted it."""
        return self.author_edit.text().strip()


class AboutDialog(QDialog):
    """Name, version, licence, and what it is built with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Rackloom"))
        from importlib.resources import files

        icon = QSvgWidget(self)
        icon.load((files("rackloom_resources") / "icons" / "rackloom.svg").read_bytes())
        icon.setFixedSize(64, 64)
        title = QLabel(f"Rackloom {rackloom.__version__}", self)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        font.setBold(True)
        title.setFont(font)
        text = QLabel(
            self.tr(
                "Draw AI-cluster fabrics, check every port, plug, metre and watt, and see how fast"
                " they will be. Works without a network.\n\n"
                "Apache License 2.0. Built with Qt {0}, PySide6, NumPy, SciPy, networkx, pydantic"
                " and pyqtgraph.\n\nNames of products belong to their owners."
            ).format(qVersion()),
            self,
        )
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (icon, title, text, buttons):
            layout.addWidget(widget)
        self.setFixedWidth(420)
