# SPDX-License-Identifier: Apache-2.0
"""The project file: loading and saving."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from rackloom.bulk import many_objects
from rackloom.design import Design
from rackloom.design.entities import TABLES
from rackloom.files.atomic import backup_path, write_atomically
from rackloom.files.errors import FileError
from rackloom.files.limits import MAX_FILE_BYTES
from rackloom.files.schema import Extras, parse
from rackloom.files.text import file_chunks

SUFFIX = ".rackloom"


@dataclass(frozen=True)
class Project:
    """A design and the file it belongs to.

    ``digest`` is the SHA-256 of the file as it was read or written; ``extras`` are fields of it
    that this version does not know.
    """

    path: Path | None
    design: Design
    extras: Extras
    digest: str = ""

    @property
    def name(self) -> str:
        """What a window title calls it."""
        return self.path.stem if self.path else "untitled"

    def changed_on_disk(self) -> bool:
        """Whether somebody else has written the file since; True also where it is gone."""
        if self.path is None:
            return False
        try:
            return sha256(read_bytes(self.path)).hexdigest() != self.digest
        except FileError:
            return True


def load(path: str | os.PathLike[str]) -> Project:
    """Read a project file. Nothing is executed, fetched or written.

    Raises FileError with one sentence (what, where, what to do) if it is not a whole, sound one.
    """
    if not os.fspath(path):  # Path("") would be the folder we are in
        raise FileError("the name of the file is empty", advice="name a file")
    file = Path(path)
    data = read_bytes(file)
    try:
        design, extras = parse(data)
    except FileError as error:
        backup = backup_path(file)
        kept = f"the previous version is in {backup.name}" if backup.is_file() else ""
        raise error.in_file(str(file), advice=kept or "correct the file, or open another") from None
    return Project(file, design, extras, sha256(data).hexdigest())


def save(
    path: str | os.PathLike[str],
    design: Design,
    extras: Extras | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> Project:
    """Write a project file, whole or not at all; the version before it stays as ``NAME.bak``.

    ``extras`` are what :func:`load` found and did not know; ``progress`` hears how much is
    written, from 0 to 1. Raises FileError, with the old file untouched, where it cannot be written.
    """
    file = Path(path)
    extras = extras or Extras()
    chunks = file_chunks(design, extras)
    if progress is not None:
        chunks = _telling(chunks, entity_count(design), progress)
    try:
        with many_objects():
            digest = write_atomically(file, chunks, keep_previous=True)
    except FileError as error:
        raise (error if error.name else error.in_file(str(file))) from None
    return Project(file, design, extras, digest)


def entity_count(design: Design) -> int:
    """How many lines of a project file are one thing each: what saving takes its time for."""
    return sum(len(design.table(table)) for table in (*TABLES, "parts"))


def _telling(
    chunks: Iterator[bytes], lines: int, progress: Callable[[float], None]
) -> Iterator[bytes]:
    """The chunks, telling after each how far it is; there is one thing a line."""
    done = 0
    for chunk in chunks:
        done += chunk.count(b"\n")
        progress(min(done / max(lines, 1), 1.0))
        yield chunk


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of bounded size; FileError otherwise."""
    name = str(path)
    try:
        # A named pipe would block for ever without O_NONBLOCK.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
        try:
            found = os.fstat(handle)
            if stat.S_ISDIR(found.st_mode):
                raise IsADirectoryError
            if not stat.S_ISREG(found.st_mode):
                raise FileError("it is not a regular file", name=name, advice="open another file")
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read(MAX_FILE_BYTES + 1) if found.st_size <= MAX_FILE_BYTES else None
        finally:
            os.close(handle)
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError("the file does not exist", name=name, advice="check its path") from None
    except IsADirectoryError:
        raise FileError(
            "it is a directory", name=name, advice="open a project file inside it"
        ) from None
    except PermissionError:
        raise FileError(
            "permission denied", name=name, advice="ask its owner for read access"
        ) from None
    except OSError as error:
        raise FileError(
            f"it cannot be read: {(error.strerror or str(error)).lower()}",
            name=name,
            advice="check its path",
        ) from None
    except ValueError:  # a null character in the path
        raise FileError("that is not a path", name=repr(name), advice="check it") from None
    if data is None or len(data) > MAX_FILE_BYTES:
        raise FileError(
            f"it is larger than {MAX_FILE_BYTES >> 20} MB, more than any project needs",
            name=name,
            advice="open another file",
        )
    return data


_BINARY: int = getattr(os, "O_BINARY", 0)
