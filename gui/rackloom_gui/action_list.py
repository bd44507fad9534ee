# SPDX-License-Identifier: Apache-2.0
"""The program's actions as data.

Keys follow the platform (`StandardKey`) plus what Qt leaves unbound on Linux without a desktop
theme: F11, Ctrl+`,`, Ctrl+Y for redo, Ctrl+= for zoom in. `Delete` is Del alone, for Qt's own
Delete also takes Ctrl+D, which duplicates here.
"""

from PySide6.QtGui import QAction, QKeySequence

from rackloom_gui import refusals as why
from rackloom_gui.actions import ActionSpec, Category, Refusal
from rackloom_gui.refusals import QT_TRANSLATE_NOOP

_Std = QKeySequence.StandardKey
_Role = QAction.MenuRole


CATEGORY_WORDS = (
    QT_TRANSLATE_NOOP("Actions", "File"),
    QT_TRANSLATE_NOOP("Actions", "Edit"),
    QT_TRANSLATE_NOOP("Actions", "View"),
    QT_TRANSLATE_NOOP("Actions", "Tools"),
    QT_TRANSLATE_NOOP("Actions", "Connect"),
    QT_TRANSLATE_NOOP("Actions", "Parts"),
    QT_TRANSLATE_NOOP("Actions", "Problems"),
    QT_TRANSLATE_NOOP("Actions", "Panels"),
    QT_TRANSLATE_NOOP("Actions", "Help"),
)
"""The values of `Category`, for the translators' tool: it finds marked texts only."""


def _file_actions() -> list[ActionSpec]:
    c = Category.FILE
    return [
        ActionSpec(
            "file.new",
            QT_TRANSLATE_NOOP("Actions", "&New…"),
            c,
            (_Std.New,),
            icon="new",
            tip=QT_TRANSLATE_NOOP("Actions", "Start an empty design or one from a preset"),
            enabled=why.idle,
        ),
        ActionSpec(
            "file.open",
            QT_TRANSLATE_NOOP("Actions", "&Open…"),
            c,
            (_Std.Open,),
            icon="open",
            tip=QT_TRANSLATE_NOOP("Actions", "Open a design"),
            enabled=why.idle,
        ),
        ActionSpec(
            "file.open_example",
            QT_TRANSLATE_NOOP("Actions", "Open Exa&mple"),
            c,
            tip=QT_TRANSLATE_NOOP("Actions", "Open the bundled fabric of 32 GPUs"),
            enabled=why.idle,
        ),
        ActionSpec(
            "file.clear_recent",
            QT_TRANSLATE_NOOP("Actions", "&Clear Recent Files"),
            c,
            enabled=why.has_recent,
        ),
        ActionSpec(
            "file.save",
            QT_TRANSLATE_NOOP("Actions", "&Save"),
            c,
            (_Std.Save,),
            icon="save",
            tip=QT_TRANSLATE_NOOP("Actions", "Save the design"),
            enabled=why.editable(),
        ),
        ActionSpec(
            "file.save_as",
            QT_TRANSLATE_NOOP("Actions", "Save &As…"),
            c,
            ("Ctrl+Shift+S",),
            icon="save-as",
            tip=QT_TRANSLATE_NOOP("Actions", "Save the design under another name"),
            enabled=why.idle,
        ),
        ActionSpec(
            "export.bom",
            QT_TRANSLATE_NOOP("Actions", "&Bill of Materials…"),
            c,
            icon="bom",
            tip=QT_TRANSLATE_NOOP("Actions", "Export what has to be ordered, as CSV or XLSX"),
            enabled=why.has_devices,
        ),
        ActionSpec(
            "export.cables",
            QT_TRANSLATE_NOOP("Actions", "&Cable Schedule…"),
            c,
            icon="table",
            tip=QT_TRANSLATE_NOOP("Actions", "Export every cable with its two ends and length"),
            enabled=why.has_cables,
        ),
        ActionSpec(
            "export.labels",
            QT_TRANSLATE_NOOP("Actions", "Cable &Labels…"),
            c,
            icon="note",
            tip=QT_TRANSLATE_NOOP("Actions", "Print labels for both ends of every cable"),
            enabled=why.has_cables,
        ),
        ActionSpec(
            "export.power",
            QT_TRANSLATE_NOOP("Actions", "Po&wer Report…"),
            c,
            icon="power",
            tip=QT_TRANSLATE_NOOP("Actions", "Export what every rack, row and the site draws"),
            enabled=why.has_devices,
        ),
        ActionSpec(
            "export.svg",
            QT_TRANSLATE_NOOP("Actions", "Drawing as &SVG…"),
            c,
            icon="export",
            tip=QT_TRANSLATE_NOOP("Actions", "Export the drawing as SVG vectors"),
            enabled=why.has_racks,
        ),
        ActionSpec(
            "export.pdf",
            QT_TRANSLATE_NOOP("Actions", "Drawing as &PDF…"),
            c,
            icon="export",
            tip=QT_TRANSLATE_NOOP("Actions", "Export the drawing as PDF with a title block"),
            enabled=why.has_racks,
        ),
        ActionSpec(
            "export.png",
            QT_TRANSLATE_NOOP("Actions", "Drawing as P&NG…"),
            c,
            icon="image",
            tip=QT_TRANSLATE_NOOP("Actions", "Export the drawing as a PNG picture"),
            enabled=why.has_racks,
        ),
        ActionSpec(
            "file.close",
            QT_TRANSLATE_NOOP("Actions", "&Close"),
            c,
            (_Std.Close,),
            icon="close",
            tip=QT_TRANSLATE_NOOP("Actions", "Close the design"),
            enabled=why.idle,
        ),
        ActionSpec(
            "file.quit",
            QT_TRANSLATE_NOOP("Actions", "&Quit"),
            c,
            ("Ctrl+Q",),
            tip=QT_TRANSLATE_NOOP("Actions", "Leave the program"),
            menu_role=_Role.QuitRole,
        ),
    ]


