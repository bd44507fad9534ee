# SPDX-License-Identifier: Apache-2.0
"""A device in the network of links: what hangs on it, and what it hangs on."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.catalog.words import CageRole
from rackloom.design.hardware import cages_of
from rackloom.design.relinking import links_over

if TYPE_CHECKING:
    from rackloom.catalog.parts import PartId
    from rackloom.design.ids import DeviceId
    from rackloom.design.links import Link, PortRef
    from rackloom.design.value import Design

TIER_OF_ROLE = {
    "leaf": 1,
    "tor": 1,
    "spine": 2,
    "aggregation": 2,
    "core": 3,
    "super-spine": 3,
}
"""What a device's ``role`` says about its tier, where somebody set one."""


class Bundle(NamedTuple):
    """Links between two devices, of one role."""

    links: int
    rate_gbps: float


class Attachment(NamedTuple):
    """A port of a server, and the switch (or device) it is linked to."""

    port: PortRef
    peer: DeviceId
    peer_port: PortRef
    cable: str
    role: CageRole
    rate_gbps: float


@dataclass(frozen=True, slots=True)
class Node:
    """A device in the network of links."""

    device: DeviceId
    built: tuple[PartId, tuple[tuple[str, PartId], ...]]
    """Its part, and the cards in its slots."""
    is_switch: bool
    fixed_tier: int | None
    between: Mapping[DeviceId, Bundle]
    """Switches joined to this switch by fabric ports on both sides."""
    served: Mapping[tuple[CageRole, DeviceId], Bundle]
    """What hangs on the fabric ports of this switch, by the role of the far port."""
    attached: tuple[Attachment, ...]
    """Links of this device's own (not fabric) ports."""
    gpu_links: int
    """Links from this switch to GPU servers."""
    near: frozenset[DeviceId]
    """Where compute traffic can go from here: over compute ports, and between switches."""
    halves: Mapping[DeviceId, frozenset[tuple[int, int]]]
    """Of a box with several switches inside: its switch and the peer's, for each peer ``near``."""

    serves_compute: bool
    """Whether compute ports hang on it."""
    served_roles: frozenset[CageRole]
    """Of the ports that hang on it."""
    roles: frozenset[CageRole]
    """Of its own ports that are linked."""
    compute_gbps: float
    """Of its own compute ports that are linked, together."""
    compute_links: int
    """How many of those there are."""
    served_gbps: float
    """What compute ports bring in to this switch."""
    fabric_links: int
    """Links of this switch's fabric ports."""

    @property
    def serves(self) -> bool:
        """Whether endpoints hang on it."""
        return bool(self.served)


def has_gpus(design: Design, device: DeviceId) -> bool:
    """Whether a device is a server with GPUs."""
    part = design.parts[design.devices[device].part]
    return isinstance(part, ServerPart) and part.gpu is not None


_FABRIC, _COMPUTE = CageRole.FABRIC, CageRole.COMPUTE


