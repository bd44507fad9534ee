# SPDX-License-Identifier: Apache-2.0
"""Reading catalogue files, and looking parts up."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from rackloom.catalog.errors import CatalogError
from rackloom.catalog.feeds import FeedType
from rackloom.catalog.kinds import AnyPart
from rackloom.catalog.limits import OutOfBounds, check_part, check_plain
from rackloom.catalog.parts import CablePart, Part, PartId
from rackloom.catalog.yaml_cache import read_cached

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML built without libyaml reads the same, ten times slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_CATALOG_CHARACTERS = 16_000_000
"""Longer files are refused unread: fifty times what ships with the program."""
MAX_CATALOG_NODES = 10_000_000
"""Most values of a file, those that aliases repeat counted each time."""

_P = TypeVar("_P", bound=Part)


@cache
def part_adapter() -> TypeAdapter[AnyPart]:
    """What judges parts of all kinds; made when the first is read, for that takes a while."""
    return TypeAdapter(AnyPart)


@cache
def _feeds_adapter() -> TypeAdapter[list[FeedType]]:
    return TypeAdapter(list[FeedType])


class Catalog(Mapping[PartId, Part]):
    """What exists: parts by id, and the sources their figures come from."""

    def __init__(
        self,
        parts: Iterable[Part],
        sources: Mapping[str, str] | None = None,
        feeds: Iterable[FeedType] = (),
    ) -> None:
        self._parts = {part.id: part for part in parts}
        self.sources: Mapping[str, str] = dict(sources or {})
        self.feeds: tuple[FeedType, ...] = tuple(feeds)
        """Circuits as buildings offer them."""
        self.own: frozenset[PartId] = frozenset()
        """Ids of the user's own parts."""
        self.problems: tuple[str, ...] = ()
        """A sentence for each file of the user's that could not be read."""

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
        """Parts whose id, kind, maker, model, numbers or description holds every word, ids first.

        The numbers are all those the part is ordered by, of a cable that of each length.
        """
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

    def named(self, text: str) -> Part:
        """The part a person means: by id, order number, model, a word of the model, or title.

        Raises CatalogError, with near misses, where nothing or more than one part is called so.
        """
        part = self._parts.get(PartId(text))
        if part is not None:
            return part
        wanted = text.casefold().strip()
        meant = [
            p
            for p in self._parts.values()
            if wanted
            in {n.casefold() for n in (p.title, p.model, *p.model.split(), *order_numbers(p))}
        ]
        return meant[0] if len(meant) == 1 else self.require(text)

    def with_parts(
        self, parts: Iterable[Part], sources: Mapping[str, str] | None = None
    ) -> "Catalog":
        """A catalogue that also holds these parts; they win over parts of the same id."""
        both = {**(sources or {}), **self.sources}
        return Catalog([*self._parts.values(), *parts], both, self.feeds)


def order_numbers(part: Part) -> list[str]:
    """All numbers that a part is ordered by: its own, and that of each stocked length."""
    stock = part.stock if isinstance(part, CablePart) else ()
    return [n for n in (part.part_number, *(s.part_number for s in stock)) if n]


def _haystack(part: Part) -> str:
    kind = str(getattr(part, "kind", ""))
    words = (part.id, kind, part.manufacturer, part.model, part.description)
    return " ".join((*words, *order_numbers(part))).lower()


def load_parts(text: str, where: str) -> tuple[list[Part], dict[str, str]]:
    """Parts and sources of one YAML file; ``where`` names the file in errors.

    Raises CatalogError with the file, the part and the field; a part id may occur once.
    """
    return _parts_of(read_yaml(text, where), where, parse_part)


def _parts_of(
    document: Any, where: str, parse: Callable[[Any, str], Part]
) -> tuple[list[Part], dict[str, str]]:
    if not isinstance(document, dict) or not isinstance(document.get("parts"), list):
        raise CatalogError(f"{where}: a catalogue file needs a list called 'parts'")
    sources = document.get("sources") or {}
    if not isinstance(sources, dict):
        raise CatalogError(f"{where}: 'sources' must map each key to the text of its source")
    parts = [parse(entry, where) for entry in document["parts"]]
    _refuse_duplicates(parts, where)
    return parts, {str(key): str(text) for key, text in sources.items()}