def _edit_actions() -> list[ActionSpec]:
    c = Category.EDIT
    return [
        ActionSpec(
            "edit.undo",
            QT_TRANSLATE_NOOP("Actions", "&Undo"),
            c,
            (_Std.Undo,),
            icon="undo",
            tip=QT_TRANSLATE_NOOP("Actions", "Take the last step back"),
            enabled=why.editable(why.undoable),
        ),
        ActionSpec(
            "edit.redo",
            QT_TRANSLATE_NOOP("Actions", "&Redo"),
            c,
            (_Std.Redo, "Ctrl+Y", "Ctrl+Shift+Z"),
            icon="redo",
            tip=QT_TRANSLATE_NOOP("Actions", "Do the step again that was taken back"),
            enabled=why.editable(why.redoable),
        ),
        ActionSpec(
            "edit.cut",
            QT_TRANSLATE_NOOP("Actions", "Cu&t"),
            c,
            (_Std.Cut,),
            icon="cut",
            tip=QT_TRANSLATE_NOOP("Actions", "Move what is selected to the clipboard"),
            enabled=why.editable(why.copyable),
        ),
        ActionSpec(
            "edit.copy",
            QT_TRANSLATE_NOOP("Actions", "&Copy"),
            c,
            (_Std.Copy,),
            icon="copy",
            tip=QT_TRANSLATE_NOOP(
                "Actions", "Copy the selected devices with the cables among them"
            ),
            enabled=why.copyable,
        ),
        ActionSpec(
            "edit.copy_picture",
            QT_TRANSLATE_NOOP("Actions", "Copy as P&icture"),
            c,
            ("Ctrl+Shift+C",),
            icon="image",
            tip=QT_TRANSLATE_NOOP("Actions", "Put the selection on the clipboard as SVG and PNG"),
            enabled=why.devices_or_racks,
        ),
        ActionSpec(
            "edit.paste",
            QT_TRANSLATE_NOOP("Actions", "&Paste"),
            c,
            (_Std.Paste,),
            icon="paste",
            tip=QT_TRANSLATE_NOOP("Actions", "Put in what the clipboard holds"),
            enabled=why.editable(why.pasteable),
        ),
        ActionSpec(
            "edit.duplicate",
            QT_TRANSLATE_NOOP("Actions", "&Duplicate"),
            c,
            ("Ctrl+D",),
            icon="duplicate",
            tip=QT_TRANSLATE_NOOP("Actions", "Put a copy into the next free U"),
            enabled=why.editable(why.copyable),
        ),
        ActionSpec(
            "edit.delete",
            QT_TRANSLATE_NOOP("Actions", "De&lete"),
            c,
            ("Del",),
            icon="delete",
            tip=QT_TRANSLATE_NOOP("Actions", "Delete what is selected, with the cables on it"),
            enabled=why.editable(why.selection),
        ),
        ActionSpec(
            "edit.rename",
            QT_TRANSLATE_NOOP("Actions", "Re&name…"),
            c,
            ("F2",),
            icon="rename",
            tip=QT_TRANSLATE_NOOP(
                "Actions", "Give the selected thing another name, or write in the note"
            ),
            enabled=why.editable(why.one_thing),
        ),
        ActionSpec(
            "edit.note",
            QT_TRANSLATE_NOOP("Actions", "Add N&ote"),
            c,
            canvas_keys=("T",),
            icon="note",
            tip=QT_TRANSLATE_NOOP("Actions", "Write a note on the drawing, at the pointer"),
            enabled=why.editable(),
        ),
        ActionSpec(
            "edit.flip_face",
            QT_TRANSLATE_NOOP("Actions", "Turn to Other &Face"),
            c,
            ("Ctrl+Shift+F",),
            icon="rotate",
            tip=QT_TRANSLATE_NOOP(
                "Actions", "Mount the selected devices facing the other side of the rack"
            ),
            enabled=why.editable(why.devices),
        ),
        *_nudges(),
        ActionSpec(
            "edit.select_all",
            QT_TRANSLATE_NOOP("Actions", "Select &All"),
            c,
            (_Std.SelectAll,),
            tip=QT_TRANSLATE_NOOP("Actions", "Select everything of the kind in hand"),
            enabled=why.has_racks,
        ),
        ActionSpec(
            "edit.deselect",
            QT_TRANSLATE_NOOP("Actions", "Select Non&e"),
            c,
            ("Ctrl+Shift+A",),
            tip=QT_TRANSLATE_NOOP("Actions", "Clear the selection"),
            enabled=why.selection,
        ),
        ActionSpec(
            "edit.find",
            QT_TRANSLATE_NOOP("Actions", "&Go to Device…"),
            c,
            ("Ctrl+P", _Std.Find),
            icon="goto",
            tip=QT_TRANSLATE_NOOP("Actions", "Find a device, rack, cable or note and show it"),
            enabled=why.has_racks,
        ),
        ActionSpec(
            "edit.settings",
            QT_TRANSLATE_NOOP("Actions", "&Settings…"),
            c,
            ("Ctrl+,",),
            icon="settings",
            tip=QT_TRANSLATE_NOOP("Actions", "Room, routes, slack and feeds of this design"),
            enabled=why.idle,
        ),
    ]


