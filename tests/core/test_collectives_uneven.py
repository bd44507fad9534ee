# SPDX-License-Identifier: Apache-2.0
"""All-to-all between servers and racks of uneven size: which NIC carries what, by hand and by pair.

Of n GPUs each sends a piece of S/n to each other and takes it at its own NIC. By PXN what is meant
for GPU d of another server leaves by the NIC of GPU d of the sender's own server, where there is
one, else by the sender's own (NVIDIA/nccl ``ncclTopoGetNetDev``). A NIC of b GB/s that carries m
pieces takes m S/(n b), so bus bandwidth is at most b (n - 1) / m.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from tests.fabrics import Cluster, server_part, switch_part

from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.words import CageRole
from rackloom.collectives import Estimate, estimate
from rackloom.collectives.calibration import load_hardware
from rackloom.collectives.direct import lay_all_to_all
from rackloom.collectives.group import form_group
from rackloom.collectives.ports import usable_ports
from rackloom.collectives.ring import Traffic, lay_rings
from rackloom.design import Design
from rackloom.fabric import Fabric

NIC_GB_PER_S = 50.0
Servers = tuple[tuple[int, int], ...]
"""GPUs and NICs of each server."""


def cages(part: ServerPart) -> list[str]:
    return [c.name for c in part.cages if c.role is CageRole.COMPUTE]


def servers(sizes: Servers, leaves: int = 1) -> Cluster:
    """Servers on leaves in turn, NIC by NIC; leaves joined by one spine."""
    cluster = Cluster()
    low = [cluster.device(switch_part(512), f"leaf-{n}") for n in range(leaves)]
    if leaves > 1:
        spine = cluster.device(switch_part(512), "spine")
        for leaf in low:
            cluster.links(leaf, spine, 8)
    turn = itertools.cycle(low)
    for number, (gpus, nics) in enumerate(sizes):
        part = server_part(gpus=gpus, nics=nics)
        device = cluster.device(part, f"gpu-{number:03d}")
        for cage in cages(part):
            cluster.link(device, next(turn), a_cage=cage)
    return cluster


def racks(trays: tuple[int, ...]) -> Design:
    """Racks of trays of 4 GPUs with a NIC each, one scale-up domain a rack."""
    tray = server_part(gpus=4, scale_up_gb_per_s=900, generation="NVLink 5", pcie_gen=None)
    assert tray.scale_up is not None
    domain = tray.scale_up.model_copy(update={"spans_rack": True, "domain_gpus": 72})
    tray = tray.model_copy(update={"scale_up": domain, "id": PartId("rack-tray")})
    cluster = Cluster()
    leaf = cluster.device(switch_part(512), "leaf")
    for rack, many in enumerate(trays):
        cluster.new_rack()
        for n in range(many):
            device = cluster.device(tray, f"tray-{rack + 1}-{n + 1:02d}")
            for nic in range(4):
                cluster.link(device, leaf, a_cage=str(nic))
    return cluster.design()


def nic_cap(found: Estimate) -> float:
    (cap,) = (cap for cap in found.caps if cap.kind == "nic")
    return cap.busbw_gb_per_s


def laid(fabric: Fabric, pxn: bool) -> Traffic:
    group = form_group(fabric)
    ports = usable_ports(fabric, group, load_hardware())
    return lay_all_to_all(fabric, group, lay_rings(fabric, group, ports), pxn)


# (servers, pieces at the busiest NIC). In the comments: by which NIC how many pieces go.
BY_HAND: list[tuple[Servers, int]] = [
    # each of 8 GPUs takes 8 pieces, and 8 GPUs send by NIC d to GPU d
    (((8, 8), (8, 8)), 8),
    # GPUs of the small server take 8; from the large one 8 GPUs send to GPU d < 4 by NIC d
    (((8, 8), (4, 4)), 8),
    # two GPUs a NIC: 16 in and out
    (((8, 8), (8, 4)), 16),
    # the small one takes 16 at each; NIC d < 4 of a large one sends 8 to each of two GPUs d
    (((8, 8), (8, 8), (4, 4)), 16),
    # NIC d < 4 of the large one sends 8 to each of four GPUs d, its other NICs nothing
    (((8, 8), (4, 4), (4, 4), (4, 4), (4, 4)), 32),
    # a lone GPU takes 8; NIC 0 of the large one sends all 8, the lone GPU 8 by its only NIC
    (((8, 8), (1, 1)), 8),
    # the NIC of the server with one for all eight: 8 GPUs take 8 each
    (((8, 8), (8, 1)), 64),
]


@pytest.mark.parametrize(("sizes", "pieces"), BY_HAND)
def test_the_busiest_nic_is_that_of_the_sum_by_hand(sizes: Servers, pieces: int) -> None:
    n = sum(gpus for gpus, _ in sizes)
    found = estimate(servers(sizes).design(), "all-to-all", [1 << 34])
    assert nic_cap(found) == pytest.approx(NIC_GB_PER_S * (n - 1) / pieces, rel=1e-12)
    assert found.points[0].busbw_gb_per_s <= found.limit.busbw_gb_per_s
    assert found.notes == ()


@pytest.mark.parametrize("trays", [(18, 4), (18, 18, 4), (18, 18, 18, 1), (2, 1)])
def test_racks_of_uneven_size_use_all_their_nics(trays: tuple[int, ...]) -> None:
    """Every GPU of the smallest rack takes a piece from each one outside; no NIC carries more."""
    sizes = [4 * many for many in trays]
    n, smallest = sum(sizes), min(sizes)
    found = estimate(racks(trays), "all-to-all", [1 << 34])
    assert nic_cap(found) == pytest.approx(NIC_GB_PER_S * (n - 1) / (n - smallest), rel=1e-12)
    # from three racks on what stays inside counts as if it were sent: then a NIC's own rate
    if len(trays) > 2:
        (cap,) = (cap for cap in found.caps if cap.kind == "nic")
        network = load_hardware().efficiency("infiniband").value
        assert cap.expected_gb_per_s == pytest.approx(NIC_GB_PER_S * network, rel=1e-12)


def by_pair(
    design: Design, pxn: bool
) -> tuple[Counter[str], Counter[str], Counter[tuple[str, str]]]:
    """Pieces out of and into every cable, and between switches, GPU by GPU.

    Knows nothing of the program's arrays: goes by names of servers and cages.
    """
    ends = {}
    for cable in design.cables.values():
        a, b = cable.ends
        ends[design.devices[a.device].name, a.cage] = (cable.id, design.devices[b.device].name)
    gpus = {
        device.name: (part.gpu.count, len(cages(part)))
        for device in design.devices.values()
        if isinstance(part := design.parts[device.part], ServerPart) and part.gpu is not None
    }
    everyone = [(name, number) for name, (count, _) in gpus.items() for number in range(count)]
    out: Counter[str] = Counter()
    into: Counter[str] = Counter()
    between: Counter[tuple[str, str]] = Counter()
    for (server, number), (other, target) in itertools.product(everyone, everyone):
        if server == other:
            continue
        by = target if pxn and target < gpus[server][0] else number
        count, nics = gpus[server]
        first, leaf = ends[server, str(by * nics // count)]
        count, nics = gpus[other]
        last, end = ends[other, str(target * nics // count)]
        out[first] += 1
        into[last] += 1
        if leaf != end:
            between[leaf, end] += 1
    return out, into, between


ANY: list[Servers] = [
    ((8, 8), (4, 4), (2, 2)),
    ((8, 8), (8, 4), (8, 2), (4, 4)),
    ((6, 6), (5, 5), (3, 3), (1, 1)),
    ((8, 8), (8, 8), (8, 8)),
    ((4, 1), (8, 8)),
]


@pytest.mark.parametrize("pxn", [True, False])
@pytest.mark.parametrize("leaves", [1, 3])
@pytest.mark.parametrize("sizes", ANY)
def test_every_cable_carries_what_all_pairs_together_send(
    sizes: Servers, leaves: int, pxn: bool
) -> None:
    design = servers(sizes, leaves).design()
    fabric = Fabric.of(design)
    traffic = laid(fabric, pxn)
    out, into, between = by_pair(design, pxn)
    most = max(*out.values(), *into.values())
    expected = {cable: max(out[cable], into[cable]) / most for cable in {*out, *into}}
    ids = fabric.arrays.cable_ids
    links = traffic.ports.link[traffic.channel_ports.ravel()]
    found = {
        ids[fabric.arrays.link_cable[link]]: load
        for link, load in zip(links, traffic.port_load.ravel(), strict=True)
    }
    assert found == pytest.approx(expected)
    # one spine: what leaves a leaf goes up its bundle, what enters comes down
    devices = fabric.network.switch_device
    bundles = fabric.network.bundles
    for number in range(len(bundles.u)):
        names = [
            design.devices[fabric.arrays.device_ids[devices[end[number]]]].name
            for end in (bundles.u, bundles.v)
        ]
        loads = [traffic.loads.forward[number], traffic.loads.backward[number]]
        if names[0] == "spine":
            names.reverse()
            loads.reverse()
        up = sum(many for (a, _), many in between.items() if a == names[0])
        down = sum(many for (_, b), many in between.items() if b == names[0])
        assert loads == pytest.approx([up / most, down / most])


def test_a_server_that_lost_a_nic_spreads_over_the_others() -> None:
    """16 GPUs take 8 pieces each; one server's 64 come in by 7 NICs, evenly."""
    cluster = servers(((8, 8), (8, 8)))
    cut = next(c for c, cable in cluster.cables.items() if cable.ends[0].cage == "3")
    found = estimate(cluster.design(), "all-to-all", [1 << 34], failed=[cut])
    assert nic_cap(found) == pytest.approx(NIC_GB_PER_S * 15 / (64 / 7), rel=1e-12)
    (cap,) = (cap for cap in found.caps if cap.kind == "nic")
    assert "NICs of gpu-000, 7 x" in cap.text