def _feeds_of(document: Any, where: str) -> list[FeedType]:
    try:
        return _feeds_adapter().validate_python(document.get("feeds") or [])
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise CatalogError(f"{where}: feeds.{field}: {first['msg']}") from error


def read_yaml(text: str, where: str) -> Any:
    """The content of a YAML file; CatalogError with the line where it cannot be read.

    Only plain values come out: tags that would make objects are refused.
    """
    if len(text) > MAX_CATALOG_CHARACTERS:
        raise CatalogError(
            f"{where}: the file is too long for a catalogue ({len(text):,} characters)"
        )
    try:
        document = yaml.load(text, Loader=_Loader)
        grown = _nodes(document, {})
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        raise CatalogError(f"{where}{line}: this is not YAML that can be read") from error
    except RecursionError as error:
        raise CatalogError(f"{where}: this YAML is nested too deeply") from error
    except ValueError as error:  # 2026-02-31 looks like a date to YAML and is none
        raise CatalogError(f"{where}: a value in this YAML cannot be read ({error})") from error
    if grown > MAX_CATALOG_NODES:
        raise CatalogError(f"{where}: its aliases make far more values of this YAML than it has")
    return document


def _nodes(value: Any, known: dict[int, int]) -> int:
    """How many values a document holds once its aliases are written out: they may nest."""
    if not isinstance(value, dict | list | tuple | set):
        return 1
    found = known.get(id(value))
    if found is None:
        known[id(value)] = MAX_CATALOG_NODES  # an alias of what it stands in has no end
        inner = (*value, *value.values()) if isinstance(value, dict) else value
        found = known[id(value)] = 1 + sum(_nodes(each, known) for each in inner)
    return found


def _refuse_duplicates(parts: Iterable[Part], where: str) -> None:
    seen: set[PartId] = set()
    for part in parts:
        if part.id in seen:
            raise CatalogError(f"{where}: two parts are called {part.id!r}; rename one of them")
        seen.add(part.id)


def parse_part(entry: Any, where: str) -> Part:
    """One catalogue entry; raises CatalogError naming the part and the first wrong field."""
    try:
        check_part(entry)
        part = _validated(entry, where)
        check_plain(part.model_dump(mode="json"))  # numbers may have been written as texts
    except OutOfBounds as error:
        raise CatalogError(f"{where}: {_called(entry)}: {error}") from error
    return part


def _called(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "an entry"
    part_id = entry.get("id")
    return part_id[:80] if isinstance(part_id, str) else "a part without id"


def _validated(entry: Any, where: str) -> Part:
    try:
        return part_adapter().validate_python(entry)
    except ValidationError as error:
        first = error.errors()[0]
        name = _called(entry)
        field = ".".join(str(step) for step in first["loc"][1:]) or "kind"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise CatalogError(f"{where}: {name}: {field}: {_said(first, field)}{more}") from error


def _said(error: Mapping[str, Any], field: str) -> str:
    """What a validation found wrong, without patterns that only programmers read."""
    match error["type"]:
        case "string_pattern_mismatch" if field == "id":
            return (
                f"{str(error['input'])[:40]!r} is no id: it is written in lower-case letters, "
                "digits, '.', '+' and '-', and begins with a letter or a digit"
            )
        case "missing":
            return "it is missing, and every part of this kind has it"
        case "extra_forbidden":
            return "there is no such field here; the name may be misspelt"
    return str(error["msg"])


@cache
def load_bundled() -> Catalog:
    """The catalogue that ships with the program."""
    parts: list[Part] = []
    sources: dict[str, str] = {}
    feeds: list[FeedType] = []
    folder = files("rackloom_resources") / "catalog"
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".yaml"):
            text = entry.read_text(encoding="utf-8")
            document = read_cached(text, partial(read_yaml, where=entry.name))
            more, cited = _parts_of(document, entry.name, _validated)  # a test holds its bounds
            parts.extend(more)
            sources.update(cited)
            feeds.extend(_feeds_of(document, entry.name))
    _refuse_duplicates(parts, "the bundled catalogue")
    return Catalog(parts, sources, feeds)
