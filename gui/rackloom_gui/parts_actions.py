# SPDX-License-Identifier: Apache-2.0
"""What the Parts menu and the panels for ordering and power do in a main window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from rackloom.catalog.errors import CatalogError
from rackloom.catalog.parts import Part
from rackloom.catalog.user_parts import load_catalog, remove_own
from rackloom.design import Draft, edits
from rackloom.design.buying import remove_price_list, set_price_list, set_spares
from rackloom.design.ids import DeviceId
from rackloom.design.kept import Kept, Lost
from rackloom_gui.dialogs.asking import ask
from rackloom_gui.editing import sentence

if TYPE_CHECKING:
    from rackloom_gui.dialogs.labels import LabelsDialog
    from rackloom_gui.main_window import MainWindow
    from rackloom_gui.panels.bom import BomPanel
    from rackloom_gui.panels.parts_browser import PartsBrowser
    from rackloom_gui.panels.power import PowerPanel


class PartsActions(QObject):
    """Browser, own parts, swapping; bill, labels and power as files."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.browser: PartsBrowser | None = None
        window.panels.bom.then(self._wire_bill)
        window.panels.power.then(self._wire_power)
        window.document.state_changed.connect(window.banner.look_again)
        window.editing.unkept.connect(self.tell_losses)
        problems = window.problems.view
        problems.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        problems.customContextMenuRequested.connect(self._rule_menu)

    def _wire_bill(self, bill: BomPanel) -> None:
        bill.select_requested.connect(self._show)
        bill.export_requested.connect(self.export_bom)
        bill.spares_requested.connect(self.spares)
        bill.prices_requested.connect(self.prices)
        bill.labels_requested.connect(self.labels)
        bill.fault.connect(self._window.analysis.fault)

    def _wire_power(self, power: PowerPanel) -> None:
        power.select_requested.connect(self._show)
        power.export_requested.connect(self.export_power)
        power.fault.connect(self._window.analysis.fault)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """By action id."""
        return {
            "parts.browse": self.browse,
            "parts.add": self.add_files,
            "parts.new": partial(self.own_form, None),
            "parts.swap": self.swap,
            "export.bom": self.export_bom,
            "export.labels": self.labels,
            "export.power": partial(self.export_power, "places"),
        }

    def _show(self, ids: list[str]) -> None:
        """Select what a line stands for, and show what of it is drawn."""
        design = self._window.document.design
        drawn = [
            i
            for i in ids
            if any(i in design.table(t) for t in ("racks", "devices", "cables", "rows", "feeds"))
        ]
        owners = [design.modules[i].device for i in ids if i in design.modules]  # type: ignore[index]
        owners += [design.cords[i].device for i in ids if i in design.cords]  # type: ignore[index]
        self._window.show_ids(list(dict.fromkeys([*drawn, *owners])))

    # -- catalogue --------------------------------------------------------------------------------

    def browse(self) -> None:
        """Open the parts browser, on the part that is at hand."""
        from rackloom_gui.panels.parts_browser import PartsBrowser

        window = self._window
        if self.browser is None:
            self.browser = PartsBrowser(window.document, window.theme, window.icons, window)
            self.browser.set_catalog(window.editing.catalog)
            self.browser.place_requested.connect(self._place)
            self.browser.select_requested.connect(self._show)
            self.browser.own_requested.connect(self._own)
        for device in window.document.selected("devices")[:1]:
            self.browser.show_part(window.document.design.devices[device].part)  # type: ignore[index]
        self.browser.show()
        self.browser.raise_()
        self.browser.activateWindow()

    def _place(self, part: Part) -> None:
        self._window.bindings.insert(part)

    def reload(self, show: str = "") -> None:
        """Read the user's catalogue again, and show it everywhere."""
        window = self._window
        catalog = load_catalog()
        window.set_catalog(catalog)
        if self.browser is not None:
            self.browser.set_catalog(catalog)
            if show:
                self.browser.show_part(show)
        for problem in catalog.problems[:1]:
            window.banner.say("warning", sentence(problem))

    def _parent(self) -> QWidget:
        browser = self.browser
        return browser if browser is not None and browser.isVisible() else self._window

    def _own(self, what: str, part: Part | None) -> None:
        match what:
            case "add":
                self.add_files()
            case "new":
                self.own_form(None)
            case "copy" if part is not None:
                self.own_form(part)
            case "edit" if part is not None:
                self.own_form(part, edit=True)
            case "remove" if part is not None:
                self._remove(part)

    def add_files(self) -> None:
        """Add catalogue files and NetBox device types to the user's catalogue."""
        window = self._window
        names, _chosen = QFileDialog.getOpenFileNames(
            self._parent(),
            self.tr("Add Parts from Files"),
            str(window.settings.folder),
            self.tr("Catalogue files and NetBox device types (*.yaml *.yml)"),
        )
        if names:
            self.add_paths([Path(name) for name in names])

    def add_paths(self, paths: list[Path]) -> None:
        """Add these files, and show what came of it."""
        from rackloom_gui.dialogs.own_part import AddDialog

        dialog = AddDialog(paths, self._window.icons, self._parent())
        ask(dialog)
        if dialog.report.added:
            self.reload(dialog.report.added[-1].part.id)

    def own_form(self, base: Part | None, *, edit: bool = False) -> None:
        """Describe a part of one's own, from nothing or from another part."""
        from rackloom_gui.dialogs.own_part import OwnPartDialog

        window = self._window
        dialog = OwnPartDialog(window.editing.catalog, base, self._parent(), edit=edit)
        if ask(dialog) and dialog.part is not None:
            self.reload(dialog.part.id)
            window.status.say(self.tr("{0} is in your catalogue.").format(dialog.part.title))

    def _remove(self, part: Part) -> None:
        answer = QMessageBox.question(
            self._parent(),
            self.tr("Remove Part"),
            self.tr("Take {0} out of your catalogue? Designs that use it keep it.").format(
                part.title
            ),
        )
        if answer != QMessageBox.StandardButton.Yes:
            return
        try:
            remove_own(part.id)
        except (CatalogError, OSError) as error:
            self._window.banner.say("error", sentence(str(error)))
        self.reload()

    def swap(self) -> None:
        """Another part in the place of the selected devices or cables."""
        from rackloom.design.exchanging import cables_at, darkened, exchange
        from rackloom_gui.dialogs.swap_part import SwapDialog, what_words

        window = self._window
        before = window.document.design
        ids = window.document.selected("devices") or window.document.selected("cables")
        kinds = {type(before.device_part(DeviceId(i))) for i in ids if i not in before.cables}
        if not ids or len(kinds) > 1:
            window.status.say(self.tr("Select devices of one kind: only servers, or switches."))
            return
        dialog = SwapDialog(before, window.editing.catalog, ids, window.icons, window)
        if not ask(dialog) or dialog.part is None:
            return
        label = self.tr("Swap {0} for {1}").format(what_words(before, ids), dialog.part.model)
        kept = window.editing.run(label, exchange, ids, dialog.part)
        if kept is not None:
            dark = darkened(before, window.document.design, cables_at(before, ids))
            self.tell_losses(label, [*kept, dark])

    def tell_losses(self, label: str, kept: Sequence[Kept]) -> None:
        """After a step: what it could not keep, above the drawing and in full behind a button.

        What was kept in another way, or needs a hand now, is told after it, or alone.
        """
        losses = [loss for report in kept for loss in report.lost]
        notes = [Lost((), note) for report in kept for note in report.notes]
        told = [*losses, *notes]
        if not told:
            return
        window = self._window
        undone = window.document.undone()
        text = sentence(told[0].message)
        if losses:
            text = sentence(self.tr("Not kept: {0}").format(losses[0].message))
        more = None
        if len(told) > 1:
            text += self.tr(" And {0} more.").format(len(told) - 1)
            more = (self.tr("Show All"), partial(self._show_losses, label, losses, notes, undone))
        window.banner.say("warning" if losses else "info", text, undone, more)

    def _show_losses(
        self,
        label: str,
        losses: Sequence[Lost],
        notes: Sequence[Lost],
        undone: Callable[[], bool],
    ) -> None:
        from rackloom_gui.dialogs.losses import LossesDialog

        dialog = LossesDialog(label, losses, notes, undone, self._window)
        dialog.show_requested.connect(self._show)
        self._window.document.state_changed.connect(dialog.look_again)
        dialog.show()

    # -- rules ------------------------------------------------------------------------------------

    def _rule_menu(self, at: QPoint) -> None:
        """The right button on a problem: how bad its rule is here, and accepting it."""
        window = self._window
        view, model = window.problems.view, window.problems.model
        index = view.indexAt(at)
        chosen = model.kind(index)
        finding = chosen.first if chosen is not None else model.finding(index)
        rule = model.rule_at(index)
        if not rule:
            return
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if finding is not None and finding.accepted is None:
            accept = menu.addAction(window.icons.icon("accept"), self.tr("Accept with a Reason…"))
            what = chosen or finding
            accept.triggered.connect(lambda: window.problems.accept_requested.emit(what))
            menu.addSeparator()
        now = window.document.design.severities.get(rule)
        for level, text in (
            (None, self.tr("Severity: its own")),
            ("error", self.tr("Severity: error")),
            ("warning", self.tr("Severity: warning")),
            ("info", self.tr("Severity: notice")),
            ("off", self.tr("Turn this rule off")),
        ):
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked((now.severity if now is not None else None) == level)
            action.setEnabled(not window.context.read_only)
            action.triggered.connect(partial(self._set_severity, rule, level))
        menu.addSeparator()
        menu.addAction(self.tr("All Rules…")).triggered.connect(
            lambda: window.actions_table.trigger("edit.settings")
        )
        menu.popup(view.viewport().mapToGlobal(at))

    def _set_severity(self, rule: str, level: str | None, _checked: bool = False) -> None:
        label = self.tr("Change severity of {0}").format(rule)
        self._window.editing.run(label, edits.set_severity, rule, level)

    # -- ordering ---------------------------------------------------------------------------------

    def _may_edit(self) -> bool:
        """Whether the project takes edits; says so where it does not."""
        if self._window.context.read_only:
            self._window.banner.say("info", self.tr("This design is open for reading only."))
        return not self._window.context.read_only

    def spares(self) -> None:
        """Ask for spares by category."""
        from rackloom_gui.dialogs.prices import SparesDialog

        if not self._may_edit():
            return
        panel = self._window.bom_panel
        dialog = SparesDialog(panel.categories, panel.spares, self._window)
        if ask(dialog):
            self._window.editing.run(self.tr("Change spares"), set_spares, dialog.spares())

    def prices(self) -> None:
        """Show what the project's price list covers, or read one where there is none."""
        if self._window.document.design.settings.price_list:
            self._show_prices()
        else:
            self._choose_prices()

    def _choose_prices(self) -> None:
        window = self._window
        if not self._may_edit():
            return
        name, _chosen = QFileDialog.getOpenFileName(
            window, self.tr("Open Price List"), str(window.settings.folder),
            self.tr("Price lists (*.csv *.tsv *.txt)"),
        )  # fmt: skip
        if name:
            self.load_prices(Path(name))

    def load_prices(self, path: Path) -> None:
        """Keep a price list in the project; a file that is none is refused with a sentence."""
        from rackloom.reports.buying import list_prices, read_price_file
        from rackloom.reports.errors import ReportError

        window = self._window
        try:
            prices = list_prices(read_price_file(path))
        except ReportError as error:
            window.banner.say("error", sentence(str(error)))
            return
        label = self.tr("Take prices from {0}").format(path.name)
        window.editing.run(label, set_price_list, path.name, prices)
        if window.document.design.settings.price_list:
            self._show_prices()

    def _show_prices(self) -> None:
        from rackloom_gui.dialogs.prices import PricesDialog

        window, panel = self._window, self._window.bom_panel
        window.document.flush()
        panel.refresh_now()
        name = window.document.design.settings.price_list
        dialog = PricesDialog(panel.rows, panel.prices or {}, name, window)
        ask(dialog)
        if dialog.another_wanted:
            self._choose_prices()
        elif dialog.remove_prices and self._may_edit():
            window.editing.run(self.tr("Take the price list out"), remove_price_list)

    def export_bom(self) -> None:
        """The bill as shown, with its spares and prices, as CSV or XLSX."""
        panel = self._window.bom_panel
        panel.refresh_now()
        lines = panel.lines()
        self._table(
            self.tr("Export Bill of Materials"), "-bom.csv", lambda: lines, panel.columns(), "BOM"
        )

    def export_power(self, table: str) -> None:
        """One table of the power report as CSV or XLSX."""
        from rackloom.reports.power_report import PlaceRow, PsuRow, SupplyRow, power_report

        design = self._window.document.design
        kind: type = {"places": PlaceRow, "supplies": SupplyRow, "psus": PsuRow}[table]
        self._table(
            self.tr("Export Power"),
            f"-power-{table}.csv",
            lambda: getattr(power_report(design), table),
            kind,
            "Power",
        )

    def labels(self) -> None:
        """Cable labels: template, preview, files."""
        from rackloom_gui.dialogs.labels import LabelsDialog

        window = self._window
        document = window.document
        dialog = LabelsDialog(
            document.design, window.theme, window.icons, window, document.selection
        )
        dialog.export_requested.connect(partial(self._export_labels, dialog))
        dialog.template_kept.connect(self._keep_template)
        ask(dialog)

    def _keep_template(self, template: str) -> None:
        if not self._may_edit():
            return

        def keep(draft: Draft) -> None:
            draft.put(replace(draft.settings, label_template=template))

        self._window.editing.run(self.tr("Change label template"), keep)

    def _export_labels(self, dialog: LabelsDialog, ending: str) -> None:
        from rackloom.reports.labels import Label

        title = self.tr("Export Cable Labels")
        if ending == "csv":
            labels = dialog.labels
            self._table(title, "-labels.csv", lambda: labels, Label, "Labels")
            return
        from rackloom_gui.export.labels import label_sheet_pdf

        exporting = self._window.bindings.exporting
        path = exporting.ask(title, "-labels.pdf", "PDF (*.pdf)")
        if path is not None:
            sheet = partial(label_sheet_pdf, dialog.labels, dialog.sheet, skip=dialog.skip.value())
            exporting.write(path, sheet)

    def _table(
        self, title: str, ending: str, rows: Callable[[], Any], columns: Any, sheet: str
    ) -> None:
        from rackloom_gui.exporting import table_bytes

        exporting = self._window.bindings.exporting
        path = exporting.ask(title, ending, self.tr("CSV (*.csv);;Excel workbook (*.xlsx)"))
        if path is not None:
            exporting.write(path, lambda: table_bytes(rows(), columns, path, sheet))
