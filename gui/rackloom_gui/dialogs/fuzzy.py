# SPDX-License-Identifier: Apache-2.0
"""Find what someone means by a few letters in order: "csl" finds "Connect Servers to Leaves"."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from typing import Generic, TypeVar

Item = TypeVar("Item")

_WHOLE_WORDS = 100.0
_WORD_START = 8.0
_NEXT_TO_LAST = 5.0
_SKIPPED = -0.3
_WEIGHED = 2000
"""At most so many candidates get a score."""


@dataclass(frozen=True, slots=True)
class Match:
    """How well a query fits a text, and which letters of the text it met."""

    score: float
    positions: tuple[int, ...]


def fuzzy_match(query: str, text: str) -> Match | None:
    """Match the letters of `query`, in order, ignoring case and spaces; None if they are not there.

    A piece of the text in one go is best, most of all at the start of a word; then letters that
    start words; short texts before long ones.
    """
    wanted = _fold(query).replace(" ", "")
    lower = _fold(text)
    if not wanted:
        return Match(0.0, ())
    piece = _as_piece(_fold(query).strip(), lower)
    if piece is not None:
        return piece
    best: Match | None = None
    start = lower.find(wanted[0])
    while start >= 0:
        positions = _greedy(wanted, lower, start)
        if positions is None:
            break  # a later start leaves even fewer letters
        score = _score(positions, lower)
        if best is None or score > best.score:
            best = Match(score, positions)
        start = lower.find(wanted[0], start + 1)
    return best


def _fold(text: str) -> str:
    """Ignore case letter by letter, so that positions stay those of the text ("ß" stays one)."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    letters = ((letter, letter.casefold()) for letter in text)
    return "".join(small if len(small) == 1 else letter for letter, small in letters)


def _as_piece(query: str, lower: str) -> Match | None:
    at = lower.find(query)
    if at < 0:
        return None
    word_start = re.search(r"(?<![^\W_])" + re.escape(query), lower)
    if word_start is not None:
        at = word_start.start()
    bonus = _WHOLE_WORDS + (30.0 if word_start is not None else 0.0) + (10.0 if at == 0 else 0.0)
    positions = tuple(range(at, at + len(query)))
    return Match(bonus + _SKIPPED * (len(lower) - len(query)), positions)


def _greedy(wanted: str, lower: str, start: int) -> tuple[int, ...] | None:
    """Positions from `start` on, preferring for each letter the next word start."""
    positions: list[int] = []
    at = start
    for index, letter in enumerate(wanted):
        here = lower.find(letter, at)
        if here < 0:
            return None
        if positions and here != positions[-1] + 1:
            jump = re.compile(r"(?<![^\W_])" + re.escape(letter)).search(lower, at)
            if jump is not None and _contains(wanted[index + 1 :], lower, jump.start() + 1):
                here = jump.start()
        positions.append(here)
        at = here + 1
    return tuple(positions)


def _contains(wanted: str, lower: str, at: int) -> bool:
    for letter in wanted:
        at = lower.find(letter, at) + 1
        if at == 0:
            return False
    return True


def _score(positions: tuple[int, ...], lower: str) -> float:
    score = _SKIPPED * (len(lower) - len(positions))
    last = -2
    for at in positions:
        if at == last + 1:
            score += _NEXT_TO_LAST
        if at == 0 or not lower[at - 1].isalnum():
            score += _WORD_START
        last = at
    return score


@dataclass(frozen=True, slots=True)
class Found(Generic[Item]):
    """An item that was found, and how."""

    item: Item
    match: Match


def best_matches(
    query: str, items: Iterable[Item], text_of: Callable[[Item], str], limit: int
) -> list[Found[Item]]:
    """The best `limit` items, best first; equal ones keep their order.

    A coarse sieve goes first: with 20,000 names one letter fits them all, and only those where
    the letters stand closest are worth weighing.
    """
    letters = [re.escape(letter) for letter in query if not letter.isspace()]
    sieve = re.compile(".*?".join(letters), re.IGNORECASE | re.DOTALL)
    passed: list[tuple[int, int, int, Item]] = []
    for index, item in enumerate(items):
        text = text_of(item)
        met = sieve.search(text)
        if met is not None:
            passed.append((met.end() - met.start(), len(text), index, item))
    if len(passed) > _WEIGHED:
        passed = nsmallest(_WEIGHED, passed, key=lambda entry: entry[:3])
    found: list[tuple[float, int, Found[Item]]] = []
    for _span, _length, index, item in passed:
        match = fuzzy_match(query, text_of(item))
        if match is not None:
            found.append((match.score, -index, Found(item, match)))
    return [entry[2] for entry in nlargest(limit, found, key=lambda entry: entry[:2])]
