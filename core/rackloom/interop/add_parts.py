# SPDX-License-Identifier: Apache-2.0
"""Adding to the user's own catalogue: our YAML files and NetBox device types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rackloom.catalog import Catalog, CatalogError, Part, load_bundled
from rackloom.catalog.load import load_parts, read_yaml
from rackloom.catalog.user_parts import own_folder, read_own, read_text, store_parts
from rackloom.interop.netbox_types import Kind, convert, doubts_text, is_device_type

SCHEMA = 1
"""Version of the report as JSON."""


@dataclass(frozen=True, slots=True)
class Added:
    """A part that is in the user's catalogue now."""

    part: Part
    source: str
    """The file it came from."""
    stored: Path
    converted: bool
    """From a NetBox device type."""
    replaced: bool
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddReport:
    """What came of adding files. Nothing of a refused file is stored."""

    added: tuple[Added, ...]
    refused: tuple[str, ...]
    """One sentence a file: what, where, what to do."""
    folder: Path

    @property
    def ok(self) -> bool:
        """Whether all files were taken."""
        return not self.refused

    def text(self) -> str:
        """As lines for a terminal: each part with its doubts, then what was refused."""
        lines = []
        for added in self.added:
            verb = "replaced" if added.replaced else "added"
            origin = ", a NetBox device type" if added.converted else ""
            lines.append(f"{verb} {added.part.id} ({added.part.title}) from {added.source}{origin}")
            if added.doubts:
                lines.append(f"  {len(added.doubts)} things to check:")
                lines.append(doubts_text(added.doubts).rstrip("\n"))
        if self.added:
            lines.append(f"own parts are in {self.folder}")
        lines += [f"refused: {sentence}" for sentence in self.refused]
        return "".join(f"{line}\n" for line in lines)

    def to_json(self) -> dict[str, Any]:
        """As plain values; documented with the command line."""
        return {
            "schema": SCHEMA,
            "added": [
                {
                    "id": a.part.id,
                    "title": a.part.title,
                    "kind": a.part.kind,  # type: ignore[attr-defined]
                    "file": a.source,
                    "stored": str(a.stored),
                    "netbox": a.converted,
                    "replaced": a.replaced,
                    "doubts": list(a.doubts),
                }
                for a in self.added
            ],
            "refused": list(self.refused),
        }


@dataclass(frozen=True, slots=True)
class _Candidate:
    part: Part
    sources: dict[str, str]
    converted: bool
    doubts: tuple[str, ...]


def add_parts(
    files: Iterable[Path | str],
    *,
    replace: bool = False,
    kind: Kind | None = None,
    folder: Path | None = None,
    known: Catalog | None = None,
) -> AddReport:
    """Check files and put their parts into the user's catalogue.

    A part whose id is taken, by a bundled part or an own one, is refused unless ``replace``.
    ``kind`` says what NetBox device types are. A file is taken whole or not at all; the others of
    the call go on.
    """
    folder = own_folder() if folder is None else folder
    known = load_bundled() if known is None else known
    own = set(read_own(folder).files)
    added: list[Added] = []
    refused: list[str] = []
    for file in files:
        path = Path(file)
        try:
            if not str(file):
                raise CatalogError("the name of a file is empty; name a catalogue file")
            candidates = _read(path, kind, known)
            _check_ids(candidates, path.name, known, own, replace)
            parts = [candidate.part for candidate in candidates]
            paths = store_parts(parts, candidates[0].sources, folder)
        except CatalogError as error:
            refused.append(str(error))
            continue
        for candidate, stored in zip(candidates, paths, strict=True):
            part = candidate.part
            was_there = part.id in own or part.id in known
            added.append(
                Added(
                    part,
                    path.name,
                    stored,
                    candidate.converted,
                    was_there,
                    candidate.doubts,
                )
            )
            own.add(part.id)
    return AddReport(tuple(added), tuple(refused), folder)


def _read(path: Path, kind: Kind | None, known: Catalog) -> list[_Candidate]:
    text = read_text(path)
    document = read_yaml(text, path.name)
    if is_device_type(document):
        made = convert(document, path.name, kind=kind, known=known)
        return [_Candidate(made.part, made.sources, True, made.doubts)]
    if not isinstance(document, dict) or "parts" not in document:
        raise CatalogError(
            f"{path.name}: this is neither a catalogue file (a list called 'parts') nor a NetBox "
            "device type (manufacturer, model, u_height, ...)"
        )
    parts, sources = load_parts(text, path.name)
    if not parts:
        raise CatalogError(f"{path.name}: the list 'parts' is empty")
    return [_Candidate(part, sources, False, _unsourced(part, sources)) for part in parts]


def _unsourced(part: Part, sources: dict[str, str]) -> tuple[str, ...]:
    missing = [key for key in part.sources if key not in sources]
    if not missing:
        return ()
    return (f"the file does not say what its source {', '.join(missing)} is",)


def _check_ids(
    candidates: list[_Candidate], where: str, known: Catalog, own: set[Any], replace: bool
) -> None:
    if replace:
        return
    for candidate in candidates:
        part_id = candidate.part.id
        if part_id in known:
            raise CatalogError(
                f"{where}: {part_id!r} is a part of the bundled catalogue; rename yours, or add it "
                "with --replace"
            )
        if part_id in own:
            raise CatalogError(
                f"{where}: {part_id!r} is in your catalogue already; add it with --replace to put "
                "this one in its place"
            )
