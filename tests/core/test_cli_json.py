# SPDX-License-Identifier: Apache-2.0
"""The JSON that scripts depend on: every field there, of its type, and no field without a shape.

The shapes here are those of resources/rackloom_resources/help/command-line.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.builders import small_design

from rackloom.cli import main
from rackloom.files import save

NUMBER = (int, float)
TEXT_OR_NULL = (str, type(None))
COUNTS = {str: int}
LAYERS = {"switches": COUNTS, "cables": COUNTS, "links": COUNTS}
SHAPES: dict[str, Any] = {
    "check": {
        "schema": int,
        "findings": [
            {
                "rule": str,
                "severity": str,
                "where": [str],
                "message": str,
                "fix": bool,
                "accepted": bool,
            }
        ],
        "counts": COUNTS,
        "off": [str],
    },
    "summary": {
        "schema": int,
        "racks": int,
        "servers": int,
        "management_servers": int,
        "gpus": int,
        "dark_cables": int,
        **LAYERS,
        "power_w": {"maximum": NUMBER, "unknown_devices": int},
        "fabrics": [
            {"name": str, "servers": int, "management_servers": int, "gpus": int, **LAYERS}
        ],
    },
    "estimate": {
        "schema": int,
        "collective": str,
        "gpus": int,
        "points": [
            {
                "size_bytes": int,
                "time_us": NUMBER,
                "algbw_gb_per_s": NUMBER,
                "busbw_gb_per_s": NUMBER,
                "algorithm": str,
                "protocol": str,
                "limit_busbw_gb_per_s": NUMBER,
            }
        ],
        "bottleneck": {"kind": str, "where": [str], "text": str},
        "limit": {"busbw_gb_per_s": NUMBER, "cut": [str], "text": str},
        "caps": [
            {
                "kind": str,
                "busbw_gb_per_s": NUMBER,
                "wire_gb_per_s": NUMBER,
                "worst_gb_per_s": NUMBER,
                "where": [str],
                "text": str,
            }
        ],
        "low_busbw_gb_per_s": [NUMBER],
        "notes": [str],
        "band": {"fraction": NUMBER, "small_fraction": NUMBER, "rests_on": str},
    },
    "presets": {
        "schema": int,
        "presets": [
            {
                "name": str,
                "title": str,
                "options": [
                    {
                        "key": str,
                        "kind": str,
                        "default": (str, int, float, bool, type(None)),
                        "minimum": (int, float, type(None)),
                        "maximum": (int, float, type(None)),
                        "help": str,
                    }
                ],
            }
        ],
    },
    "catalog list": {
        "schema": int,
        "parts": [
            {
                "id": str,
                "kind": str,
                "manufacturer": str,
                "model": str,
                "part_number": TEXT_OR_NULL,
                "description": str,
                "trust": str,
            }
        ],
    },
    "catalog show nvidia-qm9700": {"schema": int, "part": {str: object}, "sources": {str: str}},
}


def differences(value: Any, shape: Any, place: str = "") -> list[str]:
    """Where a JSON value is not of a shape."""
    if isinstance(shape, dict) and set(shape) == {str}:
        if not isinstance(value, dict):
            return [f"{place}: not an object"]
        return [d for k, v in value.items() for d in differences(v, shape[str], f"{place}.{k}")]
    if isinstance(shape, dict):
        if not isinstance(value, dict) or value.keys() != shape.keys():
            return [f"{place}: has {sorted(value)}, not {sorted(shape)}"]
        return [d for k in shape for d in differences(value[k], shape[k], f"{place}.{k}")]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place}: not a list"]
        return [d for n, v in enumerate(value) for d in differences(v, shape[0], f"{place}[{n}]")]
    kinds = shape if isinstance(shape, tuple) else (shape,)
    if isinstance(value, bool) and bool not in kinds and object not in kinds:
        return [f"{place}: {value!r}"]
    return [] if isinstance(value, kinds) else [f"{place}: {value!r}"]


@pytest.mark.parametrize("command", SHAPES)
def test_the_json_has_the_agreed_shape(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = command.split()
    if words[0] in {"check", "summary", "estimate"}:
        path = tmp_path / "hall.rackloom"
        save(path, small_design())
        words.append(str(path))
    if words[0] == "check":
        words += ["--fail-on", "never"]
    if words[0] == "estimate":
        words += ["--gpus", "gpu-01"]
    assert main([*words, "--format", "json"]) == 0
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert err == ""
    assert document["schema"] == 1
    assert not differences(document, SHAPES[command])
    for listed in ("findings", "points", "presets", "parts", "fabrics"):
        if listed in document:
            assert document[listed], f"{listed} is empty: nothing was tested"


def test_the_shapes_are_those_of_the_documentation() -> None:
    text = (
        Path(__file__).parents[2] / "resources/rackloom_resources/help/command-line.md"
    ).read_text("utf-8")

    def names(shape: Any) -> set[str]:
        if isinstance(shape, dict):
            keys = {k for k in shape if isinstance(k, str)}
            return keys.union(*(names(inner) for inner in shape.values()))
        return names(shape[0]) if isinstance(shape, list) else set()

    missing = {
        name
        for shape in SHAPES.values()
        for name in names(shape)
        if f'"{name}"' not in text and f"`{name}`" not in text
    }
    assert not missing
