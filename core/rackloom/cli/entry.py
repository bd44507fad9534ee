# SPDX-License-Identifier: Apache-2.0
"""Where the ``rackloom`` command begins and ends: one line for an error, never a traceback."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from rackloom.bulk import many_objects
from rackloom.cli.errors import CommandError
from rackloom.cli.output import shown
from rackloom.cli.parser import COMMANDS, build_parser, refuse_unknown

UNUSABLE = 2
INTERRUPTED = 130
"""As shells count a command that Ctrl+C ended (128 + SIGINT)."""
PIPE_CLOSED = 141
"""As shells count a command whose reader went away (128 + SIGPIPE)."""
DEBUG_VARIABLE = "RACKLOOM_DEBUG"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, or the editor; returns the exit status (see ``rackloom --help``)."""
    status = _guarded(list(sys.argv[1:] if argv is None else argv))
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except OSError as error:
        if status == 0:
            _complain(f"standard output cannot be written: {(error.strerror or '').lower()}")
        _silence_stdout()
        return status or UNUSABLE
    return status


def _guarded(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except SystemExit as end:  # argparse: --help, --version
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except (CommandError, ValueError) as error:
        if not _is_for_the_user(error):
            return _unexpected(error)
        _complain(str(error))
        return UNUSABLE
    except MemoryError:
        _complain("there is not enough memory for this design")
        return UNUSABLE
    except Exception as error:  # whatever it is, not a traceback
        return _unexpected(error)


def _run(arguments: list[str]) -> int:
    words = [word for word in arguments if not word.startswith("-")]
    if not arguments or (words and words[0] not in COMMANDS and arguments[0] == words[0]):
        return _edit(arguments)
    parsed = build_parser().parse_args(arguments)
    if parsed.command is None:
        return _edit([])
    from rackloom.cli.commands import RUN

    with many_objects():
        return RUN[parsed.command](parsed)


def _edit(arguments: list[str]) -> int:
    """Open the editor on a file, or on nothing."""
    for word in arguments[:1]:
        if not os.path.exists(word):
            refuse_unknown(word, len(arguments) > 1)
            raise CommandError(f"{word}: the file does not exist; check its path")
    if len(arguments) > 1:
        raise CommandError("the editor takes one file at a time (see rackloom --help)")
    from rackloom.cli.gui_door import open_editor

    return open_editor(arguments)


def _is_for_the_user(error: Exception) -> bool:
    """Whether the message of an error was written for the user."""
    if isinstance(error, CommandError):
        return True
    from rackloom.design import EditError
    from rackloom.files import FileError

    return isinstance(error, FileError | EditError)


def _complain(message: str) -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"rackloom: {shown(' '.join(message.split()))}\n")


def _unexpected(error: Exception) -> int:
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    where = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    _complain(
        f"this should not have happened ({where[:300]}); please report it, with what "
        f"{DEBUG_VARIABLE}=1 prints"
    )
    return UNUSABLE


def _silence_stdout() -> None:
    """Nobody reads any more: keep the interpreter from complaining when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
