# SPDX-License-Identifier: Apache-2.0
"""Why an action cannot be done now: the predicates of the action table, and their sentences."""

from rackloom_gui.actions import ActionContext, Refusal


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark a text for translation; the action table translates it when shown."""
    return text


def editable(then: Refusal | None = None) -> Refusal:
    """Refuse while busy or read-only, else ask on."""

    def refusal(context: ActionContext) -> str:
        if context.busy:
            return context.busy
        if context.read_only:
            return QT_TRANSLATE_NOOP("Actions", "This design is open for reading only.")
        return then(context) if then is not None else ""

    return refusal


def idle(context: ActionContext) -> str:
    """Only while nothing long is running."""
    return context.busy


def selection(context: ActionContext) -> str:
    """Something must be selected."""
    if context.selected_devices or context.selected_racks or context.selected_cables:
        return ""
    if context.selected_notes:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Nothing is selected.")


def devices_or_racks(context: ActionContext) -> str:
    """A device or a rack must be selected."""
    if context.selected_devices or context.selected_racks:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select devices or racks first.")


def copyable(context: ActionContext) -> str:
    """A device, a rack or a note must be selected."""
    if context.selected_devices or context.selected_racks or context.selected_notes:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select devices, racks or notes first.")


def movable(context: ActionContext) -> str:
    """A device or a note must be selected."""
    if context.selected_devices or context.selected_notes:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select a device or a note first.")


def devices(context: ActionContext) -> str:
    """A device must be selected."""
    if context.selected_devices:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select a device first.")


def one_thing(context: ActionContext) -> str:
    """Exactly one thing must be selected."""
    count = context.selected_devices + context.selected_racks + context.selected_cables
    if count + context.selected_notes == 1:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select exactly one device, rack, cable or note.")


def servers_and_switches(context: ActionContext) -> str:
    """Servers with switches must be selected, or two switches and more."""
    if context.selected_switches > (0 if context.selected_servers else 1):
        return ""
    return QT_TRANSLATE_NOOP(
        "Actions", "Select servers with their leaf switches, or two switches and more."
    )


def cables_or_devices(context: ActionContext) -> str:
    """A cable or a device must be selected."""
    if context.selected_cables or context.selected_devices:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select cables or devices first.")


def plugged(context: ActionContext) -> str:
    """Something selected must still be plugged in."""
    chosen = context.selected_cables + context.selected_devices
    if chosen > context.selected_unplugged:
        return ""
    if chosen:
        return QT_TRANSLATE_NOOP("Actions", "All that is selected is unplugged already.")
    return QT_TRANSLATE_NOOP("Actions", "Select cables or devices first.")


def unplugged(context: ActionContext) -> str:
    """Something selected must be unplugged."""
    if context.selected_unplugged:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Nothing that is selected is unplugged.")


def undoable(context: ActionContext) -> str:
    """There must be a step to take back."""
    return "" if context.undo_label else QT_TRANSLATE_NOOP("Actions", "There is nothing to undo.")


def redoable(context: ActionContext) -> str:
    """There must be a step to do again."""
    return "" if context.redo_label else QT_TRANSLATE_NOOP("Actions", "There is nothing to redo.")


def pasteable(context: ActionContext) -> str:
    """The clipboard must hold something of ours."""
    if context.can_paste:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "The clipboard holds nothing of a Rackloom design.")


def has_devices(context: ActionContext) -> str:
    """The design must have devices."""
    return (
        "" if context.device_count else QT_TRANSLATE_NOOP("Actions", "The design has no devices.")
    )


def has_racks(context: ActionContext) -> str:
    """The design must have racks."""
    return "" if context.rack_count else QT_TRANSLATE_NOOP("Actions", "The design has no racks.")


def has_cables(context: ActionContext) -> str:
    """The design must have cables."""
    return "" if context.cable_count else QT_TRANSLATE_NOOP("Actions", "The design has no cables.")


def has_recent(context: ActionContext) -> str:
    """The list of recent files must not be empty."""
    return "" if context.recent_count else QT_TRANSLATE_NOOP("Actions", "No file was opened yet.")


def has_findings(context: ActionContext) -> str:
    """There must be findings."""
    if context.finding_count:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "There are no problems to go to.")


def has_fix(context: ActionContext) -> str:
    """The selected finding must offer a fix."""
    if context.selected_finding_fixes:
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Select a problem that offers a fix.")


def in_racks_view(context: ActionContext) -> str:
    """The rack view must be the active one."""
    if context.view_name == "racks":
        return ""
    return QT_TRANSLATE_NOOP("Actions", "Only the rack view has a front and a rear.")