def test_one_nic_for_two_gpus_keeps_to_its_rail() -> None:
    """Four NICs for eight GPUs, a leaf a NIC, no spine: no way from rail to rail is needed."""
    cluster = Cluster()
    part = server_part(gpus=8, nics=4)
    leaves = [cluster.device(switch_part(), f"leaf-{n}") for n in range(4)]
    for number in range(3):
        device = cluster.device(part, f"gpu-{number}")
        for nic, cage in enumerate(cages(part)):
            cluster.link(device, leaves[nic], a_cage=cage)
    traffic = laid(Fabric.of(cluster.design()), pxn=True)
    assert not traffic.by_channels
    assert not np.any(traffic.loads.forward)


def test_two_ports_of_an_adapter_are_two_planes() -> None:
    """First ports talk to first ones, second to second: planes that are not joined are enough."""
    cluster = Cluster()
    part = server_part(gpus=4, ports_per_nic=2)
    planes = [cluster.device(switch_part(), f"plane-{n}") for n in range(2)]
    for number in range(3):
        device = cluster.device(part, f"gpu-{number}")
        for cage in cages(part):
            cluster.link(device, planes[int(cage.split(".")[1])], a_cage=cage)
    design = cluster.design()
    assert not laid(Fabric.of(design), pxn=True).by_channels
    # twelve GPUs: 8 pieces each over two ports of 50 GB/s
    assert nic_cap(estimate(design, "all-to-all", [1 << 34])) == pytest.approx(50 * 11 / 4)


@pytest.mark.parametrize(
    ("sizes", "inside"),
    [
        # 7 to neighbours, and 7 to others of its server whose NICs send them on
        (((8, 8), (8, 8)), [14, 14]),
        # the large server's GPU d < 4 takes over from 7 others; in the small one 3 + 3
        (((8, 8), (4, 4)), [14, 6]),
        # four small ones: four pieces from each of 7 others
        (((8, 8), (4, 4), (4, 4), (4, 4), (4, 4)), [7 + 28, 15, 15, 15, 15]),
    ],
)
def test_what_is_handed_on_loads_the_inner_links(sizes: Servers, inside: list[int]) -> None:
    """In the last case GPU d < 4 of a small server hands 4 pieces on from each of 3 others."""
    traffic = laid(Fabric.of(servers(sizes).design()), pxn=True)
    assert traffic.inside_pieces is not None
    assert traffic.inside_pieces.tolist() == inside
    plain = laid(Fabric.of(servers(sizes).design()), pxn=False)
    assert plain.inside_pieces is not None
    assert plain.inside_pieces.tolist() == [gpus - 1 for gpus, _ in sizes]