def _nudges() -> list[ActionSpec]:
    def nudge(action_id: str, title: str, key: str, icon: str = "") -> ActionSpec:
        return ActionSpec(
            action_id, title, Category.EDIT, canvas_keys=(key,), icon=icon,
            enabled=why.editable(why.movable),
        )  # fmt: skip

    return [
        nudge("edit.nudge_up", QT_TRANSLATE_NOOP("Actions", "Move &Up 1 U"), "Up", "arrow-up"),
        nudge(
            "edit.nudge_down", QT_TRANSLATE_NOOP("Actions", "Move Do&wn 1 U"), "Down", "arrow-down"
        ),
        nudge("edit.nudge_up_10", QT_TRANSLATE_NOOP("Actions", "Move Up 10 U"), "Shift+Up"),
        nudge("edit.nudge_down_10", QT_TRANSLATE_NOOP("Actions", "Move Down 10 U"), "Shift+Down"),
        nudge("edit.nudge_left", QT_TRANSLATE_NOOP("Actions", "Move to Rack on the Left"), "Left"),
        nudge(
            "edit.nudge_right", QT_TRANSLATE_NOOP("Actions", "Move to Rack on the Right"), "Right"
        ),
    ]


def _tool_actions() -> list[ActionSpec]:
    def tool(name: str, title: str, key: str, icon: str, tip: str, on: Refusal) -> ActionSpec:
        return ActionSpec(
            f"tool.{name}", title, Category.TOOLS, canvas_keys=(key,), icon=icon, tip=tip,
            enabled=on, checkable=True, group="tool",
        )  # fmt: skip

    return [
        tool(
            "select", QT_TRANSLATE_NOOP("Actions", "&Select"), "V", "select",
            QT_TRANSLATE_NOOP("Actions", "Select and move things"), lambda _context: "",
        ),
        tool(
            "pan", QT_TRANSLATE_NOOP("Actions", "&Hand"), "H", "hand",
            QT_TRANSLATE_NOOP("Actions", "Drag the view; Space does so in every tool"),
            lambda _context: "",
        ),
        tool(
            "cable", QT_TRANSLATE_NOOP("Actions", "&Cable"), "C", "cable",
            QT_TRANSLATE_NOOP("Actions", "Draw a cable from port to port"),
            why.editable(why.has_devices),
        ),
        tool(
            "rack", QT_TRANSLATE_NOOP("Actions", "&Rack"), "R", "rack-add",
            QT_TRANSLATE_NOOP("Actions", "Click where a rack shall stand"), why.editable(),
        ),
    ]  # fmt: skip


