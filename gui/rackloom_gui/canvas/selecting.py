# SPDX-License-Identifier: Apache-2.0
"""Select All: first all of the kinds in hand, then everything that stands on the floor."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

from rackloom_gui.document import Document

_KINDS = {
    "devices": (
        QT_TRANSLATE_NOOP("Canvas", "{0} device"), QT_TRANSLATE_NOOP("Canvas", "{0} devices"),
    ),
    "racks": (QT_TRANSLATE_NOOP("Canvas", "{0} rack"), QT_TRANSLATE_NOOP("Canvas", "{0} racks")),
    "cables": (
        QT_TRANSLATE_NOOP("Canvas", "{0} cable"), QT_TRANSLATE_NOOP("Canvas", "{0} cables"),
    ),
    "modules": (
        QT_TRANSLATE_NOOP("Canvas", "{0} transceiver"),
        QT_TRANSLATE_NOOP("Canvas", "{0} transceivers"),
    ),
    "rows": (QT_TRANSLATE_NOOP("Canvas", "{0} row"), QT_TRANSLATE_NOOP("Canvas", "{0} rows")),
    "notes": (QT_TRANSLATE_NOOP("Canvas", "{0} note"), QT_TRANSLATE_NOOP("Canvas", "{0} notes")),
    "feeds": (QT_TRANSLATE_NOOP("Canvas", "{0} feed"), QT_TRANSLATE_NOOP("Canvas", "{0} feeds")),
}  # fmt: skip
"""What can be selected, by its table of the design."""

_STANDING = ("devices", "racks")


def select_all(document: Document) -> str:
    """Select all of the kinds that are selected; says what is selected now, in a sentence.

    With nothing selected, or all of those kinds already, all devices and racks are selected.
    """
    design, selection = document.design, document.selection
    kinds = [kind for kind in _KINDS if not selection.isdisjoint(design.table(kind))]
    if not kinds or all(selection.issuperset(design.table(kind)) for kind in kinds):
        kinds = list(_STANDING)
    document.select(entity for kind in kinds for entity in design.table(kind))
    counted = [_counted(kind, len(design.table(kind))) for kind in kinds]
    text = _tr("{0} selected.")
    *first, last = counted
    return text.format(_tr("{0} and {1}").format(", ".join(first), last) if first else last)


def _counted(kind: str, number: int) -> str:
    one, many = _KINDS[kind]
    return _tr(str(one if number == 1 else many)).format(QLocale().toString(number))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Canvas", text)
