# SPDX-License-Identifier: Apache-2.0
"""What each action of the table does in a main window."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from rackloom.catalog.parts import Part
from rackloom.checks.finding import Finding, Fix
from rackloom.checks.kinds import Kind
from rackloom.design import Draft, edits
from rackloom.design.ids import DeviceId
from rackloom.design.notes import MOST_CHARACTERS, plain_text
from rackloom_gui.action_list import PANELS
from rackloom_gui.dialogs.asking import ask
from rackloom_gui.dialogs.command_palette import CommandPalette, GotoItem
from rackloom_gui.editing import sentence
from rackloom_gui.exporting import Exporting
from rackloom_gui.parts_actions import PartsActions
from rackloom_gui.theme import ThemeChoice

if TYPE_CHECKING:
    from rackloom_gui.main_window import MainWindow

_DEVICE_ICONS = {"server": "server", "switch": "switch", "pdu": "pdu"}


class Bindings(QObject):
    """Binds every id of the action table; a test walks the table and finds none unbound."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.palette = CommandPalette(
            window.actions_table, window.theme, window.icons, window, self.goto_items
        )
        self.exporting = Exporting(window)
        self.parts = PartsActions(window)
        self._help: QObject | None = None
        window.actions_table.bind_all(
            {
                **self._file(),
                **self._edit(),
                **self._connect_actions(),
                **self._view(),
                **self._problems(),
                **self._help_actions(),
                **self.parts.handlers(),
            }
        )
        window.problems.go_to.connect(self._go_to_finding)
        window.problems.fix_requested.connect(self._fix)
        window.problems.fix_all_requested.connect(self._fix_all)
        window.problems.previewed.connect(window.canvas.set_preview)
        window.problems.accept_requested.connect(self._accept)
        window.problems.unaccept_requested.connect(self._unaccept)
        table = window.actions_table
        for action_id in ("tool.select", "view.racks", "view.front"):
            table.set_checked(action_id)
        table.set_checked(f"view.theme_{window.theme.choice.value}")
        table.set_checked("view.overview", window.settings.overview)
        table.set_checked("view.cords", window.settings.cords)
        recent = table.menu("recent")
        recent.aboutToShow.connect(self.fill_recent)
        self.fill_recent()

    # -- file -------------------------------------------------------------------------------------

    def _file(self) -> dict[str, Callable[[], object]]:
        session = self._window.session
        return {
            "file.new": self.new,
            "file.open": session.open_dialog,
            "file.open_example": session.open_example,
            "file.clear_recent": self._clear_recent,
            "file.save": session.save,
            "file.save_as": session.save_as,
            "file.close": session.close,
            "file.quit": self._window.close,
            "export.cables": self.exporting.cables,
            "export.svg": partial(self.exporting.drawing, "svg"),
            "export.pdf": partial(self.exporting.drawing, "pdf"),
            "export.png": partial(self.exporting.drawing, "png"),
        }

    def new(self) -> None:
        """Ask for an empty design or a preset, and begin with it."""
        from rackloom_gui.dialogs.new_design import NewDialog

        window = self._window
        if not window.session.may_leave():
            return
        dialog = NewDialog(window.editing.catalog, window)
        if not ask(dialog):
            return
        if dialog.design is None or dialog.step is None:
            window.session.begin_empty()
            return
        window.session.new_from(dialog.design, dialog.step)
        if dialog.notes:
            window.banner.say("info", " ".join(sentence(note) for note in dialog.notes))

    def fill_recent(self) -> None:
        """Write the recent files into their menu; those that are gone stay, greyed."""
        window = self._window
        menu = window.actions_table.menu("recent")
        menu.clear()
        for number, path in enumerate(window.settings.recent(), start=1):
            text = f"&{number} {path.name}" if number < 10 else f"{number} {path.name}"
            action = menu.addAction(text)
            action.setToolTip(str(path))
            there = path.is_file()
            action.setEnabled(there)
            if not there:
                action.setText(self.tr("{0} (missing)").format(text))
            action.triggered.connect(lambda _checked=False, p=path: window.session.open(p))
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(window.actions_table.action("file.clear_recent"))

    def _clear_recent(self) -> None:
        self._window.settings.clear_recent()
        self.fill_recent()
        self._window.refresh_actions()

    # -- edit -------------------------------------------------------------------------------------

    def _edit(self) -> dict[str, Callable[[], object]]:
        window, editing, canvas = self._window, self._window.editing, self._window.canvas
        return {
            "edit.undo": window.document.undo,
            "edit.redo": window.document.redo,
            "edit.cut": editing.cut,
            "edit.copy": editing.copy,
            "edit.paste": editing.paste,
            "edit.copy_picture": self.exporting.copy_picture,
            "edit.duplicate": canvas.duplicate_selection,
            "edit.delete": canvas.delete_selection,
            "edit.rename": self._rename,
            "edit.note": canvas.add_note,
            "edit.flip_face": editing.flip_face,
            "edit.nudge_up": partial(canvas.nudge, 0, 1),
            "edit.nudge_down": partial(canvas.nudge, 0, -1),
            "edit.nudge_up_10": partial(canvas.nudge, 0, 10),
            "edit.nudge_down_10": partial(canvas.nudge, 0, -10),
            "edit.nudge_left": partial(canvas.nudge, -1, 0),
            "edit.nudge_right": partial(canvas.nudge, 1, 0),
            "edit.select_all": canvas.select_all,
            "edit.deselect": partial(window.document.select, ()),
            "edit.find": self.palette.open_goto,
            "edit.settings": self._settings,
        }

    def _rename(self) -> None:
        from rackloom_gui.dialogs.small import RenameDialog

        window = self._window
        design = window.document.design
        entity_id = next(iter(window.document.selection), "")
        if entity_id in design.notes:
            window.canvas.edit_note(entity_id)
            return
        is_cable = entity_id in design.cables
        name = design.cables[entity_id].label if is_cable else design.name_of(entity_id)  # type: ignore[index]
        title = self.tr("Label") if is_cable else self.tr("Rename {0}").format(name)
        dialog = RenameDialog(title, name, window, optional=is_cable)
        if ask(dialog) and dialog.name != name:
            label = self.tr("Rename {0}").format(name or entity_id)
            window.editing.run(label, edits.rename, entity_id, dialog.name)

    def _settings(self) -> None:
        from rackloom_gui.dialogs.project import ProjectDialog

        window = self._window
        dialog = ProjectDialog(window.document.design, window.icons, window)
        if ask(dialog):
            window.editing.run(self.tr("Change settings"), dialog.apply)

    def insert(self, part: Part) -> None:
        """Put a part in, or take a cable into the hand."""
        self._window.canvas.insert_part(part.id)

    # -- connect ----------------------------------------------------------------------------------

    def _connect_actions(self) -> dict[str, Callable[[], object]]:
        window = self._window
        tools = {
            f"tool.{name}": partial(window.canvas.set_tool, name)
            for name in ("select", "pan", "cable", "rack")
        }
        return {
            **tools,
            "connect.rails": self._connect_rails,
            "connect.power": self._connect_power,
            "connect.disconnect": window.editing.disconnect,
            "connect.unplug": lambda: window.analysis.unplug(self._pluggable()),
            "connect.plug": lambda: window.analysis.plug_in(window.document.selection),
        }

    def _pluggable(self) -> list[str]:
        document = self._window.document
        return [*document.selected("devices"), *document.selected("cables")]

    def _connect_rails(self) -> None:
        from rackloom.catalog.parts import ServerPart, SwitchPart
        from rackloom.placement.connect import apply
        from rackloom.placement.plans import counted
        from rackloom_gui.dialogs.connect import ConnectDialog

        window = self._window
        design = window.document.design
        chosen = [DeviceId(d) for d in window.document.selected("devices")]
        servers = [d for d in chosen if isinstance(design.device_part(d), ServerPart)]
        switches = [d for d in chosen if isinstance(design.device_part(d), SwitchPart)]
        dialog = ConnectDialog(design, window.editing.catalog, servers, switches, window)
        if ask(dialog) and dialog.plan.plans:
            label = self.tr("Connect {0}").format(counted(len(switches), "switch", "switches"))
            if servers:
                label = self.tr("Connect {0} to {1}").format(
                    counted(len(servers), "server"), counted(len(switches), "switch", "switches")
                )
            cables = window.editing.run(label, apply, dialog.plan)
            if cables:
                window.status.say(sentence(dialog.plan.summary))

    def _connect_power(self) -> None:
        from rackloom.placement.power import apply, plan_power

        window = self._window
        design = window.document.design
        devices = {DeviceId(d) for d in window.document.selected("devices")}
        for rack in window.document.selected("racks"):
            devices.update(design.index.devices_in_rack.get(rack, ()))  # type: ignore[call-overload]
        plan = plan_power(design, window.editing.catalog, sorted(devices))
        if plan.cords:
            window.editing.run(self.tr("Connect power of {0} devices").format(len(devices)),
                               apply, plan)  # fmt: skip
        summary = plan.summary[:1].upper() + plan.summary[1:]
        if plan.problems:
            undone = window.document.undone() if plan.cords else None
            window.banner.say("warning", sentence(summary), undone)
        else:
            window.status.say(sentence(summary))

    # -- view -------------------------------------------------------------------------------------

    def _view(self) -> dict[str, Callable[[], object]]:
        window, canvas = self._window, self._window.canvas
        views = {
            f"view.{name}": partial(canvas.set_view, name) for name in ("racks", "fabric", "floor")
        }
        sides = {
            f"view.{name}": partial(canvas.set_side, name) for name in ("front", "rear", "both")
        }
        themes = {
            f"view.theme_{choice.value}": partial(self._set_theme, choice) for choice in ThemeChoice
        }
        panels = {f"panel.{name}": partial(self._toggle_panel, name) for name, _t, _i in PANELS}
        return {
            **views,
            **sides,
            **themes,
            **panels,
            "view.zoom_in": canvas.zoom_in,
            "view.zoom_out": canvas.zoom_out,
            "view.zoom_100": canvas.zoom_100,
            "view.fit_all": canvas.fit_all,
            "view.fit_selection": lambda: canvas.fit_ids(window.document.selection),
            "view.overview": self._toggle_overview,
            "view.cords": self._toggle_cords,
            "view.loads": self._toggle_loads,
            "view.pin_curve": window.chart.ask_pin,
            "view.open_log": window.speed.open_log,
            "view.full_screen": self._full_screen,
            "view.reset_layout": window.docks.reset,
        }

    def _set_theme(self, choice: ThemeChoice) -> None:
        self._window.theme.set_choice(choice)
        self._window.settings.theme = choice

    def _toggle_overview(self) -> None:
        window = self._window
        window.settings.overview = window.actions_table.action("view.overview").isChecked()
        window.overview.set_wanted(window.settings.overview)

    def _toggle_cords(self) -> None:
        window = self._window
        window.settings.cords = window.actions_table.action("view.cords").isChecked()
        window.canvas.set_cords(window.settings.cords)

    def _toggle_loads(self) -> None:
        speed = self._window.speed
        speed.show_loads(not speed.loads_shown)
        self._window.actions_table.set_checked("view.loads", speed.loads_shown)

    def _full_screen(self) -> None:
        window = self._window
        if window.isFullScreen():
            window.showNormal()
        else:
            window.showFullScreen()
        window.actions_table.set_checked("view.full_screen", window.isFullScreen())

    def _toggle_panel(self, name: str) -> None:
        """Show and focus a panel that is hidden or behind another; hide the one in front."""
        window = self._window
        dock = window.dock(name)
        if window.docks.in_front(name):
            dock.hide()
            window.canvas.setFocus()
            return
        window.show_panel(name)
        panel = dock.widget()
        if panel is not None:
            panel.setFocus()

    # -- problems ---------------------------------------------------------------------------------

    def _problems(self) -> dict[str, Callable[[], object]]:
        problems = self._window.problems
        return {
            "problems.next": partial(self._step, 1),
            "problems.previous": partial(self._step, -1),
            "problems.fix": lambda: self._fix_first(problems.current()),
        }

    def _step(self, by: int) -> None:
        self._window.show_panel("problems")
        self._window.problems.step(by)

    def _go_to_finding(self, finding: Finding | Kind) -> None:
        window = self._window
        design = window.document.design
        ids = [i for i in finding.where if design.find(i) is not None]
        shown = [i for i in ids if not i.startswith(("m", "p")) or i in design.devices]
        drawn = [
            i
            for i in shown
            if any(i in design.table(t) for t in ("racks", "devices", "cables", "feeds", "rows"))
        ]
        window.document.select(drawn or shown)
        if drawn:
            window.canvas.zoom_to(drawn)

    def _fix_first(self, finding: Finding | None) -> None:
        fixes = self._window.problems.fixes()
        if finding is not None and fixes:
            self._fix(finding, fixes[0])

    def _fix(self, finding: Finding, fix: Fix) -> None:
        self._window.editing.fix(finding, fix)

    def _fix_all(self, rule: str, findings: list[Finding]) -> None:
        label = self.tr("Fix {0} problems ({1})").format("{0}", rule)
        self._window.editing.fix_all(label, findings)

    def _accept(self, chosen: Finding | Kind) -> None:
        from rackloom_gui.dialogs.small import AcceptDialog

        window = self._window
        dialog = AcceptDialog(chosen.message, window.settings.author, window)
        if not ask(dialog) or not dialog.reason:
            return
        window.settings.author = dialog.author
        findings = chosen.findings if isinstance(chosen, Kind) else (chosen,)
        said = (dialog.reason, dialog.author, date.today().isoformat())

        def accept(draft: Draft) -> None:
            for finding in findings:
                edits.accept_finding(draft, finding.rule, finding.where, finding.subject, *said)

        label = self.tr("Accept {0}").format(findings[0].rule)
        if len(findings) > 1:
            label = self.tr("Accept {0} of {1}").format(len(findings), findings[0].rule)
        window.editing.run(label, accept)

    def _unaccept(self, chosen: Finding | Kind) -> None:
        findings = chosen.findings if isinstance(chosen, Kind) else (chosen,)
        accepted = {finding.accepted.id for finding in findings if finding.accepted is not None}
        if accepted:
            label = self.tr("Take back acceptance of {0}").format(findings[0].rule)
            self._window.editing.run(label, edits.remove, accepted)

    # -- help -------------------------------------------------------------------------------------

    def _help_actions(self) -> dict[str, Callable[[], object]]:
        return {
            "help.palette": self.palette.open_commands,
            "help.contents": self._show_help,
            "help.shortcuts": self._shortcuts,
            "help.about": self._about,
        }

    def _show_help(self) -> None:
        from rackloom_gui.dialogs.help import HelpWindow

        if not isinstance(self._help, HelpWindow):
            self._help = HelpWindow(self._window.icons, self._window)
        self._help.show()
        self._help.raise_()
        self._help.activateWindow()

    def _shortcuts(self) -> None:
        from rackloom_gui.dialogs.shortcuts import ShortcutsDialog

        dialog = ShortcutsDialog(self._window.actions_table, self._window.icons, self._window)
        ask(dialog)

    def _about(self) -> None:
        from rackloom_gui.dialogs.small import AboutDialog

        ask(AboutDialog(self._window))

    # -- going to things --------------------------------------------------------------------------

    def goto_items(self) -> list[GotoItem]:
        """Every rack, device and labelled cable by name, and every note by its text."""
        window = self._window
        design = window.document.design

        def show(entity_id: str) -> Callable[[], object]:
            return partial(window.show_ids, [entity_id])

        items = [
            GotoItem(r.name, design.rows[r.row].name, "rack", show(r.id))
            for r in design.racks.values()
        ]
        for device in design.devices.values():
            where = design.racks[device.rack].name
            if device.bottom_u is not None:
                where = f"{where}, U{device.bottom_u}"
            icon = _DEVICE_ICONS.get(getattr(design.parts[device.part], "kind", ""), "server")
            items.append(GotoItem(device.name, where, icon, show(device.id)))
        for cable in design.cables.values():
            if cable.label:
                names = dict.fromkeys(design.devices[e.device].name for e in cable.ends)
                items.append(GotoItem(cable.label, " – ".join(names), "cable", show(cable.id)))
        for note in design.notes.values():
            about = design.name_of(note.about) if note.about else self.tr("Floor")
            text = " ".join(plain_text(note.text[:MOST_CHARACTERS]).split())
            items.append(GotoItem(text, about, "note", show(note.id)))
        return items
