# SPDX-License-Identifier: Apache-2.0
"""What can be done about a plug that does not belong in its cage."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from rackloom.catalog.fit import cord_misfit, optic_pair_misfit, transceiver_misfits
from rackloom.catalog.load import Catalog, load_bundled
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.checks.finding import Fix, Fixer
from rackloom.checks.recable import other_technology
from rackloom.design.edits import swap_module
from rackloom.design.hardware import cages_of
from rackloom.design.wiring import module_in

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.entities import Cable, CableEnd, Module
    from rackloom.design.ids import CableId, ModuleId
    from rackloom.design.value import Design


def plug_fixer(plug_id: str, catalog: Catalog | None) -> Fixer:
    """Another transceiver in its place; for a cable's own plug, another cable between its ports."""
    return partial(_fixes, plug_id, catalog)


def _fixes(plug_id: str, catalog: Catalog | None, design: Design) -> Sequence[Fix]:
    module = design.modules.get(cast("ModuleId", plug_id))
    if module is not None:
        return _other_module(design, module, catalog or load_bundled())
    if plug_id in design.cables:
        return other_technology(cast("CableId", plug_id), catalog, design)
    return ()


def _other_module(design: Design, module: Module, catalog: Catalog) -> Sequence[Fix]:
    """The transceiver of the same optics that goes into the cage and onto the cords in it."""
    old = design.part(module.part, TransceiverPart)
    cage = cages_of(design, design.devices[module.device])[module.cage]
    cords = _cords(design, module)
    needed = max((end.socket for _, end in cords), default=-1) + 1
    known = {part.id: part for part in (*design.parts.values(), *catalog.values())}

    def suits(part: TransceiverPart) -> bool:
        if part.id == old.id or part.sockets < needed or transceiver_misfits(cage, part):
            return False
        if not cords:
            return (part.optic_class, part.medium) == (old.optic_class, old.medium)
        return all(_goes_onto(design, part, *cord) for cord in cords)

    found = min(
        (p for p in known.values() if isinstance(p, TransceiverPart) and suits(p)),
        key=lambda p: (
            p.optic_class != old.optic_class,
            p.manufacturer != old.manufacturer,
            # The sister of the same family: MMA4Z00-NS-FLT for MMA4Z00-NS.
            -_shared(p.model, old.model),
            p.power_max_w or 99.0,
            p.id,
        ),
        default=None,
    )
    if found is None:
        return ()
    label = f"Use a {found.model} in {design.name_of(module.device)} {module.cage}"
    return (Fix(label, partial(_swap, module.id, found)),)


def _cords(design: Design, module: Module) -> list[tuple[Cable, CableEnd]]:
    return [
        (cable, end)
        for cable_id in design.index.cables_of_device.get(module.device, ())
        for cable in (design.cables[cable_id],)
        for end in cable.ends
        if (end.device, end.cage) == (module.device, module.cage)
    ]


def _goes_onto(design: Design, part: TransceiverPart, cable: Cable, mine: CableEnd) -> bool:
    """Whether a transceiver takes a cord and pairs with those at the cord's other ends."""
    cord = design.part(cable.part, CablePart)
    if cord_misfit(part, cord, mine.end) is not None:
        return False
    far = cord.far_ends(mine.end)
    for end in cable.ends:
        partner = module_in(design, end.device, end.cage) if end.end in far else None
        if partner is None:
            continue
        trunk, branch = (part, partner) if mine.end == 0 else (partner, part)
        if optic_pair_misfit(trunk, branch, branches=cord.branches) is not None:
            return False
    return True


def _shared(a: str, b: str) -> int:
    """How many characters two names begin with alike."""
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _swap(module_id: ModuleId, part: TransceiverPart, draft: Draft) -> None:
    swap_module(draft, module_id, part)
