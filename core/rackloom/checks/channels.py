# SPDX-License-Identifier: Apache-2.0
"""Structured cabling: what a run through panels does to optics, light, polarity and joints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rackloom.catalog.fit import optic_pair_misfit
from rackloom.catalog.parts import CablePart, FibreSpec, TransceiverPart
from rackloom.catalog.site_parts import PanelPart
from rackloom.catalog.words import FormFactor, Medium
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.entities import CableEnd
from rackloom.design.ids import CableId, by_age
from rackloom.design.paths import Reach, is_structured, trace
from rackloom.design.wiring import module_in

FIBRE_LOSS_DB_PER_KM = {Medium.MMF: 3.0, Medium.SMF: 0.4}
"""Greatest attenuation of laid fibre (TIA-568: multimode at 850 nm, indoor single-mode)."""

MOST_PANELS = 2
"""NVIDIA's structured cabling: two patch panels, four joints."""

_PLUGGED = {"cables", "modules", "devices"}
_SOURCE = "NVIDIA structured cabling requirements for NDR/XDR and 400/800G Ethernet"


@dataclass(frozen=True, slots=True)
class Channel:
    """Light from one transceiver to another, through panels."""

    near: CableEnd
    near_module: TransceiverPart
    far_module: TransceiverPart
    reach: Reach
    cords: tuple[FibreSpec, ...]
    """What the cables on the way are made of, in order."""

    @property
    def cables(self) -> tuple[CableId, ...]:
        """The cables on the way."""
        return self.reach.cables

    @property
    def ends(self) -> str:
        """Both ports, as they stand in a sentence."""
        far = self.reach.end
        return f"port {self.near.cage} of {called(self.near.device)} and port {far.cage} of " + (
            called(far.device)
        )


def structured(context: Context, cables: Iterable[str]) -> Iterator[str]:
    """Cables that end in a panel; none, at once, where there is none."""
    design = context.design
    if not design.panels:
        return
    for cable_id in cables:
        cable = design.cables[CableId(cable_id)]
        if is_structured(design, cable, design.part(cable.part, CablePart)):
            yield cable_id


def channels(context: Context, cable_id: str) -> list[Channel]:
    """The channels that begin at this cable; each is told at the older of its two outer cables."""
    design = context.design
    cable = design.cables[CableId(cable_id)]
    found: list[Channel] = []
    for end in cable.ends:
        near = module_in(design, end.device, end.cage)
        if near is None or end.device in design.panels:
            continue
        for reach in trace(design, cable, end):
            far = module_in(design, reach.end.device, reach.end.cage)
            last = reach.hops[-1]
            if far is None or not reach.passes or by_age(last.cable) < by_age(cable.id):
                continue
            cords = _cords(context, reach)
            if cords is not None:
                found.append(Channel(end, near, far, reach, cords))
    return found


def _cords(context: Context, reach: Reach) -> tuple[FibreSpec, ...] | None:
    design = context.design
    parts = [design.part(design.cables[c].part, CablePart) for c in reach.cables]
    fibres = [part.fibre for part in parts if part.fibre is not None]
    return tuple(fibres) if len(fibres) == len(parts) else None


