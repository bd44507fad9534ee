# SPDX-License-Identifier: Apache-2.0
"""What is in a design, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rackloom.catalog.parts import ServerPart
from rackloom.design import Design
from rackloom.reports.power import power_sum

if TYPE_CHECKING:
    from rackloom.fabric import Fabric

SCHEMA = 1


def summary(design: Design, fabric: Fabric | None = None) -> dict[str, Any]:
    """Racks, servers, GPUs, switches by tier, cables and links by layer, power: as JSON.

    ``servers`` counts those that compute or store; appliances that manage the others are
    ``management_servers``. ``cables`` holds cables that carry at least one link, by layer; the
    others are ``dark_cables``. ``power_w.maximum`` is the sum of what is known;
    ``unknown_devices`` are not, or not wholly, in it.
    """
    if fabric is None:
        from rackloom.fabric import Fabric

        fabric = Fabric.of(design)
    servers = [
        p for d in design.devices.values() if isinstance(p := design.parts[d.part], ServerPart)
    ]
    managing = sum(part.purpose == "management" for part in servers)
    power = power_sum(design)
    per_fabric = _fabrics(design, fabric)
    lit = len(np.unique(fabric.arrays.link_cable))
    return {
        "schema": SCHEMA,
        "racks": len(design.racks),
        "servers": len(servers) - managing,
        "management_servers": managing,
        "gpus": sum(part.gpu.count for part in servers if part.gpu),
        "switches": _total(per_fabric, "switches"),
        "cables": _total(per_fabric, "cables"),
        "dark_cables": len(design.cables) - lit,
        "links": _total(per_fabric, "links"),
        "power_w": {
            "maximum": round(power.maximum_w, 3),
            "unknown_devices": power.unknown_devices,
        },
        "fabrics": per_fabric,
    }


def _fabrics(design: Design, fabric: Fabric) -> list[dict[str, Any]]:
    managing = _managing_servers(design, fabric)
    return [
        {
            "name": counts.name,
            "servers": counts.servers - managing.get(counts.name, 0),
            "management_servers": managing.get(counts.name, 0),
            "gpus": counts.gpus,
            "switches": dict(counts.switches),
            "cables": dict(counts.cables),
            "links": dict(counts.links),
        }
        for counts in fabric.counts
    ]


def _managing_servers(design: Design, fabric: Fabric) -> dict[str, int]:
    """Management servers on each network."""
    arrays, layers = fabric.arrays, fabric.layers
    managing = np.zeros(len(arrays.device_ids), np.bool_)
    for number, device_id in enumerate(arrays.device_ids):
        part = design.parts[design.devices[device_id].part]
        managing[number] = isinstance(part, ServerPart) and part.purpose == "management"
    found: set[tuple[int, int]] = set()
    for device, nic in ((arrays.link_a, arrays.link_a_nic), (arrays.link_b, arrays.link_b_nic)):
        ends = np.flatnonzero((nic >= 0) & managing[device])
        found |= set(zip(layers.network[ends].tolist(), device[ends].tolist(), strict=True))
    counts: dict[str, int] = {}
    for network, _ in found:
        name = layers.network_names[network]
        counts[name] = counts.get(name, 0) + 1
    return counts


def _total(fabrics: list[dict[str, Any]], key: str) -> dict[str, int]:
    total: dict[str, int] = {}
    for fabric in fabrics:
        for name, count in fabric[key].items():
            total[name] = total.get(name, 0) + count
    return dict(sorted(total.items()))


def summary_text(found: dict[str, Any]) -> str:
    """A summary for people."""
    lines = [
        f"racks      {found['racks']:>9,}",
        f"servers    {found['servers']:>9,}",
        f"GPUs       {found['gpus']:>9,}",
    ]
    if found["management_servers"]:
        lines.insert(2, f"managing   {found['management_servers']:>9,} servers")
    lines += [f"{tier:<11}{count:>9,} switches" for tier, count in found["switches"].items()]
    for fabric in found["fabrics"]:
        none = "" if fabric["cables"] else "   no cables"  # as over a rack's backplane
        lines.append(f"fabric {fabric['name']}{none}")
        lines += [
            f"  {layer:<21}{count:>9,} cables {fabric['links'].get(layer, 0):>9,} links"
            for layer, count in fabric["cables"].items()
        ]
    if found["dark_cables"]:
        lines.append(f"{found['dark_cables']:,} cables carry no link")
    power = found["power_w"]
    caveat = ""
    if power["unknown_devices"]:
        plural = "s" if power["unknown_devices"] > 1 else ""
        caveat = f", not counting what is unknown of {power['unknown_devices']:,} device{plural}"
    lines.append(f"power      {power['maximum'] / 1000:>9,.1f} kW at most{caveat}")
    return "\n".join(lines) + "\n"
