# SPDX-License-Identifier: Apache-2.0
"""The closed vocabularies of the catalogue: what the field calls shapes, media and trust."""

from enum import StrEnum


class Trust(StrEnum):
    """How far a figure can be trusted."""

    DATASHEET = "datasheet"
    SECONDARY = "secondary"
    ESTIMATE = "estimate"


class FormFactor(StrEnum):
    """The shape of a cage, of a plug, or of a fibre connector."""

    OSFP = "OSFP"
    OSFP_XD = "OSFP-XD"
    QSFP_DD = "QSFP-DD"
    QSFP112 = "QSFP112"
    QSFP56 = "QSFP56"
    QSFP28 = "QSFP28"
    SFP112 = "SFP112"
    SFP56 = "SFP56"
    SFP28 = "SFP28"
    SFP_PLUS = "SFP+"
    RJ45 = "RJ45"
    MPO_12 = "MPO-12"
    MPO_16 = "MPO-16"
    MMC_12 = "MMC-12"
    LC_DUPLEX = "LC duplex"
    NVLINK_BACKPLANE = "NVLink backplane"


class Shell(StrEnum):
    """The top of an OSFP: finned (integrated heat sink) or flat (riding heat sink)."""

    IHS = "IHS"
    RHS = "RHS"


class PortCount(StrEnum):
    """Whether an OSFP plug carries one port engine or two."""

    SINGLE = "single-port"
    TWIN = "twin-port"


class Protocol(StrEnum):
    """What a port speaks. A VPI port speaks either, one at a time."""

    INFINIBAND = "infiniband"
    ETHERNET = "ethernet"
    NVLINK = "nvlink"
    UALINK = "ualink"


class Side(StrEnum):
    """A face of a chassis, or of a rack."""

    FRONT = "front"
    REAR = "rear"

    @property
    def other(self) -> "Side":
        """The opposite face."""
        return Side.REAR if self is Side.FRONT else Side.FRONT


class CageRole(StrEnum):
    """The network a cage is meant for."""

    COMPUTE = "compute"
    STORAGE = "storage"
    IN_BAND = "in-band"
    FRONT_END = "front-end"
    OUT_OF_BAND = "out-of-band"
    FABRIC = "fabric"  # a switch's data port: takes the role of what it connects
    SERVICE = "service"
    CONSOLE = "console"


class CableTechnology(StrEnum):
    """How a cable carries its signal, in the order of what it usually costs."""

    DAC = "DAC"
    ACC = "ACC"
    AEC = "AEC"
    AOC = "AOC"
    FIBRE = "fibre"  # passive: needs a transceiver at each end
    TWISTED_PAIR = "twisted pair"


class Medium(StrEnum):
    """Fibre kind: multimode or single-mode."""

    MMF = "MMF"
    SMF = "SMF"


class Inlet(StrEnum):
    """Power inlet of a PSU (and so the plug of its cord)."""

    C14 = "C14"
    C16 = "C16"
    C20 = "C20"
    C22 = "C22"
    BUSBAR = "busbar"
    HARDWIRED = "hard-wired"


class ScaleUpKind(StrEnum):
    """How the GPUs of a scale-up domain are joined."""

    NVLINK_SWITCHED = "nvlink-switched"
    NVLINK_MESH = "nvlink-mesh"
    XGMI_MESH = "xgmi-mesh"
    UALINK_SWITCHED = "ualink-switched"
    ETHERNET_MESH = "ethernet-mesh"
    PCIE = "pcie"
    NONE = "none"
