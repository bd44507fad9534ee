# SPDX-License-Identifier: Apache-2.0
"""Cable labels: a template with tokens, how the first sheet looks, and files for the printer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom.design import Design
from rackloom.reports.errors import ReportError
from rackloom.reports.label_text import TIA_606, TOKENS, template_problem
from rackloom.reports.labels import SHEETS, Label, LabelSheet, labels
from rackloom_gui.dialogs.colouring import ColouringBox
from rackloom_gui.editing import sentence
from rackloom_gui.export.labels import MM, paint_label
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.theme import Theme

AT_ONCE = 2000
"""Labels of more cables than this are written by a thread: 50,000 cables take seconds."""

_Close = QDialogButtonBox.StandardButton.Close
_PAPER, _EDGE = QColor("#ffffff"), QColor("#9aa1a9")


class SheetPreview(QWidget):
    """The first sheet, as it will come out of the printer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[Label] = []
        self._sheet: LabelSheet = next(iter(SHEETS.values()))
        self._skip = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(260, 340)
        self.setAccessibleName(self.tr("Preview of the first sheet"))

    def sizeHint(self) -> QSize:
        return QSize(400, 560)

    def show_labels(self, found: list[Label], sheet: LabelSheet, skip: int) -> None:
        """Show other labels, or another sheet."""
        self._labels, self._sheet, self._skip = found, sheet, skip % sheet.count
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        page_w, page_h = (mm * MM for mm in self._sheet.page_mm)
        scale = min((self.width() - 8) / page_w, (self.height() - 8) / page_h)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate((self.width() - page_w * scale) / 2, (self.height() - page_h * scale) / 2)
        painter.scale(scale, scale)
        painter.fillRect(QRectF(0, 0, page_w, page_h), _PAPER)
        width_mm, height_mm = self._sheet.label_mm
        for number in range(self._sheet.count):
            _page, x_mm, y_mm = self._sheet.place(number)
            box = QRectF(x_mm * MM, y_mm * MM, width_mm * MM, height_mm * MM)
            painter.setPen(_EDGE)
            painter.drawRect(box)
            index = number - self._skip
            if 0 <= index < len(self._labels):
                paint_label(painter, self._labels[index], box)


