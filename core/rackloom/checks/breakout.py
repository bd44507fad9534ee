# SPDX-License-Identifier: Apache-2.0
"""Breakout: what splitting a cage costs its neighbours and the switch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import CageRole
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity
from rackloom.checks.registry import rule
from rackloom.checks.shape import cage_words
from rackloom.design.edits import set_device
from rackloom.design.ids import DeviceId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.draft import Draft
    from rackloom.design.value import Design

COPPER_PLUGS_PER_U = 32
"""Estimate: above this many copper assemblies a U they block the exhaust of a switch."""


def _drop_modes(device_id: DeviceId, cages: frozenset[str], draft: Draft) -> None:
    modes = tuple((c, m) for c, m in draft.devices[device_id].modes if c not in cages)
    set_device(draft, device_id, modes=modes)


def free_modes(device_id: DeviceId, cages: frozenset[str], design: Design) -> Sequence[Fix]:
    """Let the breakout mode of cages follow what is plugged."""
    del design
    return (Fix("Let the port follow its cable", partial(_drop_modes, device_id, cages)),)


@rule(
    "port.unknown-mode",
    Severity.ERROR,
    watches={"devices"},
    scope="device",
    source="NVIDIA Cumulus Linux, switch port attributes (breakout)",
    numbers=(47, 50, 51),
)
def unknown_mode(context: Context, device_id: str) -> Iterator[Hit]:
    """A breakout mode is one the cage offers.

    Some switches split only their odd cages, or some of them not at all. What to do: set a mode
    that this cage has, or let it follow its cable (the fix).
    """
    view = context.view(DeviceId(device_id))
    for name, mode in view.device.modes:
        cage = view.cages.get(name)
        if cage is not None and cage.mode(mode) is not None:
            continue
        offered = ", ".join(m.name for m in cage.modes) if cage is not None else ""
        why = f"it offers {offered}" if cage is not None else "there is no such port"
        yield Hit(
            (device_id,),
            f"{context.port(device_id, name)} is set to {mode}, but {why}",
            partial(free_modes, view.device.id, frozenset({name})),
        )


@rule(
    "port.lost-neighbour",
    Severity.ERROR,
    watches={"cables", "modules", "devices"},
    scope="device",
    source="NVIDIA Cumulus Linux, switch port attributes (breakout)",
    numbers=(47, 51),
)
def lost_neighbour(context: Context, device_id: str) -> Iterator[Hit]:
    """A cage that is split most finely can switch its neighbour off: nothing may be plugged there.

    On SN4600C, SN4700 and SN5600 the lanes of two neighbouring cages share one port block; eight
    ways (four on SN4600C) in one of them leaves none for the other. What to do: use a coarser
    split, or plug the neighbour's cable into another cage.
    """
    view = context.view(DeviceId(device_id))
    for state in view.states.values():
        if not state.mode.disables_neighbour or state.cage.neighbour is None:
            continue
        other = view.states.get(state.cage.neighbour)
        if other is not None and other.in_use:
            yield Hit(
                (device_id, *(cable.id for cable, _ in other.plugs)),
                f"{context.port(device_id, state.cage.name)} runs as {state.mode.name}, which "
                f"switches {cage_words(other.cage.name)} off, but something is plugged there",
            )


@rule(
    "port.logical-limit",
    Severity.WARNING,
    watches={"cables", "modules", "devices"},
    scope="device",
    source="NVIDIA Cumulus Linux, switch port attributes (breakout)",
    numbers=(48, 49, 51),
)
def logical_limit(context: Context, device_id: str) -> Iterator[Hit]:
    """A switch has no more logical ports in use than its chip can manage.

    Each cage may be split legally and the sum still be too great: 128 ports on SN3700 and SN4700,
    256 on the SN5400 and SN5600 class. What to do: split fewer cages, or use coarser splits.
    """
    view = context.view(DeviceId(device_id))
    if not isinstance(view.part, SwitchPart) or view.part.logical_port_limit is None:
        return
    ports = sum(
        state.mode.ports
        for state in view.states.values()
        if state.cage.role is CageRole.FABRIC and (state.in_use or state.mode_fixed)
    )
    if ports > view.part.logical_port_limit:
        yield Hit(
            (device_id,),
            f"{context.called(device_id)} has {ports} logical ports in use, but {view.part.model} "
            f"manages {view.part.logical_port_limit}",
        )


@rule(
    "port.pipeline-limit",
    Severity.ERROR,
    watches={"cables", "modules", "devices"},
    scope="device",
    source="githedgehog/fabric switch profiles (pipelines and their ports)",
    numbers=(49,),
)
def pipeline_limit(context: Context, device_id: str) -> Iterator[Hit]:
    """The cages that share a pipeline of the switch chip make no more ports than it has.

    On Celestica DS5000 every two cages share ten ports, on DS4000 four cages share eighteen. What
    to do: split cages of different pipelines, or use coarser splits.
    """
    view = context.view(DeviceId(device_id))
    if not isinstance(view.part, SwitchPart) or view.part.pipeline_limit is None:
        return
    used: dict[int, list[str]] = {}
    for state in view.states.values():
        pipeline = view.part.pipeline_of(state.cage.name)
        if pipeline is not None and (state.in_use or state.mode_fixed):
            used.setdefault(pipeline, []).extend([state.cage.name] * state.mode.ports)
    limit = view.part.pipeline_limit.ports_max
    for pipeline, cages in sorted(used.items()):
        if len(cages) > limit:
            names = ", ".join(dict.fromkeys(cages))
            yield Hit(
                (device_id,),
                f"cages {names} of {context.called(device_id)} make {len(cages)} logical ports, "
                f"but their pipeline ({pipeline + 1}) has {limit}",
            )


@rule(
    "port.mixed-fibres",
    Severity.WARNING,
    watches={"cables", "modules", "devices"},
    scope="device",
    source="NVIDIA MMA4Z00-NS and MMS4X00-NM overviews",
    numbers=(33,),
)
def mixed_fibres(context: Context, device_id: str) -> Iterator[Hit]:
    """The fibres of one twin-port transceiver are of one type: both straight or both splitters.

    The cage is split as a whole; their lengths may differ. What to do: move one of the two fibres
    to a transceiver of its own kind.
    """
    for state in context.view(DeviceId(device_id)).states.values():
        if state.kind.mixed and state.module is not None:
            yield Hit(
                (device_id, *(cable.id for cable, _ in state.plugs)),
                f"the {state.module.model} in {context.port(device_id, state.cage.name)} has a "
                f"straight fibre beside a splitter; both must be of one type",
            )


@rule(
    "space.copper-bundle",
    Severity.WARNING,
    watches={"cables", "devices"},
    scope="device",
    source="public optics and cabling notes; the count is an estimate",
    numbers=(46,),
)
def copper_bundle(context: Context, device_id: str) -> Iterator[Hit]:
    """Copper cables leave a dense switch room to breathe.

    A 26 AWG assembly is 6 to 9 mm thick; more than about 32 of them a rack unit fill the rear and
    block the exhaust. What to do: use optics or thinner active cables for part of the ports.
    """
    view = context.view(DeviceId(device_id))
    units = view.part.rack_units
    if units <= 0:
        return
    copper = sum(state.kind.copper for state in view.states.values())
    if copper > COPPER_PLUGS_PER_U * units:
        yield Hit(
            (device_id,),
            f"{copper} copper cables are plugged into {context.called(device_id)} ({units:g}U): "
            f"above {COPPER_PLUGS_PER_U * units:g} they block its exhaust",
        )
