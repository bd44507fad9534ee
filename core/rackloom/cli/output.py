# SPDX-License-Identifier: Apache-2.0
"""Where a command's results go: a file, written whole or not at all, or standard output."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from rackloom.cli.errors import CommandError

STDOUT = "-"


def check_target(target: str, source: str | None = None) -> None:
    """Refuse to write over the file that is read; CommandError."""
    if target == STDOUT or source is None:
        return
    same = os.path.realpath(target) == os.path.realpath(source)
    with contextlib.suppress(OSError, ValueError):
        same = same or os.path.samefile(target, source)
    if same:
        raise CommandError(f"{target} is the file that is read: choose another name for -o")


def write(target: str, data: bytes) -> None:
    """Write to a file, or to standard output for ``-``. Raises FileError."""
    if target == STDOUT:
        write_stdout(data)
        return
    path = Path(target)
    # Of os.path, since a name that is too long would raise from Path.exists.
    plain = os.path.isfile(target) or os.path.isdir(target)
    if os.path.exists(target) and not plain:  # /dev/null, a pipe
        _write_directly(path, data)
        return
    from rackloom.files.atomic import write_atomically

    write_atomically(path, [data])


def _write_directly(path: Path, data: bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        from rackloom.files.atomic import cannot_write

        raise cannot_write(path, error) from error


def write_stdout(data: bytes) -> None:
    """Bytes to standard output, past any translation of line ends."""
    if sys.stdout is None:
        raise CommandError("standard output is closed: there is nowhere to write to")
    try:
        sys.stdout.flush()
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:  # a stream put in its place that takes only text
            sys.stdout.write(data.decode("utf-8"))
        else:
            buffer.write(data)
            buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from rackloom.files.atomic import cannot_write

        raise cannot_write(Path("standard output"), error) from error


_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""What a terminal would obey instead of showing it: controls, and turns of the writing direction.
Names come from other people's files."""


def shown(text: str) -> str:
    """The text with a replacement character where a terminal would do something else than show."""
    return _UNSEEN.sub("\ufffd", text)


def say(text: str) -> None:
    """Text for the user on standard output."""
    write_stdout(shown(text).encode("utf-8", "replace"))


def say_json(content: object) -> None:
    """A JSON document on standard output."""
    import json

    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    text = _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)  # all are within strings
    write_stdout(text.encode("utf-8", "replace"))


def note(text: str) -> None:
    """One line on standard error."""
    if sys.stderr is not None:
        sys.stderr.write(f"{shown(text)}\n")


@contextlib.contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say on standard error what is going on while it does, where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    line = shown(f"rackloom: {doing} ...")
    sys.stderr.write(line)
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\r" + " " * len(line) + "\r")
        sys.stderr.flush()
