# SPDX-License-Identifier: Apache-2.0
"""What a change of part kept and what it could not keep; and whether a plug stays in its cage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rackloom.catalog.cages import Cage
from rackloom.catalog.fit import FIBRE_CONNECTORS, cable_misfits, plug_misfit, transceiver_misfits
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design.draft import Draft
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that could not be kept, or that needs a hand: where, and why in one sentence."""

    where: tuple[str, ...]
    message: str


@dataclass(slots=True)
class Kept:
    """The report of a change: what stayed, what went elsewhere, what was lost."""

    cables: int = 0
    """Cables that stayed plugged here with all their ends."""
    modules: int = 0
    """Transceivers that stayed."""
    cords: int = 0
    """Power cords that stayed."""
    moved: dict[str, str] = field(default_factory=dict)
    """Ports whose plugs went to a port of another name."""
    lost: list[Lost] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    links_lost: int = 0
    """Links that are gone, where the report counts them."""

    def lose(self, message: str, *where: str) -> None:
        """Note a loss."""
        self.lost.append(Lost(where, message))

    @property
    def summary(self) -> str:
        """All of it in one sentence."""
        counts = ((self.cables, "cable"), (self.modules, "transceiver"), (self.cords, "power cord"))
        kept = [f"{n} {word}{'s' * (n > 1)}" for n, word in counts if n]
        text = f"kept {', '.join(kept)}" if kept else "nothing was plugged that could be kept"
        if self.moved:
            text += f" ({len(self.moved)} port{'s' * (len(self.moved) > 1)} by position)"
        if self.lost:
            more = f", and {len(self.lost) - 1} more" if len(self.lost) > 1 else ""
            text += f"; not kept: {self.lost[0].message}{more}"
        return text


def module_trouble(cage: Cage, part: TransceiverPart, owner: str) -> dict[str, str]:
    """What speaks against a transceiver in a cage, by rule."""
    return {m.rule: m.message for m in transceiver_misfits(cage, part, owner=owner)}


def end_trouble(cage: Cage, part: CablePart, end: int, owner: str) -> dict[str, str]:
    """What speaks against a cable's end right in a cage, by rule.

    A fibre on a cage for transceivers waits for one: nothing speaks against that but its darkness.
    """
    if part.technology is not CableTechnology.FIBRE:
        return {m.rule: m.message for m in cable_misfits(cage, part, end, owner=owner)}
    if cage.form_factor not in FIBRE_CONNECTORS:
        return {}
    misfit = plug_misfit(cage, part.ends[end], plug_name=part.model, owner=owner)
    return {misfit.rule: misfit.message} if misfit else {}


def first_new(now: dict[str, str], before: dict[str, str]) -> str | None:
    """The first trouble that was not there before: what was drawn wrong stays as it was drawn."""
    return next((message for rule, message in now.items() if rule not in before), None)


def put_ends(draft: Draft, cable: Cable, ends: tuple[CableEnd, ...]) -> None:
    """A cable with these ends; a cable without any is taken away."""
    if ends:
        draft.put(replace(cable, ends=ends))
    else:
        draft.remove("cables", cable.id)


def cable_words(draft: Draft | Design, cable: Cable) -> str:
    """What a person calls a cable: its label, or where it is plugged, for an id says nothing."""
    model = draft.part(cable.part, CablePart).model
    if cable.label or not cable.ends:
        return f"cable {cable.label or cable.id} ({model})"
    first, *others = (
        f"{draft.devices[end.device].name} {end.cage}"
        for end in sorted(cable.ends, key=lambda end: end.end)
    )
    if not others:
        return f"the {model} at {first}"
    more = f" and {len(others) - 1} more" if others[1:] else ""
    return f"the {model} from {first} to {others[0]}{more}"