def _connect_actions() -> list[ActionSpec]:
    c = Category.CONNECT
    return [
        ActionSpec(
            "connect.rails",
            QT_TRANSLATE_NOOP("Actions", "Connect by Rai&ls or Tiers…"),
            c,
            ("Ctrl+L",),
            icon="connect",
            tip=QT_TRANSLATE_NOOP(
                "Actions",
                "Cable selected servers to the leaves of their rails, or leaves to spines",
            ),
            enabled=why.editable(why.servers_and_switches),
        ),
        ActionSpec(
            "connect.power",
            QT_TRANSLATE_NOOP("Actions", "Connect &Power"),
            c,
            icon="power",
            tip=QT_TRANSLATE_NOOP(
                "Actions", "Cord the selected devices to the PDUs of their rack, A and B"
            ),
            enabled=why.editable(why.devices_or_racks),
        ),
        ActionSpec(
            "connect.disconnect",
            QT_TRANSLATE_NOOP("Actions", "&Disconnect"),
            c,
            icon="disconnect",
            tip=QT_TRANSLATE_NOOP("Actions", "Delete the cables of what is selected"),
            enabled=why.editable(why.cables_or_devices),
        ),
        ActionSpec(
            "connect.unplug",
            QT_TRANSLATE_NOOP("Actions", "&Unplug (What If)"),
            c,
            ("Ctrl+U",),
            icon="unplug",
            tip=QT_TRANSLATE_NOOP(
                "Actions", "See what the fabric does without the selected cables or devices"
            ),
            enabled=why.editable(why.plugged),
        ),
        ActionSpec(
            "connect.plug",
            QT_TRANSLATE_NOOP("Actions", "Plug &In Again"),
            c,
            ("Ctrl+Shift+U",),
            icon="plug",
            tip=QT_TRANSLATE_NOOP("Actions", "Put back what was unplugged"),
            enabled=why.editable(why.unplugged),
        ),
    ]


