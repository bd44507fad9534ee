# SPDX-License-Identifier: Apache-2.0
"""One table of everything a user can do: menus, tool bars, shortcuts and palette are views of it.

The table knows nothing of documents. The main window binds each id to a callable and calls
`refresh` with an `ActionContext`; an action that cannot be done now says why.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QToolBar,
    QWidget,
)
from shiboken6 import isValid

from rackloom_gui.icons import Icons

Key = QKeySequence.StandardKey | str


_FIRST_MEDIA_KEY = int(Qt.Key.Key_Back)
"""From here on keys that few keyboards have: Key_Copy, Key_Undo, Key_ZoomIn and the like."""
_SUN_KEYS = range(int(Qt.Key.Key_F13), int(Qt.Key.Key_F35) + 1)
"""X11 binds undo, copy and so on to these too, as Sun's keyboards sent them."""


class Category(StrEnum):
    """Headings of the command palette and the list of shortcuts."""

    FILE = "File"
    EDIT = "Edit"
    VIEW = "View"
    TOOLS = "Tools"
    CONNECT = "Connect"
    PARTS = "Parts"
    PROBLEMS = "Problems"
    PANELS = "Panels"
    HELP = "Help"


class ActionContext(Protocol):
    """What the predicates ask of the open document, its selection and the active view."""

    @property
    def busy(self) -> str:
        """What the program is doing and cannot be interrupted by edits, or ""."""

    @property
    def read_only(self) -> bool:
        """Whether the design may be looked at only."""

    @property
    def modified(self) -> bool:
        """Whether there are steps that were not saved."""

    @property
    def undo_label(self) -> str:
        """The step that undo takes back, or ""."""

    @property
    def redo_label(self) -> str:
        """The step that redo does again, or ""."""

    @property
    def device_count(self) -> int:
        """Devices in the design."""

    @property
    def rack_count(self) -> int:
        """Racks in the design."""

    @property
    def cable_count(self) -> int:
        """Cables in the design, power cords not counted."""

    @property
    def selected_devices(self) -> int:
        """Devices in the selection."""

    @property
    def selected_racks(self) -> int:
        """Racks in the selection."""

    @property
    def selected_cables(self) -> int:
        """Cables in the selection."""

    @property
    def selected_notes(self) -> int:
        """Notes in the selection."""

    @property
    def selected_servers(self) -> int:
        """Servers among the selected devices."""

    @property
    def selected_switches(self) -> int:
        """Switches among the selected devices."""

    @property
    def selected_unplugged(self) -> int:
        """Selected devices and cables that are taken out in the what-if."""

    @property
    def can_paste(self) -> bool:
        """Whether the clipboard holds devices, racks or cables of ours."""

    @property
    def recent_count(self) -> int:
        """Files in the list of recent ones."""

    @property
    def finding_count(self) -> int:
        """Findings that are shown in the Problems panel."""

    @property
    def selected_finding_fixes(self) -> int:
        """Fixes that the selected finding offers."""

    @property
    def view_name(self) -> str:
        """The active view: "racks", "fabric" or "floor"."""


Refusal = Callable[[ActionContext], str]
"""Why an action cannot be done now (source text in the context "Actions"), or ""."""


def possible(_context: ActionContext) -> str:
    """Never refused."""
    return ""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing a user can do, as data."""

    id: str
    title: str
    category: Category
    keys: tuple[Key, ...] = ()
    """Work in the whole window; the first is shown in menus."""
    yielding_keys: tuple[str, ...] = ()
    """Work in the whole window except in text fields, which use them themselves."""
    canvas_keys: tuple[str, ...] = ()
    """Work only while a canvas has the keyboard focus: single letters, Home, arrows."""
    icon: str = ""
    tip: str = ""
    enabled: Refusal = possible
    checkable: bool = False
    group: str = ""
    """Of the actions of one group exactly one is checked."""
    menu_role: QAction.MenuRole = QAction.MenuRole.NoRole

    @property
    def canvas_only(self) -> bool:
        """Whether every key of it needs the canvas to have the focus."""
        return bool(self.canvas_keys) and not self.keys

    def sequences(self) -> list[QKeySequence]:
        """Window-wide shortcuts on this platform, without doubles or empties."""
        return expand_keys(self.keys + self.yielding_keys)

    def canvas_sequences(self) -> list[QKeySequence]:
        """Shortcuts that need the canvas."""
        return expand_keys(self.canvas_keys)


def expand_keys(keys: Iterable[Key]) -> list[QKeySequence]:
    """What a list of standard keys and texts means on this platform."""
    found: list[QKeySequence] = []
    for key in keys:
        if isinstance(key, str):
            candidates = [QKeySequence(key, QKeySequence.SequenceFormat.PortableText)]
        else:
            candidates = QKeySequence.keyBindings(key)
        found.extend(s for s in candidates if not s.isEmpty() and s not in found)
    return found


@dataclass(frozen=True, slots=True)
class MenuSpec:
    """A menu: action ids, None for a separator, or menus within it."""

    id: str
    title: str
    entries: "tuple[str | MenuSpec | None, ...]" = ()
    icon: str = ""


def _is_common(sequence: QKeySequence) -> bool:
    key = int(sequence[0].key())  # type: ignore[index]  # the stubs lack __getitem__
    return key < _FIRST_MEDIA_KEY and key not in _SUN_KEYS


def translated(text: str) -> str:
    """A text of the action table in the user's language."""
    return QCoreApplication.translate("Actions", text) if text else ""


