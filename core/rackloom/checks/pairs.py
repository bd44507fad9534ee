# SPDX-License-Identifier: Apache-2.0
"""The two ends of a cable: protocol, lane rates, optics, fibre, and whether a link comes up."""

from __future__ import annotations

from collections.abc import Iterator

from rackloom.catalog.fit import (
    Misfit,
    cable_misfits,
    cord_misfit,
    ends_lane_rate_misfit,
    optic_pair_misfit,
    protocol_misfit,
    transceiver_misfits,
)
from rackloom.checks.finding import Severity
from rackloom.checks.registry import rule
from rackloom.checks.shape import Shape, ShapeHit
from rackloom.checks.views import FIBRE_CONNECTORS

_PLUGGED = {"cables", "modules", "devices"}


@rule(
    "port.protocol",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA LinkX user guide, 100G-PAM4; QM97XX user manual",
    numbers=(24,),
)
def protocol(shape: Shape) -> Iterator[ShapeHit]:
    """Both ports of a cable speak the same protocol.

    InfiniBand and Ethernet devices do not link, whatever the cable. A VPI network card can be
    either, a switch is one of them. What to do: plug the cable into a switch of the card's
    network, or use a card of the switch's.
    """
    for a, b in shape.pairs():
        misfit = protocol_misfit(
            shape.ends[a].cage.protocols,
            shape.ends[b].cage.protocols,
            cage_name=f"{{p{a}}}",
            plug_name=f"{{p{b}}}",
        )
        if misfit:
            yield ShapeHit((a, b), misfit.message)


@rule(
    "port.lane-rate-ends",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA LinkX user guide, 100G-PAM4; public optics and cabling notes",
    numbers=(15, 19),
)
def lane_rate_ends(shape: Shape) -> Iterator[ShapeHit]:
    """Both cages of a copper or active cable share a lane rate.

    25G NRZ, 50G, 100G and 200G PAM4 do not mix on one cable; only a retimed cable that changes
    the lane rate (an AEC with a gearbox) joins them. What to do: use such a cable, or ports of one
    generation.
    """
    for a, b in shape.pairs():
        misfit = ends_lane_rate_misfit(
            shape.ends[a].cage,
            shape.ends[b].cage,
            cable=shape.part,
            a_owner=f"{{d{a}}}",
            b_owner=f"{{d{b}}}",
        )
        if misfit:
            yield ShapeHit((a, b), misfit.message)


def _cord(shape: Shape, rule_id: str) -> Iterator[ShapeHit]:
    """What is wrong between the cord and the module at each of its ends."""
    if not shape.is_fibre:
        return
    for number, end in enumerate(shape.ends):
        if end.module is None:
            continue
        misfit = cord_misfit(end.module, shape.part, end.end)
        if misfit and misfit.rule == rule_id:
            yield ShapeHit((number,), f"at {{p{number}}} {misfit.message}", "other-cord")


def _optics(shape: Shape) -> Iterator[tuple[int, int, Misfit]]:
    if not shape.is_fibre:
        return
    for a, b in shape.pairs():
        near, far = shape.ends[a].module, shape.ends[b].module
        if near is None or far is None:
            continue
        misfit = optic_pair_misfit(near, far, branches=shape.part.branches)
        if misfit:
            yield a, b, misfit


@rule(
    "port.optic-pair",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA MMS4X00-NM application overview; LinkX connectors and cages",
    numbers=(31, 33, 34, 35, 43),
)
def optic_pair(shape: Shape) -> Iterator[ShapeHit]:
    """The transceivers at both ends of a fibre use one wavelength plan, lane rate and lane count.

    SR4 faces SR4, DR4 faces DR4. Parallel optics (SR, DR) can be split over several fibres, those
    that share one fibre pair (FR, LR) cannot. What to do: put the same optic at both ends, as the
    switch end usually decides.
    """
    for a, b, misfit in _optics(shape):
        if misfit.rule == "port.optic-pair":
            yield ShapeHit((a, b), f"between {{p{a}}} and {{p{b}}}, {misfit.message}", "same-optic")


@rule(
    "port.optic-protocol",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA LinkX user guide, 100G-PAM4 product line overview",
    numbers=(25,),
)
def optic_protocol(shape: Shape) -> Iterator[ShapeHit]:
    """The transceivers at both ends of a fibre carry a common protocol.

    An Ethernet-only module (-T) and an InfiniBand-only one do not see each other even where both
    are accepted by their ports. What to do: use the variant of the port's network at both ends.
    """
    for a, b, misfit in _optics(shape):
        if misfit.rule == "port.protocol":
            yield ShapeHit((a, b), f"between {{p{a}}} and {{p{b}}}, {misfit.message}", "same-optic")


@rule(
    "reach.medium",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA structured cabling requirements for NDR/XDR and 400/800G Ethernet",
    numbers=(30,),
)
def medium(shape: Shape) -> Iterator[ShapeHit]:
    """Multimode optics need multimode fibre and a multimode partner; single-mode likewise.

    SR and VR modules are multimode, DR, FR and LR are single-mode; their fibre cores differ by a
    factor of five and hardly any light gets across. What to do: choose the cord of the optics'
    medium (OM4 is multimode, OS2 single-mode), or change the optics.
    """
    yield from _cord(shape, "reach.medium")
    for a, b, misfit in _optics(shape):
        if misfit.rule == "reach.medium":
            yield ShapeHit((a, b), f"between {{p{a}}} and {{p{b}}}, {misfit.message}", "same-optic")