def _view_actions() -> list[ActionSpec]:
    c = Category.VIEW
    return [
        ActionSpec(
            "view.zoom_in", QT_TRANSLATE_NOOP("Actions", "Zoom &In"), c, (_Std.ZoomIn, "Ctrl+="),
            icon="zoom-in",
        ),
        ActionSpec(
            "view.zoom_out", QT_TRANSLATE_NOOP("Actions", "Zoom &Out"), c, (_Std.ZoomOut,),
            icon="zoom-out",
        ),
        ActionSpec(
            "view.zoom_100", QT_TRANSLATE_NOOP("Actions", "&100 %"), c, ("Ctrl+0",),
            icon="zoom-100", tip=QT_TRANSLATE_NOOP("Actions", "Zoom to 100 %"),
        ),
        ActionSpec(
            "view.fit_all", QT_TRANSLATE_NOOP("Actions", "&Fit All"), c, ("Ctrl+9",),
            canvas_keys=("Home", "Shift+1"), icon="zoom-fit",
            tip=QT_TRANSLATE_NOOP("Actions", "Show the whole design"),
        ),
        ActionSpec(
            "view.fit_selection", QT_TRANSLATE_NOOP("Actions", "Fit &Selection"), c, ("Ctrl+8",),
            canvas_keys=("Z", "Shift+2"), icon="zoom-selection",
            tip=QT_TRANSLATE_NOOP("Actions", "Show what is selected"), enabled=why.selection,
        ),
        ActionSpec(
            "view.overview", QT_TRANSLATE_NOOP("Actions", "Over&view"), c, canvas_keys=("M",),
            icon="eye", checkable=True,
            tip=QT_TRANSLATE_NOOP("Actions", "Show a small picture of the whole in the corner"),
        ),
        ActionSpec(
            "view.cords", QT_TRANSLATE_NOOP("Actions", "Po&wer Cords"), c, canvas_keys=("P",),
            icon="power", checkable=True,
            tip=QT_TRANSLATE_NOOP("Actions", "Draw the power cords of what is selected"),
        ),
        *_side_actions(),
        *_page_actions(),
        ActionSpec(
            "view.full_screen", QT_TRANSLATE_NOOP("Actions", "F&ull Screen"), c,
            (_Std.FullScreen, "F11"), checkable=True,
        ),
        *_speed_actions(),
        *_theme_actions(),
        ActionSpec(
            "view.reset_layout", QT_TRANSLATE_NOOP("Actions", "&Reset Layout"), Category.PANELS,
            tip=QT_TRANSLATE_NOOP("Actions", "Put all panels back where they were at first"),
        ),
    ]  # fmt: skip


def _speed_actions() -> list[ActionSpec]:
    c = Category.VIEW
    return [
        ActionSpec(
            "view.loads", QT_TRANSLATE_NOOP("Actions", "Loa&d of the Links"), c, ("Ctrl+Shift+L",),
            icon="fabric", checkable=True, enabled=why.has_cables,
            tip=QT_TRANSLATE_NOOP(
                "Actions", "Colour links by what the shown collective puts on them"
            ),
        ),
        ActionSpec(
            "view.pin_curve", QT_TRANSLATE_NOOP("Actions", "Keep the &Curve…"), c, icon="pin",
            enabled=why.has_devices,
            tip=QT_TRANSLATE_NOOP("Actions", "Keep the present throughput to compare with"),
        ),
        ActionSpec(
            "view.open_log", QT_TRANSLATE_NOOP("Actions", "&Measured Log…"), c, icon="import",
            enabled=why.has_devices,
            tip=QT_TRANSLATE_NOOP(
                "Actions", "Lay a log of nccl-tests or rccl-tests over the throughput chart"
            ),
        ),
    ]  # fmt: skip


