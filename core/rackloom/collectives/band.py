# SPDX-License-Identifier: Apache-2.0
"""How sure an estimate is: the spread of the measured rows behind it, wider beyond what they cover.

A band rests on rows of the kind of link or transport that binds. Where the drawn hardware is of a
kind no row was measured on (a generation of links, a port rate, GPUs that talk over PCIe), the
constants are derived, and the band is at least what systems left out of the constants show.
"""

from __future__ import annotations

import numpy as np

from rackloom.collectives.algorithms import Answer
from rackloom.collectives.answer import ErrorBand
from rackloom.collectives.calibration import Efficiency
from rackloom.collectives.caps import Cap, efficiency_kind, inside_efficiency, inside_kind
from rackloom.collectives.case import Case
from rackloom.collectives.conventions import Collective

_WORDS = {"infiniband": "InfiniBand", "ethernet": "Ethernet", "nvlink": "NVLink", "xgmi": "xGMI"}


def error_band(case: Case, deciding: Answer, kind: Collective, tightest: Cap) -> ErrorBand:
    """The spread of the measured rows behind the efficiency that binds.

    Rows of one server vouch for one server: where several take part, the rows of their network
    count too, also where it is the links inside or the library's own cap that binds.
    """
    inside = tightest.kind in {"scale-up", "library"}
    least = case.hardware.least_band.band
    within = inside_efficiency(case, deciding.algorithm, kind)
    if case.group.nodes > 1:
        band, rests_on = _network(case)
        if inside:
            band = max(band, within.band)
    elif tightest.kind == "pcie":
        band, rests_on = least, "what the library reckons PCIe to carry"
    else:
        band = max(within.band, least)
        rests_on = _counted(within, _WORDS[inside_kind(case.group)])
    for floor, reason in _beyond(case, deciding, kind, tightest):
        band = max(band, floor)
        rests_on += f"; {reason}"
    small = case.hardware.below_large.band
    if case.group.nodes > 1 and _beyond_rows(case):
        small *= case.hardware.beyond_measured.band_factor
    return ErrorBand(band, rests_on, max(band, small))


def _beyond_rows(case: Case) -> bool:
    """Whether more servers take part than in any row of their network."""
    return case.group.nodes > case.hardware.efficiency(efficiency_kind(case.transport)).most_servers


def _counted(efficiency: Efficiency, of: str) -> str:
    return f"{efficiency.rows} {of} measurement{'' if efficiency.rows == 1 else 's'}"


def _network(case: Case) -> tuple[float, str]:
    """Band and basis of the network's rows; doubled for more servers than any of them had."""
    outer = efficiency_kind(case.transport)
    efficiency = case.hardware.efficiency(outer)
    band = max(efficiency.band, case.hardware.least_band.band)
    rests_on = f"{_counted(efficiency, _WORDS[outer])} on up to {efficiency.most_servers} servers"
    if _beyond_rows(case):
        band *= case.hardware.beyond_measured.band_factor
        rests_on += f"; {case.group.nodes} servers are beyond them, so the band is widened"
    return band, rests_on


def _beyond(
    case: Case, deciding: Answer, kind: Collective, tightest: Cap
) -> list[tuple[float, str]]:
    """What of the drawn hardware no row covers: the least band that leaves, and why."""
    hardware = case.hardware
    found = []
    if not case.known:
        found.append((hardware.unknown_gpu.band, "nothing measured on this GPU generation"))
    derived = hardware.unmeasured.band
    if tightest.kind == "scale-up":
        generation = _unmeasured_links(case, deciding.algorithm, kind)
        if generation:
            found.append((derived, f"nothing measured on {generation} in this use"))
    elif tightest.kind == "pcie":
        found.append((hardware.over_pcie.band, "nothing measured that PCIe limits"))
    elif case.group.nodes > 1:
        rate = _unmeasured_rate(case)
        if rate is not None:
            found.append((derived, f"nothing measured at {rate:g} Gb/s a port"))
    return found


def _unmeasured_links(case: Case, algorithm: str, kind: Collective) -> str | None:
    """The generation of the scale-up links, where no row of this use is of it."""
    scale_up = case.group.parts[int(case.group.part_of_node[0])].scale_up
    if scale_up is None:
        return None
    hardware = case.hardware
    if algorithm.startswith("nvls"):
        measured = hardware.has_rows(hardware.nvls_kind(scale_up.generation, scale_up.spans_rack))
        name = f"{scale_up.generation}{' across a rack' if scale_up.spans_rack else ''}"
        return None if measured else name
    rows = hardware.scale_up_efficiency
    if kind is Collective.ALL_TO_ALL:
        rows = hardware.all_to_all_efficiency
    known = {row.generation for row in rows}
    return None if scale_up.generation in known else scale_up.generation


def _unmeasured_rate(case: Case) -> float | None:
    """The rate of the NIC ports in use, where it lies outside what rows of the network had."""
    if case.rings is None:
        return None
    outer = efficiency_kind(case.transport)
    known = [
        row.port_gbps
        for row in case.hardware.transport_efficiency
        if row.transport == outer and row.port_gbps is not None
    ]
    rates = np.unique(case.rings.ports.rate_gbps[case.rings.channel_ports])
    outside = rates[(rates > max(known)) | (rates < min(known))] if known else rates
    return float(outside[-1]) if len(outside) else None
