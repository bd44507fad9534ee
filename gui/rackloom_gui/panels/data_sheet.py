# SPDX-License-Identifier: Apache-2.0
"""A part in full: its faces, every figure with its source and trust, and its use in the design."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import Part, PartId
from rackloom.catalog.words import Trust
from rackloom.design import Design
from rackloom_gui.icons import Icons
from rackloom_gui.panels.faceplate_view import FaceplateView
from rackloom_gui.panels.figures import key_figures
from rackloom_gui.panels.sheet_lines import SheetLine, sheet_lines
from rackloom_gui.theme import Theme, Tokens

TRUST_MARK = {Trust.DATASHEET: "●", Trust.SECONDARY: "◐", Trust.ESTIMATE: "○"}
"""Full, half, empty: shape says it, not colour."""


def uses_of(design: Design, part_id: PartId) -> list[str]:
    """Ids of what is made of a part: racks, devices, cards' servers, transceivers, cables."""
    found = [
        entity.id
        for table in ("racks", "devices", "modules", "cables")
        for entity in design.table(table).values()
        if entity.part == part_id
    ]
    for device in design.devices.values():
        found += [device.id for _, card in device.cards if card == part_id]
    return found


class DataSheet(QWidget):
    """Everything that is known of one part, and what can be done with it."""

    place_requested = Signal(object)
    """(Part): put it into the design."""
    select_requested = Signal(list)
    """(ids): select what is made of the part."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._catalog = Catalog(())
        self.part: Part | None = None
        self._design = Design()
        self.title = QLabel(self)
        self.below = QLabel(self)
        self.badge = QLabel(self)
        self.face = FaceplateView(theme, self)
        self.sheet = QTextBrowser(self)
        self.place = QPushButton(icons.icon("add"), self.tr("Place"), self)
        self.uses = QPushButton(self)
        self._build()
        theme.changed.connect(self._on_theme_changed)

    def _build(self) -> None:
        font = self.title.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.2)
        self.title.setFont(font)
        for label in (self.title, self.below, self.badge):
            label.setWordWrap(True)
        self.badge.setText(
            self.tr("Illustrative: stands for a kind of product, to plan with and not to order.")
        )
        self.sheet.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.sheet.setOpenExternalLinks(False)
        self.sheet.setOpenLinks(False)
        self.sheet.setAccessibleName(self.tr("Data sheet"))
        self.place.setToolTip(self.tr("Put it where it fits: into the selected rack or device"))
        self.place.clicked.connect(lambda: self.place_requested.emit(self.part))
        self.uses.clicked.connect(self._select_uses)
        row = QHBoxLayout()
        row.addWidget(self.place)
        row.addWidget(self.uses)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(6)
        for widget in (self.title, self.below, self.badge):
            layout.addWidget(widget)
        layout.addLayout(row)
        layout.addWidget(self.face)
        layout.addWidget(self.sheet, 1)
        self.setMinimumWidth(340)

    def set_catalog(self, catalog: Catalog) -> None:
        """Where the sources of figures are looked up."""
        self._catalog = catalog

    def show_part(
        self, part: Part | None, design: Design, uses: int, *, placeable: str = ""
    ) -> None:
        """Show a part; ``placeable`` says why it cannot be placed, empty where it can."""
        self.part = part
        self.setVisible(part is not None)
        if part is None:
            return
        self.title.setText(part.title)
        below = [key_figures(part)]
        if part.description and part.description != below[0]:
            below.append(part.description)
        self.below.setText("\n".join(line for line in below if line))
        self.badge.setVisible(part.illustrative)
        self.place.setEnabled(not placeable)
        if placeable:
            self.place.setToolTip(placeable)
        self.face.show_part(part, self._catalog)
        self._dress()
        self.show_uses(design, uses)

    def _select_uses(self) -> None:
        if self.part is not None:
            self.select_requested.emit(uses_of(self._design, self.part.id))

    def show_uses(self, design: Design, count: int) -> None:
        """How often the part is used in the design; a click looks for what is made of it."""
        self._design = design
        if not count:
            text = self.tr("Not used in this design")
        elif count == 1:
            text = self.tr("Used once in this design")
        else:
            text = self.tr("Used {0} times in this design").format(self.locale().toString(count))
        self.uses.setText(text)
        self.uses.setEnabled(bool(count))
        self.uses.setToolTip(self.tr("Select what is made of it") if count else "")

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._dress()

    def _dress(self) -> None:
        quiet, warning = self._tokens.text_muted.name(), self._tokens.warning_text.name()
        self.below.setStyleSheet(f"color: {quiet};")
        self.badge.setStyleSheet(f"color: {warning};")
        if self.part is not None:
            self.sheet.setHtml(self._html(self.part))

    def _html(self, part: Part) -> str:
        rows = "".join(self._row(line, part) for line in sheet_lines(part, self._catalog))
        quiet = self._tokens.text_muted.name()
        words, unnamed = self._trust_words(), self.tr("not described")
        legend = " &nbsp; ".join(f"{TRUST_MARK[t]} {escape(words[t])}" for t in Trust)
        text = f"<table cellspacing='0' cellpadding='2' width='100%'>{rows}</table>"
        text += f"<p style='color:{quiet}'>{legend}</p>"
        if part.sources:
            sources = "".join(
                f"<br>{n}&nbsp; {escape(self._catalog.sources.get(key, f'{key}: {unnamed}'))}"
                for n, key in enumerate(part.sources, start=1)
            )
            text += f"<p><b>{escape(self.tr('Sources'))}</b>{sources}</p>"
        else:
            text += f"<p><b>{escape(self.tr('Sources'))}</b><br>{escape(self.tr('none named'))}</p>"
        if part.notes:
            text += f"<p><b>{escape(self.tr('Notes'))}</b><br>{escape(part.notes)}</p>"
        return text

    def _trust_words(self) -> dict[Trust, str]:
        return {
            Trust.DATASHEET: self.tr("the maker's data sheet"),
            Trust.SECONDARY: self.tr("a secondary source"),
            Trust.ESTIMATE: self.tr("an estimate"),
        }

    def _row(self, line: SheetLine, part: Part) -> str:
        quiet = self._tokens.text_muted.name()
        value = escape(line.text)
        if not line.known:
            value = f"<i style='color:{quiet}'>{value}</i>"
        mark = ""
        if line.trust is not None:
            count = 0 if line.trust is Trust.ESTIMATE else len(part.sources)
            where = "" if not count else " 1" if count == 1 else f" 1–{count}"
            mark = f"{TRUST_MARK[line.trust]}{where}"
        return (
            f"<tr><td style='color:{quiet}'>{escape(line.label)}</td><td>{value}</td>"
            f"<td style='color:{quiet}' align='right' width='48'>{mark}</td></tr>"
        )