def _side_actions() -> list[ActionSpec]:
    def side(name: str, title: str, key: str, tip: str) -> ActionSpec:
        return ActionSpec(
            f"view.{name}", title, Category.VIEW, canvas_keys=(key,), icon=name, tip=tip,
            enabled=why.in_racks_view, checkable=True, group="side",
        )  # fmt: skip

    return [
        side("front", QT_TRANSLATE_NOOP("Actions", "F&ront"), "1",
             QT_TRANSLATE_NOOP("Actions", "Show the racks from the front")),
        side("rear", QT_TRANSLATE_NOOP("Actions", "R&ear"), "2",
             QT_TRANSLATE_NOOP("Actions", "Show the racks from the rear")),
        side("both", QT_TRANSLATE_NOOP("Actions", "&Both Sides"), "3",
             QT_TRANSLATE_NOOP("Actions", "Show front and rear of each rack side by side")),
    ]  # fmt: skip


def _page_actions() -> list[ActionSpec]:
    def page(name: str, title: str, key: str, icon: str, tip: str) -> ActionSpec:
        return ActionSpec(
            f"view.{name}", title, Category.VIEW, (key,), icon=icon, tip=tip,
            checkable=True, group="view",
        )  # fmt: skip

    return [
        page("racks", QT_TRANSLATE_NOOP("Actions", "Rac&ks"), "Ctrl+1", "racks",
             QT_TRANSLATE_NOOP("Actions", "Rack elevations")),
        page("fabric", QT_TRANSLATE_NOOP("Actions", "F&abric"), "Ctrl+2", "fabric",
             QT_TRANSLATE_NOOP("Actions", "Tiers of the network and their links")),
        page("floor", QT_TRANSLATE_NOOP("Actions", "F&loor"), "Ctrl+3", "floor",
             QT_TRANSLATE_NOOP("Actions", "The room from above, with trays and cable routes")),
    ]  # fmt: skip


def _theme_actions() -> list[ActionSpec]:
    def theme(name: str, title: str) -> ActionSpec:
        return ActionSpec(
            f"view.theme_{name}", title, Category.VIEW, icon=f"theme-{name}",
            checkable=True, group="theme",
        )  # fmt: skip

    return [
        theme("system", QT_TRANSLATE_NOOP("Actions", "Theme: As the &System")),
        theme("light", QT_TRANSLATE_NOOP("Actions", "Theme: &Light")),
        theme("dark", QT_TRANSLATE_NOOP("Actions", "Theme: &Dark")),
    ]


def _problem_actions() -> list[ActionSpec]:
    c = Category.PROBLEMS
    return [
        ActionSpec(
            "problems.next", QT_TRANSLATE_NOOP("Actions", "&Next Problem"), c, ("F8",),
            icon="next", enabled=why.has_findings,
        ),
        ActionSpec(
            "problems.previous", QT_TRANSLATE_NOOP("Actions", "&Previous Problem"), c,
            ("Shift+F8",), icon="previous", enabled=why.has_findings,
        ),
        ActionSpec(
            "problems.fix", QT_TRANSLATE_NOOP("Actions", "Apply &Fix"), c, ("Ctrl+.",),
            icon="fix", enabled=why.editable(why.has_fix),
            tip=QT_TRANSLATE_NOOP("Actions", "Apply the first fix of the selected problem"),
        ),
    ]  # fmt: skip


