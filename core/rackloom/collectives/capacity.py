# SPDX-License-Identifier: Apache-2.0
"""What a server's insides carry: scale-up links and PCIe, as sold and as libraries reckon. GB/s."""

from __future__ import annotations

from rackloom.catalog.parts import ScaleUp, ServerPart
from rackloom.catalog.words import ScaleUpKind
from rackloom.collectives.calibration import Hardware
from rackloom.fabric.arrays import MESHES

PCIE_LANES_PER_GPU = 16
"""Every data-centre accelerator of the catalogue that has a PCIe port has sixteen lanes."""


def has_scale_up(part: ServerPart) -> bool:
    """Whether GPUs of this server talk over something other than PCIe."""
    kinds = {ScaleUpKind.NONE, ScaleUpKind.PCIE}
    return part.scale_up is not None and part.scale_up.kind not in kinds


def link_kind(scale_up: ScaleUp) -> str:
    """Under which name calibration files know the links: ``nvlink`` or ``xgmi``."""
    return "xgmi" if scale_up.kind is ScaleUpKind.XGMI_MESH else "nvlink"


def reckoned_gb_per_s(scale_up: ScaleUp, members: int, hardware: Hardware) -> float:
    """What a library reckons one GPU can send inside its domain, with ``members`` of it at work.

    In a mesh only the links to the members count.
    """
    generation = hardware.generation(scale_up.generation)
    if generation is not None and scale_up.links_per_gpu is not None:
        whole = generation.link_gb_per_s * scale_up.links_per_gpu
    elif generation is not None:
        ratio = generation.link_gb_per_s / generation.vendor_link_gb_per_s
        whole = scale_up.bandwidth_gb_per_s * ratio
    else:
        whole = scale_up.bandwidth_gb_per_s * hardware.scale_up_other.ratio
    return whole * _share(scale_up, members)


def _share(scale_up: ScaleUp, members: int) -> float:
    if scale_up.kind not in MESHES or scale_up.domain_gpus < 2:
        return 1.0
    return min(members - 1, scale_up.domain_gpus - 1) / (scale_up.domain_gpus - 1)


def pair_gb_per_s(scale_up: ScaleUp) -> float:
    """What two GPUs of a mesh have between them, as sold."""
    return scale_up.bandwidth_gb_per_s / max(scale_up.domain_gpus - 1, 1)


def nic_pcie_gb_per_s(part: ServerPart, hardware: Hardware) -> float | None:
    """Wire rate between an adapter and the GPU it serves; None where the part does not say.

    A server that says nothing about its adapters is as fast as its slowest slot.
    """
    generation, lanes = part.pcie_gen, part.pcie_lanes_per_nic
    if part.slots:
        generation = generation or min(slot.pcie_gen for slot in part.slots)
        lanes = lanes or min(slot.pcie_lanes for slot in part.slots)
    return hardware.pcie_gb_per_s(generation, lanes)


def gpu_pcie_gb_per_s(part: ServerPart, hardware: Hardware) -> float | None:
    """Wire rate of a GPU's own PCIe port; None where the part does not say."""
    return hardware.pcie_gb_per_s(part.pcie_gen, PCIE_LANES_PER_GPU)


def gpu_reckoned_gb_per_s(part: ServerPart, hardware: Hardware) -> float | None:
    """What a library reckons a GPU's own PCIe port to carry to or from the host."""
    wire = gpu_pcie_gb_per_s(part, hardware)
    return None if wire is None else wire * hardware.pcie.gpu_efficiency


def peers_gb_per_s(part: ServerPart, hardware: Hardware) -> float | None:
    """What a library reckons two GPUs of a server to exchange over PCIe, one direction."""
    port = gpu_reckoned_gb_per_s(part, hardware)
    if port is None:
        return None
    return port * (hardware.pcie.intel_peer_factor if part.cpu_vendor == "intel" else 1.0)
