# SPDX-License-Identifier: Apache-2.0
"""The scene's mirror of a design: built at once, then patched in place by each ``Change``.

Where things are is the business of a layout (elevation, fabric, floor); everything else is the
same for the three views.
"""

from collections.abc import Sequence

import numpy as np

from rackloom.design import Change, Design
from rackloom_gui.canvas.colours import code_of_fabric
from rackloom_gui.canvas.layouts import Bundles, Layout, Places
from rackloom_gui.canvas.scene_reader import SceneReader, legs_of_cable

__all__ = ["Bundles", "Layout", "Places", "SceneArrays"]


class SceneArrays(SceneReader):
    """What one view draws and hits, as arrays that follow the design."""

    def adopt(self, ready: SceneReader, design: Design) -> None:
        """Take over what another reader of such a layout read of a design, as `build` would."""
        own = {"layout", "notes", "hidden_devices", "version", "_loads", "_load_codes"}
        vars(self.layout).update(vars(ready.layout))
        for name, value in vars(ready).items():
            if name not in own:
                setattr(self, name, value)
        self.design = design
        self.version += 1
        self._load_codes = None
        if self._loads is not None:  # bundles were coloured by network
            self._bundles = None

    def patch(self, design: Design, change: Change) -> None:
        """Follow a change of the design in place."""
        before, self.design = self.design, design
        self.version += 1
        stale = self.layout.stale(before, design, change)
        if stale is None or any(True for _ in change.of("parts") if _.before is not None):
            self.build(design)
            return
        self._bundles = self._load_codes = None
        if change.tables & {"racks", "rows"}:
            self._fill_racks(design)
            self._describe(design, [i for i in self.devices.row_of if i in design.devices])
        cables = {r.id for r in change.of("cables")}
        ports = self._devices_of(change)
        for record in change.of("devices"):
            if record.after is None:
                self.devices.drop(record.id)
        self._drop_cables(cables)
        self._place(design, stale)
        self._add_cables(design, [c for c in cables if c in design.cables])
        for record in change.of("devices"):
            if record.after is not None and record.id in self.devices:
                hint = code_of_fabric(record.after.fabric)
                self.devices["hint"][self.devices.row_of[record.id]] = hint
        recoloured = self._colour_cables()
        self._refresh_ports(design, ports | stale)
        self._mark_ports(recoloured)
        moved = stale & design.devices.keys()
        self._reroute(design, moved, cables)

    def _devices_of(self, change: Change) -> set[str]:
        found: set[str] = set()
        for record in change.of("cables"):
            for cable in (record.before, record.after):
                if cable is not None:
                    found.update(end.device for end in cable.ends)
        for record in change.of("modules"):
            found.update(m.device for m in (record.before, record.after) if m is not None)
        return found

    def _place(self, design: Design, ids: set[str]) -> None:
        here = [i for i in ids if i in design.devices]
        if not here:
            return
        places = self.layout.places(design, self.book, here)
        base = 0
        for device_id, box, face, shown in zip(
            places.ids, places.boxes, places.faces, places.shown, strict=True
        ):
            fresh = device_id not in self.devices
            row = self.devices.add(device_id)
            cages = len(self.book.faces[face].cages)
            if fresh or cages != len(self.book.faces[self.devices["face"][row]].cages):
                base = self._new_ports(cages)
                self.devices["base"][row] = base
            self.devices["box"][row] = box
            self.devices["face"][row] = face
            self.devices["shown"][row] = shown
        self._describe(design, places.ids)

    def _new_ports(self, count: int) -> int:
        base = self._ports_used
        self._ports_used += count
        if self._ports_used > len(self.port_codes):
            grown = np.zeros(self._ports_used * 5 // 4 + 64, dtype=np.uint8)
            grown[: len(self.port_codes)] = self.port_codes
            self.port_codes = grown
        return base

    def _drop_cables(self, ids: set[str]) -> None:
        gone: list[int] = []
        for cable_id in ids:
            row = self.cables.row_of.get(cable_id)
            if row is None:
                continue
            first, count = int(self.cables["first"][row]), int(self.cables["legs"][row])
            gone.extend(range(first, first + count))
            self.cables.drop(cable_id)
        if gone:
            legs = np.array(gone, dtype=np.int32)
            self.legs.alive[legs] = False
            self.segments.forget(legs, self.legs.count)

    def _add_cables(self, design: Design, ids: Sequence[str]) -> None:
        faces = self.devices["face"]
        numbers = [face.number for face in self.book.faces]
        row_of = self.devices.row_of
        for cable_id in ids:
            cable = design.cables[cable_id]  # type: ignore[index]
            row = self.cables.add(cable_id)
            legs = list(legs_of_cable(cable, row, row_of, lambda d: numbers[faces[d]]))
            first, last = self.legs.append(legs)
            self.cables["first"][row], self.cables["legs"][row] = first, last - first
            self.cables["own"][row] = self.colours.code(cable)

    def _refresh_ports(self, design: Design, ids: set[str]) -> None:
        """Work out again which ports of these devices are taken."""
        legs: list[int] = []
        for device_id in ids:
            row = self.devices.row_of.get(device_id)
            if row is None:
                continue
            base = int(self.devices["base"][row])
            count = len(self.book.faces[self.devices["face"][row]].cages)
            self.port_codes[base : base + count] = 0
            for cable_id in design.index.cables_of_device.get(device_id, ()):  # type: ignore[call-overload]
                legs.extend(self.legs_of(cable_id))
        if legs:
            self._mark_ports(np.array(legs, dtype=np.int32))
        self._count_modules(
            design.modules[module_id]
            for device_id in ids
            if device_id in self.devices
            for module_id in design.index.modules_of_device.get(device_id, ())  # type: ignore[call-overload]
        )

    def _reroute(self, design: Design, moved: set[str], cables: set[str]) -> None:
        ids = {
            cable_id
            for device_id in moved
            for cable_id in design.index.cables_of_device.get(device_id, ())  # type: ignore[call-overload]
        } | (cables & design.cables.keys())
        legs = np.array([leg for c in ids for leg in self.legs_of(c)], dtype=np.int32)
        if len(legs):
            self.segments.forget(legs, self.legs.count)
            self.segments.add(*self.layout.route(self, legs))
        if self.segments.wants_sorting:
            self._route_all()
