# SPDX-License-Identifier: Apache-2.0
"""Making hundreds of thousands of small objects at once."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


def copied(known: Mapping[_K, _V]) -> dict[_K, _V]:
    """A copy to write to. ``dict(known)`` takes six times as long once a key was deleted."""
    return known.copy() if isinstance(known, dict) else dict(known)


_MANY = 20_000
"""So many new objects are not garbage, and are not looked through for any."""


_YOUNG = 50_000
"""So many new objects are looked through at once, where a big design is open."""


@contextmanager
def many_objects() -> Iterator[None]:
    """Keep the cyclic garbage collector from walking a growing heap again and again.

    Reading or generating a design of 50,000 cables makes half a million objects and no garbage;
    collecting meanwhile costs a third of the time. Nor are they walked at the end: they join the
    oldest generation as they are, and wait for its next collection.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # Whether a heap was set apart the threshold tells; counting it would mean walking it.
            if gc.get_count()[0] > _MANY and gc.get_threshold()[0] != _YOUNG:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def set_heap_apart() -> None:
    """Take all that lives now out of the collector's rounds: after a big design was read.

    A full round over the half million objects of 50,000 cables holds every thread for 0.6 s, at a
    moment nobody chose. They are in no circles, so they still go when nobody refers to them.

    Rounds over what is new get rare as well. An edit makes few objects, but some are tables of
    50,000 entries, each of which a round looks at: 14 ms, twice, for what 700 objects set off.
    """
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
