# SPDX-License-Identifier: Apache-2.0
"""Boxes that hold two switches without a way between them (Q3200 and its like)."""

import networkx
import pytest
from tests.fabrics import Cluster, server_part, switch_part

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.collectives import EstimateError, estimate, failure_sweep
from rackloom.collectives.sweep import failure_kinds
from rackloom.design import Design, Draft
from rackloom.design.edits import remove
from rackloom.fabric import Fabric
from rackloom.fabric.tier_numbers import tier_numbers
from rackloom.fabric.ways import ways_between

PORTS = 16


def box() -> SwitchPart:
    """Ports 1 to 8 are one switch, 9 to 16 another."""
    part = switch_part(PORTS).model_copy(update={"partitions": 2, "id": PartId("two-in-one")})
    return SwitchPart.model_validate(part.model_dump())


def plugged(*halves: int, bridged: bool = False) -> Design:
    """One box; server n has its one NIC on a port of half ``halves[n]``."""
    cluster = Cluster()
    switch = cluster.device(box(), "box")
    server = server_part(gpus=1, nics=1, scale_up_gb_per_s=None)
    free = {0: iter(range(1, 9)), 1: iter(range(9, 17))}
    for number, half in enumerate(halves):
        device = cluster.device(server, f"gpu-{number + 1}")
        cluster.link(device, switch, "0", str(next(free[half])))
    if bridged:
        cluster.link(switch, switch, "8", "16")
    return cluster.design()


def test_one_half_does_not_reach_the_other() -> None:
    design = plugged(0, 0, 1, 1)
    fabric = Fabric.of(design)
    assert fabric.network.switches == 2
    assert len(set(fabric.network.components.tolist())) == 2
    by_name = {device.name: device.id for device in design.devices.values()}
    assert ways_between(fabric, by_name["gpu-1"], by_name["gpu-2"]) is not None
    assert ways_between(fabric, by_name["gpu-1"], by_name["gpu-3"]) is None
    with pytest.raises(EstimateError):
        estimate(design)
    near = estimate(design, gpus=["gpu-1", "gpu-2"])
    assert near.limit.busbw_gb_per_s == pytest.approx(50)


def test_a_cable_between_the_halves_joins_them() -> None:
    design = plugged(0, 0, 1, 1, bridged=True)
    fabric = Fabric.of(design)
    assert len(set(fabric.network.components.tolist())) == 1
    # two rings of 400 Gb/s would cross; two servers a half send through one link of 400 Gb/s
    assert estimate(fabric).peak.busbw_gb_per_s <= 50


def test_the_graph_has_both_halves_and_no_edge_between_them() -> None:
    design = plugged(0, 1)
    graph = Fabric.of(design).graph
    switches = [v for v in graph if graph.nodes[v]["kind"] == "switch"]
    box_id = next(d.id for d in design.devices.values() if d.name == "box")
    assert switches == [box_id, f"{box_id}/switch2"]
    assert not networkx.has_path(graph, *switches)


def test_it_is_bought_and_counted_as_one_box() -> None:
    fabric = Fabric.of(plugged(0, 1))
    assert sum(sum(c.switches.values()) for c in fabric.counts) == 1
    assert sum(numbers.switches for numbers in tier_numbers(fabric)) == 1


def test_failing_the_box_takes_both_halves_and_kinds_tell_halves_apart() -> None:
    design = plugged(0, 0, 0, 1, bridged=True)
    fabric = Fabric.of(design)
    box_id = next(d.id for d in design.devices.values() if d.name == "box")
    with pytest.raises(EstimateError):
        estimate(fabric, failed=[box_id])
    servers = sorted(len(members) for kind, members in failure_kinds(fabric) if kind == "server")
    assert servers == [1, 3]
    sweep = failure_sweep(fabric)
    assert next(e for e in sweep.effects if box_id in e.members).busbw_gb_per_s == 0


def test_a_patched_fabric_keeps_the_halves() -> None:
    design = plugged(0, 1, bridged=True)
    bridge = next(c.id for c in design.cables.values() if len({e.device for e in c.ends}) == 1)
    draft = Draft(design)
    remove(draft, [bridge])
    after, step = draft.close("unplug")
    patched = Fabric.of(design).patched(after, step.change)
    assert patched.same_as(Fabric.of(after))
    assert len(set(patched.network.components.tolist())) == 2


def test_the_catalogue_has_such_a_box() -> None:
    part = load_bundled()[PartId("nvidia-q3200-ra")]
    assert isinstance(part, SwitchPart)
    assert part.protocol is Protocol.INFINIBAND
    assert [part.partition_of(c.name) for c in part.data_cages].count(1) == 18
