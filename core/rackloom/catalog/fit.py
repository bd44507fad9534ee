# SPDX-License-Identifier: Apache-2.0
"""What goes into what: plugs into cages, cords into optics, optics facing optics.

Pure functions on parts, shared by the checks (which report a misfit), the canvas (which dims the
cages that cannot take what is being dragged, with the reason) and the chooser (which proposes only
what fits). Each returns a :class:`Misfit`, or None where nothing speaks against it. A figure that
is unknown speaks against nothing: a cage of unknown shell takes either.

The numbers in brackets are those of the rule sources: NVIDIA's LinkX guides for 100G and 200G
lanes (cages, shells, twin-port modules, splitters), its structured-cabling requirements (polish,
gender, media) and the OSFP, QSFP-DD and QSFP agreements (shapes, down-compatibility).
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import CablePart, PlugSpec, TransceiverPart
from rackloom.catalog.words import (
    CableTechnology,
    CageRole,
    FormFactor,
    Medium,
    PortCount,
    Protocol,
    Shell,
)

PASSIVE = frozenset({CableTechnology.DAC, CableTechnology.TWISTED_PAIR})
"""Technologies without electronics in the path: they run at any lane rate up to their own."""

_QSFP = frozenset({FormFactor.QSFP112, FormFactor.QSFP56, FormFactor.QSFP28})
_OSFP_AND_QSFP = tuple({FormFactor.OSFP, form} for form in (*_QSFP, FormFactor.QSFP_DD))
_SFP = frozenset({FormFactor.SFP112, FormFactor.SFP56, FormFactor.SFP28, FormFactor.SFP_PLUS})
FIBRE_CONNECTORS = frozenset(
    {FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX}
)
"""Cages that fibre goes straight into: optics inside, or the coupler of a panel."""
_SHELL_TEXT = {Shell.IHS: "finned (IHS)", Shell.RHS: "flat-top (RHS)"}
_MEDIUM_TEXT = {Medium.MMF: "multimode", Medium.SMF: "single-mode"}
_PROTOCOL_TEXT = {
    Protocol.INFINIBAND: "InfiniBand",
    Protocol.ETHERNET: "Ethernet",
    Protocol.NVLINK: "NVLink",
    Protocol.UALINK: "UALink",
}


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why two things do not go together: the rule it breaks and one sentence that names both."""

    rule: str
    message: str


def plug_misfit(cage: Cage, plug: PlugSpec, *, plug_name: str, owner: str = "") -> Misfit | None:
    """Whether a plug enters a cage and works there, as far as shape goes (rules 1 to 6, 9 to 13).

    ``plug_name`` says what the plug belongs to ("MCP4Y10"), ``owner`` whose cage it is ("a DGX
    H100"). Lane rates, protocol and power are asked apart.
    """
    place = _place(cage, owner)
    return (
        _form_factor_misfit(cage, plug, plug_name, place)
        or _shell_misfit(cage, plug, plug_name, place)
        or _twin_misfit(cage, plug, plug_name, place)
    )


def slower_plug(cage: Cage, plug: PlugSpec, *, plug_name: str, owner: str = "") -> Misfit | None:
    """A note, not an error: the plug is of an older kind and the port falls to its speed (7, 8)."""
    if plug.form_factor is cage.form_factor or plug.form_factor not in cage.accepts:
        return None
    speed = f"{plug.rate_gbps:g} Gb/s" if plug.rate_gbps else f"its {plug.form_factor} speed"
    return Misfit(
        "port.slower-plug",
        f"{plug_name} is {plug.form_factor}: {_place(cage, owner)} ({cage.form_factor}, "
        f"{cage.rate_gbps:g} Gb/s) takes it and runs at {speed}",
    )


