# SPDX-License-Identifier: Apache-2.0
"""Devices, racks and notes on the clipboard: as a small project file of our own, and as text."""

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from rackloom.catalog.parts import DevicePart
from rackloom.design import Design
from rackloom.design.copying import Snippet, snippet
from rackloom.design.ids import RackId
from rackloom.design.notes import plain_text
from rackloom.files.errors import FileError
from rackloom.files.schema import Extras, parse
from rackloom.files.text import file_chunks

MIME = "application/x-rackloom-design"
"""A project file that holds the copied things; ``whole_racks`` lists racks copied as such."""
MAX_CLIP_BYTES = 200_000_000
_WHOLE = "whole_racks"
_OWN_CLIPBOARD = frozenset({"offscreen", "minimal", "minimalegl", "eglfs", "linuxfb", "vnc"})


def to_mime(clip: Snippet) -> QMimeData:
    """What goes onto the clipboard for a snippet."""
    extras = Extras({_WHOLE: sorted(clip.whole_racks)}, {})
    mime = QMimeData()
    mime.setData(MIME, QByteArray(b"".join(file_chunks(clip.design, extras))))
    mime.setText(as_text(clip.design))
    return mime


def from_mime(mime: QMimeData) -> Snippet | None:
    """The snippet on a clipboard; None where it holds nothing of ours. Raises FileError."""
    if not mime.hasFormat(MIME):
        return None
    data = bytes(mime.data(MIME).data())
    if len(data) > MAX_CLIP_BYTES:
        raise FileError("the clipboard holds more than can be pasted")
    design, extras = parse(data)
    listed = extras.top.get(_WHOLE, [])
    racks = listed if isinstance(listed, list) else []
    return Snippet(design, frozenset(RackId(r) for r in racks if r in design.racks))


def as_text(design: Design) -> str:
    """Devices as a table for spreadsheets: name, part, rack, lowest U. Notes as they are."""
    lines = [
        "\t".join(
            (
                device.name,
                design.part(device.part, DevicePart).title,
                design.racks[device.rack].name,
                str(device.bottom_u or ""),
            )
        )
        for device in design.devices.values()
    ]
    notes = [plain_text(note.text) for note in design.notes.values()]
    return "\n".join([*lines, *notes])


def copy(design: Design, ids: frozenset[str]) -> int:
    """Put a selection on the clipboard; returns how many devices, racks and notes it comprises."""
    clip = snippet(design, ids)
    if clip:
        QGuiApplication.clipboard().setMimeData(to_mime(clip))
    return len(clip.design.devices) + len(clip.whole_racks) + len(clip.design.notes)


def leave() -> None:
    """Empty a clipboard that ends with the program; one that other programs share is kept.

    Qt's platforms without a system clipboard keep it in a static object, which would free what
    Python made after Python itself is gone.
    """
    if QGuiApplication.platformName() in _OWN_CLIPBOARD:
        QGuiApplication.clipboard().clear()


def has_snippet() -> bool:
    """Whether the clipboard holds something of ours."""
    mime = QGuiApplication.clipboard().mimeData()
    return mime is not None and mime.hasFormat(MIME)


def read() -> Snippet | None:
    """The snippet on the clipboard; None where there is none. Raises FileError."""
    mime = QGuiApplication.clipboard().mimeData()
    return from_mime(mime) if mime is not None else None