class LabelsDialog(QDialog):
    """Chooses template, colours and sheet; the window writes the files."""

    export_requested = Signal(str)
    """``pdf`` or ``csv``."""
    template_kept = Signal(str)
    """The template is to be the project's."""

    def __init__(
        self,
        design: Design,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        selection: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Cable Labels"))
        self._design = design
        self._cables = frozenset(i for i in selection if i in design.cables)
        self._tokens = theme.tokens
        self.labels: list[Label] = []
        """Those that would be printed."""
        self._all: list[Label] = []
        self._problem = ""
        self._job = LatestJob(self)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._refuse)
        self.template = QLineEdit(design.settings.label_template or TIA_606, self)
        self.colour = ColouringBox("cable", self)
        self.sheet_choice = QComboBox(self)
        self.skip = QSpinBox(self)
        self.only_selected = QCheckBox(
            self.tr("Only the {0} selected cables").format(len(self._cables)), self
        )
        self.problem = QLabel(self)
        self.count = QLabel(self)
        self.preview = SheetPreview(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(200)
        self._timer.timeout.connect(self.work_out)
        self._build(icons)
        self.work_out()

    def _build(self, icons: Icons) -> None:
        self.template.setAccessibleName(self.tr("Template"))
        self.template.textChanged.connect(lambda _text: self._timer.start())
        tokens = QToolButton(self)
        tokens.setText(self.tr("Insert"))
        tokens.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(tokens)
        for name, meaning in TOKENS.items():
            menu.addAction(f"{{{name}}}   {meaning}").triggered.connect(self._inserter(name))
        tokens.setMenu(menu)
        line = QHBoxLayout()
        line.addWidget(self.template, 1)
        line.addWidget(tokens)
        for sheet in SHEETS.values():
            self.sheet_choice.addItem(sheet.title, sheet.name)
        self.skip.setRange(0, self.sheet.count - 1)
        self.skip.setToolTip(self.tr("Places of a begun sheet that are empty already"))
        self.only_selected.setVisible(bool(self._cables))
        self.colour.currentIndexChanged.connect(lambda _n: self.work_out())
        self.sheet_choice.currentIndexChanged.connect(lambda _n: self._change_sheet())
        self.skip.valueChanged.connect(lambda _n: self._show())
        self.only_selected.toggled.connect(lambda _on: self._show())
        form = QFormLayout()
        form.addRow(self.tr("Template"), line)
        form.addRow(self.tr("Colour"), self.colour)
        form.addRow(self.tr("Sheet"), self.sheet_choice)
        form.addRow(self.tr("Leave empty"), self.skip)
        form.addRow("", self.only_selected)
        for label in (self.problem, self.count):
            label.setWordWrap(True)
        hint = QLabel(self.tr("Print at 100 %, not fitted to the page."), self)
        hint.setWordWrap(True)
        left = QVBoxLayout()
        left.addLayout(form)
        left.addWidget(self.problem)
        left.addWidget(self.count)
        left.addWidget(hint)
        left.addStretch()
        both = QHBoxLayout()
        both.addLayout(left, 3)
        both.addWidget(self.preview, 4)
        buttons = QDialogButtonBox(_Close, self)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.pdf = QPushButton(icons.icon("export"), self.tr("PDF…"), self)
        self.csv = QPushButton(icons.icon("table"), self.tr("CSV…"), self)
        self.keep = QPushButton(self.tr("Keep for This Project"), self)
        self.keep.setToolTip(self.tr("The project's labels are written by this template"))
        self.pdf.clicked.connect(lambda: self.export_requested.emit("pdf"))
        self.csv.clicked.connect(lambda: self.export_requested.emit("csv"))
        self.keep.clicked.connect(lambda: self.template_kept.emit(self.template.text()))
        for button in (self.pdf, self.csv, self.keep):
            button.setAutoDefault(False)
            buttons.addButton(button, role)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(both, 1)
        layout.addWidget(buttons)
        self.resize(860, 620)

    def _change_sheet(self) -> None:
        self.skip.setMaximum(self.sheet.count - 1)
        self._show()

    def _inserter(self, name: str) -> object:
        def insert(_checked: bool = False) -> None:
            self.template.insert(f"{{{name}}}")
            self.template.setFocus(Qt.FocusReason.OtherFocusReason)

        return insert

    @property
    def sheet(self) -> LabelSheet:
        """The chosen sheet."""
        return SHEETS[self.sheet_choice.currentData()]

    def work_out(self) -> None:
        """Write the labels anew; says what is wrong with the template instead."""
        self._timer.stop()
        work = partial(labels, self._design, self.template.text(), self.colour.currentData())
        problem = template_problem(self.template.text() or TIA_606)
        if problem or len(self._design.cables) <= AT_ONCE:
            self._job.cancel()
            try:
                self._take(work())
            except ReportError as error:
                self._refuse(error)
        else:
            self._job.ask(work)
            self._show()

    def _take(self, found: list[Label]) -> None:
        self._all, self._problem = found, ""
        self._show()

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, ReportError):
            raise error
        self._all, self._problem = [], sentence(str(error))
        self._show()

    def done(self, result: int) -> None:
        self._job.cancel()
        super().done(result)

    def _show(self) -> None:
        """What was written, on the chosen sheet; or that it is being written."""
        problem, writing = self._problem, self._job.pending
        self.labels = [] if writing else self._all
        if self._cables and self.only_selected.isChecked():
            self.labels = [label for label in self.labels if label.cable in self._cables]
        self.problem.setText(problem)
        self.problem.setStyleSheet(f"color: {self._tokens.error_text.name()};")
        self.problem.setVisible(bool(problem) and not writing)
        sheets = -(-(len(self.labels) + self.skip.value()) // self.sheet.count)
        locale = self.locale()
        self.count.setText(
            self.tr("{0} labels on {1} sheets").format(
                locale.toString(len(self.labels)), locale.toString(sheets)
            )
        )
        if writing:
            self.count.setText(self.tr("The labels are being written…"))
        self.count.setVisible(writing or not problem)
        for button in (self.pdf, self.csv):
            button.setEnabled(bool(self.labels))
        self.keep.setEnabled(not problem and not writing)
        self.preview.show_labels(self.labels, self.sheet, self.skip.value())