def lane_rate_misfit(
    cage: Cage,
    plug: PlugSpec,
    *,
    plug_name: str,
    owner: str = "",
    lane_gbps: float | None = None,
    passive: bool = False,
) -> Misfit | None:
    """Whether the cage can run the plug's lanes (rules 15 to 17, 19).

    ``lane_gbps`` overrides the rate that follows from the plug's speed and lanes. A passive cable
    only has to be rated for the cage's slowest rate; whatever has electronics has its own rate.
    """
    rate = lane_gbps
    if rate is None and plug.rate_gbps is not None and plug.lanes is not None:
        rate = plug.rate_gbps / plug.lanes
    if rate is None or cage.passive or cage.form_factor in FIBRE_CONNECTORS:
        return None
    runs = cage.lane_rates_gbps
    fits = rate >= min(runs) if passive else any(abs(rate - r) < _near(r) for r in runs)
    if fits:
        return None
    return Misfit(
        "port.lane-rate",
        f"{plug_name} has lanes of {rate:g} Gb/s, but {_place(cage, owner)} runs lanes of "
        f"{_listed(f'{r:g}' for r in runs)} Gb/s",
    )


def ends_lane_rate_misfit(
    a: Cage, b: Cage, *, cable: CablePart, a_owner: str = "", b_owner: str = ""
) -> Misfit | None:
    """Whether two cages share a lane rate over a copper cable without a gearbox (rules 15, 19)."""
    if cable.technology is CableTechnology.FIBRE or cable.lane_gbps is None:
        return None
    rated = cable.lane_gbps
    common = [r for r in a.lane_rates_gbps if r in b.lane_rates_gbps and r <= rated + _near(rated)]
    if common:
        return None
    return Misfit(
        "port.lane-rate",
        f"{_place(a, a_owner)} runs lanes of {_listed(f'{r:g}' for r in a.lane_rates_gbps)} Gb/s "
        f"and {_place(b, b_owner)} of {_listed(f'{r:g}' for r in b.lane_rates_gbps)} Gb/s: "
        f"{cable.model} ({rated:g} Gb/s) finds no rate for both; use a retimed cable that changes "
        f"the lane rate (AEC with gearbox)",
    )


def protocol_misfit(
    cage_protocols: Collection[Protocol],
    plug_protocols: Collection[Protocol],
    *,
    cage_name: str = "the port",
    plug_name: str = "the plug",
) -> Misfit | None:
    """Whether both sides speak one protocol (rules 24, 25); an empty side carries anything."""
    if not cage_protocols or not plug_protocols:
        return None
    if set(cage_protocols) & set(plug_protocols):
        return None
    return Misfit(
        "port.protocol",
        f"{cage_name} speaks {_spoken(cage_protocols)} and {plug_name} "
        f"{_spoken(plug_protocols)}: they do not link",
    )


def module_power_misfit(
    cage: Cage, plug: PlugSpec, *, plug_name: str, owner: str = ""
) -> Misfit | None:
    """Whether the plug draws more than the cage's power class (rule 56); unknown power passes."""
    limit = cage.module_power_max_w
    if limit is None or plug.power_w is None or plug.power_w <= limit:
        return None
    return Misfit(
        "power.module-class",
        f"{plug_name} draws up to {plug.power_w:g} W, but {_place(cage, owner)} supplies "
        f"{limit:g} W at most",
    )


def transceiver_misfits(
    cage: Cage, module: TransceiverPart, *, owner: str = ""
) -> tuple[Misfit, ...]:
    """All that speaks against a module in a cage."""
    name = module.model
    found = (
        plug_misfit(cage, module.plug, plug_name=name, owner=owner),
        lane_rate_misfit(
            cage, module.plug, plug_name=name, owner=owner, lane_gbps=module.lane_gbps
        ),
        protocol_misfit(
            cage.protocols, module.protocols, cage_name=_place(cage, owner), plug_name=name
        ),
        module_power_misfit(cage, module.plug, plug_name=name, owner=owner),
    )
    return tuple(misfit for misfit in found if misfit)


def cable_misfits(cage: Cage, cable: CablePart, end: int, *, owner: str = "") -> tuple[Misfit, ...]:
    """All that speaks against one end (0 is the trunk) of a cable in a cage.

    Where the other end would fit, the shape misfit says to turn the cable round (rule 12).
    """
    plug = cable.ends[end]
    name = cable.model
    shape = plug_misfit(cage, plug, plug_name=name, owner=owner)
    if shape and any(
        plug_misfit(cage, other, plug_name=name) is None for other in cable.ends if other != plug
    ):
        shape = Misfit(shape.rule, f"{shape.message}; the other end of the cable fits: turn it")
    found = (
        shape,
        lane_rate_misfit(
            cage,
            plug,
            plug_name=name,
            owner=owner,
            lane_gbps=cable.lane_gbps,
            passive=cable.technology in PASSIVE,
        ),
        protocol_misfit(
            cage.protocols, cable.protocols, cage_name=_place(cage, owner), plug_name=name
        ),
        module_power_misfit(cage, plug, plug_name=name, owner=owner),
    )
    return tuple(misfit for misfit in found if misfit)