@rule(
    "port.connector",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA structured cabling requirements; cable management guidelines and FAQ",
    numbers=(37, 39),
)
def connector(shape: Shape) -> Iterator[ShapeHit]:
    """A fibre cord has the connector of the transceiver's socket, and the other gender.

    MPO-12 and MPO-16 do not mate. Transceivers have pins, so patch cords have none; trunks with
    pins belong between panels. What to do: choose a cord with that connector, or a harness that
    changes it.
    """
    yield from _cord(shape, "port.connector")


@rule(
    "port.polish",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA structured cabling requirements; MMA4Z00-NS overview",
    numbers=(36,),
)
def polish(shape: Shape) -> Iterator[ShapeHit]:
    """Angled (APC) and flat (UPC) ferrules never mate.

    All of NVIDIA's 100G-lane multimode and all its single-mode MPO parts are APC; 100G SR4 and
    200G SR4 multimode are UPC, and so is LC duplex. Mixed ferrules leave an air gap and can
    scratch each other. What to do: choose the cord with the module's polish.
    """
    yield from _cord(shape, "port.polish")


@rule(
    "port.dark-fibre",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="definition: a passive fibre carries only the light that a transceiver sends",
    numbers=(13,),
)
def dark_fibre(shape: Shape) -> Iterator[ShapeHit]:
    """A fibre ends in a transceiver, or in a port with the optics inside.

    A cord on an empty cage carries nothing. What to do: put a transceiver into the cage, of the
    same kind as at the other end; the fix takes the one the other end asks for.
    """
    if not shape.is_fibre:
        return
    for number, end in enumerate(shape.ends):
        if end.cage.form_factor in FIBRE_CONNECTORS:
            continue
        if end.module is None:
            text = f"{{cable}} is plugged into {{p{number}}}, where no transceiver is"
            yield ShapeHit((number,), text, "insert-optic")
        elif end.socket >= end.module.sockets:
            yield ShapeHit(
                (number,),
                f"{{cable}} is plugged into socket {end.socket + 1} of the {end.module.model} in "
                f"{{p{number}}}, which has {end.module.sockets}",
            )


@rule(
    "port.no-link",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA Cumulus Linux, switch port attributes (breakout)",
    numbers=(20, 55),
)
def no_link(shape: Shape) -> Iterator[ShapeHit]:
    """The lanes of a cable make a link between a port on one side and a port on the other.

    Both sides must divide the cable alike: a splitter's branch count is the port's split, and the
    lanes of a logical port match at both ends (100G as 2x50G and as 1x100G do not link). What to
    do: set the breakout mode of the ports to what the cable carries (the fix lets them follow it),
    or use another cable.
    """
    if shape.link_count or any(True for _ in faults(shape)):
        return
    for a, b in shape.pairs():
        near, far = shape.ends[a], shape.ends[b]
        if FIBRE_CONNECTORS & {near.cage.form_factor, far.cage.form_factor}:
            continue  # a panel, or optics inside the switch of which no module says the lanes
        if near.cage.passive or far.cage.passive:
            continue
        yield ShapeHit(
            (a, b),
            f"{{cable}} makes no link: {{p{a}}} runs as {near.mode.name} and {{p{b}}} as "
            f"{far.mode.name}, which divide the lanes differently",
            "free-mode" if near.mode_fixed or far.mode_fixed else "",
        )


def faults(shape: Shape) -> Iterator[ShapeHit]:
    """Whatever else keeps this cable from linking, so that one cause is not told twice."""
    yield from dark_fibre(shape)
    yield from protocol(shape)
    yield from lane_rate_ends(shape)
    yield from optic_pair(shape)
    yield from optic_protocol(shape)
    yield from medium(shape)
    yield from connector(shape)
    for end in shape.ends:
        direct = not shape.is_fibre and cable_misfits(end.cage, shape.part, end.end)
        if direct or (end.module is not None and transceiver_misfits(end.cage, end.module)):
            yield ShapeHit((0,), "")


@rule(
    "port.speed",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA LinkX user guide, 100G-PAM4 product line overview",
    numbers=(15, 43),
)
def speed(shape: Shape) -> Iterator[ShapeHit]:
    """A link runs at the speed its ports are made for.

    Where one end is slower, or a cable splits the lanes, the faster port is paid for and not used.
    What to do: nothing where it is meant so (an older network card on a new switch), else a cable
    without a split, or ports of the same speed.
    """
    if shape.link_count == 0:
        return
    for a, b in shape.pairs():
        near, far = shape.ends[a], shape.ends[b]
        if near.cage.passive or far.cage.passive:
            continue
        near_gbps, far_gbps = near.mode.rate_gbps, far.mode.rate_gbps
        if abs(near_gbps - far_gbps) > 1e-6 and far.end <= 1:
            slow = min(near_gbps, far_gbps)
            yield ShapeHit(
                (a, b),
                f"{{p{a}}} is a port of {near_gbps:g} Gb/s and {{p{b}}} one of {far_gbps:g} Gb/s: "
                f"{{cable}} runs at {slow:g} Gb/s at most",
            )
