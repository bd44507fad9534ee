# SPDX-License-Identifier: Apache-2.0
"""One group of GPUs on one fabric, with the settings and constants that go with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.collectives.calibration import (
    PROTOCOLS,
    CpuVendor,
    Hardware,
    Library,
    load_hardware,
    load_libraries,
)
from rackloom.collectives.delays import Delays
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.group import GpuChoice, Group, form_group
from rackloom.collectives.ports import Ports, usable_ports
from rackloom.collectives.ring import Traffic, lay_rings
from rackloom.collectives.tree import lay_trees
from rackloom.fabric import Fabric

TRANSPORTS = ("infiniband", "ethernet", "efa", "efa-p5")
ROUTINGS = ("auto", "adaptive", "ecmp")
FLOWS_PER_CONNECTION = 16
"""Flows that a connection is split into over Ethernet: what Meta states of its RoCE clusters
(arXiv 2407.21783: 16 flows between each pair of GPUs)."""


LEAST_EFFICIENCY = 0.001
"""A network that reaches less than a thousandth of its rate is one that is down."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the drawing does not say of how the network is run."""

    routing: str = "auto"
    """``ecmp``: flows stay where a hash puts them. ``adaptive``: links fill evenly (adaptive
    routing, packet spray). ``auto``: adaptive on InfiniBand, hashed on Ethernet."""
    flows_per_connection: int = FLOWS_PER_CONNECTION
    network_efficiency: float = 1.0
    """What loss, pauses or a wrong set-up leave of the network: 1 is a healthy one."""
    transport: str | None = None
    """One of TRANSPORTS where it is not what the switches speak."""
    sharp: bool = False
    """Whether switches that can reduce are set up to (NCCL: off unless asked for)."""

    def checked(self) -> Settings:
        """These settings, or an EstimateError that says what is wrong."""
        if self.routing not in ROUTINGS:
            raise EstimateError(
                f"no routing is called {self.routing!r}; there are {', '.join(ROUTINGS)}"
            )
        if self.transport is not None and self.transport not in TRANSPORTS:
            raise EstimateError(
                f"no transport is called {self.transport!r}; there are {', '.join(TRANSPORTS)}"
            )
        if not 1 <= self.flows_per_connection <= 1 << 16:
            raise EstimateError(
                f"{self.flows_per_connection} flows per connection: give 1 to 65536"
            )
        if not LEAST_EFFICIENCY <= self.network_efficiency <= 1:  # NaN is not either
            raise EstimateError(
                f"a network efficiency of {self.network_efficiency:g} is none: give "
                f"{LEAST_EFFICIENCY:g} to 1"
            )
        return self


class Case:
    """One group on one fabric. Traffic is laid out when an algorithm asks for it."""

    def __init__(self, fabric: Fabric, gpus: GpuChoice, settings: Settings) -> None:
        libraries = load_libraries()
        self.fabric = fabric
        self.settings = settings
        self.hardware: Hardware = load_hardware()
        self.group: Group = form_group(fabric, gpus)
        self.ports: Ports = usable_ports(fabric, self.group, self.hardware)
        gpu = self.group.parts[0].gpu
        found = libraries.architectures.get((gpu.architecture if gpu else None) or "")
        row = found or libraries.unknown_architecture
        self.library: Library = libraries.libraries[row.library]
        self.row: str = row.row
        self.known: bool = found is not None
        """False where no constants are known for the GPUs' generation."""
        self.delays = Delays(fabric, self.hardware)

    @cached_property
    def rings(self) -> Traffic | None:
        """Rings through the nodes; None where all GPUs are in one node."""
        if self.group.nodes == 1:
            return None
        return lay_rings(self.fabric, self.group, self.ports)

    @cached_property
    def trees(self) -> Traffic | None:
        """Double binary trees over the nodes, on the channels of the rings."""
        return None if self.rings is None else lay_trees(self.fabric, self.group, self.rings)

    @cached_property
    def transport(self) -> str:
        """What the network between the nodes speaks; the slower kind where switches differ."""
        return self.settings.transport or _transport(self.fabric, self.rings)

    @property
    def hashed(self) -> bool:
        """Whether flows stay on the link a hash gave them."""
        if self.settings.routing != "auto":
            return self.settings.routing == "ecmp"
        return self.transport == Protocol.ETHERNET.value

    @property
    def protocols(self) -> frozenset[str]:
        """Protocols the transport allows: LL and LL128 take one that keeps the order of bytes."""
        extra = self.hardware.transport_extra.get(self.transport)
        if self.group.nodes == 1 or extra is None or extra.keeps_order:
            return frozenset(PROTOCOLS)
        return frozenset({"Simple"})

    @property
    def cpu(self) -> CpuVendor:
        """Row of the libraries' tables that goes by the host's processor."""
        vendor = self.group.parts[0].cpu_vendor
        return vendor if vendor in {"intel", "amd"} else "other"


def _transport(fabric: Fabric, rings: Traffic | None) -> str:
    if rings is None:
        return Protocol.INFINIBAND.value
    vertices = np.unique(rings.ports.switch[rings.channel_ports])
    devices = np.unique(fabric.network.switch_device[vertices])
    arrays, design = fabric.arrays, fabric.design
    spoken = {
        design.part(design.devices[arrays.device_ids[d]].part, SwitchPart).protocol
        for d in devices.tolist()
        if d >= 0
    }
    return Protocol.INFINIBAND.value if spoken == {Protocol.INFINIBAND} else Protocol.ETHERNET.value


def failed_ids(fabric: Fabric, failed: Iterable[str]) -> set[str]:
    """Ids of what failed, given by id, device name or cable label."""
    design = fabric.design
    failed = [failed] if isinstance(failed, str) else failed
    ids: set[str] = set()
    names: dict[str, set[str]] = {}
    for item in failed:
        if item in design.devices or item in design.cables:
            ids.add(item)
            continue
        if not names:
            for device in design.devices.values():
                names.setdefault(device.name, set()).add(device.id)
            for cable in design.cables.values():
                if cable.label:
                    names.setdefault(cable.label, set()).add(cable.id)
        if item not in names:
            raise EstimateError(f"nothing is called {item!r}: give a device's or a cable's name")
        ids |= names[item]
    return ids