def fitting_ends(cage: Cage, cable: CablePart) -> tuple[int, ...]:
    """Which ends of a cable go into a cage; none where the cage takes none of them."""
    return tuple(i for i in range(len(cable.ends)) if not cable_misfits(cage, cable, i))


def cord_misfit(transceiver: TransceiverPart, cord: CablePart, end: int) -> Misfit | None:
    """Whether a fibre cord goes onto a module's socket and carries its light (30, 36, 37, 39).

    ``end`` is the cord's end, 0 being the trunk. A patch panel in between has its own joints.
    """
    fibre = cord.fibre
    if fibre is None:
        return Misfit(
            "port.connector",
            f"{cord.model} is no fibre cord: {transceiver.model} needs one to its "
            f"{transceiver.connector} connector",
        )
    connector = cord.ends[end].form_factor
    if connector is not transceiver.connector:
        return Misfit(
            "port.connector",
            f"the {connector} end of {cord.model} does not go into {transceiver.model}, "
            f"whose connector is {transceiver.connector}",
        )
    if fibre.medium is not transceiver.medium:
        return Misfit(
            "reach.medium",
            f"{cord.model} is {_MEDIUM_TEXT[fibre.medium]} fibre ({fibre.fibre_type}), but "
            f"{transceiver.model} is a {_MEDIUM_TEXT[transceiver.medium]} module",
        )
    polish = _polish_at(fibre.polish, connector)
    if transceiver.polish is not None and polish != transceiver.polish:
        return Misfit(
            "port.polish",
            f"the {polish} ferrule of {cord.model} does not mate with the {transceiver.polish} "
            f"ferrule of {transceiver.model}",
        )
    if transceiver.pinned is not None and fibre.pinned == transceiver.pinned:
        both = "pins (male)" if fibre.pinned else "no pins (female)"
        return Misfit(
            "port.connector",
            f"{cord.model} and {transceiver.model} both have {both}: a joint needs one of each",
        )
    return None


def optic_pair_misfit(
    a: TransceiverPart, b: TransceiverPart, *, branches: int = 1
) -> Misfit | None:
    """Whether two modules see each other (rules 30, 31, 34, 35).

    ``a`` is at the trunk of the cord and ``branches`` the number of its far ends: a parallel optic
    (SR, DR) may be split over several modules, one that shares a fibre pair (FR, LR) may not.
    """
    if a.medium is not b.medium:
        return Misfit(
            "reach.medium",
            f"{a.model} is a {_MEDIUM_TEXT[a.medium]} module and {b.model} a "
            f"{_MEDIUM_TEXT[b.medium]} one: they never pair",
        )
    spoken = protocol_misfit(a.protocols, b.protocols, cage_name=a.model, plug_name=b.model)
    if spoken:
        return spoken
    if abs(a.optical_lane_gbps - b.optical_lane_gbps) > _near(a.optical_lane_gbps):
        return Misfit(
            "port.optic-pair",
            f"{a.model} sends lanes of {a.optical_lane_gbps:g} Gb/s on the fibre and {b.model} "
            f"of {b.optical_lane_gbps:g} Gb/s",
        )
    return _plan_misfit(a, b, branches)


def _plan_misfit(a: TransceiverPart, b: TransceiverPart, branches: int) -> Misfit | None:
    facing = f"{a.model} ({a.optic_class}) faces {b.model} ({b.optic_class})"
    listed = b.id in a.pairs_with or a.id in b.pairs_with
    if not listed and _plan(a.optic_class) != _plan(b.optic_class):
        return Misfit("port.optic-pair", f"{facing}: their wavelengths differ")
    a_lanes = a.optical_lanes // a.sockets
    b_lanes = b.optical_lanes // b.sockets
    if branches > 1 and not _parallel(a.optic_class):
        return Misfit(
            "port.optic-pair",
            f"{a.model} ({a.optic_class}) sends its lanes through one fibre pair and cannot be "
            f"split over {branches} cords",
        )
    if b_lanes < a_lanes // branches or (branches == 1 and b_lanes != a_lanes):
        over = f" over a 1:{branches} splitter" if branches > 1 else ""
        return Misfit(
            "port.optic-pair",
            f"{facing}{over}: {a_lanes} lanes on one side and {b_lanes} on the other",
        )
    return None


