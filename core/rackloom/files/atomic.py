# SPDX-License-Identifier: Apache-2.0
"""Replacing a file so that there is always a whole one: the old or the new."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from rackloom.files.errors import FileError

SHORT = 32
"""So much of a file's name is in that of its temporary files: they fit where it fits."""


ABANDONED_S = 3600.0
"""A temporary file nobody wrote to for so long belongs to a program that is no more."""


def backup_path(path: Path) -> Path:
    """Where the previous version of a file is kept."""
    return path.with_name(path.name + ".bak")


def write_atomically(path: Path, chunks: Iterable[bytes], *, keep_previous: bool = False) -> str:
    """Write a file beside its place and move it there; returns the SHA-256 of what was written.

    Symbolic links are followed, permissions kept. With ``keep_previous`` the old version stays as
    ``NAME.bak``. Raises FileError and leaves the old file as it was if anything goes wrong.
    """
    target = Path(os.path.realpath(path))
    found = _replaceable(target)
    _sweep(target)
    digest = sha256()
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name[:SHORT]}.", suffix=".tmp", dir=target.parent
        )
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        _take_over(temporary, found)
        if keep_previous and target.exists():
            _keep(target)
        os.replace(temporary, target)
        temporary = None
        sync_folder(target.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
    return digest.hexdigest()


def _sweep(target: Path) -> None:
    """Remove what savings left behind that were killed long ago: each as large as the file."""
    prefix = f".{target.name[:SHORT]}."
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(prefix) and entry.name.endswith(".tmp")):
                continue
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED_S:
                    os.unlink(entry.path)


def _replaceable(target: Path) -> os.stat_result | None:
    """What is there now (None: nothing); FileError where it must not be replaced."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_write(target, error) from error
    if stat.S_ISDIR(found.st_mode):
        raise FileError("it is a directory", name=str(target), advice="name a file inside it")
    if not stat.S_ISREG(found.st_mode):
        raise FileError("it is not a regular file", name=str(target), advice="choose another name")
    if not found.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise FileError("the file is read-only", name=str(target), advice="save under another name")
    return found


def _take_over(temporary: Path, found: os.stat_result | None) -> None:
    """Give the new file the owner and permissions of the old one, or those of any new file."""
    if found is None:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    else:
        mode = stat.S_IMODE(found.st_mode)
        if hasattr(os, "chown"):
            with contextlib.suppress(OSError):  # only root may give files away
                os.chown(temporary, found.st_uid, found.st_gid)
    with contextlib.suppress(OSError):  # FAT and some network disks know no permissions
        temporary.chmod(mode)


def _keep(target: Path) -> None:
    """Make ``NAME.bak`` the present version, without a moment in which ``NAME`` is missing."""
    backup = backup_path(target)
    staged = target.with_name(f".{target.name[:SHORT]}.{os.getpid()}.bak.tmp")
    try:
        with contextlib.suppress(FileNotFoundError):
            staged.unlink()
        try:
            os.link(target, staged)
        except OSError:  # no hard links on this file system
            shutil.copy2(target, staged)
        os.replace(staged, backup)
    finally:
        # Renaming one hard link of a file over another does nothing and leaves both.
        with contextlib.suppress(OSError):
            staged.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, where the system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


_REASONS = {
    errno.ENOSPC: ("there is no space left on the disk", "make room, or save elsewhere"),
    errno.EDQUOT: ("the disk quota is used up", "make room, or save elsewhere"),
    errno.EFBIG: ("the file would be larger than the system allows", "save elsewhere"),
    errno.EACCES: ("permission denied", "save where you may write"),
    errno.EPERM: ("permission denied", "save where you may write"),
    errno.EROFS: ("the disk is read-only", "save elsewhere"),
    errno.ENOENT: ("its folder does not exist", "make the folder first"),
    errno.ENOTDIR: ("its folder does not exist", "make the folder first"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("its symbolic links go round in a circle", "choose another name"),
}


def cannot_write(path: Path, error: OSError) -> FileError:
    """Why a file could not be written, and what to do."""
    problem, advice = _REASONS.get(
        error.errno or 0, ((error.strerror or str(error)).lower(), "save elsewhere")
    )
    return FileError(f"cannot be written: {problem}", name=str(path), advice=advice)
