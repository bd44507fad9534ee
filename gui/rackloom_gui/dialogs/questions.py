# SPDX-License-Identifier: Apache-2.0
"""What a session asks its user: which file, what about unsaved work, what about recovered work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QDateTime, QObject, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from rackloom.files import SUFFIX, Recovery, WaitingJournal
from rackloom_gui.dialogs.asking import ask, run
from rackloom_gui.dialogs.colouring import ColouringBox

Found = list[tuple[WaitingJournal, Recovery]]


class WindowQuestions(QObject):
    """Asks with dialogs over a window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def _filter(self) -> str:
        return self.tr("Rackloom designs (*{0});;All files (*)").format(SUFFIX)

    def path_to_open(self, folder: Path) -> Path | None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Open Design"), str(folder), self._filter()
        )
        return Path(name) if name else None

    def path_to_save(self, suggestion: Path) -> Path | None:
        name, _ = QFileDialog.getSaveFileName(
            self._window, self.tr("Save Design As"), str(suggestion), self._filter()
        )
        return Path(name) if name else None

    def path_to_export(self, title: str, suggestion: Path, filters: str) -> Path | None:
        """Where to write an export; None: given up."""
        name, _ = QFileDialog.getSaveFileName(self._window, title, str(suggestion), filters)
        return Path(name) if name else None

    def drawing_to_export(
        self, title: str, suggestion: Path, filters: str, cords: bool
    ) -> tuple[Path, bool] | None:
        """Where to write a drawing of racks, and whether with power cords; None: given up."""
        dialog = DrawingDialog(self._window, title, suggestion, filters, cords)
        if not ask(dialog) or not dialog.selectedFiles():
            return None
        return Path(dialog.selectedFiles()[0]), dialog.cords.isChecked()

    def schedule_to_export(
        self, title: str, suggestion: Path, filters: str, colour: str
    ) -> tuple[Path, str] | None:
        """Where to write a cable schedule, and what its colours stand for; None: given up."""
        dialog = ScheduleDialog(self._window, title, suggestion, filters, colour)
        if not ask(dialog) or not dialog.selectedFiles():
            return None
        return Path(dialog.selectedFiles()[0]), dialog.colour.currentData()

    def unsaved(self, title: str) -> str:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(self.tr("{0} has changes that are not saved.").format(title))
        box.setInformativeText(self.tr("Save them before going on?"))
        roles = QMessageBox.StandardButton
        box.setStandardButtons(roles.Save | roles.Discard | roles.Cancel)
        box.setDefaultButton(roles.Save)
        answer = run(box)
        return {roles.Save.value: "save", roles.Discard.value: "discard"}.get(answer, "cancel")

    def changed_on_disk(self, title: str) -> str:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(
            self.tr("{0} was changed by another program since it was opened.").format(title)
        )
        box.setInformativeText(self.tr("Overwriting it loses what was changed there."))
        over = box.addButton(self.tr("Overwrite"), QMessageBox.ButtonRole.DestructiveRole)
        other = box.addButton(self.tr("Save As…"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(other)
        run(box)
        if box.clickedButton() is over:
            return "overwrite"
        return "save_as" if box.clickedButton() is other else "cancel"

    def recovered(self, found: Found) -> list[tuple[Any, str]]:
        dialog = RecoveryDialog(found, self._window)
        ask(dialog)
        return dialog.answers()


class _ExportDialog(QFileDialog):
    """A dialog for a file's name, with room for what else there is to choose."""

    def __init__(self, parent: QWidget, title: str, suggestion: Path, filters: str) -> None:
        super().__init__(parent, title, str(suggestion.parent), filters)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setOption(QFileDialog.Option.DontUseNativeDialog)  # no other takes a box of ours
        self.selectFile(suggestion.name)

    def add_choice(self, choice: QWidget, label: QLabel | None = None) -> None:
        """A line below the file's name and type."""
        grid = self.layout()
        assert isinstance(grid, QGridLayout)
        row = grid.rowCount()
        if label is not None:
            label.setBuddy(choice)
            grid.addWidget(label, row, 0)
        grid.addWidget(choice, row, 1)


class ScheduleDialog(_ExportDialog):
    """Asks for a cable schedule's file, and what the colours in it stand for."""

    def __init__(
        self, parent: QWidget, title: str, suggestion: Path, filters: str, colour: str
    ) -> None:
        super().__init__(parent, title, suggestion, filters)
        self.colour = ColouringBox(colour, self)
        self.colour.setToolTip(
            self.tr("A cable that was given a colour of its own keeps it, unless none has any")
        )
        self.add_choice(self.colour, QLabel(self.tr("Cab&le colours:"), self))


class DrawingDialog(_ExportDialog):
    """Asks for a drawing's file, and what the drawing shall show."""

    def __init__(
        self, parent: QWidget, title: str, suggestion: Path, filters: str, cords: bool
    ) -> None:
        super().__init__(parent, title, suggestion, filters)
        self.cords = QCheckBox(self.tr("Draw the power &cords"), self)
        self.cords.setToolTip(self.tr("Seen from the side where the PDUs hang, as a rule the rear"))
        self.cords.setChecked(cords)
        self.add_choice(self.cords)


class RecoveryDialog(QDialog):
    """What a crash left behind: restore one, discard, or leave it for later."""

    def __init__(self, found: Found, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Unsaved Work Was Found"))
        self.setModal(True)
        self._found = found
        self._answers = ["later"] * len(found)
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Unsaved designs"))
        self._list.setAlternatingRowColors(True)
        for entry in found:
            self._list.addItem(self._item(*entry))
        self._list.setCurrentRow(0)
        self._list.setMinimumSize(520, 110)
        text = QLabel(self.tr("Rackloom did not end as it should. This was not saved then:"), self)
        text.setWordWrap(True)
        buttons = QDialogButtonBox(self)
        restore = buttons.addButton(self.tr("Restore"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.discard_button = QPushButton(self.tr("Discard"), self)
        buttons.addButton(self.discard_button, QDialogButtonBox.ButtonRole.DestructiveRole)
        buttons.addButton(self.tr("Later"), QDialogButtonBox.ButtonRole.RejectRole)
        restore.setDefault(True)
        self.restore_button = restore
        restore.clicked.connect(lambda _checked=False: self._restore())
        self.discard_button.clicked.connect(lambda _checked=False: self._discard())
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(text)
        layout.addWidget(self._list)
        row = QHBoxLayout()
        row.addWidget(buttons)
        layout.addLayout(row)

    def _item(self, journal: WaitingJournal, recovery: Recovery) -> QListWidgetItem:
        name = journal.project.name if journal.project else self.tr("never saved")
        when = QDateTime.fromSecsSinceEpoch(int(recovery.time_s))
        time = self.locale().toString(when, "yyyy-MM-dd HH:mm:ss")
        last = recovery.labels[-1] if recovery.labels else ""
        steps = self.tr("{0} steps, the last one: {1}").format(recovery.steps, last)
        item = QListWidgetItem(f"{name}\n{time}: {steps}")
        item.setToolTip(str(journal.project or ""))
        return item

    def _restore(self) -> None:
        self._answers[self._list.currentRow()] = "restore"
        self.accept()

    def _discard(self) -> None:
        row = self._list.currentRow()
        self._answers[row] = "discard"
        item = self._list.item(row)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        left = [n for n, answer in enumerate(self._answers) if answer == "later"]
        if left:
            self._list.setCurrentRow(left[0])
        else:
            self.reject()

    def answers(self) -> list[tuple[Any, str]]:
        """What was decided for each."""
        return list(zip(self._found, self._answers, strict=True))
