# SPDX-License-Identifier: Apache-2.0
"""The user's own catalogue: a folder of YAML files beside what ships with the program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from rackloom.catalog.errors import CatalogError
from rackloom.catalog.load import MAX_CATALOG_CHARACTERS, Catalog, load_bundled, load_parts
from rackloom.catalog.parts import Part, PartId

DATA_DIR_VARIABLE = "RACKLOOM_DATA_DIR"
"""Where the user's data lies, if not where the system puts the data of programs."""
_SUFFIXES = frozenset({".yaml", ".yml"})


@dataclass(frozen=True, slots=True)
class OwnParts:
    """What the user's folder holds; ``problems`` has a sentence for each file that is left out."""

    parts: tuple[Part, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    files: Mapping[PartId, Path] = field(default_factory=dict)
    """Where each part is written."""


def own_folder() -> Path:
    """The folder of the user's own catalogue files; it may not exist yet."""
    chosen = os.environ.get(DATA_DIR_VARIABLE)
    if chosen:
        return Path(chosen) / "catalog"
    from platformdirs import user_data_path

    return user_data_path("rackloom", appauthor=False) / "catalog"


def read_own(folder: Path | None = None) -> OwnParts:
    """The user's own parts, file by file in the order of their names.

    A file that cannot be read, or repeats a part of an earlier one, is left out and said; it never
    keeps the program from starting.
    """
    folder = own_folder() if folder is None else folder
    parts: dict[PartId, Part] = {}
    files: dict[PartId, Path] = {}
    sources: dict[str, str] = {}
    problems: list[str] = []
    for path in _catalog_files(folder, problems):
        try:
            more, cited = load_parts(read_text(path), path.name)
            for part in more:
                if part.id in parts:
                    first = files[part.id].name
                    raise CatalogError(f"{path.name}: {part.id!r} is already in {first}")
        except CatalogError as error:
            problems.append(f"own catalogue, left out: {error}")
            continue
        for part in more:
            parts[part.id] = part
            files[part.id] = path
        sources.update(cited)
    return OwnParts(tuple(parts.values()), sources, tuple(problems), files)


def _catalog_files(folder: Path, problems: list[str]) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.suffix.lower() in _SUFFIXES and p.is_file())
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(f"the own catalogue {folder} cannot be read: {error.strerror}")
        return []


def load_catalog(folder: Path | None = None) -> Catalog:
    """The bundled catalogue with the user's own parts, which win over bundled ones of their id.

    ``catalog.problems`` says which files were left out, and why.
    """
    own = read_own(folder)
    bundled = load_bundled()
    if not own.parts and not own.problems:
        return bundled
    catalog = bundled.with_parts(own.parts, own.sources)
    catalog.own = frozenset(part.id for part in own.parts)
    catalog.problems = own.problems
    return catalog


def read_text(path: Path) -> str:
    """A catalogue file as text; CatalogError where it cannot be read or is far too long."""
    most = 4 * MAX_CATALOG_CHARACTERS
    try:
        with path.open("rb") as file:  # its size says nothing where it is a device
            data = file.read(most + 1)
        if len(data) > most:
            raise CatalogError(f"{path.name}: the file is too long for a catalogue")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CatalogError(f"{path.name}: the file is not UTF-8 text") from error
    except FileNotFoundError as error:
        raise CatalogError(f"{path}: the file does not exist; check its path") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CatalogError(f"{path}: the file cannot be read: {reason}") from error


def store_parts(
    parts: Iterable[Part], sources: Mapping[str, str], folder: Path | None = None
) -> list[Path]:
    """Write parts into the user's folder, a file each, and return the files: all or none.

    A part that was there under the same id is replaced, in whatever file it was. Raises
    CatalogError, with the reason of the system, where nothing can be written.
    """
    folder = own_folder() if folder is None else folder
    parts = list(parts)
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        written = [_file_for(part.id, folder) for part in parts]
        _write_all(
            {path: catalog_text([p], sources) for path, p in zip(written, parts, strict=True)}
        )
        _take_out({part.id for part in parts}, folder, keep=set(written))
    return written


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Errors of the system, and text no file can hold, as a CatalogError."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise CatalogError("a text of the part holds half of a character: correct it") from error
    except OSError as error:
        raise CatalogError(
            f"the own catalogue {folder} cannot be written: {error.strerror or error}"
        ) from error


def _file_for(part_id: PartId, folder: Path) -> Path:
    """The file a part is written to: never one that holds others, or that we cannot read."""
    for number in count(1):
        path = folder / (f"{part_id}.yaml" if number == 1 else f"{part_id}~{number}.yaml")
        if not path.exists():
            break
        try:
            parts, _ = load_parts(read_text(path), path.name)
        except CatalogError:
            continue
        if all(part.id == part_id for part in parts):
            break
    return path


def remove_own(part_id: str, folder: Path | None = None) -> bool:
    """Take a part out of the user's catalogue; False where it is not there.

    Raises CatalogError where the folder cannot be written.
    """
    folder = own_folder() if folder is None else folder
    if PartId(part_id) not in read_own(folder).files:
        return False
    with _writing(folder):
        _take_out({PartId(part_id)}, folder, keep=set())
    return True


def _take_out(part_ids: set[PartId], folder: Path, keep: set[Path]) -> None:
    """Remove parts from all files of the folder but some; files left empty go."""
    for path in _catalog_files(folder, []):
        if path in keep:
            continue
        try:
            parts, sources = load_parts(read_text(path), path.name)
        except CatalogError:
            continue  # not ours to repair
        kept = [part for part in parts if part.id not in part_ids]
        if not kept:
            path.unlink()
        elif len(kept) < len(parts):
            _write_all({path: catalog_text(kept, sources)})


def catalog_text(parts: Iterable[Part], sources: Mapping[str, str]) -> str:
    """Parts as a catalogue file, with the sources they name."""
    parts = list(parts)
    cited = {key: sources[key] for part in parts for key in part.sources if key in sources}
    document: dict[str, Any] = {"sources": cited} if cited else {}
    document["parts"] = [part_entry(part) for part in parts]
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return text


def part_entry(part: Part) -> dict[str, Any]:
    """A part as a catalogue file writes it: defaults left out, its kind kept."""
    plain = _plain_model(part)
    return {"id": plain.pop("id"), "kind": part.kind, **plain}  # type: ignore[attr-defined]


def _plain_model(model: BaseModel) -> dict[str, Any]:
    plain = {}
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        if info.is_required() or value != info.get_default(call_default_factory=True):
            plain[name] = _plain(value)
    return plain


def _plain(value: Any) -> Any:
    match value:
        case BaseModel():
            return _plain_model(value)
        case str():
            return str(getattr(value, "value", value))
        case frozenset() | set():
            return sorted(_plain(inner) for inner in value)
        case tuple() | list():
            return [_plain(inner) for inner in value]
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case _:
            return value


def _write_all(texts: Mapping[Path, str]) -> None:
    """Put files in place whole, and all of them or (where one cannot be written) none."""
    staged: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            partial = path.with_name(f".{path.name}-{os.getpid()}")
            staged[partial] = path
            with partial.open("wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
        for partial, path in staged.items():
            os.replace(partial, path)
    finally:
        for partial in staged:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
