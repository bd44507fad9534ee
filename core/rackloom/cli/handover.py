# SPDX-License-Identifier: Apache-2.0
"""What is handed on: the bill of materials, power, cable labels, and what lies in the trays."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rackloom.cli.errors import CommandError
from rackloom.cli.output import STDOUT, check_target, progress, say, say_json, write

if TYPE_CHECKING:
    from rackloom.design import Design
    from rackloom.reports.tables import Columns

_T = TypeVar("_T")


# Arguments


def add_bom_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``bom`` takes beside the file and ``-o``."""
    spares = parser.add_mutually_exclusive_group()
    spares.add_argument(
        "--spares",
        action="append",
        metavar="CATEGORY=PCT",
        help="order so many per cent more, rounded up line by line: cable=5; all=2 is for the "
        "categories that are not named (may be given several times; all together they stand in "
        "the place of the project's)",
    )
    spares.add_argument("--no-spares", action="store_true", help="leave the project's spares away")
    prices = parser.add_mutually_exclusive_group()
    prices.add_argument(
        "--prices",
        metavar="FILE",
        help="a CSV file with the columns part_number, price and currency: adds what it costs "
        "(default: the price list of the project)",
    )
    prices.add_argument("--no-prices", action="store_true", help="leave the project's prices away")


def add_power_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``power`` takes."""
    parser.add_argument("file", metavar="FILE", help="a project file")
    _add_format(parser)
    parser.add_argument(
        "--table",
        choices=("places", "supplies", "psus"),
        default="places",
        help="which table CSV and XLSX hold: draw by rack, row and site; PDUs, feeds and busbars; "
        "the power supplies of devices (default: places)",
    )
    _add_optional_output(parser)


def add_colour_argument(parser: argparse.ArgumentParser, words: str) -> None:
    """``--colour``: what colours stand for."""
    parser.add_argument(
        "--colour", choices=("cable", "fabric", "rail", "none"), default="cable", help=words
    )


def add_labels_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``labels`` takes."""
    parser.add_argument("file", metavar="FILE", help="a project file")
    parser.add_argument(
        "--template",
        metavar="TEXT",
        help="what a label says, with tokens such as {near} and {far} (default: the project's)",
    )
    add_colour_argument(
        parser, "what the colour of a label stands for (default: cable, as the project has it)"
    )
    parser.add_argument(
        "--sheet",
        default="a4-3x8",
        metavar="NAME",
        help="of a PDF, such as a4-3x8 (default) or letter-3x10; any other name lists them all",
    )
    parser.add_argument(
        "--skip", type=_places, default=0, metavar="N", help="labels the first sheet lacks already"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="a .csv, .xlsx or .pdf file; - writes CSV to standard output",
    )