PANELS: tuple[tuple[str, str, str], ...] = (
    ("palette", QT_TRANSLATE_NOOP("Actions", "&Catalogue"), "server"),
    ("inspector", QT_TRANSLATE_NOOP("Actions", "&Inspector"), "inspector"),
    ("problems", QT_TRANSLATE_NOOP("Actions", "&Problems"), "warning"),
    ("history", QT_TRANSLATE_NOOP("Actions", "&History"), "history"),
    ("chart", QT_TRANSLATE_NOOP("Actions", "&Throughput"), "chart"),
    ("devices", QT_TRANSLATE_NOOP("Actions", "&Devices"), "table"),
    ("cables", QT_TRANSLATE_NOOP("Actions", "Ca&bles"), "cable"),
    ("explain", QT_TRANSLATE_NOOP("Actions", "&Why So Fast"), "info"),
    ("failures", QT_TRANSLATE_NOOP("Actions", "&Failures"), "unplug"),
    ("workload", QT_TRANSLATE_NOOP("Actions", "Wor&kload"), "gpu"),
    ("power", QT_TRANSLATE_NOOP("Actions", "Pow&er"), "power"),
    ("bom", QT_TRANSLATE_NOOP("Actions", "B&OM"), "bom"),
)
"""Panel name, title, icon; the panel's action is `panel.<name>`."""


def _parts_actions() -> list[ActionSpec]:
    c = Category.PARTS
    return [
        ActionSpec(
            "parts.browse", QT_TRANSLATE_NOOP("Actions", "&Browse Parts…"), c,
            ("Ctrl+Shift+B",), icon="search",
            tip=QT_TRANSLATE_NOOP("Actions", "Search the catalogue; a data sheet of each part"),
        ),
        ActionSpec(
            "parts.add", QT_TRANSLATE_NOOP("Actions", "&Add Parts from Files…"), c, icon="import",
            tip=QT_TRANSLATE_NOOP("Actions", "Add catalogue files or NetBox device types"),
        ),
        ActionSpec(
            "parts.new", QT_TRANSLATE_NOOP("Actions", "&New Part…"), c, icon="add",
            tip=QT_TRANSLATE_NOOP("Actions", "Describe a part of your own"),
        ),
        ActionSpec(
            "parts.swap", QT_TRANSLATE_NOOP("Actions", "&Swap Part…"), c, icon="rotate",
            enabled=why.editable(why.cables_or_devices),
            tip=QT_TRANSLATE_NOOP("Actions", "Put another part in the place of devices or cables"),
        ),
    ]  # fmt: skip


def _panel_actions() -> list[ActionSpec]:
    """The first nine are Alt+1 to Alt+9, the tenth Alt+0; there are no more digits."""
    return [
        ActionSpec(
            f"panel.{name}", title, Category.PANELS,
            (f"Alt+{number % 10}",) if number <= 10 else (), icon=icon, checkable=True,
        )
        for number, (name, title, icon) in enumerate(PANELS, start=1)
    ]  # fmt: skip


def _help_actions() -> list[ActionSpec]:
    c = Category.HELP
    return [
        ActionSpec(
            "help.palette", QT_TRANSLATE_NOOP("Actions", "Command &Palette…"), c,
            ("Ctrl+Shift+P",), yielding_keys=("Ctrl+K",), icon="search",
            tip=QT_TRANSLATE_NOOP("Actions", "Find any action by name"),
        ),
        ActionSpec(
            "help.contents", QT_TRANSLATE_NOOP("Actions", "&Help"), c, ("F1",), icon="help",
        ),
        ActionSpec(
            "help.shortcuts", QT_TRANSLATE_NOOP("Actions", "&Keyboard and Mouse…"), c,
            ("Ctrl+/",), icon="keyboard",
        ),
        ActionSpec(
            "help.about", QT_TRANSLATE_NOOP("Actions", "&About Rackloom"), c, icon="info",
            menu_role=_Role.AboutRole,
        ),
    ]  # fmt: skip


ACTIONS: tuple[ActionSpec, ...] = (
    *_file_actions(),
    *_edit_actions(),
    *_tool_actions(),
    *_connect_actions(),
    *_parts_actions(),
    *_view_actions(),
    *_problem_actions(),
    *_panel_actions(),
    *_help_actions(),
)
