# SPDX-License-Identifier: Apache-2.0
"""``rackloom workload``: text, the JSON that scripts depend on, one line for an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.core.workload_runs import HELP, plain_server
from tests.fabrics import star

from rackloom.cli import main
from rackloom.files import save

NUMBER = (int, float)
SHAPE: dict[str, Any] = {
    "schema": int,
    "mode": str,
    "model": {
        "name": str,
        "title": str,
        "parameters": int,
        "active_parameters": int,
        "source": str,
    },
    "gpus": int,
    "gpu": str,
    "parallel": dict.fromkeys(("tp", "pp", "dp", "cp", "ep", "virtual", "zero"), int),
    "precision": str,
    "sequence": int,
    "micro_batch": int,
    "global_batch": int,
    "micro_batches": int,
    "step_s": NUMBER,
    "split_s": dict.fromkeys(
        ("compute", "memory", "tp", "cp", "ep", "pp", "dp", "optimizer", "bubble"), NUMBER
    ),
    "tokens_per_s": NUMBER,
    "tokens_per_s_per_gpu": NUMBER,
    "tflops_per_gpu": NUMBER,
    "mfu": NUMBER,
    "utilisation": NUMBER,
    "efficiency": {"value": NUMBER, "source": str},
    "memory": {
        **dict.fromkeys(
            (
                "weights_bytes",
                "gradients_bytes",
                "optimizer_bytes",
                "activations_bytes",
                "cache_bytes",
                "total_bytes",
            ),
            NUMBER,
        ),
        "available_bytes": (*NUMBER, type(None)),
        "fits": (bool, type(None)),
    },
    "communication": [
        {
            "kind": str,
            "collective": str,
            "ranks": int,
            "groups": int,
            "nodes": int,
            "size_bytes": int,
            "time_us": NUMBER,
            "busbw_gb_per_s": NUMBER,
            "sharing": NUMBER,
            "bottleneck": {"text": str, "where": [str]},
        }
    ],
    "warnings": [{"rule": str, "where": [str], "text": str}],
    "assumptions": [str],
}


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """A saved design of four servers of 8 H100."""
    path = tmp_path / "hall.rackloom"
    save(path, star(4, plain_server("dgx-h100", 8, 400)).design())
    return path


def differences(value: Any, shape: Any, place: str = "") -> list[str]:
    """Where a JSON value is not of a shape."""
    if isinstance(shape, dict):
        if not isinstance(value, dict) or value.keys() != shape.keys():
            return [f"{place}: {value!r}"]
        return [d for k in shape for d in differences(value[k], shape[k], f"{place}.{k}")]
    if isinstance(shape, list):
        return [d for v in value for d in differences(v, shape[0], f"{place}[]")]
    kinds = shape if isinstance(shape, tuple) else (shape,)
    if isinstance(value, bool) and bool not in kinds:
        return [f"{place}: {value!r}"]
    return [] if isinstance(value, kinds) else [f"{place}: {value!r}"]


def run(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Exit status, output and messages."""
    status = main(["workload", *map(str, words)])
    out, err = capfd.readouterr()
    return status, out, err


def test_json_has_the_documented_shape(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("--model", "llama-3-8b", "--tp", 16, "--format", "json")
    status, out, err = run(capfd, hall, *words)
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["communication"]
    assert document["warnings"]
    assert not differences(document, SHAPE)

    def names(shape: Any) -> set[str]:
        if isinstance(shape, dict):
            return set(shape).union(*(names(inner) for inner in shape.values()))
        return names(shape[0]) if isinstance(shape, list) else set()

    page = HELP.read_text("utf-8")
    assert {name for name in names(SHAPE) if f'"{name}"' not in page} == set()


def test_the_text_says_what_counts(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, hall, "--model", "mixtral-8x7b", "--ep", 8, "--pp", 2)
    assert status == 0
    for words in (
        "Mixtral 8x7B, train on 32 x H100 (tp 1, pp 2, dp 16, cp 1, ep 8, ZeRO 1)",
        "time per step",
        "of the peak",
        "expert parallel communication",
        "pipeline bubble",
        "memory per GPU",
        "assumed: H100 computes at",
    ):
        assert words in out


@pytest.mark.parametrize("mode", ["prefill", "decode"])
def test_inference_has_its_words(mode: str, hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, hall, "--model", "llama-3-8b", "--tp", 8, "--mode", mode)
    assert status == 0
    assert {"prefill": "time per first token", "decode": "time per token"}[mode] in out


def test_an_own_shape_and_own_figures(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shape = ("--layers", 8, "--hidden", 1024, "--heads", 8, "--vocabulary", 32000)
    status, out, _ = run(
        capfd, hall, *shape, "--efficiency", 0.4, "--overlap", "tp=0.5", "--format", "json"
    )
    document = json.loads(out)
    assert status == 0
    assert document["model"]["name"] == "own"
    assert document["efficiency"]["value"] == 0.4


def test_a_dead_switch_ends_in_a_sentence(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, hall, "--model", "llama-3-8b", "--fail", "leaf-01")
    assert status == 2
    assert "no working link" in err


def test_models_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "--list-models")
    assert status == 0
    assert "deepseek-v3" in out
    _, out, _ = run(capfd, "--list-models", "--format", "json")
    listed = json.loads(out)["models"]
    assert {m["name"]: m["parameters"] for m in listed}["llama-3-8b"] == 8_030_261_248


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the model is missing"),
        (("--model", "gpt-9"), "no model is called"),
        (("--model", "llama-3-8b", "--tp", 3), "do not divide into groups of 3"),
        (("--model", "llama-3-8b", "--tp", "x"), "not a whole number"),
        (("--model", "llama-3-8b", "--efficiency", "nan"), "not a number"),
        (("--model", "llama-3-8b", "--overlap", "tp"), "KIND=SHARE"),
        (("--model", "llama-3-8b", "--overlap", "xp=1"), "no overlap is called"),
        (("--model", "llama-3-8b", "--precision", "int4"), "no precision is called"),
        (("--model", "llama-3-8b", "--gpus", 999), "32 working GPUs, not 999"),
        (("--model", "llama-3-8b", "--global-batch", 7), "does not divide by dp 32"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: tuple[object, ...], said: str, hall: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capfd, hall, *words)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
