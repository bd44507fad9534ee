# SPDX-License-Identifier: Apache-2.0
"""The presets by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rackloom.bulk import many_objects
from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import ServerPart
from rackloom.design.value import Design
from rackloom.generate import nvl72, rail_fat_tree, superpod_h100
from rackloom.generate.errors import GenerateError
from rackloom.generate.network import Request
from rackloom.generate.options import Option, parse_options

MOST_SERVERS = 100_000
"""Beyond this a typing error is likelier than a wish."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of fabric that can be generated."""

    name: str
    title: str
    options: tuple[Option, ...]
    build: Callable[[Request], tuple[Design, list[str]]]
    size: Callable[[Catalog, Mapping[str, Any], int | None, int | None], int]
    """How many servers the options and a number of servers or of GPUs stand for."""
    counts: Literal["servers", "racks"] = "servers"
    """What its size is usually said in; ``racks`` is then an option."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated design, and notes for the user (what could not be done, what was decided)."""

    design: Design
    notes: tuple[str, ...]


def _servers_asked(
    catalog: Catalog, options: Mapping[str, Any], servers: int | None, gpus: int | None
) -> int:
    if (servers is None) == (gpus is None):
        raise GenerateError("the size is needed once: either servers or gpus")
    return _servers_for(gpus or 0, catalog, options["server"]) if servers is None else servers


def presets() -> tuple[Preset, ...]:
    """Every preset there is."""
    return (
        Preset(
            "rail-fat-tree",
            "Rail-optimised fat tree of any servers and switches, one to three tiers",
            rail_fat_tree.OPTIONS,
            rail_fat_tree.generate,
            _servers_asked,
        ),
        Preset(
            "superpod-h100",
            "DGX SuperPOD H100: scalable units of 32 DGX H100 on QM9700, with UFM",
            superpod_h100.OPTIONS,
            superpod_h100.generate,
            _servers_asked,
        ),
        Preset(
            "nvl72",
            "Racks of 72 GPUs on one NVLink backplane (GB200, GB300), rails, front end, management",
            nvl72.OPTIONS,
            nvl72.generate,
            nvl72.trays_asked,
            "racks",
        ),
    )


def preset(name: str) -> Preset:
    """A preset by name; GenerateError with what there is."""
    known = {p.name: p for p in presets()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise GenerateError(f"there is no preset {name!r}; {hint}")
    return known[name]


def generate(
    name: str,
    catalog: Catalog,
    *,
    servers: int | None = None,
    gpus: int | None = None,
    options: Mapping[str, str | float] | None = None,
) -> Generated:
    """A whole design: placed, cabled, powered.

    Size is given in ``servers`` or in ``gpus`` (a multiple of the server's, or of a whole rack's).
    Raises GenerateError or CatalogError with one sentence.
    """
    chosen = preset(name)
    values = parse_options(chosen.options, options or {})
    servers = chosen.size(catalog, values, servers, gpus)
    if not 1 <= servers <= MOST_SERVERS:
        raise GenerateError(f"the number of servers must be 1 to {MOST_SERVERS}, not {servers}")
    with many_objects():
        design, notes = chosen.build(Request(catalog, servers, values))
    return Generated(design, tuple(notes))


def _servers_for(gpus: int, catalog: Catalog, server_id: str) -> int:
    server = catalog.require(server_id)
    per_server = server.gpu.count if isinstance(server, ServerPart) and server.gpu else 0
    if per_server == 0:
        raise GenerateError(f"{server_id} has no GPUs; say how many servers")
    if gpus < 1 or gpus % per_server:
        below, above = gpus - gpus % per_server, gpus + -gpus % per_server
        near = f"{above}" if below < 1 else f"{below} or {above}"
        raise GenerateError(f"{gpus} GPUs do not fill servers of {per_server}: take {near}")
    return gpus // per_server
