# SPDX-License-Identifier: Apache-2.0
"""What each command does. Each returns its exit status."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rackloom.cli.errors import CommandError
from rackloom.cli.output import (
    STDOUT,
    check_target,
    note,
    progress,
    say,
    say_json,
    write_stdout,
)

if TYPE_CHECKING:
    from rackloom.design import Design

FINE, FOUND, UNUSABLE = 0, 1, 2
"""Exit status: nothing to say, findings, wrong usage or input."""


def _load(file: str) -> Design:
    from rackloom.files import load

    with progress(f"reading {file}"):
        return load(file).design


def new(arguments: argparse.Namespace) -> int:
    """``rackloom new``."""
    from rackloom.catalog import CatalogError
    from rackloom.cli.parts import full_catalog
    from rackloom.files import save
    from rackloom.files.text import file_chunks
    from rackloom.generate import GenerateError, generate

    options: dict[str, str] = {}
    for setting in arguments.options:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise CommandError(f"--set {setting}: write it as KEY=VALUE (see rackloom presets)")
        options[key.strip()] = value
    if arguments.servers is None and arguments.gpus is None and "racks" not in options:
        raise CommandError("the size is missing: give --servers N or --gpus N")
    try:
        with progress(f"generating {arguments.preset}"):
            made = generate(
                arguments.preset,
                full_catalog(),
                servers=arguments.servers,
                gpus=arguments.gpus,
                options=options,
            )
    except (GenerateError, CatalogError) as error:
        raise CommandError(str(error)) from error
    with progress(f"writing {arguments.output}"):
        if arguments.output == STDOUT:
            for chunk in file_chunks(made.design):
                write_stdout(chunk)
        else:
            save(arguments.output, made.design)
    for text in made.notes:
        note(text)
    return FINE


def check(arguments: argparse.Namespace) -> int:
    """``rackloom check``."""
    from rackloom import checks
    from rackloom.checks.report import worst

    design = _load(arguments.file)
    with progress("checking"):
        findings = checks.run(design)
        output: object = (
            checks.as_json(findings)
            if arguments.format == "json"
            else checks.as_text(findings, each=arguments.each)
        )
    if isinstance(output, str):
        say(output)
    else:
        say_json(output)
    severity = worst(findings)
    if severity is None or arguments.fail_on == "never":
        return FINE
    return FOUND if severity.rank <= checks.Severity(arguments.fail_on).rank else FINE


def summary(arguments: argparse.Namespace) -> int:
    """``rackloom summary``."""
    from rackloom import reports
    from rackloom.fabric import Fabric
    from rackloom.reports.tiers import tier_report, tier_text

    design = _load(arguments.file)
    with progress("counting"):
        fabric = Fabric.of(design)
        found = reports.summary(design, fabric)
        tiers = tier_report(fabric) if arguments.tiers else {}
    if arguments.format == "json":
        say_json({**found, **tiers})
    else:
        say(reports.summary_text(found))
        if tiers:
            say(tier_text(tiers, design.name_of))
    return FINE


def bom(arguments: argparse.Namespace) -> int:
    """``rackloom bom``."""
    from rackloom.cli import handover

    return handover.bom(arguments)


def cables(arguments: argparse.Namespace) -> int:
    """``rackloom cables``."""
    from rackloom.cli.handover import write_table
    from rackloom.reports import CableRow, cable_schedule

    return write_table(
        arguments.file,
        arguments.output,
        lambda design: (cable_schedule(design, colour=arguments.colour), CableRow),
        "Cables",
    )


def labels(arguments: argparse.Namespace) -> int:
    """``rackloom labels``."""
    from rackloom.cli import handover

    return handover.labels(arguments)


def power(arguments: argparse.Namespace) -> int:
    """``rackloom power``."""
    from rackloom.cli import handover

    return handover.power(arguments)


def trays(arguments: argparse.Namespace) -> int:
    """``rackloom trays``."""
    from rackloom.cli import handover

    return handover.trays(arguments)


def estimate(arguments: argparse.Namespace) -> int:
    """``rackloom estimate``."""
    from rackloom.cli import estimating
    from rackloom.cli.names import resolve

    design = _load(arguments.file)
    estimating.run(arguments, design, resolve(design, arguments.fail))
    return FINE


def workload(arguments: argparse.Namespace) -> int:
    """``rackloom workload``."""
    from rackloom.cli import workload as command

    return command.run(arguments)


def render(arguments: argparse.Namespace) -> int:
    """``rackloom render``."""
    from rackloom.cli import gui_door

    if Path(arguments.output).suffix.lower() not in {".svg", ".pdf", ".png"}:
        raise CommandError(f"-o {arguments.output}: the name must end in .svg, .pdf or .png")
    check_target(arguments.output, arguments.file)
    if arguments.cords and arguments.view != "racks":
        raise CommandError(f"--cords: only racks are drawn with cords, not --view {arguments.view}")
    design = _load(arguments.file)
    with progress(f"drawing {arguments.output}"):
        try:
            gui_door.render(
                design,
                arguments.view,
                arguments.side,
                Path(arguments.output),
                cords=arguments.cords,
            )
        except OSError as error:
            from rackloom.files.atomic import cannot_write

            raise cannot_write(Path(arguments.output), error) from error
    return FINE


def catalog(arguments: argparse.Namespace) -> int:
    """``rackloom catalog``."""
    from rackloom.catalog import CatalogError
    from rackloom.cli import catalog_add, parts

    try:
        if arguments.action == "add":
            return catalog_add.run(arguments)
        if arguments.action == "show":
            return parts.show(arguments.part, arguments.format)
        return parts.list_parts(arguments.words, arguments.format)
    except CatalogError as error:
        raise CommandError(str(error)) from error


def presets(arguments: argparse.Namespace) -> int:
    """``rackloom presets``."""
    from rackloom.cli import parts

    return parts.list_presets(arguments.format)


RUN: dict[str, Callable[[argparse.Namespace], int]] = {
    "new": new,
    "check": check,
    "summary": summary,
    "bom": bom,
    "cables": cables,
    "labels": labels,
    "power": power,
    "trays": trays,
    "estimate": estimate,
    "workload": workload,
    "render": render,
    "catalog": catalog,
    "presets": presets,
}
