# SPDX-License-Identifier: Apache-2.0
"""The measured systems as designs: parts of the catalogue where it has them, plain ones else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from tests.fabrics import Cluster, server_part, star, switch_part

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.words import Protocol, ScaleUpKind
from rackloom.collectives import Settings
from rackloom.fabric import Fabric
from rackloom.generate import generate


@dataclass(frozen=True)
class System:
    """A measured system: which rows are its, how it is drawn, which constants came from it."""

    name: str
    ids: tuple[str, ...]
    """What the ids of its rows begin with."""
    fabric: Callable[[], Fabric]
    constants: tuple[str, ...] = ()
    """Beginnings of the names of the calibration rows that were measured on it."""
    settings: Settings = field(default_factory=Settings)
    fits: tuple[str, ...] = ()
    """Single constants that rest on it alone: ``sharp``."""
    smallest: int = 0
    """Smaller rows are not nccl-tests readings (host launch cost is in them)."""


@cache
def rows() -> list[dict[str, Any]]:
    """All readings that ship with the program."""
    text = files("rackloom_resources") / "calibration" / "measurements.json"
    found: list[dict[str, Any]] = json.loads(text.read_text(encoding="utf-8"))["rows"]
    return found


def _belongs(row_id: str, ids: tuple[str, ...]) -> bool:
    """Whether an id is one of these, or goes on after one with a dash or a letter."""
    return any(
        row_id.startswith(i) and not (i[-1].isdigit() and row_id[len(i) :][:1].isdigit())
        for i in ids
    )


def rows_of(system: System) -> list[dict[str, Any]]:
    """The readings of one system that the library made (MSCCL++ ones are no NCCL)."""
    return [
        row
        for row in rows()
        if _belongs(row["id"], system.ids) and "NOT NCCL" not in row.get("notes", "")
    ]


_MI300X = "supermicro-as-8125gs-tnmr2"
_MI355X = "supermicro-as-a126gs-tnmr"


def _alone(part: str, count: int = 1) -> Fabric:
    """Servers of the catalogue without a network, in one rack."""
    server = load_bundled()[PartId(part)]
    assert isinstance(server, ServerPart)
    cluster = Cluster()
    for n in range(count):
        cluster.device(server, f"gpu-{n + 1:02d}")
    return Fabric.of(cluster.design())


def _preset(part: str, servers: int) -> Fabric:
    return Fabric.of(
        generate("rail-fat-tree", load_bundled(), servers=servers, options={"server": part}).design
    )


def _ampere(servers: int, nics: int, gbps: float, protocol: Protocol) -> Fabric:
    part = server_part(
        nics=nics,
        nic_gbps=gbps,
        scale_up_gb_per_s=300,
        generation="NVLink 3",
        links_per_gpu=12,
        architecture="ampere",
        pcie_gen=4,
        cpu_vendor="amd",
    )
    return Fabric.of(star(servers, part, switch_part(512, gbps, protocol)).design())


def _nvls(servers: int, nics: int, gbps: float, generation: str, architecture: str) -> Fabric:
    part = server_part(
        nics=nics,
        nic_gbps=gbps,
        scale_up_gb_per_s=450 if generation == "NVLink 4" else 900,
        generation=generation,
        architecture=architecture,
        pcie_gen=5 if generation == "NVLink 4" else 6,
        nvls=True,
    )
    return Fabric.of(star(servers, part, switch_part(512, gbps, Protocol.ETHERNET)).design())


def _volta() -> Fabric:
    cluster = Cluster()
    part = server_part(
        nics=0,
        scale_up_gb_per_s=150,
        kind=ScaleUpKind.NVLINK_SWITCHED,
        generation="NVLink 2",
        links_per_gpu=6,
        architecture="volta",
        pcie_gen=3,
    )
    cluster.device(part, "dgx-1")
    return Fabric.of(cluster.design())


def _rack(trays: int) -> Fabric:
    return _alone("gb200-compute-tray", trays)


SYSTEMS = (
    System("H100, 1 server (AWS)", ("aws-p5-1n",), lambda: _alone("dgx-h100"), ("H100 8 GPU log",)),
    System(
        "H100, 1 server (Dell)",
        ("nt309a-h100-1n",),
        lambda: _alone("dgx-h100"),
        ("H100 8 GPU peak",),
    ),
    System(
        "H100, 2 servers, InfiniBand NDR",
        ("nt309a-h100-2n", "nt309b"),
        lambda: _preset("dgx-h100", 2),
        ("H100 8x400 2 servers", "H100 2 servers"),
    ),
    System(
        "H100, 4 servers, InfiniBand NDR",
        ("nt309a-h100-4n",),
        lambda: _preset("dgx-h100", 4),
        ("H100 8x400 4 servers", "H100 4 servers"),
    ),
    System(
        "H100, 2 servers, RoCE 16x200",
        ("oci-h100",),
        lambda: _nvls(2, 16, 200, "NVLink 4", "hopper"),
    ),
    System("H200, 1 server", ("stas-h200",), lambda: _alone("dgx-h200"), ("H200",)),
    System(
        "B200, 1 server",
        ("stas-b200-1n",),
        lambda: _alone("dgx-b200"),
        ("B200 8 GPU ring", "B200 8 GPU log", "B200 7 GPU", "B200 6 GPU"),
        smallest=16 << 20,
    ),
    System(
        "B200, 4 servers, EFA 8x400",
        ("stas-b200-4n",),
        lambda: _nvls(4, 8, 400, "NVLink 5", "blackwell"),
        ("B200 8x400 EFA",),
        settings=Settings(transport="efa"),
        smallest=16 << 20,
    ),
    System("B300, 1 server", ("oci-b300-1n",), lambda: _alone("dgx-b300-ps"), ("B300 8 GPU",)),
    System(
        "B300, 2 servers, RoCE 16x400",
        ("oci-b300-2n",),
        lambda: _nvls(2, 16, 400, "NVLink 5", "blackwell"),
        ("B300 16x400",),
    ),
    System("GB200, 4 GPUs of a rack", ("oci-gb200",), lambda: _rack(1), ("GB200 4 GPU",)),
    System("GB200, 72 GPUs", ("cw-gb200",), lambda: _rack(18), ("GB200 72 GPU",)),
    System(
        "GB200, 32 GPUs (vendor chart)",
        ("nv-gtc25-5", "nv-gtc25-6", "nv-gtc25-12"),
        lambda: _rack(8),
        ("GB200 32 GPU",),
    ),
    System("A100, 1 server (AWS)", ("nccl527",), lambda: _alone("dgx-a100"), ("A100 8 GPU log",)),
    System(
        "A100, 2 servers, RoCE 16x100",
        ("oci-a100",),
        lambda: _ampere(2, 16, 100, Protocol.ETHERNET),
        ("A100 16x100",),
    ),
    System("MI300X, 1 server", ("stas-mi300x",), lambda: _alone(_MI300X), ("MI300X",)),
    System("MI355X, 1 server", ("oci-mi355x-1n",), lambda: _alone(_MI355X), ("MI355X 8 GPU",)),
    System(
        "MI355X, 2 servers, RoCE 8x400",
        ("oci-mi355x-2n",),
        lambda: _preset(_MI355X, 2),
        ("MI355X 8x400",),
    ),
    System("V100, 1 server (vendor chart)", ("nv-gtc24-ar-0",), _volta),
    System(
        "A100, 1 server (vendor chart)",
        ("nv-gtc24-ar-1", "nv-gtc25-7"),
        lambda: _alone("dgx-a100"),
        ("A100 8 GPU peak",),
    ),
    System(
        "H100, 1 server (vendor chart)",
        ("nv-gtc24-ar-2", "nv-gtc24-ar-3", "nv-gtc25-8"),
        lambda: _alone("dgx-h100"),
        ("H100 8 GPU chart",),
    ),
    System(
        "B200, 1 server (vendor chart)",
        ("nv-gtc25-0", "nv-gtc25-1", "nv-gtc25-9"),
        lambda: _alone("dgx-b200"),
        ("B200 8 GPU peak",),
    ),
    System(
        "A100, 4 servers, InfiniBand HDR (vendor chart)",
        ("nv-gtc24-ar-4", "nv-gtc25-4", "nv-gtc25-10"),
        lambda: _ampere(4, 8, 200, Protocol.INFINIBAND),
        ("A100 8x200",),
    ),
    System(
        "H100, 4 servers, InfiniBand NDR (vendor chart)",
        ("nv-gtc24-ar-5", "nv-gtc25-2", "nv-gtc25-11"),
        lambda: _preset("dgx-h100", 4),
        ("H100 8x400 4 servers peak",),
    ),
    System(
        "H100, 4 servers with SHARP (vendor chart)",
        ("nv-gtc24-ar-6", "nv-gtc25-3"),
        lambda: _preset("dgx-h100", 4),
        settings=Settings(sharp=True),
        fits=("sharp",),
    ),
)
