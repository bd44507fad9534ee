# SPDX-License-Identifier: Apache-2.0
"""Where the actions are found: menu bar, tool bar and the short menus of the right button."""

from rackloom_gui.action_list import PANELS
from rackloom_gui.actions import MenuSpec
from rackloom_gui.refusals import QT_TRANSLATE_NOOP

_PANEL_IDS = tuple(f"panel.{name}" for name, _title, _icon in PANELS)

MENUS: tuple[MenuSpec, ...] = (
    MenuSpec(
        "file",
        QT_TRANSLATE_NOOP("Actions", "&File"),
        (
            "file.new", "file.open",
            MenuSpec("recent", QT_TRANSLATE_NOOP("Actions", "Open &Recent")),
            "file.open_example", None, "file.save", "file.save_as", None,
            MenuSpec(
                "export", QT_TRANSLATE_NOOP("Actions", "&Export"),
                ("export.bom", "export.cables", "export.labels", "export.power", None,
                 "export.svg", "export.pdf", "export.png"),
                icon="export",
            ),
            None, "file.close", "file.quit",
        ),
    ),
    MenuSpec(
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Edit"),
        (
            "edit.undo", "edit.redo", None, "edit.cut", "edit.copy", "edit.paste",
            "edit.copy_picture", None, "edit.duplicate", "edit.delete", "edit.rename",
            "edit.note", None,
            MenuSpec(
                "arrange", QT_TRANSLATE_NOOP("Actions", "&Move"),
                ("edit.nudge_up", "edit.nudge_down", "edit.nudge_up_10", "edit.nudge_down_10",
                 None, "edit.nudge_left", "edit.nudge_right", None, "edit.flip_face"),
            ),
            None, "edit.select_all", "edit.deselect", "edit.find", None, "edit.settings",
        ),
    ),
    MenuSpec(
        "view",
        QT_TRANSLATE_NOOP("Actions", "&View"),
        (
            "view.racks", "view.fabric", "view.floor", None,
            "view.front", "view.rear", "view.both", None,
            "view.zoom_in", "view.zoom_out", "view.zoom_100", "view.fit_all",
            "view.fit_selection", None,
            "view.overview", "view.cords", "view.loads", "view.pin_curve", "view.open_log", None,
            MenuSpec("panels", QT_TRANSLATE_NOOP("Actions", "&Panels"),
                     (*_PANEL_IDS, None, "view.reset_layout")),
            MenuSpec("theme", QT_TRANSLATE_NOOP("Actions", "&Theme"),
                     ("view.theme_system", "view.theme_light", "view.theme_dark")),
            "view.full_screen",
        ),
    ),
    MenuSpec(
        "connect",
        QT_TRANSLATE_NOOP("Actions", "&Connect"),
        (
            "tool.select", "tool.pan", "tool.cable", "tool.rack", None,
            "connect.rails", "connect.power", "connect.disconnect", None,
            "connect.unplug", "connect.plug",
        ),
    ),
    MenuSpec(
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Pa&rts"),
        ("parts.browse", "parts.add", "parts.new", None, "parts.swap"),
    ),
    MenuSpec(
        "problems",
        QT_TRANSLATE_NOOP("Actions", "&Problems"),
        ("problems.next", "problems.previous", None, "problems.fix"),
    ),
    MenuSpec(
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Help"),
        ("help.palette", "help.contents", "help.shortcuts", None, "help.about"),
    ),
)  # fmt: skip
"""The menu bar. The main window fills "recent" and appends `file.clear_recent` to it."""

TOOL_BAR: tuple[str | None, ...] = (
    "file.new", "file.open", "file.save", None,
    "edit.undo", "edit.redo", None,
    "tool.select", "tool.pan", "tool.cable", "tool.rack", None,
    "connect.rails", "connect.power", "connect.unplug", None,
    "view.racks", "view.fabric", "view.floor", None,
    "view.front", "view.rear", "view.both", None,
    "view.zoom_out", "view.zoom_in", "view.fit_all", "view.fit_selection",
)  # fmt: skip

CONTEXT_MENUS: dict[str, MenuSpec] = {
    "device": MenuSpec("context.device", "", (
        "edit.rename", "edit.duplicate", "edit.flip_face", "parts.swap", None,
        "connect.rails", "connect.power", "connect.unplug", "connect.plug", None, "edit.delete",
    )),
    "cable": MenuSpec("context.cable", "", (
        "parts.swap", None, "connect.unplug", "connect.plug", None, "view.fit_selection", None,
        "edit.delete",
    )),
    "rack": MenuSpec("context.rack", "", (
        "edit.rename", "edit.duplicate", "edit.paste", "connect.power", "edit.note", None,
        "view.fit_selection", "edit.copy_picture", None, "edit.delete",
    )),
    "empty": MenuSpec("context.empty", "", (
        "edit.paste", "edit.select_all", None, "tool.rack", "tool.cable", "edit.note", None,
        "view.fit_all",
    )),
}  # fmt: skip
"""Short menus by what was right-clicked; all of them are in the menu bar too."""
