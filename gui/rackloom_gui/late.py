# SPDX-License-Identifier: Apache-2.0
"""Widgets that are made when they are first needed: most panels stand behind a tab for long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

_W = TypeVar("_W", bound=QWidget)


class Late(Generic[_W]):
    """A widget to be, and what is to be done with it once it is there."""

    def __init__(self, make: Callable[[], _W]) -> None:
        self._make = make
        self._made: _W | None = None
        self._then: list[Callable[[_W], object]] = []

    @property
    def made(self) -> _W | None:
        """The widget where it was made already; nobody has to be told of it before."""
        return self._made

    def get(self) -> _W:
        """The widget; made now where it was not yet."""
        if self._made is None:
            self._made = made = self._make()
            for do in self._then:
                do(made)
            self._then.clear()
        return self._made

    def then(self, do: Callable[[_W], object]) -> None:
        """Do this with the widget: at once where it is there, else when it is made."""
        if self._made is not None:
            do(self._made)
        else:
            self._then.append(do)
