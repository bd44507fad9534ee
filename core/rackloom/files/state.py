# SPDX-License-Identifier: Apache-2.0
"""Where recovery files live, and who is using one."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

JOURNAL_SUFFIX = ".rackloom-journal"
POINTER_SUFFIX = ".pointer"
"""A pointer in the state folder names a journal that lies beside its project."""

STATE_VARIABLE = "RACKLOOM_STATE_DIR"


def journal_folder() -> Path:
    """The folder for journals of designs that were never saved; it need not exist yet.

    ``RACKLOOM_STATE_DIR`` moves it, else it is in the user's state directory.
    """
    given = os.environ.get(STATE_VARIABLE)
    if given:
        return Path(given) / "journals"
    from platformdirs import user_state_path

    return user_state_path("rackloom", appauthor=False) / "journals"


def journal_beside(project: Path) -> Path:
    """The journal of a saved project: hidden, in the same folder."""
    stem = project.name.removesuffix(".rackloom") or project.name
    return project.with_name(f".{stem}{JOURNAL_SUFFIX}")


def pointers() -> Iterator[tuple[Path, Path]]:
    """The pointers in the state folder, each with the journal it points to."""
    with contextlib.suppress(OSError):
        for pointer in sorted(journal_folder().glob(f"*{POINTER_SUFFIX}")):
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                target = Path(json.loads(pointer.read_text(encoding="utf-8"))["journal"])
                if target.name.endswith(JOURNAL_SUFFIX):
                    yield pointer, target


if sys.platform == "win32":
    import msvcrt

    def take_lock(handle: int) -> bool | None:
        """Claim an open file for this program until it is closed; False where another has it."""
        try:
            # Far behind the end: a Windows lock would keep others from reading what it covers.
            os.lseek(handle, 1 << 30, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_END)
        return True

else:
    import fcntl

    def take_lock(handle: int) -> bool | None:
        """Claim an open file for this program until it is closed; False where another has it.

        None where the file system knows no locks. The lock goes with the process, however it
        ends, and cannot be mistaken for that of a later process with the same number.
        """
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True


def is_running(pid: int) -> bool:
    """Whether a process of this number exists (it may be another one by now)."""
    if sys.platform == "win32" or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
