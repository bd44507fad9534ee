# SPDX-License-Identifier: Apache-2.0
"""What a design consists of: frozen, slotted records, one table a kind.

Entities refer to each other by id only. Records stay small because there may be 400,000 of them:
everything that can be derived is derived (``index``, ``links``, ``placement``).
"""

from dataclasses import dataclass

from rackloom.catalog.parts import PartId
from rackloom.catalog.words import Side
from rackloom.design.ids import (
    CableId,
    CordId,
    DeviceId,
    FeedId,
    ModuleId,
    NoteId,
    RackId,
    RowId,
)


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """What belongs to the whole project. The table ``settings`` holds exactly one, id ``site``."""

    id: str = "site"
    project: str = ""
    drawing: str = ""
    revision: str = ""
    author: str = ""
    tray_height_m: float = 2.7
    """Overhead trays: height of the tray's floor above the room's floor."""
    slack_m: float = 0.3
    """Spare length at each end of a cable: service loop and dressing."""
    side_panels_open: bool = False
    """Whether a cable may pass through the side panels into the neighbour rack of the same row."""
    cross_trays_x_m: tuple[float, ...] = ()
    """Where trays join the rows, along x; empty: at both ends of the rows."""
    feed_derating: float = 0.8
    """Share of a breaker's rating a continuous load may use (NEC: 0.8)."""
    tray_width_mm: float | None = None
    """Inner width of the trays; None: not known, and so neither is how full they are."""
    tray_depth_mm: float | None = None
    """Height of the trays' sides."""
    tray_fill_limit: float | None = None
    """Share of a tray's cross-section that cables may take."""
    tray_limit_kg_per_m: float | None = None
    """What the trays and what they hang on carry a metre."""
    label_template: str = ""
    """What cable labels say, with tokens such as ``{near}``; empty: the usual (TIA-606 style)."""
    price_list: str = ""
    """What the price list in the table ``prices`` is called; empty: there is none."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of racks: its left front corner on the floor. Racks follow one another along +x."""

    id: RowId
    name: str
    x_m: float = 0.0
    y_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Rack:
    """A placed rack; ``position_m`` is its left edge, seen from the front, along the row."""

    id: RackId
    name: str
    part: PartId
    row: RowId
    position_m: float


@dataclass(frozen=True, slots=True)
class Device:
    """A placed server, switch, PDU or panel.

    ``bottom_u`` is the lowest U it fills (1 is the rack's lowest); None for 0U devices, which hang
    on a ``mount``. ``face`` is the rack face that the device's front looks out of: a top-of-rack
    switch whose ports sit beside the servers' NICs has ``face=rear``.
    """

    id: DeviceId
    name: str
    part: PartId
    rack: RackId
    bottom_u: int | None
    face: Side = Side.FRONT
    mount: str | None = None
    """For 0U devices: ``left`` or ``right`` post at the rack's rear, and its place (``left-1``)."""
    role: str | None = None
    """``leaf``, ``spine``, ``core``, ...; None: worked out from what it is cabled to."""
    fabric: str | None = None
    """Name of the network a switch belongs to; None: worked out."""
    pod: str | None = None
    """Scalable unit or pod, where a generator or the user named one."""
    cards: tuple[tuple[str, PartId], ...] = ()
    """NICs in PCIe slots: (slot name, part)."""
    modes: tuple[tuple[str, str], ...] = ()
    """Breakout modes the user fixed: (cage, mode name); other cages follow what is plugged."""


@dataclass(frozen=True, slots=True)
class Module:
    """A transceiver in a cage."""

    id: ModuleId
    part: PartId
    device: DeviceId
    cage: str


@dataclass(frozen=True, slots=True)
class CableEnd:
    """Where one end of a cable is plugged. ``end`` 0 is the trunk, 1..n the branches of the part.

    ``socket`` counts the fibre connectors of the transceiver in that cage (0 for a direct plug).
    """

    end: int
    device: DeviceId
    cage: str
    socket: int = 0


@dataclass(frozen=True, slots=True)
class Cable:
    """One assembly to order, pull and label. Ends not listed hang loose."""

    id: CableId
    part: PartId
    ends: tuple[CableEnd, ...]
    length_m: float
    """The length to order: a stocked one of the part, or the user's."""
    length_fixed: bool = False
    """The user chose the length; moves and re-computation leave it alone."""
    label: str = ""
    fabric: str | None = None
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """A circuit from the building to PDUs."""

    id: FeedId
    name: str
    group: str
    """``A`` or ``B``: feeds of different groups fail independently."""
    voltage_v: float
    current_a: float
    phases: int = 3


@dataclass(frozen=True, slots=True)
class Cord:
    """A power cord: from inlet number ``inlet`` (from 1) of a device to a PDU outlet or a feed."""

    id: CordId
    device: DeviceId
    inlet: int
    source: str
    """Id of the PDU device, or of the feed for a PDU's own input."""
    outlet: str = ""
    """Outlet name on the PDU (``C19-3``); empty where the source is a feed."""


@dataclass(frozen=True, slots=True)
class Note:
    """Plain text on the drawing, at a place of the floor or beside an entity (see ``notes``)."""

    id: NoteId
    text: str
    x_m: float = 0.0
    """Place on the floor; of a note about something how far from it, on the drawing."""
    y_m: float = 0.0
    about: str | None = None
    """Id of the row, rack, device or cable that it goes with; None: it lies on the floor."""


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding somebody looked at and accepted, with the reason.

    ``subject`` is a digest of what the finding was about; when that changes, the finding returns.
    """

    id: str
    rule: str
    where: tuple[str, ...]
    reason: str
    subject: str
    author: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class SeverityOverride:
    """A rule's severity here: ``error``, ``warning``, ``info``, ``off``. Its id is the rule's."""

    id: str
    severity: str


@dataclass(frozen=True, slots=True)
class SpareShare:
    """How much more of a category of the bill is ordered. Its id is the category, or ``all``."""

    id: str
    percent: float
    """Of each line, rounded up; ``all`` stands for the categories that are not named."""


@dataclass(frozen=True, slots=True)
class ListPrice:
    """A line of the project's price list: what one piece costs. Its id is the part number."""

    id: str
    amount: float
    currency: str


Entity = (
    SiteSettings
    | Row
    | Rack
    | Device
    | Module
    | Cable
    | Feed
    | Cord
    | Note
    | AcceptedFinding
    | SeverityOverride
    | SpareShare
    | ListPrice
)

TABLES: dict[str, type] = {
    "settings": SiteSettings,
    "rows": Row,
    "racks": Rack,
    "devices": Device,
    "modules": Module,
    "cables": Cable,
    "feeds": Feed,
    "cords": Cord,
    "notes": Note,
    "accepted": AcceptedFinding,
    "severities": SeverityOverride,
    "spares": SpareShare,
    "prices": ListPrice,
}
"""Every table but ``parts`` (embedded catalogue parts), in the order files list them."""

NAMED_BY_ID = frozenset({"parts", "severities", "spares", "prices"})
"""Tables whose ids are not ours: of parts, rules, categories and part numbers."""

TABLE_OF: dict[type, str] = {kind: table for table, kind in TABLES.items()}

ID_PREFIX: dict[str, str] = {
    "rows": "row",
    "racks": "r",
    "devices": "d",
    "modules": "m",
    "cables": "c",
    "feeds": "f",
    "cords": "p",
    "notes": "n",
    "accepted": "a",
}
"""What the ids of a table begin with; the rest is a number."""
