# SPDX-License-Identifier: Apache-2.0
"""The options of a preset: names, types, defaults, and what each means."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rackloom.catalog.parts import Part
from rackloom.generate.errors import GenerateError

AUTO = "auto"
_TRUE = {"yes", "true", "on", "1"}
_FALSE = {"no", "false", "off", "0"}


@dataclass(frozen=True, slots=True)
class Option:
    """One ``KEY=VALUE`` of a preset; ``kind`` is ``int``, ``float``, ``bool``, ``text``, ``part``.

    A default of None means: worked out (``auto`` says the same).
    """

    key: str
    kind: str
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    of: type[Part] | None = None
    """Which parts a ``part`` option takes."""

    def parse(self, given: str | float) -> Any:
        """The value of a text, or of a number from a script; GenerateError with what is wanted."""
        text = str(given).strip()
        if text == AUTO and (self.default is None or self.default == AUTO):
            return self.default
        try:
            value = self._parse(text)
        except ValueError:
            raise GenerateError(f"{self.key}={text}: {_WANTED[self.kind]} is wanted here") from None
        if self.minimum is not None and value < self.minimum:
            raise GenerateError(f"{self.key}={text}: the least is {self.minimum:g}")
        if self.maximum is not None and value > self.maximum:
            raise GenerateError(f"{self.key}={text}: the most is {self.maximum:g}")
        return value

    def _parse(self, text: str) -> Any:
        match self.kind:
            case "int":
                return int(text)
            case "float":
                value = float(text)
                if not value < float("inf"):
                    raise ValueError
                return value
            case "bool":
                if text.lower() in _TRUE | _FALSE:
                    return text.lower() in _TRUE
                raise ValueError
            case _:
                return text


_WANTED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "yes or no",
    "text": "a text",
    "part": "the id of a part",
}


def parse_options(options: Sequence[Option], given: Mapping[str, str | float]) -> dict[str, Any]:
    """All options of a preset with the given ones set; GenerateError for unknown keys."""
    known = {option.key: option for option in options}
    values = {option.key: option.default for option in options}
    for key, text in given.items():
        if key not in known:
            raise GenerateError(f"there is no option {key!r}; {_hint(key, known)}")
        values[key] = known[key].parse(text)
    return values


def _hint(key: str, known: Mapping[str, Option]) -> str:
    """What to give instead of an option there is not."""
    near = difflib.get_close_matches(key, known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    if "system" in known and key == "server":
        return f"whole racks are chosen by system (default {known['system'].default})"
    return f"there are {', '.join(known)}"
