# SPDX-License-Identifier: Apache-2.0
"""Calibration files: every figure has a source, every efficiency comes from its rows."""

from importlib.resources import files
from typing import Any

import numpy as np
import pytest
import yaml
from tests.fabrics import server_part, star

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import ServerPart
from rackloom.collectives import EstimateError, Point, Settings, estimate
from rackloom.collectives.calibration import PROTOCOLS, load_hardware, load_libraries
from rackloom.collectives.cost_model import Shape, channels_at_work


def cited(node: Any) -> set[str]:
    """Every value under a key that names a source."""
    found: set[str] = set()
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "sources":
                continue
            if str(key).endswith("source"):
                found |= set(value.values()) if isinstance(value, dict) else {value}
            else:
                found |= cited(value)
    elif isinstance(node, list):
        for item in node:
            found |= cited(item)
    return found


@pytest.mark.parametrize("name", ["hardware.yaml", "libraries.yaml"])
def test_every_source_named_is_listed_and_used(name: str) -> None:
    text = (files("rackloom_resources") / "calibration" / name).read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    assert cited(document) == set(document["sources"])


def test_ring_efficiencies_lie_where_healthy_fabrics_do() -> None:
    """0.90 to 0.98 of the NIC rate of a server (facts from published logs)."""
    hardware = load_hardware()
    for transport in ("infiniband", "ethernet"):
        efficiency = hardware.efficiency(transport)
        assert 0.90 <= efficiency.value <= 0.98
        assert 0 < efficiency.band < 0.06
        assert efficiency.rows >= 3


def test_known_link_sums() -> None:
    """NCCL reckons 240, 370.8 and 721.8 GB/s for A100, H100 and B200."""
    hardware = load_hardware()
    for generation, links, total in (
        ("NVLink 3", 12, 240),
        ("NVLink 4", 18, 370.8),
        ("NVLink 5", 18, 721.8),
    ):
        found = hardware.generation(generation)
        assert found is not None
        assert found.link_gb_per_s * links == pytest.approx(total)
        assert found.link_gb_per_s < found.vendor_link_gb_per_s


def test_pcie_rates() -> None:
    """PCIe x16, one direction: 15.75, 31.5 and 63 GB/s for Gen3, Gen4 and Gen5."""
    hardware = load_hardware()
    for generation, rate in ((3, 15.75), (4, 31.5), (5, 63.0)):
        assert hardware.pcie_gb_per_s(generation, 16) == pytest.approx(rate, rel=1e-3)
    assert hardware.pcie_gb_per_s(None, 16) is None
    assert hardware.pcie_gb_per_s(5, None) is None


def test_every_library_has_whole_tables() -> None:
    libraries = load_libraries()
    for row in (*libraries.architectures.values(), libraries.unknown_architecture):
        library = libraries.libraries[row.library]
        for number, _ in enumerate(PROTOCOLS):
            terms = (library.ring.base_us, library.ring.nvlink_us, library.ring.network_us)
            assert len({term[number] is None for term in terms}) == 1
        if library.tree.size_correction:
            assert [len(r) for r in library.tree.size_correction] == [24, 24, 24]


def test_most_gpus_of_the_catalogue_have_constants() -> None:
    libraries = load_libraries()
    kinds = {
        part.gpu.architecture
        for part in load_bundled().of_kind(ServerPart)
        if part.gpu is not None and part.gpu.architecture
    }
    assert {"ampere", "hopper", "blackwell", "cdna3"} <= kinds
    assert kinds - set(libraries.architectures) <= {"gaudi3"}


def test_kinds_without_rows_have_the_poorest_of_their_family() -> None:
    hardware = load_hardware()
    links = [hardware.efficiency(kind) for kind in ("nvlink", "xgmi")]
    assert hardware.efficiency("ualink") == min(links, key=lambda e: e.value)
    known = [hardware.nvls("NVLink 4", False), hardware.nvls("NVLink 5", False)]
    known.append(hardware.nvls("NVLink 5", True))
    assert hardware.nvls("NVLink 6", True) == min(known, key=lambda e: e.value)


def test_small_nvls_messages_have_what_their_generation_was_measured_to_have() -> None:
    """444 of 483 GB/s at 2 GiB on one H100 server, 735 of 846 on B200 (published logs)."""
    hardware = load_hardware()
    assert hardware.nvls_small("NVLink 4", False) == pytest.approx((4 * 2**30, 444.02 / 483.05))
    assert hardware.nvls_small("NVLink 5", False) == pytest.approx((8 * 2**30, 734.97 / 845.67))
    below, factor = hardware.nvls_small("NVLink 6", False)
    assert below == 4 * 2**30
    assert 734.97 / 845.67 < factor < 444.02 / 483.05


def test_efa_hops_and_protocols_are_what_its_plug_in_declares() -> None:
    """Byte order is not promised on P6 servers, so only Simple is left; a hop takes 35 us more."""
    design = star(4, server_part(nvls=True)).design()

    def found(transport: str | None, size: int) -> Point:
        settings = Settings(transport=transport)
        return estimate(design, "all-reduce", [size], settings=settings).points[0]

    assert found(None, 8).protocol == "LL"
    assert found("efa-p5", 8).protocol == "LL"
    assert {found("efa", size).protocol for size in (8, 1 << 20, 1 << 30)} == {"Simple"}
    ring = Settings(transport="efa-p5")
    slow = estimate(design, algorithm="tree", protocol="LL", sizes=[8], settings=ring).points[0]
    fast = estimate(design, algorithm="tree", protocol="LL", sizes=[8]).points[0]
    assert slow.time_us - fast.time_us == pytest.approx(2 * 2 * 35, rel=0.01)  # two levels, twice
    with pytest.raises(EstimateError, match="LL is not used"):
        estimate(design, protocol="LL", settings=Settings(transport="efa"))


def test_small_messages_are_given_few_channels() -> None:
    """One channel up to 4 KB with LL, and one more for each further 4 KB (threads x 8 bytes)."""
    library = load_libraries().libraries["nccl"]
    shape = Shape(32, 4, 8, 375.0, True, 0.0, "hopper", "intel")  # 16 channels
    sizes = np.array([8, 4096, 16384, 65536, 1 << 30], np.float64)
    part = channels_at_work(library, shape, "LL", sizes)
    assert part.tolist() == [1 / 16, 1 / 16, 4 / 16, 1.0, 1.0]
    assert channels_at_work(library, shape, "Simple", sizes).tolist() == [1.0] * 5
    assert channels_at_work(library, shape, "LL128", np.array([10240.0])).tolist() == [2 / 16]
