# SPDX-License-Identifier: Apache-2.0
"""Plugs in cages: shape, shell, lanes, protocol, power. What fits is decided in catalog.fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity
from rackloom.checks.plug_fixes import plug_fixer
from rackloom.checks.registry import rule
from rackloom.design.ids import DeviceId

_PLUGGED = {"cables", "modules", "devices"}


def misfitting(context: Context, devices: Iterable[str]) -> Iterator[str]:
    """Devices with a plug that does not belong where it is."""
    return (d for d in devices if context.view(DeviceId(d)).misfits)


def _hits(context: Context, device_id: str, misfit_rule: str) -> Iterator[Hit]:
    for misfit in context.view(DeviceId(device_id)).misfits:
        if misfit.rule == misfit_rule:
            fixer = plug_fixer(misfit.where[0], context.catalog_given)
            yield Hit(misfit.where, misfit.text, fixer)


@rule(
    "port.form-factor",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA LinkX cable overview, connectors and cages; OSFP and QSFP-DD agreements",
    numbers=(6, 8, 9, 10, 11, 12, 13),
)
def form_factor(context: Context, device_id: str) -> Iterator[Hit]:
    """A plug goes only into a cage of its form factor, or of one that accepts it.

    OSFP and QSFP never mate. A QSFP-DD cage takes QSFP56 and QSFP28 plugs at their speed; the
    reverse connects nothing on the second row of contacts. Adapters are parts of their own.
    What to do: choose a cable or transceiver made for this cage; where the two ends of a cable
    differ, check that it is not plugged the wrong way round.
    """
    yield from _hits(context, device_id, "port.form-factor")


@rule(
    "port.shell",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA LinkX cable overview, connectors and cages; LinkX 200G-PAM4 parts list",
    numbers=(1, 2, 12),
)
def shell(context: Context, device_id: str) -> Iterator[Hit]:
    """An OSFP cage takes finned plugs (IHS) or flat-top plugs (RHS), never both.

    Air-cooled switches have cages for finned plugs, network cards and DGX/HGX fronts for flat
    ones. This is the costliest ordering mistake in such clusters: the parts look alike and do not
    go in. What to do: order the other variant (NVIDIA marks flat-top parts -FLT).
    """
    yield from _hits(context, device_id, "port.shell")


@rule(
    "port.plug",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA LinkX cable overview, connectors and cages; LinkX user guide, 100G-PAM4",
    numbers=(3, 4, 5),
)
def twin_or_single(context: Context, device_id: str) -> Iterator[Hit]:
    """A twin-port OSFP cage takes twin-port plugs, a single-port cage single-port plugs.

    NDR and Spectrum-4 switches and DGX H100, H200 and B200 have twin-port cages (two 400G ports,
    eight lanes); ConnectX-7 and ConnectX-8 cards have single-port ones. What to do: choose the
    part with the right number of ports; a 1:2 cable joins one twin-port cage with two single ones.
    """
    yield from _hits(context, device_id, "port.plug")


@rule(
    "port.lane-rate",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA LinkX user guide, 100G-PAM4 and 200G-PAM4 product lines",
    numbers=(15, 16, 17, 18),
)
def lane_rate(context: Context, device_id: str) -> Iterator[Hit]:
    """The lanes of a plug run at a rate of the cage.

    Optics and active cables are built for one lane rate: 100G-PAM4 optics cannot drop to 50G
    lanes, 200G-PAM4 (XDR) optics to neither. Only passive copper follows a slower cage. What to
    do: choose a part of the cage's generation, or a device whose cage runs the part's lanes.
    """
    yield from _hits(context, device_id, "port.lane-rate")


@rule(
    "port.plug-protocol",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA LinkX user guide, 100G-PAM4 product line overview",
    numbers=(25,),
)
def plug_protocol(context: Context, device_id: str) -> Iterator[Hit]:
    """A cable or transceiver is made for the protocol of the port it sits in.

    Most NVIDIA parts carry InfiniBand and Ethernet; those with -T and the V and W families are
    Ethernet only, MCA4J80 and MCA4K50 are InfiniBand only, and the firmware of the port refuses
    the wrong kind. What to do: choose the variant for this protocol.
    """
    yield from _hits(context, device_id, "port.protocol")


@rule(
    "power.module-class",
    Severity.ERROR,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA QM97XX user manual, interfaces (power class 8, 17 W)",
    numbers=(56,),
)
def module_class(context: Context, device_id: str) -> Iterator[Hit]:
    """A transceiver draws no more than its cage supplies and cools.

    The port stays dark, or the module runs hot and fails early. The maximum counts, not the
    typical draw. What to do: choose a transceiver of a lower power class.
    """
    yield from _hits(context, device_id, "power.module-class")


@rule(
    "port.slower-plug",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="device",
    among=misfitting,
    source="NVIDIA LinkX user guide, 100G-PAM4; cable management guidelines and FAQ",
    numbers=(7, 8),
)
def slower(context: Context, device_id: str) -> Iterator[Hit]:
    """A plug of an older generation works in a newer cage, and the port falls to its speed.

    QSFP112 cages take QSFP56 and QSFP28, QSFP-DD cages take QSFP56 and QSFP28 too. What to do:
    nothing where that speed is wanted, else a part of the cage's own kind.
    """
    yield from _hits(context, device_id, "port.slower-plug")
