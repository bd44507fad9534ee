# SPDX-License-Identifier: Apache-2.0
"""Which network a cable belongs to, and so its colour; found for all cables at once.

A cable's own colour wins, then its ``fabric``, then the role of the cage at a server's end, then
the ``fabric`` of its switches. Cables between switches take the network of what the switches serve:
each switch takes that of most of its cables, once for every tier.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from rackloom.catalog.words import CageRole
from rackloom.design import Cable, Design
from rackloom_gui.tokens import Tokens, mix

FABRICS = (
    "other",
    "compute",
    "storage",
    "in-band",
    "front-end",
    "out-of-band",
    "console",
    "service",
    "scale-up",
    "power",
)
"""Colour codes 0 to 9; 0 also means: not known yet."""
OWN_COLOURS_FROM = 16
MODULE_ONLY = 250
"""Port code of a transceiver without a cable."""
MAX_OWN = 200

_ALIASES = {
    "compute": 1, "infiniband": 1, "roce": 1, "backend": 1, "back-end": 1, "scale-out": 1,
    "rail": 1,
    "storage": 2, "in-band": 3, "inband": 3, "frontend": 4, "front-end": 4,
    "oob": 5, "out-of-band": 5, "management": 5, "mgmt": 5, "console": 6, "service": 7,
    "scale-up": 8, "nvlink": 8, "power": 9,
}  # fmt: skip


def code_of_fabric(name: str | None) -> int:
    """The code of a network by its name; unknown names are 0."""
    if not name:
        return 0
    lower = name.lower()
    known = _ALIASES.get(lower)
    if known is not None:
        return known
    return next((code for word, code in _ALIASES.items() if word in lower), 0)


CODE_OF_ROLE = {
    CageRole.COMPUTE: 1,
    CageRole.STORAGE: 2,
    CageRole.IN_BAND: 3,
    CageRole.FRONT_END: 4,
    CageRole.OUT_OF_BAND: 5,
    CageRole.CONSOLE: 6,
    CageRole.SERVICE: 7,
    CageRole.FABRIC: 0,
}


class ColourBook:
    """Codes of the colours that users gave to single cables."""

    def __init__(self) -> None:
        self._own: dict[str, int] = {}

    def code(self, cable: Cable) -> int:
        """Code by the cable's own colour or fabric; 0 where its ports decide."""
        if cable.colour:
            known = self._own.get(cable.colour)
            if known is None and QColor.isValidColorName(cable.colour) and len(self._own) < MAX_OWN:
                known = self._own[cable.colour] = OWN_COLOURS_FROM + len(self._own)
            if known is not None:
                return known
        return code_of_fabric(cable.fabric)

    def palette(self, tokens: Tokens) -> list[QColor]:
        """Colours by code; opaque, for alpha is dear in bulk."""
        colours = [tokens.fabric(name) for name in FABRICS]
        colours += [tokens.fabric("other")] * (OWN_COLOURS_FROM - len(colours))
        colours += [QColor(name) for name in self._own]
        colours += [tokens.fabric("other")] * (256 - len(colours))
        colours[MODULE_ONLY] = mix(tokens.port("free"), tokens.port("used"), 0.5)
        return colours


def codes_by_spreading(
    codes: npt.NDArray[np.uint8],
    a: npt.NDArray[np.int32],
    b: npt.NDArray[np.int32],
    switches: npt.NDArray[np.bool_],
    devices: int,
    rounds: int = 4,
) -> npt.NDArray[np.uint8]:
    """Give legs without a network that of most cables at their switches, tier by tier."""
    codes = codes.copy()
    both = (a >= 0) & (b >= 0)
    for _ in range(rounds):
        unknown = np.flatnonzero((codes == 0) & both)
        if not len(unknown):
            break
        known = (codes > 0) & (codes < len(FABRICS)) & both
        votes = np.zeros((devices, len(FABRICS)), dtype=np.int32)
        for end in (a, b):
            at_switch = known & switches[np.maximum(end, 0)]
            np.add.at(votes, (end[at_switch], codes[at_switch]), 1)
        choice = votes.argmax(axis=1)
        voted = votes.max(axis=1)
        at_a, at_b = a[unknown], b[unknown]
        better = np.where(voted[at_a] >= voted[at_b], at_a, at_b)
        found = np.where(voted[better] > 0, choice[better], 0)
        if not found.any():
            break
        codes[unknown] = found
    return codes


def fabric_hint(design: Design, device_id: str) -> int:
    """Code of the network a switch says it belongs to."""
    device: Any = design.devices.get(device_id)  # type: ignore[call-overload]
    return code_of_fabric(device.fabric) if device is not None else 0
