# SPDX-License-Identifier: Apache-2.0
"""The error band: of the measured rows behind an answer, and wider where none covers the parts."""

from typing import Any

import pytest
from tests.fabrics import server_part, star, switch_part

from rackloom.catalog.words import Protocol, ScaleUpKind
from rackloom.collectives import Estimate, estimate
from rackloom.collectives.calibration import load_hardware

LARGE = [16 << 30]


def one(collective: str = "all-reduce", **words: Any) -> Estimate:
    """One server of this kind."""
    return estimate(star(1, server_part(**words)).design(), collective, LARGE)


def several(gbps: float, protocol: Protocol) -> Estimate:
    """Four servers with ports of this rate."""
    part = server_part(
        nic_gbps=gbps,
        pcie_gen=6,
        scale_up_gb_per_s=900,
        generation="NVLink 5",
        architecture="blackwell",
    )
    return estimate(star(4, part, switch_part(64, gbps, protocol)).design(), sizes=LARGE)


def test_measured_hardware_has_the_band_of_its_rows() -> None:
    least = load_hardware().least_band.band
    for found in (one(), several(400, Protocol.INFINIBAND), several(200, Protocol.INFINIBAND)):
        assert found.band.fraction == pytest.approx(least)
        assert "nothing measured" not in found.band.rests_on


@pytest.mark.parametrize(
    ("gbps", "protocol"),
    [(800, Protocol.INFINIBAND), (100, Protocol.INFINIBAND), (800, Protocol.ETHERNET)],
)
def test_port_rates_nobody_measured_widen_it(gbps: float, protocol: Protocol) -> None:
    """XDR and EDR InfiniBand, 800G Ethernet: the efficiency of 200G and 400G is taken on trust."""
    found = several(gbps, protocol)
    assert found.bottleneck.kind == "nic"
    assert found.band.fraction >= load_hardware().unmeasured.band > load_hardware().least_band.band
    assert f"nothing measured at {gbps:g} Gb/s a port" in found.band.rests_on


def test_generations_of_links_nobody_measured_widen_it() -> None:
    """V100: rings of NVLink 2 are reckoned like those of later links. MI300X: all-to-all."""
    volta = one(generation="NVLink 2", scale_up_gb_per_s=150, links_per_gpu=6, architecture="volta")
    assert volta.peak.busbw_gb_per_s == pytest.approx(6 * 20, rel=0.06)
    assert "nothing measured on NVLink 2" in volta.band.rests_on
    xgmi: dict[str, Any] = {
        "kind": ScaleUpKind.XGMI_MESH,
        "generation": "Infinity Fabric",
        "scale_up_gb_per_s": 448,
        "links_per_gpu": 7,
        "architecture": "cdna3",
    }
    assert "nothing measured" not in one(**xgmi).band.rests_on
    spread = one("all-to-all", **xgmi)
    assert "1 xGMI measurement;" in spread.band.rests_on
    assert "nothing measured on Infinity Fabric" in spread.band.rests_on


@pytest.mark.parametrize(("vendor", "expected"), [("amd", 24.0), ("intel", 20.0)])
def test_gpus_on_pcie_get_what_the_library_reckons(vendor: str, expected: float) -> None:
    """L40S and its like, Gen4 x16: 24 GB/s, and a sixth less behind Intel processors (NCCL)."""
    found = one(scale_up_gb_per_s=None, architecture="ada", pcie_gen=4, cpu_vendor=vendor)
    assert found.bottleneck.kind == "pcie"
    assert found.peak.busbw_gb_per_s == pytest.approx(expected, rel=0.01)
    assert found.band.fraction == load_hardware().over_pcie.band
    assert "PCIe" in found.band.rests_on


def test_small_messages_are_less_sure() -> None:
    """Twice so beyond the servers that were measured; a chart's band has no step."""
    few, many = (estimate(star(n).design(), sizes=LARGE).band for n in (4, 5))
    assert few.small_fraction == load_hardware().below_large.band > few.fraction
    assert many.small_fraction == 2 * few.small_fraction
    assert [few.at(size) for size in (16 << 30, 256 << 20)] == [few.fraction] * 2
    assert [few.at(size) for size in (64 << 20, 8, 0)] == [few.small_fraction] * 3
    assert few.at(128 << 20) == pytest.approx((few.fraction + few.small_fraction) / 2)
