# SPDX-License-Identifier: Apache-2.0
"""GPU-to-GPU networks inside servers and racks: what they join, and what they cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rackloom.catalog.parts import ServerPart
from rackloom.catalog.words import ScaleUpKind
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called, listed
from rackloom.checks.registry import rule
from rackloom.design.domains import Domain, scale_up_domains
from rackloom.design.ids import DeviceId, by_age

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackloom.catalog.parts import ScaleUp
    from rackloom.design.ids import RackId

_PLACED = {"devices", "racks"}
_MESHES = frozenset({ScaleUpKind.XGMI_MESH, ScaleUpKind.NVLINK_MESH, ScaleUpKind.ETHERNET_MESH})
_BEFORE_HOPPER = frozenset({"volta", "ampere"})


def _spanning(context: Context) -> tuple[Domain, ...]:
    """Domains of parts that are made to span a rack; none, at once, where there is no such part."""
    parts = context.design.parts.values()
    if not any(isinstance(p, ServerPart) and p.scale_up and p.scale_up.spans_rack for p in parts):
        return ()
    return tuple(d for d in scale_up_domains(context.design) if d.scale_up.spans_rack)


@rule(
    "fabric.backplane",
    Severity.INFO,
    watches=_PLACED,
    scope="design",
    source="NVIDIA DGX GB200 user guide, hardware",
    numbers=(27,),
)
def backplane(context: Context, place: str) -> Iterator[Hit]:
    """A scale-up network over the backplane of a rack has no cables.

    The NVLink of an NVL72 rack is a cartridge that comes with it: nothing to draw, no topology to
    choose, no line in the bill of materials. What to do: nothing; this is said so that nobody
    looks for the cables.
    """
    del place
    joined: dict[str, list[Domain]] = {}
    for domain in _spanning(context):
        if domain.rack is not None:
            joined.setdefault(domain.scale_up.generation, []).append(domain)
    for generation, domains in joined.items():
        racks = sorted({d.rack for d in domains if d.rack is not None}, key=by_age)
        gpus = sum(d.gpus for d in domains)
        yield Hit(
            tuple(racks),
            f"{generation or 'the scale-up network'} of {gpus} GPUs in {listed(racks)} runs over "
            f"the backplane{'' if len(racks) == 1 else 's'}: no cables to draw or to order",
        )


@rule(
    "fabric.broken-domain",
    Severity.WARNING,
    watches=_PLACED,
    scope="design",
    source="NVIDIA DGX GB200 user guide, hardware",
    numbers=(27,),
)
def broken_domain(context: Context, place: str) -> Iterator[Hit]:
    """Trays made for a scale-up network across a rack stand in a rack that joins them.

    Without a fitting backplane and switch trays, or beyond the number of GPUs it joins, each tray
    sees only its own GPUs, and everything else goes over its network cards. What to do: place the
    trays in such a rack (an NVL72 rack comes whole), or add the switch trays.
    """
    del place
    alone: dict[tuple[RackId, str], list[DeviceId]] = {}
    for domain in _spanning(context):
        if domain.rack is None:
            (server,) = domain.servers
            rack = context.design.devices[server].rack
            alone.setdefault((rack, domain.scale_up.generation), []).append(server)
    for (rack, generation), servers in alone.items():
        one = len(servers) == 1
        yield Hit(
            (*servers, rack),
            f"{listed(servers)} in {called(rack)} {'sees' if one else 'see'} only "
            f"{'its' if one else 'their'} own GPUs: nothing there joins "
            f"{'it' if one else 'them'} by {generation or 'its scale-up network'}",
        )


def _servers(
    context: Context, wanted: Callable[[ServerPart, ScaleUp], bool]
) -> Iterator[tuple[ServerPart, ScaleUp, tuple[DeviceId, ...]]]:
    """GPU server parts in use whose scale-up network is of a kind, with their devices."""
    design = context.design
    parts = {
        part.id: (part, part.scale_up)
        for part in design.parts.values()
        if isinstance(part, ServerPart)
        and part.gpu is not None
        and part.scale_up is not None
        and wanted(part, part.scale_up)
    }
    if not parts:
        return
    found: dict[str, list[DeviceId]] = {}
    for device in design.devices.values():
        if device.part in parts:
            found.setdefault(device.part, []).append(device.id)
    for part_id, devices in found.items():
        yield *parts[part_id], tuple(sorted(devices, key=by_age))  # type: ignore[index]


def _is_mesh(part: ServerPart, scale_up: ScaleUp) -> bool:
    del part
    return scale_up.kind in _MESHES


@rule(
    "fabric.mesh-share",
    Severity.INFO,
    watches={"devices"},
    scope="design",
    source="public machine learning engineering notes (accelerators); vendors' data sheets",
    numbers=(74,),
)
def mesh_share(context: Context, place: str) -> Iterator[Hit]:
    """GPUs that are joined without switches share their bandwidth over all peers.

    In a full mesh of eight, each pair has a seventh of what a GPU has in all; through switches any
    pair has everything. Collectives over all GPUs of the box use all links, those over few do not.
    What to do: keep tensor-parallel groups as large as the box, or know the lower figure.
    """
    del place
    for part, scale_up, devices in _servers(context, _is_mesh):
        assert part.gpu is not None
        peers = part.gpu.count - 1
        if peers > 1:
            each = scale_up.bandwidth_gb_per_s / peers
            yield Hit(
                devices,
                f"the {part.gpu.count} GPUs of a {part.model} are a mesh: each shares "
                f"{scale_up.bandwidth_gb_per_s:g} GB/s over {peers} peers, so two of them alone "
                f"have {each:.3g} GB/s",
            )


def _lacks_nvls(part: ServerPart, scale_up: ScaleUp) -> bool:
    switched = scale_up.kind is ScaleUpKind.NVLINK_SWITCHED
    if not scale_up.in_network_reduction:
        return switched
    old = part.gpu is not None and part.gpu.architecture in _BEFORE_HOPPER
    return old or scale_up.kind in _MESHES


@rule(
    "fabric.no-nvls",
    Severity.INFO,
    watches={"devices"},
    scope="design",
    source="NVIDIA NCCL sources (NVLS needs compute capability 9.0 and NVLink switches)",
    numbers=(74,),
)
def no_nvls(context: Context, place: str) -> Iterator[Hit]:
    """Reduction inside the NVLink switches (NVLS) needs Hopper or later, and NVSwitch.

    Older GPUs, and boxes whose GPUs are joined without switches, run rings and trees instead, at
    about half the bus bandwidth of an all-reduce inside the box. What to do: nothing for a box as
    it is; correct an own part that claims the reduction.
    """
    del place
    for part, scale_up, devices in _servers(context, _lacks_nvls):
        if scale_up.in_network_reduction:
            text = f"{part.model} is said to reduce inside its scale-up network, which needs"
        else:
            text = f"{part.model} does not reduce inside its NVLink switches, which needs"
        yield Hit(devices, f"{text} GPUs of Hopper or later and NVSwitch")
