# SPDX-License-Identifier: Apache-2.0
"""A hall to break rules in: real parts, placed and plugged without asking whether that is wise.

Entities are written straight into the tables, so that a design can also hold what only a file can.
"""

from __future__ import annotations

from rackloom.catalog import Catalog, load_bundled
from rackloom.catalog.parts import CablePart, DevicePart, Part, PartId, RackPart
from rackloom.catalog.words import Side
from rackloom.checks import Finding, Findings, run
from rackloom.design import Cable, CableEnd, Design, Draft, edits
from rackloom.design.entities import Cord, Device, Module
from rackloom.design.ids import CableId, CordId, DeviceId, FeedId, ModuleId, RackId, RowId

CATALOG: Catalog = load_bundled()

H100 = "dgx-h100"
QM9700 = "nvidia-qm9700"
SN5600 = "nvidia-sn5600"

RAIL_PORT = {
    0: ("OSFP4", 1),
    1: ("OSFP3", 1),
    2: ("OSFP3", 0),
    3: ("OSFP4", 0),
    4: ("OSFP1", 1),
    5: ("OSFP2", 1),
    6: ("OSFP2", 0),
    7: ("OSFP1", 0),
}
"""Cage and port (0 or 1) of each rail of a DGX H100, from its user guide."""


class World:
    """A row of racks; devices pile up from the bottom unless a U is named."""

    def __init__(self, *racks: str) -> None:
        self.draft = Draft(Design())
        self.row: RowId = edits.add_row(self.draft)
        self.racks: list[RackId] = []
        self._next_u: dict[RackId, int] = {}
        for part in racks or ("generic-48u-600",):
            self.rack(part)

    def part(self, part_id: str) -> Part:
        """A bundled part."""
        return CATALOG.require(part_id)

    def rack(self, part_id: str | Part = "generic-48u-600") -> RackId:
        """One more rack at the row's end."""
        part = self.part(part_id) if isinstance(part_id, str) else part_id
        assert isinstance(part, RackPart)
        rack = edits.add_rack(self.draft, part, self.row, 0.8 * len(self.racks))
        self.racks.append(rack)
        self._next_u[rack] = 1
        return rack

    def device(
        self,
        part_id: str | DevicePart,
        name: str = "",
        *,
        rack: int = 0,
        u: int | None = None,
        face: Side = Side.FRONT,
        role: str | None = None,
        mount: str | None = None,
    ) -> DeviceId:
        """A device in the next free U of a rack, or where one says."""
        part = self.part(part_id) if isinstance(part_id, str) else part_id
        assert isinstance(part, DevicePart)
        self.draft.embed(part)
        device_id = DeviceId(self.draft.new_id("devices"))
        rack_id = self.racks[rack]
        if part.rack_units and u is None:
            u = self._next_u[rack_id]
            self._next_u[rack_id] += int(part.rack_units)
        name = name or str(device_id)
        self.draft.put(Device(device_id, name, part.id, rack_id, u, face, mount, role))
        return device_id

    def module(self, part_id: str, device: DeviceId, cage: str) -> ModuleId:
        """A transceiver in a cage."""
        part = self.part(part_id)
        module_id = ModuleId(self.draft.new_id("modules"))
        self.draft.embed(part)
        self.draft.put(Module(module_id, part.id, device, cage))
        return module_id

    def cable(
        self,
        part_id: str | CablePart,
        *ends: tuple[DeviceId, str] | tuple[DeviceId, str, int] | None,
        length_m: float = 2.0,
        label: str = "",
    ) -> CableId:
        """A cable; the first end is the trunk, None leaves an end loose."""
        part = self.part(part_id) if isinstance(part_id, str) else part_id
        self.draft.embed(part)
        cable_id = CableId(self.draft.new_id("cables"))
        plugged = tuple(CableEnd(n, *end) for n, end in enumerate(ends) if end is not None)
        self.draft.put(Cable(cable_id, PartId(part.id), plugged, length_m, label=label))
        return cable_id

    def optics(
        self,
        a: tuple[DeviceId, str, int],
        b: tuple[DeviceId, str, int],
        *,
        a_part: str = "mma4z00-ns",
        b_part: str = "mma4z00-ns",
        cord: str = "mfp7e10",
        length_m: float = 10.0,
    ) -> CableId:
        """Transceivers where they are missing, and a cord between two of their sockets."""
        for (device, cage, _), part_id in ((a, a_part), (b, b_part)):
            held = {(m.device, m.cage) for m in self.draft.modules.values()}
            if (device, cage) not in held:
                self.module(part_id, device, cage)
        return self.cable(cord, a, b, length_m=length_m)

    def rail(self, leaf: DeviceId, cage: str, socket: int, server: DeviceId, rail: int) -> CableId:
        """Rail ``rail`` of a DGX H100 to a socket of a leaf's cage, by multimode optics."""
        port, number = RAIL_PORT[rail]
        return self.optics((leaf, cage, socket), (server, port, number), b_part="mma4z00-ns-flt")

    def cord(self, device: DeviceId, inlet: int, source: str, outlet: str = "") -> CordId:
        """A power cord."""
        cord_id = CordId(self.draft.new_id("cords"))
        self.draft.put(Cord(cord_id, device, inlet, source, outlet))
        return cord_id

    def feed(self, name: str, group: str, voltage_v: float = 415, current_a: float = 60) -> FeedId:
        """A three-phase feed."""
        return edits.add_feed(self.draft, name, group, voltage_v, current_a)

    @property
    def design(self) -> Design:
        """What was drawn so far, invariants or not."""
        return self.draft.base.apply(self.draft.change())

    def check(self) -> Findings:
        """All findings of what was drawn so far."""
        return run(self.design)

    def fires(self, rule: str) -> list[Finding]:
        """The findings of one rule."""
        return [finding for finding in self.check() if finding.rule == rule]


def fire(design: Design, rule: str) -> list[Finding]:
    """The findings of one rule on a design."""
    return [finding for finding in run(design) if finding.rule == rule]


def fixed(finding: Finding, number: int = 0) -> Design:
    """The design after one of a finding's fixes, undo step and invariants as in the program."""
    assert finding.design is not None
    draft = Draft(finding.design)
    finding.fixes[number].edit(draft)
    after, step = draft.close("Fix")
    assert step.change, "the fix changed nothing"
    return after