def add_trays_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``trays`` takes."""
    parser.add_argument("file", metavar="FILE", help="a project file")
    _add_format(parser)
    _add_optional_output(parser)


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json", "csv"), default="text", help="default: text"
    )


def _add_optional_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write a .csv or .xlsx file, or whatever --format says into another one",
    )


def _places(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number from 0 up")
    return int(text)


# Commands


def bom(arguments: argparse.Namespace) -> int:
    """``rackloom bom``."""
    from rackloom import reports

    spares = None
    if arguments.spares or arguments.no_spares:
        spares = _reported(lambda: reports.spares_of(arguments.spares or ()))
    prices, file = None, arguments.prices
    if file is not None:
        if not file:
            raise CommandError("--prices: the name of the file is empty; name a price list")
        prices = _reported(lambda: reports.read_price_file(Path(file), file))

    def table_of(design: Design) -> tuple[list[Any], tuple[str, ...]]:
        made = reports.bill(design, spares, prices, priced=not arguments.no_prices)
        return made.lines, made.columns

    return write_table(arguments.file, arguments.output, table_of, "BOM")


def power(arguments: argparse.Namespace) -> int:
    """``rackloom power``."""
    from rackloom.reports.power_report import (
        PlaceRow,
        PsuRow,
        SupplyRow,
        power_report,
    )
    from rackloom.reports.power_words import power_text

    kinds: dict[str, type] = {"places": PlaceRow, "supplies": SupplyRow, "psus": PsuRow}
    design = _load(arguments)
    with progress("adding up power"):
        report = power_report(design)
    rows: list[Any] = getattr(report, arguments.table)
    return _answer(
        arguments,
        text=lambda: power_text(report),
        content=report.to_json,
        rows=rows,
        names=kinds[arguments.table],
        title="Power",
    )


def trays(arguments: argparse.Namespace) -> int:
    """``rackloom trays``."""
    from rackloom.reports.tray_report import TrayRow, tray_json, tray_rows, tray_text

    design = _load(arguments)
    with progress("filling trays"):
        rows = tray_rows(design)
    return _answer(
        arguments,
        text=lambda: tray_text(rows, design.settings),
        content=lambda: tray_json(rows, design.settings),
        rows=rows,
        names=TrayRow,
        title="Trays",
    )


def labels(arguments: argparse.Namespace) -> int:
    """``rackloom labels``."""
    from rackloom.reports.labels import Label, labels, sheet_named

    def found(design: Design) -> list[Any]:
        return _reported(lambda: list(labels(design, arguments.template, arguments.colour)))

    target = arguments.output
    if target == STDOUT or Path(target).suffix.lower() != ".pdf":
        return write_table(
            arguments.file, target, lambda design: (found(design), Label), "Labels", also=".pdf"
        )
    from rackloom.cli import gui_door

    sheet = _reported(lambda: sheet_named(arguments.sheet))
    if arguments.skip >= sheet.count:
        raise CommandError(
            f"--skip {arguments.skip}: a sheet of {sheet.name} holds {sheet.count} labels, "
            f"so 0 to {sheet.count - 1} of them can be gone"
        )
    design = _load(arguments)
    with progress(f"drawing {target}"):
        title = design.settings.project or "Cable labels"
        write(target, gui_door.label_sheet(found(design), sheet, title, arguments.skip))
    return 0


def write_table(
    file: str,
    target: str,
    table_of: Callable[[Design], tuple[Sequence[Any], Columns]],
    title: str,
    *,
    also: str = "",
) -> int:
    """Write a table of a design as its target's ending says, CSV to standard output.

    ``table_of`` gives the rows and what names their columns.
    """
    suffix = ".csv" if target == STDOUT else Path(target).suffix.lower()
    if suffix not in {".csv", ".xlsx"} and not _is_special(target):
        kinds = f".csv, .xlsx or {also}" if also else ".csv or .xlsx"
        raise CommandError(f"-o {target}: the name must end in {kinds}, or be - for CSV")
    check_target(target, file)
    design = _load_file(file)
    with progress(f"writing {target}"):
        rows, names = _reported(lambda: table_of(design))
        write(target, _table_bytes(rows, names, title, target))
    return 0


def _answer(
    arguments: argparse.Namespace,
    *,
    text: Callable[[], str],
    content: Callable[[], Any],
    rows: Sequence[Any],
    names: Columns,
    title: str,
) -> int:
    """A report in the format asked for, or as the ending of ``-o`` has it."""
    target = STDOUT if arguments.output is None else arguments.output
    suffix = Path(target).suffix.lower()
    if suffix in {".csv", ".xlsx"} or arguments.format == "csv":
        write(target, _table_bytes(rows, names, title, target))
    elif arguments.format == "json":
        _say_or_write(target, content())
    else:
        _say_or_write(target, text())
    return 0


def _say_or_write(target: str, what: Any) -> None:
    if target == STDOUT:
        if isinstance(what, str):
            say(what)
        else:
            say_json(what)
        return
    if not isinstance(what, str):
        import json

        what = json.dumps(what, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    write(target, what.encode("utf-8"))


def _table_bytes(rows: Sequence[Any], names: Columns, title: str, target: str) -> bytes:
    from rackloom.reports import csv_bytes, xlsx_bytes

    if target == STDOUT or Path(target).suffix.lower() != ".xlsx":
        return csv_bytes(rows, names)
    try:
        return xlsx_bytes(rows, names, title)
    except ValueError as error:
        raise CommandError(f"{target}: {error}") from error


def _is_special(target: str) -> bool:
    """Whether a target exists and is no file or folder (``/dev/stdout``)."""
    # Of os.path, since a name that is too long would raise from Path.exists.
    return os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target)


def _load(arguments: argparse.Namespace) -> Design:
    if arguments.output is not None:
        if not arguments.output:
            raise CommandError("-o: the name of the file is empty; name one, or give -")
        check_target(arguments.output, arguments.file)
    return _load_file(arguments.file)


def _load_file(file: str) -> Design:
    from rackloom.files import load

    with progress(f"reading {file}"):
        return load(file).design


def _reported(make: Callable[[], _T]) -> _T:
    """What is made; a report that cannot be made as it was asked for ends the command."""
    from rackloom.reports import ReportError

    try:
        return make()
    except ReportError as error:
        raise CommandError(str(error)) from error
