# SPDX-License-Identifier: Apache-2.0
"""Reading catalogue files, and looking parts up."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from rackloom.catalog.errors import CatalogError
from rackloom.catalog.parts import AnyPart, Part, PartId

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML built without libyaml reads the same, ten times slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

_P = TypeVar("_P", bound=Part)
_PART: TypeAdapter[AnyPart] = TypeAdapter(AnyPart)


class Catalog(Mapping[PartId, Part]):
    """What exists: parts by id, and the sources their figures come from."""

    def __init__(self, parts: Iterable[Part], sources: Mapping[str, str] | None = None) -> None:
        self._parts = {part.id: part for part in parts}
        self.sources: Mapping[str, str] = dict(sources or {})

    def __getitem__(self, part_id: PartId) -> Part:
        return self._parts[part_id]

    def __iter__(self) -> Iterator[PartId]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def of_kind(self, kind: type[_P]) -> list[_P]:
        """All parts of one type, in catalogue order."""
        return [part for part in self._parts.values() if isinstance(part, kind)]

    def find(self, words: str) -> list[Part]:
        """Parts whose id, maker, model, number or description holds every word, ids first."""
        wanted = words.lower().split()
        hits = [p for p in self._parts.values() if all(w in _haystack(p) for w in wanted)]
        return sorted(hits, key=lambda p: not all(w in p.id for w in wanted))

    def require(self, part_id: str) -> Part:
        """The part with this id; else a CatalogError that names near misses."""
        part = self._parts.get(PartId(part_id))
        if part is not None:
            return part
        near = [p.id for p in self.find(part_id)][:3]
        hint = f" (did you mean {', '.join(near)}?)" if near else ""
        raise CatalogError(f"no part is called {part_id!r} in the catalogue{hint}")

    def with_parts(self, parts: Iterable[Part]) -> "Catalog":
        """A catalogue that also holds these parts; they win over parts of the same id."""
        return Catalog([*self._parts.values(), *parts], self.sources)


def _haystack(part: Part) -> str:
    return " ".join(
        (part.id, part.manufacturer, part.model, part.part_number or "", part.description)
    ).lower()


def load_parts(text: str, where: str) -> tuple[list[Part], dict[str, str]]:
    """Parts and sources of one YAML file; ``where`` names the file in errors.

    Raises CatalogError with the file, the part and the field.
    """
    try:
        document = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        raise CatalogError(f"{where}{line}: this is not YAML that can be read") from error
    if not isinstance(document, dict) or not isinstance(document.get("parts"), list):
        raise CatalogError(f"{where}: a catalogue file needs a list called 'parts'")
    parts = [parse_part(entry, where) for entry in document["parts"]]
    return parts, {str(k): str(v) for k, v in (document.get("sources") or {}).items()}


def parse_part(entry: Any, where: str) -> Part:
    """One catalogue entry; raises CatalogError naming the part and the first wrong field."""
    try:
        return _PART.validate_python(entry)
    except ValidationError as error:
        first = error.errors()[0]
        name = entry.get("id", "a part without id") if isinstance(entry, dict) else "an entry"
        field = ".".join(str(step) for step in first["loc"][1:]) or "kind"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise CatalogError(f"{where}: {name}: {field}: {first['msg']}{more}") from error


@cache
def load_bundled() -> Catalog:
    """The catalogue that ships with the program."""
    parts: list[Part] = []
    sources: dict[str, str] = {}
    folder = files("rackloom_resources") / "catalog"
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".yaml"):
            more, cited = load_parts(entry.read_text(encoding="utf-8"), entry.name)
            parts.extend(more)
            sources.update(cited)
    return Catalog(parts, sources)