def _own_pairs(module: TransceiverPart) -> int:
    if module.connector is FormFactor.LC_DUPLEX:
        return 1
    return max(module.optical_lanes // module.sockets, 1)


@rule(
    "port.channel-optics",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=_SOURCE,
    numbers=(30, 31),
)
def channel_optics(context: Context, cable_id: str) -> Iterator[Hit]:
    """Transceivers that see each other through panels pair as if one cord joined them.

    Same wavelength plan, lane rate, medium and protocol. What to do: put the same optic at both
    ends of the run.
    """
    for channel in channels(context, cable_id):
        own = _own_pairs(channel.near_module)
        branches = max(own // min(channel.reach.width, own), 1)
        misfit = optic_pair_misfit(channel.near_module, channel.far_module, branches=branches)
        if misfit:
            yield Hit(channel.cables, f"between {channel.ends}, {misfit.message}")


@rule(
    "reach.channel-fibre",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=_SOURCE,
    numbers=(30,),
)
def channel_fibre(context: Context, cable_id: str) -> Iterator[Hit]:
    """All cords and trunks of a run are of one medium.

    Between multimode and single-mode fibre nearly all light is lost, in whichever direction it
    runs. What to do: exchange the odd cord or trunk.
    """
    for channel in channels(context, cable_id):
        kinds = list(dict.fromkeys(cord.fibre_type for cord in channel.cords))
        if len({cord.medium for cord in channel.cords}) > 1:
            yield Hit(
                channel.cables, f"the run between {channel.ends} mixes {' and '.join(kinds)} fibre"
            )


@rule(
    "reach.channel-length",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=_SOURCE,
    numbers=(32, 40),
)
def channel_length(context: Context, cable_id: str) -> Iterator[Hit]:
    """The cords and trunks of a run together are no longer than the optics reach.

    The weaker transceiver and the poorest fibre of the run count, and a splitter in it: NVIDIA
    allows 50 m in all for a split run, panels or not. What to do: optics that reach further, a
    straight cord, or a shorter way.
    """
    for channel in channels(context, cable_id):
        limits = [
            (reach_m, module.model, cord.fibre_type)
            for module in (channel.near_module, channel.far_module)
            for cord in channel.cords
            if (reach_m := module.reach_m.get(cord.fibre_type)) is not None
        ]
        length_m = channel.reach.length_m(context.design)
        if limits and length_m > min(limits)[0] + 1e-6:
            reach_m, model, kind = min(limits)
            yield Hit(
                channel.cables,
                f"the run between {channel.ends} is {length_m:g} m long, but {model} reaches "
                f"{reach_m:g} m on {kind}",
            )
            continue
        splits = _splits(context, channel)
        if splits and length_m > min(splits)[0] + 1e-6:
            split_m, splitter = min(splits)
            yield Hit(
                channel.cables,
                f"the run between {channel.ends} is {length_m:g} m long, but split by {splitter} "
                f"it carries {split_m:g} m at most",
            )


def _splits(context: Context, channel: Channel) -> list[tuple[float, str]]:
    """How far a run carries with each splitter that is in it, and which that is."""
    design = context.design
    parts = [design.part(design.cables[c].part, CablePart) for c in channel.cables]
    return [
        (part.max_length_m, part.model)
        for part in parts
        if part.branches > 1 and part.max_length_m is not None
    ]


@rule(
    "reach.channel-loss",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=f"{_SOURCE}; TIA-568 (fibre attenuation)",
    numbers=(41,),
)
def channel_loss(context: Context, cable_id: str) -> Iterator[Hit]:
    """Panels and fibre of a run lose no more light than the optics can spare.

    Each pass through a panel costs its joints, fibre 3.0 dB (multimode) or 0.4 dB (single-mode) a
    kilometre. Panels eat the budget of short-reach optics first. What to do: fewer panels, low-loss
    cassettes, or optics with a larger budget.
    """
    for channel in channels(context, cable_id):
        budgets = [
            (module.channel_loss_db, module.model)
            for module in (channel.near_module, channel.far_module)
            if module.channel_loss_db is not None
        ]
        if not budgets:
            continue
        budget_db, model = min(budgets)
        passes_db, unknown = channel.reach.pass_loss_db
        lengths_m = [context.design.cables[c].length_m for c in channel.cables]
        fibre_db = sum(
            metres / 1000 * FIBRE_LOSS_DB_PER_KM[cord.medium]
            for metres, cord in zip(lengths_m, channel.cords, strict=True)
        )
        if passes_db + fibre_db > budget_db + 1e-9:
            caveat = f" (loss of {unknown} panel passes unknown, not counted)" if unknown else ""
            yield Hit(
                channel.cables,
                f"the run between {channel.ends} loses up to {passes_db + fibre_db:.2f} dB"
                f"{caveat}, but {model} allows {budget_db:g} dB",
            )


@rule(
    "reach.panels",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=_SOURCE,
    numbers=(40,),
)
def panels(context: Context, cable_id: str) -> Iterator[Hit]:
    """A run goes through two patch panels at most.

    More joints than four scatter light back into the transmitter, whatever the budget says. What
    to do: take a panel out of the run.
    """
    for channel in channels(context, cable_id):
        count = len(channel.reach.passes)
        if count > MOST_PANELS:
            yield Hit(
                channel.cables,
                f"the run between {channel.ends} goes through {count} panels; "
                f"{MOST_PANELS} are allowed",
            )


@rule(
    "port.polarity",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=f"{_SOURCE}; parity of crossovers",
    numbers=(38,),
)
def polarity(context: Context, cable_id: str) -> Iterator[Hit]:
    """Parallel optics need an odd number of crossed (type B) cords and trunks between them.

    Each type B segment swaps transmit and receive; two of them in a row cancel, and every lane
    meets a transmitter. Runs with cassettes, or with segments of another type, are left out, since
    their makers' own maps decide. What to do: a cord or trunk of type A in the place of one of
    type B, or the other way round.
    """
    for channel in channels(context, cable_id):
        if FormFactor.LC_DUPLEX in {channel.near_module.connector, channel.far_module.connector}:
            continue
        if any(cord.polarity not in {"A", "B"} for cord in channel.cords):
            continue
        if not all(_plain(context, step.panel) for step in channel.reach.passes):
            continue
        crossed = sum(cord.polarity == "B" for cord in channel.cords)
        if crossed % 2 == 0:
            yield Hit(
                channel.cables,
                f"the run between {channel.ends} crosses the fibres {crossed} times: transmitters "
                f"face transmitters",
            )


def _plain(context: Context, panel: str) -> bool:
    """Whether a panel only couples, connector to connector."""
    part = context.design.parts[context.design.devices[panel].part]  # type: ignore[index]
    return isinstance(part, PanelPart) and all(
        step.fronts_per_rear == 1 and not step.polarity for step in part.passes
    )


@rule(
    "port.channel-joint",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="cable",
    among=structured,
    source=_SOURCE,
    numbers=(36, 39),
)
def channel_joint(context: Context, cable_id: str) -> Iterator[Hit]:
    """Where two MPO cables meet in a panel, one has pins and one has not, and their polish agrees.

    Patch cords have no pins, since transceivers have; trunks have them, to meet the cords. Angled
    and flat ferrules leave a gap. What to do: exchange one of the two for its counterpart.
    """
    for channel in channels(context, cable_id):
        pairs = zip(channel.cords, channel.cords[1:], channel.reach.passes, strict=False)
        for first, second, step in pairs:
            if not _plain(context, step.panel):
                continue
            at = f"in {called(step.panel)}, between {channel.ends}"
            if first.pinned is not None and first.pinned == second.pinned:
                have = "pins" if first.pinned else "no pins"
                yield Hit((*channel.cables, step.panel), f"{at}, both connectors have {have}")
            polishes = {first.polish, second.polish}
            if polishes == {"APC", "UPC"}:
                yield Hit((*channel.cables, step.panel), f"{at}, an APC ferrule meets a UPC one")
