# SPDX-License-Identifier: Apache-2.0
"""What is nonsense in the form for own parts, each in one sentence."""

from __future__ import annotations

import re
from math import isfinite, sqrt
from typing import Any

from rackloom.catalog.words import FormFactor
from rackloom_gui.dialogs.own_part_fields import FieldSpec, Values
from rackloom_gui.panels.sheet_lines import tr


class Nonsense(ValueError):
    """Values that cannot be, in one sentence; ``key`` is the field to look at."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


MOST_LANES = {
    FormFactor.OSFP: 8,
    FormFactor.OSFP_XD: 16,
    FormFactor.QSFP_DD: 8,
    FormFactor.QSFP112: 4,
    FormFactor.QSFP56: 4,
    FormFactor.QSFP28: 4,
    FormFactor.SFP112: 1,
    FormFactor.SFP56: 1,
    FormFactor.SFP28: 1,
    FormFactor.SFP_PLUS: 1,
    FormFactor.RJ45: 4,
}
"""Electrical lanes of a cage by its MSA; of RJ45 its pairs."""


def check(spec: FieldSpec, value: Any) -> None:
    """Refuse a value that its field cannot have."""
    if value in (None, ""):
        if spec.needed:
            raise Nonsense(spec.key, tr("{0} is needed.").format(spec.title))
        return
    if spec.type == "text":
        _check_text(spec, str(value))
    if spec.type == "number":
        if not isfinite(float(value)):
            raise Nonsense(spec.key, tr("{0} is a number.").format(spec.title))
        if spec.whole and float(value) != int(value):
            raise Nonsense(spec.key, tr("{0} is a whole number.").format(spec.title))
        if not spec.low <= value <= spec.high:
            unit = spec.family.base
            text = tr("{0} is between {1} and {2} {3}, not {4}.")
            raise Nonsense(
                spec.key,
                text.format(spec.title, f"{spec.low:g}", f"{spec.high:g}", unit, f"{value:g}")
                .replace("  ", " ").replace(" ,", ","),
            )  # fmt: skip


MOST_LETTERS = 400
"""Longer is no name of anything."""
MOST_TEXT_LETTERS = 20_000
"""Of a description, or of the sources that a copy brings."""
MOST_ID_LETTERS = 80


def _check_text(spec: FieldSpec, text: str) -> None:
    if not text.strip():
        raise Nonsense(spec.key, tr("{0} holds nothing but blanks.").format(spec.title))
    if not text.isprintable():
        raise Nonsense(
            spec.key,
            tr("{0} holds a line break or a sign that cannot be shown.").format(spec.title),
        )
    most = MOST_TEXT_LETTERS if spec.key in {"description", "source"} else MOST_LETTERS
    if len(text) > most:
        raise Nonsense(
            spec.key,
            tr("{0} has {1} characters; {2} are the most.").format(spec.title, len(text), most),
        )


def check_id(part_id: str) -> None:
    """Refuse what cannot be the id of a part."""
    if len(part_id) > MOST_ID_LETTERS:
        raise Nonsense(
            "id",
            tr("The id has {0} characters; {1} are the most.").format(
                len(part_id), MOST_ID_LETTERS
            ),
        )
    wrong = [c for c in part_id if not (c.isascii() and (c.islower() or c.isdigit() or c in ".+-"))]
    if wrong:
        shown = tr("a blank") if wrong[0].isspace() else f"“{wrong[0]}”"
        raise Nonsense(
            "id",
            tr(
                "The id may hold lower-case letters, digits, dots, plus signs and hyphens, "
                "but not {0}."
            ).format(shown),
        )
    if not part_id[:1].isalnum():
        raise Nonsense("id", tr("The id begins with a letter or a digit."))


def check_together(values: Values) -> None:
    """Refuse values that cannot be true of one part."""
    greatest, typical = values.get("power_max_w"), values.get("power_typical_w")
    if greatest and typical and typical > greatest:
        raise Nonsense(
            "power_typical_w",
            tr("The typical power of {0} W is more than the greatest of {1} W.").format(
                f"{typical:g}", f"{greatest:g}"
            ),
        )
    count, needed = values.get("psu.count"), values.get("psu.needed")
    if needed and not count:
        raise Nonsense("psu.count", tr("Say how many power supplies there are."))
    if count and needed and needed > count:
        raise Nonsense(
            "psu.needed",
            tr("{0} power supplies are needed, but only {1} are built in.").format(
                int(needed), int(count)
            ),
        )
    standing, rolling = values.get("static_load_kg"), values.get("dynamic_load_kg")
    if standing and rolling and rolling > standing:
        raise Nonsense("dynamic_load_kg", tr("A rack carries no more rolling than standing still."))
    inside, outside = values.get("mounting_depth_mm"), values.get("depth_mm")
    if inside and outside and inside > outside:
        raise Nonsense("mounting_depth_mm", tr("The posts stand within the rack's depth."))
    if values.get("busbar_a") and not values.get("busbar_v"):
        raise Nonsense("busbar_v", tr("Say the voltage of the busbar as well."))
    _check_rating(values)


_VOLTAGE_SPREAD = 1.06
"""Ratings are written for 415 V where 400 V is listed, or 240 V where 230 V is."""


def _check_rating(values: Values) -> None:
    voltage, current, rated = (values.get(k) for k in ("voltage_v", "current_a", "rated_kw"))
    if not (voltage and current and rated):
        return
    most_kw = voltage * current * (sqrt(3) if values.get("phases") == "3" else 1.0) / 1000
    if rated > most_kw * _VOLTAGE_SPREAD:
        raise Nonsense(
            "rated_kw",
            tr("{0} V at {1} A carry {2} kW at most, not {3} kW.").format(
                f"{voltage:g}", f"{current:g}", f"{most_kw:.1f}", f"{rated:g}"
            ),
        )


def check_lanes(key: str, shape: FormFactor, lanes: int) -> None:
    """Refuse more lanes than the shape has contacts for."""
    most = MOST_LANES.get(shape)
    if most is not None and lanes > most:
        raise Nonsense(
            key, tr("{0} has {1} lanes at most, not {2}.").format(shape.value, most, lanes)
        )


def lengths_of(text: str) -> list[float]:
    """Lengths in metres from a text such as ``0.5, 1, 1.5``; Nonsense for anything else."""
    words = [w for w in re.split(r"[;,\s]+", text.replace(" m", " ").strip()) if w]
    try:
        found = sorted({float(word.removesuffix("m")) for word in words})
    except ValueError:
        found = []
    if not found or found[0] <= 0 or found[-1] > 100_000:
        raise Nonsense(
            "lengths", tr("Write the lengths in metres with commas between: 0.5, 1, 1.5")
        )
    return found