def _form_factor_misfit(cage: Cage, plug: PlugSpec, name: str, place: str) -> Misfit | None:
    have, want = plug.form_factor, cage.form_factor
    if have is want or have in cage.accepts:
        return None
    if have is FormFactor.QSFP_DD and want in _QSFP:  # rule 9
        why = "the second row of its contacts would connect nothing"
    elif cage.passive:
        why = f"a panel port takes {want} connectors only"
    elif want in FIBRE_CONNECTORS:  # rule 13
        why = "the optics are inside: plug the fibre straight in"
    elif {have, want} in _OSFP_AND_QSFP:  # rules 6, 10
        why = "OSFP and QSFP never mate; an adapter is a part of its own"
    elif have in _SFP and want in _QSFP:  # rule 11
        why = "an adapter (QSA) would use one of its four lanes and is a part of its own"
    else:
        takes = _listed(str(form) for form in (want, *cage.accepts))
        why = f"it takes {takes}"
    return Misfit(
        "port.form-factor",
        f"the {have} plug of {name} does not go into {place}, "
        f"which is {_article(want)} cage: {why}",
    )


def _shell_misfit(cage: Cage, plug: PlugSpec, name: str, place: str) -> Misfit | None:
    if cage.shell is None or plug.shell is None or cage.shell is plug.shell:
        return None
    suffix = "-FLT" if cage.shell is Shell.RHS else "finned"
    return Misfit(
        "port.shell",
        f"the {_SHELL_TEXT[plug.shell]} {plug.form_factor} plug of {name} does not enter {place}, "
        f"which takes {_SHELL_TEXT[cage.shell]} plugs only; order the {suffix} part",
    )


def _twin_misfit(cage: Cage, plug: PlugSpec, name: str, place: str) -> Misfit | None:
    if plug.form_factor is not FormFactor.OSFP or cage.form_factor is not FormFactor.OSFP:
        return None
    count = plug.port_count
    if count is None and plug.lanes is not None and plug.lanes > cage.lanes:
        count = PortCount.TWIN
    if cage.takes is None or count is None or cage.takes is count:
        return None
    return Misfit(
        "port.plug",
        f"{name} is a {count} plug, but {place} takes {cage.takes} plugs only "
        f"({cage.lanes} lanes of {cage.lane_gbps:g} Gb/s)",
    )


def _place(cage: Cage, owner: str) -> str:
    what = "console port" if cage.role is CageRole.CONSOLE else "cage"
    named = cage.name if not cage.name.isdigit() else f"{what} {cage.name}"
    return f"{named} of {owner}" if owner else named


def _plan(optic_class: str) -> str:
    """Wavelength plan without the lane count: ``DR4`` and ``DR1`` are one; VR is a short SR."""
    if not _parallel(optic_class):
        return optic_class
    plan = re.sub(r"\d+$", "", optic_class)
    return "SR" if plan == "VR" else plan


def _parallel(optic_class: str) -> bool:
    """One fibre pair for each lane, so that a cord can split it (rule 35)."""
    return re.fullmatch(r"(SR|VR|DR|PSM)\d+", optic_class) is not None


def _polish_at(polish: str, connector: FormFactor) -> str:
    """Harnesses from MPO to LC are angled at the MPO end and flat at the LC ends."""
    if polish != "APC/UPC":
        return polish
    return "UPC" if connector is FormFactor.LC_DUPLEX else "APC"


def _near(rate_gbps: float) -> float:
    return rate_gbps * 1e-6


def _article(form: FormFactor) -> str:
    return f"an {form}" if str(form)[0] in "OMRLSN" else f"a {form}"


def _listed(words: Iterable[str]) -> str:
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


def _spoken(protocols: Collection[Protocol]) -> str:
    return " or ".join(_PROTOCOL_TEXT[p] for p in sorted(protocols))
