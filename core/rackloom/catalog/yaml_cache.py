# SPDX-License-Identifier: Apache-2.0
"""Reading YAML once: what a file says is kept as JSON in the user's cache folder.

YAML is for people; reading a third of a megabyte of it costs half the time the program takes to
start, and the same content as JSON a twentieth. The cache is keyed by the text itself, holds plain
data only, and may be deleted at any time.
"""

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

CACHE_VARIABLE = "RACKLOOM_CACHE_DIR"
_FORMAT = 1


def cache_folder() -> Path:
    """Where cached files are: RACKLOOM_CACHE_DIR, else the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else user_cache_path("rackloom", appauthor=False)


def read_cached(text: str, read: Callable[[str], Any]) -> Any:
    """``read(text)``, from the cache where this very text was read before.

    A cache that cannot be read or written is as good as none.
    """
    digest = sha256(f"{_FORMAT}\n{text}".encode()).hexdigest()
    file = cache_folder() / f"catalog-{digest[:32]}.json"
    try:
        kept = json.loads(file.read_bytes())
        if kept["digest"] == digest:
            return kept["document"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    document = read(text)
    try:
        encoded = json.dumps({"digest": digest, "document": document})
    except (TypeError, ValueError):
        return document  # YAML can say what JSON cannot (dates, sets)
    if json.loads(encoded)["document"] == document:
        _keep(file, encoded)
    return document


def _keep(file: Path, encoded: str) -> None:
    """Write in one go: another program may be reading."""
    partial = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(encoded, encoding="utf-8")
        partial.replace(file)
    except OSError:
        try:
            partial.unlink(missing_ok=True)
        except OSError:
            return
