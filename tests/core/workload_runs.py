# SPDX-License-Identifier: Apache-2.0
"""Fabrics for the published runs; run as a script, it renews their table in the help page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.builders import catalog
from tests.fabrics import Cluster, rail_pods, server_part, switch_part, three_tiers

from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.words import CageRole
from rackloom.fabric import Fabric
from rackloom.workload import accuracy

HELP = Path(__file__).parents[2] / "resources/rackloom_resources/help/workload.md"


def plain_server(part_id: str, nics: int, nic_gbps: float) -> ServerPart:
    """GPUs and scale-up network of a catalogue server, with one plain port a NIC."""
    real = catalog().require(part_id)
    assert isinstance(real, ServerPart)
    assert real.gpu is not None
    plain = server_part(gpus=real.gpu.count, nics=nics, nic_gbps=nic_gbps)
    taken = ("gpu", "scale_up", "pcie_gen", "cpu_vendor", "manufacturer", "model")
    return plain.model_copy(
        update={name: getattr(real, name) for name in taken}
        | {"id": PartId(f"plain-{part_id}"), "pcie_lanes_per_nic": 16}
    )


@cache
def fabric_for(name: str) -> Fabric:
    """The fabric of a server's name in the published runs."""
    told = accuracy.published_runs().servers[name]
    part = plain_server(told.part, told.nics, told.nic_gbps)
    if told.scale_up_gb_per_s is not None:
        assert part.scale_up is not None
        cut = {"bandwidth_gb_per_s": told.scale_up_gb_per_s, "links_per_gpu": told.links_per_gpu}
        part = part.model_copy(update={"scale_up": part.scale_up.model_copy(update=cut)})
    if told.rack_gpus is not None:
        return Fabric.of(rack_domains(part, told.gpus, told.rack_gpus).design())
    assert part.gpu is not None
    if told.gpus <= 512:
        switch = switch_part(128, told.nic_gbps)
        servers = told.gpus // part.gpu.count
        return Fabric.of(rail_pods(1, servers, 1, part=part, switch=switch).design())
    return Fabric.of(three_tiers(told.gpus, part=part, gbps=told.nic_gbps).design())


def rack_domains(part: ServerPart, gpus: int, rack_gpus: int) -> Cluster:
    """Racks that are one scale-up domain, every tray's NIC n on switch n."""
    assert part.gpu is not None
    cluster = Cluster()
    cages = [cage.name for cage in part.cages if cage.role is CageRole.COMPUTE]
    rate = part.cages[-1].rate_gbps
    leaves = [cluster.device(switch_part(512, rate), f"leaf-{cage}") for cage in cages]
    for n in range(gpus // part.gpu.count):
        if n % (rack_gpus // part.gpu.count) == 0:
            cluster.new_rack()
        server = cluster.device(part, f"gpu-{n + 1:03d}")
        for leaf, cage in zip(leaves, cages, strict=True):
            cluster.link(server, leaf, a_cage=cage)
    return cluster


def renew() -> None:
    """Write the table anew."""
    page = HELP.read_text("utf-8")
    before, _, rest = page.partition(accuracy.START)
    _, _, after = rest.partition(accuracy.END)
    HELP.write_text(before + accuracy.markdown(accuracy.check_runs(fabric_for)) + after, "utf-8")


if __name__ == "__main__":
    renew()
