# SPDX-License-Identifier: Apache-2.0
"""The ports of one device: what is plugged where, how fast, and how the cage is split."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QTableView, QWidget

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import Part, TransceiverPart
from rackloom.design import Design, PortRef, port_name
from rackloom.design.hardware import cages_of
from rackloom.design.ids import DeviceId
from rackloom.design.wiring import cage_mode
from rackloom_gui.panels.figures import rate_text
from rackloom_gui.panels.tables import dress_rows

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class PortLine:
    """One cage and what is in it."""

    cage: Cage
    mode: str
    fixed: bool
    cables: tuple[str, ...]
    plugged: str
    """Models of the cables or of the transceiver in it."""
    peers: str
    rate: str
    length: str


def port_lines(design: Design, device_id: DeviceId) -> list[PortLine]:
    """Every cage of a device, in the part's order."""
    device = design.devices[device_id]
    cables: dict[str, list[str]] = {}
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        for end in design.cables[cable_id].ends:
            if end.device == device_id:
                cables.setdefault(end.cage, []).append(cable_id)
    modules = {
        design.modules[m].cage: design.part(design.modules[m].part, TransceiverPart).model
        for m in design.index.modules_of_device.get(device_id, ())
    }
    fixed = dict(device.modes)
    lines = []
    for name, cage in cages_of(design, device).items():
        ids = tuple(dict.fromkeys(cables.get(name, ())))
        peers, rates = _far(design, device_id, name, ids)
        models = dict.fromkeys(design.part(design.cables[c].part, Part).model for c in ids)  # type: ignore[index]
        lengths = dict.fromkeys(f"{design.cables[c].length_m:g} m" for c in ids)  # type: ignore[index]
        lines.append(
            PortLine(
                cage,
                cage_mode(design, device, cage).name,
                name in fixed,
                ids,
                modules.get(name) or ", ".join(models),
                ", ".join(peers),
                " + ".join(f"{n} × {rate_text(r)}" if n > 1 else rate_text(r)
                           for r, n in rates.items()),
                ", ".join(lengths),
            )
        )  # fmt: skip
    return lines


def _far(
    design: Design, device_id: DeviceId, cage: str, cable_ids: tuple[str, ...]
) -> tuple[list[str], Counter[float]]:
    """What the links of a cage lead to, and their rates."""
    peers: list[str] = []
    rates: Counter[float] = Counter()
    for cable_id in cable_ids:
        for link in design.links.get(cable_id, ()):  # type: ignore[call-overload]
            for here, there in ((link.a, link.b), (link.b, link.a)):
                if (here.device, here.cage) == (device_id, cage):
                    peers.append(_port_text(design, there))
                    rates[link.rate_gbps] += 1
    return list(dict.fromkeys(peers)), rates


def _port_text(design: Design, port: PortRef) -> str:
    return f"{design.devices[port.device].name} {port_name(design, port)}"


class PortModel(QAbstractTableModel):
    """Port lines as a table."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.lines: list[PortLine] = []
        self._titles = (
            self.tr("Port"), self.tr("To"), self.tr("Rate"), self.tr("Length"),
            self.tr("Split"), self.tr("Plugged"),
        )  # fmt: skip

    def show_lines(self, lines: list[PortLine]) -> None:
        """Other lines; the selection stays where the cages are the same."""
        if [line.cage.name for line in lines] == [line.cage.name for line in self.lines]:
            self.lines = lines
            if lines:
                last = self.index(len(lines) - 1, self.columnCount() - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            split = self.tr("{0} (set)").format(line.mode) if line.fixed else line.mode
            texts = (line.cage.name, line.peers, line.rate, line.length, split, line.plugged)
            return texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            kind = f"{line.cage.form_factor} {rate_text(line.cage.rate_gbps)}"
            return "\n".join(
                t for t in (f"{line.cage.name}: {kind}", line.peers, line.plugged) if t
            )
        return None


class PortTable(QTableView):
    """A compact table of ports, as tall as its content up to a limit."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.ports = PortModel(self)
        self.setModel(self.ports)
        dress_rows(self, name, room_px=6)
        head = self.horizontalHeader()
        head.setMinimumSectionSize(36)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setStretchLastSection(True)
        for column, width in enumerate((52, 82, 58, 54, 52, 60)):
            self.setColumnWidth(column, width)

    def show_lines(self, lines: list[PortLine]) -> None:
        """Show lines, and take the height they need."""
        self.ports.show_lines(lines)
        row = self.verticalHeader().defaultSectionSize()
        wanted = self.horizontalHeader().sizeHint().height() + row * len(lines) + 4
        self.setFixedHeight(min(wanted, 320) + 12)

    def chosen(self) -> list[PortLine]:
        """Lines of the selected rows."""
        return [self.ports.lines[i.row()] for i in self.selectionModel().selectedRows()]