class Looker:
    """Looks at the links of one device after the other; what they share is looked up once."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._links = design.links
        self._through_panels = bool(design.links_via)
        self._roles: dict[DeviceId, Mapping[str, CageRole]] = {}
        self._roles_of_cages: dict[int, Mapping[str, CageRole]] = {}
        self._gpus: dict[DeviceId, bool] = {}

    def _roles_on(self, device: DeviceId) -> Mapping[str, CageRole]:
        """The roles of a device's cages by their names."""
        cages = cages_of(self._design, self._design.devices[device])
        roles = self._roles_of_cages.get(id(cages))
        if roles is None:
            roles = {name: cage.role for name, cage in cages.items()}
            if not self._design.devices[device].cards:  # else these cages are made anew each time
                self._roles_of_cages[id(cages)] = roles
        self._roles[device] = roles
        return roles

    def _has_gpus(self, device: DeviceId) -> bool:
        known = self._gpus.get(device)
        if known is None:
            known = self._gpus[device] = has_gpus(self._design, device)
        return known

    def _sides(self, device: DeviceId) -> list[tuple[Link, PortRef, PortRef]]:
        """The links of a device, each with its own port and the far one."""
        design, links = self._design, self._links
        sides: list[tuple[Link, PortRef, PortRef]] = []
        for cable in design.index.cables_of_device.get(device, ()):
            over = links_over(design, cable) if self._through_panels else links.get(cable, ())
            for link in over:
                a, b = link.a, link.b
                if a.device == device:
                    sides.append((link, a, b))
                if b.device == device:
                    sides.append((link, b, a))
        return sides

    def node(self, device: DeviceId) -> Node | None:
        """A device in the network; None for one that is in none.

        Switches and GPU servers count even while nothing is plugged into them.
        """
        part = self._design.parts[self._design.devices[device].part]
        is_switch = isinstance(part, SwitchPart)
        between: dict[DeviceId, list[float]] = {}
        served: dict[tuple[CageRole, DeviceId], list[float]] = {}
        attached: list[Attachment] = []
        halves: dict[DeviceId, set[tuple[int, int]]] = {}
        split = isinstance(part, SwitchPart) and part.partitions > 1
        roles = self._roles
        mine_by_cage = roles.get(device) or self._roles_on(device)
        for link, mine, other in self._sides(device):
            far = other.device
            my_role = mine_by_cage[mine.cage]
            if my_role is not _FABRIC:
                attached.append(Attachment(mine, far, other, link.cable, my_role, link.rate_gbps))
                continue
            far_role = (roles.get(far) or self._roles_on(far))[other.cage]
            if far_role is _FABRIC:
                rates = between.get(far)
                if rates is None:
                    rates = between[far] = []
            else:
                rates = served.setdefault((far_role, far), [])
            rates.append(link.rate_gbps)
            if split and (far_role is _FABRIC or far_role is _COMPUTE):
                pair = _inside(self._design, mine), _inside(self._design, other)
                halves.setdefault(far, set()).add(pair)
        near = {a.peer for a in attached if a.role is _COMPUTE}
        near.update(between, [far for role, far in served if role is _COMPUTE])
        if not (is_switch or attached or between or served or self._has_gpus(device)):
            return None
        attached.sort(key=_by_port)
        built = self._design.devices[device]
        return self._summed(
            device,
            (built.part, built.cards),
            is_switch,
            TIER_OF_ROLE.get(built.role.lower()) if built.role else None,
            {other: Bundle(len(rates), sum(rates)) for other, rates in between.items()},
            {end: Bundle(len(rates), sum(rates)) for end, rates in served.items()},
            tuple(attached),
            frozenset(near),
            {peer: frozenset(pairs) for peer, pairs in halves.items()},
        )

    def node_without(self, known: Node, gone: Set[DeviceId]) -> Node | None:
        """A device in the network, of whose links just those to some devices went, with these.

        The same as ``node``, for what it costs to leave things out.
        """
        attached, near, halves = known.attached, known.near, known.halves
        if any(a.peer in gone for a in attached):
            attached = tuple([a for a in attached if a.peer not in gone])
        if not near.isdisjoint(gone):
            near = near - gone
        if halves:
            halves = {peer: pairs for peer, pairs in halves.items() if peer not in gone}
        between = {d: bundle for d, bundle in known.between.items() if d not in gone}
        served = {end: bundle for end, bundle in known.served.items() if end[1] not in gone}
        device = known.device
        if not (known.is_switch or attached or between or served or self._has_gpus(device)):
            return None
        return self._summed(
            device,
            known.built,
            known.is_switch,
            known.fixed_tier,
            between,
            served,
            attached,
            near,
            halves,
        )

    def _summed(
        self,
        device: DeviceId,
        built: tuple[PartId, tuple[tuple[str, PartId], ...]],
        is_switch: bool,
        fixed_tier: int | None,
        between: Mapping[DeviceId, Bundle],
        served: Mapping[tuple[CageRole, DeviceId], Bundle],
        attached: tuple[Attachment, ...],
        near: frozenset[DeviceId],
        halves: Mapping[DeviceId, frozenset[tuple[int, int]]],
    ) -> Node:
        """A node with what follows from its links."""
        served_roles = frozenset([role for role, _ in served])
        compute_gbps = [a.rate_gbps for a in attached if a.role is _COMPUTE]
        return Node(
            device,
            built,
            is_switch,
            fixed_tier,
            between,
            served,
            attached,
            sum([bundle.links for (_, far), bundle in served.items() if self._has_gpus(far)]),
            near,
            halves,
            _COMPUTE in served_roles,
            served_roles,
            frozenset([a.role for a in attached]),
            sum(compute_gbps),
            len(compute_gbps),
            sum([bundle.rate_gbps for (role, _), bundle in served.items() if role is _COMPUTE]),
            sum([bundle.links for ends in (served, between) for bundle in ends.values()]),
        )


def _by_port(attachment: Attachment) -> tuple[str, int]:
    return attachment.port.cage, attachment.port.index


def _inside(design: Design, port: PortRef) -> int:
    """Which of the switches in a box a port belongs to; 0 for everything else."""
    part = design.parts[design.devices[port.device].part]
    return part.partition_of(port.cage) if isinstance(part, SwitchPart) else 0
