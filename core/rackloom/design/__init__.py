# SPDX-License-Identifier: Apache-2.0
"""What is drawn: the Design value, drafts and edits, history, links."""

from rackloom.design.change import Change, Record, Step
from rackloom.design.draft import Draft
from rackloom.design.entities import (
    AcceptedFinding,
    Cable,
    CableEnd,
    Cord,
    Device,
    Feed,
    ListPrice,
    Module,
    Note,
    Rack,
    Row,
    SeverityOverride,
    SiteSettings,
    SpareShare,
)
from rackloom.design.errors import EditError
from rackloom.design.history import History
from rackloom.design.links import Link, PortRef, cable_links, port_name
from rackloom.design.value import Design

__all__ = [
    "AcceptedFinding",
    "Cable",
    "CableEnd",
    "Change",
    "Cord",
    "Design",
    "Device",
    "Draft",
    "EditError",
    "Feed",
    "History",
    "Link",
    "ListPrice",
    "Module",
    "Note",
    "PortRef",
    "Rack",
    "Record",
    "Row",
    "SeverityOverride",
    "SiteSettings",
    "SpareShare",
    "Step",
    "cable_links",
    "port_name",
]
