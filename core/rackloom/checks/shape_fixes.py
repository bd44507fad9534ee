# SPDX-License-Identifier: Apache-2.0
"""What can be done about a cable whose ends do not go together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from rackloom.catalog.fit import cord_misfit, optic_pair_misfit, transceiver_misfits
from rackloom.catalog.load import Catalog, load_bundled
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.checks.breakout import free_modes
from rackloom.checks.finding import Fix, Fixer
from rackloom.checks.plug_fixes import plug_fixer
from rackloom.design.edits import insert_module, set_cable, set_mode, swap_module
from rackloom.design.hardware import cages_of
from rackloom.design.wiring import module_in

if TYPE_CHECKING:
    from rackloom.catalog.cages import Cage
    from rackloom.design.draft import Draft
    from rackloom.design.entities import CableEnd
    from rackloom.design.ids import CableId, DeviceId, ModuleId
    from rackloom.design.value import Design


def shape_fixer(
    name: str, cable_id: str, positions: tuple[int, ...], catalog: Catalog | None
) -> Fixer:
    """The fixer that a shape rule asked for by name."""
    return partial(_FIXERS[name], cast("CableId", cable_id), positions, catalog)


def _ends(design: Design, cable_id: CableId) -> list[CableEnd]:
    return sorted(design.cables[cable_id].ends, key=lambda end: end.end)


def _cage(design: Design, end: CableEnd) -> Cage:
    return cages_of(design, design.devices[end.device])[end.cage]


def _free_mode(
    cable_id: CableId, positions: tuple[int, ...], catalog: Catalog | None, design: Design
) -> Sequence[Fix]:
    """Let the ports whose mode somebody fixed follow the cable again."""
    del catalog
    ends = _ends(design, cable_id)
    for number in positions:
        end = ends[number]
        if end.cage in dict(design.devices[end.device].modes):
            return free_modes(end.device, frozenset({end.cage}), design)
    return ()


def _matching(
    design: Design, cage: Cage, cable: CablePart, others: list[TransceiverPart], catalog: Catalog
) -> TransceiverPart | None:
    """A transceiver for a cage that goes with the cord and with those at the other ends.

    Parts of the same maker and of the least power first.
    """
    known = {p.id: p for p in [*design.parts.values(), *catalog.values()]}
    candidates = [
        part
        for part in known.values()
        if isinstance(part, TransceiverPart)
        and not transceiver_misfits(cage, part)
        and cord_misfit(part, cable, 0) is None
        and all(optic_pair_misfit(part, other) is None for other in others)
        and part.rate_gbps >= cage.rate_gbps - 1e-6
    ]
    makers = {other.manufacturer for other in others}
    return min(
        candidates,
        key=lambda p: (p.manufacturer not in makers, p.power_max_w or 99.0, p.id),
        default=None,
    )


def _insert_optic(
    cable_id: CableId, positions: tuple[int, ...], catalog: Catalog | None, design: Design
) -> Sequence[Fix]:
    """Put into an empty cage what goes with the cord and the other end."""
    ends = _ends(design, cable_id)
    cord = design.part(design.cables[cable_id].part, CablePart)
    if cord.branches > 1:
        return ()
    end = ends[positions[0]]
    others = [m for e in ends if e != end and (m := module_in(design, e.device, e.cage))]
    part = _matching(design, _cage(design, end), cord, others, catalog or load_bundled())
    if part is None or module_in(design, end.device, end.cage) is not None:
        return ()
    label = f"Put a {part.model} into {design.name_of(end.device)} {end.cage}"
    return (Fix(label, partial(_insert, part, end.device, end.cage)),)


def _insert(part: TransceiverPart, device: DeviceId, cage: str, draft: Draft) -> None:
    insert_module(draft, part, device, cage)


def _same_optic(
    cable_id: CableId, positions: tuple[int, ...], catalog: Catalog | None, design: Design
) -> Sequence[Fix]:
    """Exchange the transceiver of one end (the far one first) for one that pairs with the other."""
    ends = _ends(design, cable_id)
    cord = design.part(design.cables[cable_id].part, CablePart)
    if cord.branches > 1:
        return ()
    fixes = []
    for number in reversed(positions):
        end = ends[number]
        other = next(e for e in ends if e != end)
        held = [
            m
            for m in design.index.modules_of_device.get(end.device, ())
            if design.modules[m].cage == end.cage
        ]
        partner = module_in(design, other.device, other.cage)
        if not held or partner is None:
            continue
        part = _matching(design, _cage(design, end), cord, [partner], catalog or load_bundled())
        if part is not None:
            label = f"Use a {part.model} in {design.name_of(end.device)} {end.cage}"
            fixes.append(Fix(label, partial(_swap, held[0], part)))
    return tuple(fixes)


def _swap(module_id: ModuleId, part: TransceiverPart, draft: Draft) -> None:
    swap_module(draft, module_id, part)


def _other_cord(
    cable_id: CableId, positions: tuple[int, ...], catalog: Catalog | None, design: Design
) -> Sequence[Fix]:
    """A cord of the same shape and length, or the next longer, that goes onto all its ends.

    Where its ends hold optics that no one cord joins: another transceiver at the end that is told.
    """
    cable = design.cables[cable_id]
    old = design.part(cable.part, CablePart)
    known = {p.id: p for p in [*design.parts.values(), *(catalog or load_bundled()).values()]}
    found = [
        (length_m, part)
        for part in known.values()
        if isinstance(part, CablePart)
        and (len(part.ends), part.connectors_per_side) == (len(old.ends), old.connectors_per_side)
        and (length_m := part.next_stocked_m(cable.length_m)) is not None
        and all(_takes(design, part, end) for end in cable.ends)
    ]
    if not found:
        end = _ends(design, cable_id)[positions[0]]
        held = [
            module
            for module in design.index.modules_of_device.get(end.device, ())
            if design.modules[module].cage == end.cage
        ]
        return tuple(fix for module in held for fix in plug_fixer(module, catalog)(design))
    length_m, best = min(
        found, key=lambda f: (f[1].manufacturer != old.manufacturer, f[0], f[1].id)
    )
    label = f"Use {best.model} ({best.fibre.fibre_type if best.fibre else ''}), {length_m:g} m"
    return (Fix(label, partial(_exchange, cable_id, best, length_m)),)


def _takes(design: Design, cord: CablePart, end: CableEnd) -> bool:
    """Whether a fibre cord goes onto what is at an end of the one that is there."""
    module = module_in(design, end.device, end.cage)
    if module is not None:
        return cord_misfit(module, cord, end.end) is None
    plug = cord.ends[end.end]
    return cord.fibre is not None and plug.form_factor is _cage(design, end).form_factor


def _exchange(cable_id: CableId, part: CablePart, length_m: float, draft: Draft) -> None:
    set_cable(draft, cable_id, part=part, length_m=length_m)


def _other_mode(
    cable_id: CableId, positions: tuple[int, ...], catalog: Catalog | None, design: Design
) -> Sequence[Fix]:
    """A mode of the first port that speaks what both ports do, as coarse as the cable allows."""
    del catalog
    mine, far = (_ends(design, cable_id)[number] for number in positions[:2])
    cage, other = _cage(design, mine), _cage(design, far)
    spoken = cage.protocols & other.protocols
    for mode in cage.modes:
        if mode.protocols and not mode.protocols & spoken:
            continue
        return (
            Fix(
                f"Run {design.name_of(mine.device)} {mine.cage} as {mode.name}",
                partial(_set_mode, mine.device, mine.cage, mode.name),
            ),
        )
    return ()


def _set_mode(device: DeviceId, cage: str, mode: str, draft: Draft) -> None:
    set_mode(draft, device, cage, mode)


_FIXERS = {
    "free-mode": _free_mode,
    "insert-optic": _insert_optic,
    "other-cord": _other_cord,
    "other-mode": _other_mode,
    "same-optic": _same_optic,
}