class ActionTable(QObject):
    """The actions of one window, built from specs.

    An action gets its icon when somebody takes the action, or opens the menu it is in: drawing a
    hundred icons in three sizes and colours would keep the window from coming up.
    """

    refreshed = Signal()

    def __init__(
        self,
        specs: Sequence[ActionSpec],
        icons: Icons | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._specs = {spec.id: spec for spec in specs}
        if len(self._specs) != len(specs):
            raise ValueError("two actions have the same id")
        self._icons = icons
        self._handlers: dict[str, Callable[[], object]] = {}
        self._reasons: dict[str, str] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._actions: dict[str, QAction] = {}
        self._canvas_twins: dict[str, QAction] = {}
        self._yielding_twins: dict[str, QAction] = {}
        self._in_text = False
        self._menus: dict[str, QMenu] = {}
        self._menu_icons: dict[str, str] = {}
        self._dressed: set[str] = set()
        """Actions that have their icon."""
        for spec in specs:
            self._build(spec)
        if icons is not None:
            icons.changed.connect(self._reload_icons)

    # -- what there is -----------------------------------------------------------------------

    @property
    def specs(self) -> Mapping[str, ActionSpec]:
        """The specs by id, in the table's order."""
        return self._specs

    def action(self, action_id: str) -> QAction:
        """The Qt action of an id."""
        self._dress([action_id])
        return self._actions[action_id]

    def title(self, action_id: str) -> str:
        """The title in the user's language, without the mnemonic."""
        return translated(self._specs[action_id].title).replace("&", "").removesuffix("…")

    def reason(self, action_id: str) -> str:
        """Why the action is disabled, in the user's language, or ""."""
        return self._reasons.get(action_id, "")

    def shortcut_texts(self, action_id: str) -> list[str]:
        """The keys of an action as the platform writes them, without rare "Copy" or "Undo" keys."""
        spec = self._specs[action_id]
        native = QKeySequence.SequenceFormat.NativeText
        return [
            sequence.toString(native)
            for sequence in spec.sequences() + spec.canvas_sequences()
            if _is_common(sequence)
        ]

    def menu(self, menu_id: str) -> QMenu:
        """A menu that was built before, to fill it with entries known only at run time."""
        return self._menus[menu_id]

    # -- binding ------------------------------------------------------------------------------

    def bind(self, action_id: str, handler: Callable[[], object]) -> None:
        """Say what an action does. For a checkable one the handler reads `action(id)`."""
        if action_id not in self._specs:
            raise KeyError(f"no action {action_id!r}")
        self._handlers[action_id] = handler

    def bind_all(self, handlers: Mapping[str, Callable[[], object]]) -> None:
        """Bind many at once."""
        for action_id, handler in handlers.items():
            self.bind(action_id, handler)

    def unbound(self) -> list[str]:
        """Ids nothing was bound to: must be empty in a finished window."""
        return [action_id for action_id in self._specs if action_id not in self._handlers]

    def trigger(self, action_id: str) -> None:
        """Do it if it can be done now."""
        self._actions[action_id].trigger()

    def attach_window(self, window: QWidget) -> None:
        """Make the window-wide keys work there, also of actions in no menu."""
        window.addActions([a for a in self._actions.values() if not self._is_canvas_only(a)])
        window.addActions(list(self._yielding_twins.values()))
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus_changed)

    def attach_canvas(self, canvas: QWidget) -> None:
        """Make single letters and the like work while this widget has the focus."""
        canvas.addActions([a for a in self._actions.values() if self._is_canvas_only(a)])
        canvas.addActions(list(self._canvas_twins.values()))

    # -- state ----------------------------------------------------------------------------------

    def refresh(self, context: ActionContext) -> None:
        """Ask every predicate again; tips then say why something is greyed."""
        for action_id, spec in self._specs.items():
            reason = translated(spec.enabled(context))
            if self._reasons.get(action_id) == reason:
                continue  # writing 116 tips anew takes 4 ms, at every click
            self._reasons[action_id] = reason
            action = self._actions[action_id]
            action.setEnabled(not reason)
            if action_id in self._canvas_twins:
                self._canvas_twins[action_id].setEnabled(not reason)
            if action_id in self._yielding_twins:
                self._yielding_twins[action_id].setEnabled(not reason and not self._in_text)
            self._set_tip(spec)
        self._name_history_step("edit.undo", context.undo_label)
        self._name_history_step("edit.redo", context.redo_label)
        self.refreshed.emit()

    def set_checked(self, action_id: str, checked: bool = True) -> None:
        """Show a state without doing the action."""
        self._actions[action_id].setChecked(checked)  # handlers hang on `triggered`

    def _name_history_step(self, action_id: str, label: str) -> None:
        if action_id in self._actions:
            title = translated(self._specs[action_id].title)
            step = label.replace("\n", " ").replace("&", "&&")
            self._actions[action_id].setText(f"{title} {step}".rstrip())

    # -- views ----------------------------------------------------------------------------------

    def build_menu_bar(self, bar: QMenuBar, menus: Iterable[MenuSpec]) -> None:
        """Fill a menu bar."""
        for spec in menus:
            bar.addMenu(self.build_menu(spec, bar))

    def build_menu(self, spec: MenuSpec, parent: QWidget) -> QMenu:
        """A menu as specified; kept under its id."""
        menu = QMenu(translated(spec.title), parent)
        menu.setObjectName(f"menu.{spec.id}")
        menu.setToolTipsVisible(True)
        if self._icons is not None and spec.icon:
            menu.setIcon(self._icons.icon(spec.icon))
            self._menu_icons[spec.id] = spec.icon
        for entry in spec.entries:
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, MenuSpec):
                menu.addMenu(self.build_menu(entry, menu))
            else:
                menu.addAction(self._actions[entry])
        menu.aboutToShow.connect(
            partial(self._dress, [e for e in spec.entries if e in self._specs])
        )
        self._menus[spec.id] = menu
        return menu

    def build_tool_bar(self, bar: QToolBar, entries: Iterable[str | None]) -> None:
        """Fill a tool bar; None is a separator."""
        for entry in entries:
            if entry is None:
                bar.addSeparator()
            else:
                bar.addAction(self.action(entry))

    # -- building ---------------------------------------------------------------------------------

    def _build(self, spec: ActionSpec) -> None:
        action = QAction(translated(spec.title), self)
        action.setObjectName(spec.id)
        action.setMenuRole(spec.menu_role)
        action.setCheckable(spec.checkable)
        action.setIconVisibleInMenu(not spec.checkable)  # a menu shows the tick in its place
        action.triggered.connect(partial(self._run, spec.id))
        if spec.canvas_only:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.setShortcuts(spec.canvas_sequences())
        else:
            action.setShortcuts(expand_keys(spec.keys))
            if spec.canvas_keys:
                self._canvas_twins[spec.id] = self._twin(spec, action, spec.canvas_keys)
            if spec.yielding_keys:
                self._yielding_twins[spec.id] = self._twin(spec, action, spec.yielding_keys)
        if spec.group:
            group = self._groups.get(spec.group)
            if group is None:
                group = self._groups[spec.group] = QActionGroup(self)
            group.addAction(action)
        self._actions[spec.id] = action
        self._set_tip(spec)

    def _twin(self, spec: ActionSpec, action: QAction, keys: Sequence[Key]) -> QAction:
        """A second action for keys that hold elsewhere: a QAction has one context for all."""
        twin = QAction(self)
        twin.setObjectName(f"{spec.id}.twin")
        if keys is spec.canvas_keys:
            twin.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        twin.setShortcuts(expand_keys(keys))
        twin.triggered.connect(lambda _checked=False: action.trigger())
        return twin

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        self._in_text = isinstance(new, QLineEdit | QTextEdit | QPlainTextEdit)
        for action_id, twin in self._yielding_twins.items():
            twin.setEnabled(self._actions[action_id].isEnabled() and not self._in_text)

    def _run(self, action_id: str, _checked: bool = False) -> None:
        handler = self._handlers.get(action_id)
        if handler is not None:
            handler()

    def _is_canvas_only(self, action: QAction) -> bool:
        return self._specs[action.objectName()].canvas_only

    def _set_tip(self, spec: ActionSpec) -> None:
        action = self._actions[spec.id]
        text = translated(spec.tip) or self.title(spec.id)
        keys = self.shortcut_texts(spec.id)
        tip = f"{text} ({keys[0]})" if keys else text
        reason = self._reasons.get(spec.id, "")
        action.setToolTip(f"{tip}\n{reason}" if reason else tip)
        action.setStatusTip(reason or text)

    def _dress(self, action_ids: Iterable[str]) -> None:
        """Give actions their icons, where they have none yet."""
        for action_id in action_ids:
            name = self._specs[action_id].icon
            if self._icons is not None and name and action_id not in self._dressed:
                self._dressed.add(action_id)
                self._actions[action_id].setIcon(self._icons.icon(name))

    def _reload_icons(self) -> None:
        if self._icons is None:
            return
        dressed, self._dressed = self._dressed, set()
        self._dress(dressed)
        for menu_id, name in self._menu_icons.items():
            if isValid(self._menus[menu_id]):  # a closed window takes its menus along
                self._menus[menu_id].setIcon(self._icons.icon(name))
