# SPDX-License-Identifier: Apache-2.0
"""What the pages of the inspector have in common: a head, sections, fields, figures, links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import Part
from rackloom.catalog.words import Trust
from rackloom.design import Change, Design, Step
from rackloom.design.names import shortened
from rackloom_gui.document import Document
from rackloom_gui.editing import Editing
from rackloom_gui.icons import Icons
from rackloom_gui.panels.fields import Field
from rackloom_gui.panels.figures import Figure, part_figures
from rackloom_gui.theme import Theme
from rackloom_gui.widgets.text import ElidedLabel

if TYPE_CHECKING:
    from rackloom.reports.power_total import PowerTotal

Getter = Callable[[Any], Any]
LONGEST_LINK = 40
"""Characters of a link: a longer one would make the whole form wider than its panel."""


class LinkButton(QToolButton):
    """A quiet button that leaves out the middle of its text where the panel is too narrow."""

    def __init__(self, parent: QWidget, colour: QColor) -> None:
        super().__init__(parent)
        self._colour = colour
        self.setAutoRaise(True)
        self.setStyleSheet("QToolButton { border: 0; padding: 1px 2px; }")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        size.setWidth(min(size.width(), 60))
        return size

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, rect = QPainter(self), self.rect().adjusted(2, 0, -2, 0)
        font = self.font()
        font.setUnderline(self.underMouse() or self.hasFocus())
        painter.setFont(font)
        painter.setPen(self._colour)
        text = self.text().replace("&&", "&")
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, rect.width())
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, int(align | Qt.TextFlag.TextSingleLine), shown)
        painter.end()


class PageTools:
    """What a page needs of the window."""

    def __init__(
        self,
        document: Document,
        editing: Editing,
        theme: Theme,
        icons: Icons,
        show_ids: Callable[[list[str]], None],
    ) -> None:
        self.document = document
        self.editing = editing
        self.theme = theme
        self.icons = icons
        self.show_ids = show_ids
        self.catalog: Catalog = editing.catalog
        document.stepped.connect(self._follow)
        document.replaced.connect(lambda _design: vars(self).pop("power", None))

    @cached_property
    def power(self) -> PowerTotal:
        """What devices draw; an empty window asks for no sum, and need not wait for the reports."""
        from rackloom.reports.power_total import PowerTotal

        return PowerTotal()

    def _follow(self, step: Step) -> None:
        if "power" in vars(self):
            self.power.follow(self.document.design, step.change)


class Page(QWidget):
    """A form over the selected things of one kind. Subclasses fill it in `build`."""

    kind = ""
    """The table whose entities it shows."""
    rebuild_tables: frozenset[str] = frozenset()
    """Tables a change of which means another form, not just other values."""

    def __init__(self, tools: PageTools, ids: Sequence[str]) -> None:
        super().__init__()
        self.tools = tools
        self.ids = list(ids)
        self._rows: list[tuple[Field, Getter]] = []
        self._texts: list[tuple[QLabel, Callable[[], str]]] = []
        self._form: QFormLayout | None = None
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(12, 10, 12, 12)
        self.box.setSpacing(6)
        self.build()
        self.box.addStretch()

    # -- for subclasses -----------------------------------------------------------------------

    def build(self) -> None:
        """Put the widgets in."""
        raise NotImplementedError

    @property
    def design(self) -> Design:
        """The design as it is now."""
        return self.tools.document.design

    def entities(self) -> list[Any]:
        """The things shown, as they are now."""
        rows = self.design.table(self.kind)
        return [rows[i] for i in self.ids if i in rows]

    def edit(self, label: str, edit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Make an edit; a refusal is told and the fields show what is there."""
        result = self.tools.editing.run(label, edit, *args, **kwargs)
        self.refresh()
        return result

    def must_rebuild(self, design: Design, change: Change) -> bool:
        """Whether a change needs another form."""
        rows = design.table(self.kind)
        return bool(self.rebuild_tables & change.tables) or any(i not in rows for i in self.ids)

    def adopt(self, ids: Sequence[str]) -> bool:
        """Show other things in this form, from the next `refresh` on; False: they need another."""
        del ids
        return False

    def refresh(self) -> None:
        """Show the values as they are now."""
        entities = self.entities()
        if not entities:
            return
        for field, getter in self._rows:
            field.show_values([getter(entity) for entity in entities])
        for label, text in self._texts:
            label.setText(text())

    # -- building blocks ----------------------------------------------------------------------

    def head(self, icon: str, title: Callable[[], str], below: Callable[[], str]) -> None:
        """The name of what is shown, and in small what it is."""
        row = QHBoxLayout()
        row.setSpacing(10)
        picture = QLabel(self)
        ratio = self.devicePixelRatioF()
        tokens = self.tools.theme.tokens
        picture.setPixmap(self.tools.icons.pixmap(icon, tokens.text_muted, 24, ratio))
        picture.setAlignment(Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(0)
        name = ElidedLabel(parent=self)
        font = name.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        name.setFont(font)
        small = ElidedLabel(parent=self)
        self._quiet(small)
        words.addWidget(name)
        words.addWidget(small)
        row.addWidget(picture)
        row.addLayout(words, 1)
        self.box.addLayout(row)
        self._texts += [(name, title), (small, below)]

    def section(self, title: str = "") -> QFormLayout:
        """Begin a group of lines."""
        if title:
            line = QFrame(self)
            line.setFrameShape(QFrame.Shape.HLine)
            line.setFrameShadow(QFrame.Shadow.Plain)
            line.setFixedHeight(1)
            border = self.tools.theme.tokens.border
            line.setStyleSheet(f"color: {border.name()}; background: {border.name()};")
            self.box.addSpacing(4)
            self.box.addWidget(line)
            label = QLabel(title, self)
            font = label.font()
            font.setBold(True)
            label.setFont(font)
            self.box.addWidget(label)
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(10)
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        self.box.addLayout(form)
        self._form = form
        return form

    def field(
        self,
        label: str,
        field: Field,
        getter: Getter,
        commit: Callable[[Any], object],
        tip: str = "",
    ) -> None:
        """A line with a field one can change."""
        assert self._form is not None
        name = self._label(label)
        name.setBuddy(field)
        name.setToolTip(tip)
        field.setToolTip(tip)
        field.committed.connect(commit)
        self._form.addRow(name, field)
        self._rows.append((field, getter))

    def text(self, label: str, text: Callable[[], str], tip: str = "") -> QLabel:
        """A line one can read only; worked out again on each change."""
        assert self._form is not None
        shown = self._value()
        shown.setToolTip(tip)
        self._form.addRow(self._label(label), shown)
        self._texts.append((shown, text))
        return shown

    def link(self, label: str, text: str, ids: list[str]) -> QToolButton:
        """A line whose value selects and shows something else; it follows changes of ``ids``."""
        assert self._form is not None
        button = self.link_button(text, ids)
        self._form.addRow(self._label(label), button)
        return button

    def link_button(self, text: str, ids: list[str]) -> QToolButton:
        """A quiet button that selects and shows something else."""
        button = LinkButton(self, self.tools.theme.tokens.accent)
        self.name_link(button, text)
        button.clicked.connect(partial(self._follow, ids))
        return button

    def name_link(self, button: QToolButton, text: str) -> None:
        """Say what a link leads to."""
        button.setText(shortened(text, LONGEST_LINK).replace("&", "&&"))
        tip = self.tr("Select {0} and show it").format(shortened(text, 200))
        button.setToolTip(f"<qt>{escape(tip)}</qt>")

    def _follow(self, ids: list[str], _checked: bool = False) -> None:
        self.tools.show_ids(ids)

    def figures(self, part: Part) -> None:
        """Everything the catalogue knows of a part, with how far each figure can be trusted."""
        form = self.section(self.tr("Data sheet"))
        for figure in part_figures(part):
            form.addRow(self._label(figure.label), self._figure(figure, part))
        if part.notes:
            note = QLabel(part.notes, self)
            note.setWordWrap(True)
            self._quiet(note)
            self.box.addWidget(note)

    def _figure(self, figure: Figure, part: Part) -> QWidget:
        value = self._value()
        value.setText(figure.text)
        if not figure.known:
            self._quiet(value)
        if figure.trust is None:
            return value
        row = QWidget(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(value, 1)
        if figure.known:
            mark = QLabel(_TRUST_MARK[figure.trust], row)
            self._quiet(mark)
            tip = self._trust_tip(figure.trust, part)
            mark.setToolTip(tip)
            mark.setAccessibleName(tip)
            value.setToolTip(tip)
            layout.addWidget(mark)
        return row

    def _trust_tip(self, trust: Trust, part: Part) -> str:
        words = {
            Trust.DATASHEET: self.tr("From the maker's data sheet"),
            Trust.SECONDARY: self.tr("From a secondary source"),
            Trust.ESTIMATE: self.tr("An estimate"),
        }
        sources = self.tools.catalog.sources
        named = [sources.get(key, key) for key in part.sources]
        return "\n".join([words[trust], *named])

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        self._quiet(label)
        label.setMinimumWidth(84)
        return label

    def _value(self) -> QLabel:
        label = QLabel(self)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        return label

    def _quiet(self, label: QLabel) -> None:
        palette = label.palette()
        palette.setColor(label.foregroundRole(), self.tools.theme.tokens.text_muted)
        label.setPalette(palette)


_TRUST_MARK = {Trust.DATASHEET: "●", Trust.SECONDARY: "◐", Trust.ESTIMATE: "○"}
"""Full, half, empty: shape says it, not colour."""
