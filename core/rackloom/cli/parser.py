# SPDX-License-Identifier: Apache-2.0
"""The commands, their options, and what their help says."""

from __future__ import annotations

import argparse
import difflib
from typing import NoReturn

import rackloom
from rackloom.cli import catalog_add, estimating, handover, workload
from rackloom.cli.errors import CommandError

COMMANDS = {
    "new": "generate a design from a preset",
    "check": "say what is wrong with a design",
    "summary": "say what is in a design: racks, servers, GPUs, switches, cables, power",
    "bom": "write the bill of materials",
    "cables": "write the cable schedule",
    "labels": "write or print labels for both ends of every cable",
    "power": "say what racks draw, and what PDUs, feeds and power supplies carry",
    "trays": "say how heavy and how full the cable trays are",
    "estimate": "say how fast a collective will be, and what limits it",
    "workload": "say what a training or inference job gets, and what it waits for",
    "render": "draw a design into a file",
    "catalog": "look up parts",
    "presets": "list the presets of 'new' and their options",
}

_USAGE = """rackloom [FILE]
       rackloom COMMAND ..."""

_EPILOG = """Without a command, the editor opens, on FILE where one is given.
'rackloom COMMAND --help' says more about a command.

exit status: 0 fine; 1 findings at or above --fail-on; 2 wrong usage or input that cannot be used"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """End with the message and where to read on."""
        raise CommandError(f"{_in_a_line(message)} (see {self.prog} --help)")


def _in_a_line(message: str) -> str:
    return " ".join(message.split())


def build_parser() -> Parser:
    """The parser for everything that is not the editor."""
    parser = Parser(
        prog="rackloom",
        usage=_USAGE,
        description=rackloom.__doc__.splitlines()[0] if rackloom.__doc__ else None,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"rackloom {rackloom.__version__}")
    # Named, or "rackloom" would be our whole usage text, in every complaint of a command too.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=Parser, prog="rackloom"
    )
    for name, words in COMMANDS.items():
        command = commands.add_parser(
            name, help=words, description=words[0].upper() + words[1:] + ".", allow_abbrev=False
        )
        _ADD[name](command)
    return parser


def refuse_unknown(word: str, more: bool) -> None:
    """Where the first word is neither a command nor can be a file: say so."""
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    if more or near:
        hint = f": did you mean {near[0]!r}?" if near else " (see rackloom --help)"
        what = "no command is" if more else "no command or file is"
        raise CommandError(f"{what} called {word!r}{hint}")


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a project file")


def _add_output(parser: argparse.ArgumentParser, metavar: str, words: str) -> None:
    parser.add_argument("-o", "--output", metavar=metavar, required=True, help=words)


def _add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help=f"default: {formats[0]}"
    )


def _add_new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("preset", metavar="PRESET", help="see 'rackloom presets'")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--servers", type=_count, metavar="N", help="number of servers")
    size.add_argument("--gpus", type=_count, metavar="N", help="number of GPUs")
    parser.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set an option of the preset (may be given several times)",
    )
    _add_output(parser, "FILE", "the project file to write")


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    _add_format(parser, "text", "json")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "never"),
        default="error",
        help="exit with status 1 for findings of this severity or worse (default: error)",
    )
    parser.add_argument(
        "--each",
        action="store_true",
        help="a line for every finding, also where many say the same of different places",
    )


def _add_summary(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    parser.add_argument(
        "--tiers",
        action="store_true",
        help="oversubscription and bisection of each tier, hops and ways between groups of servers",
    )
    _add_format(parser, "text", "json")


def _add_table(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    _add_output(parser, "OUT", "a .csv or .xlsx file; - writes CSV to standard output")


def _add_bom(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    handover.add_bom_arguments(parser)


def _add_cables(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    handover.add_colour_argument(
        parser,
        "what a cable without a colour of its own is coloured by (default: cable, as the project "
        "has it)",
    )


def _add_estimate(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    estimating.add_arguments(parser)
    _add_format(parser, "table", "json", "csv")


def _add_render(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    parser.add_argument(
        "--view", choices=("racks", "fabric", "floor"), default="racks", help="default: racks"
    )
    parser.add_argument(
        "--side", choices=("front", "rear"), default="front", help="of the racks; default: front"
    )
    parser.add_argument(
        "--cords",
        action="store_true",
        help="draw the power cords, as far as both ends are on that side of the racks",
    )
    _add_output(parser, "OUT", "a .svg, .pdf or .png file")


def _add_catalog(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(part=None, words=[])
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list parts", allow_abbrev=False)
    listing.add_argument("words", nargs="*", metavar="WORD", help="only parts with all these words")
    _add_format(listing, "text", "json")
    show = actions.add_parser("show", help="everything about one part", allow_abbrev=False)
    show.add_argument("part", metavar="PART", help="its id, order number or model")
    _add_format(show, "text", "json")
    add = actions.add_parser("add", help="add parts of your own", allow_abbrev=False)
    catalog_add.add_arguments(add)
    _add_format(add, "text", "json")


def _add_presets(parser: argparse.ArgumentParser) -> None:
    _add_format(parser, "text", "json")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of at least 1")
    return int(text)


_ADD = {
    "new": _add_new,
    "check": _add_check,
    "summary": _add_summary,
    "bom": _add_bom,
    "cables": _add_cables,
    "labels": handover.add_labels_arguments,
    "power": handover.add_power_arguments,
    "trays": handover.add_trays_arguments,
    "estimate": _add_estimate,
    "workload": workload.add_arguments,
    "render": _add_render,
    "catalog": _add_catalog,
    "presets": _add_presets,
}
