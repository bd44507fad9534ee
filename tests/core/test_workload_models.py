# SPDX-License-Identifier: Apache-2.0
"""Shapes of transformers: parameters as published, operations by the literature's formulas."""

from __future__ import annotations

import pytest

from rackloom.workload import WorkloadError, find_model, models, own_model

# As publishers state them, in billions: all weights, and those one token meets.
PUBLISHED = {
    "llama-2-7b": (6.74, None),
    "llama-2-70b": (68.98, None),
    "llama-3-8b": (8.03, None),
    "llama-3-70b": (70.55, None),
    "llama-3-405b": (405.85, None),
    "qwen2.5-72b": (72.71, None),
    "gpt-3-175b": (174.6, None),
    "megatron-gpt-22b": (22, None),
    "turing-530b": (529.6, None),
    "megatron-gpt-1t": (1008, None),
    "mixtral-8x7b": (46.7, 12.9),
    "mixtral-8x22b": (140.6, 39.1),
    "qwen3-30b-a3b": (30.5, 3.3),
    "qwen3-235b-a22b": (235, 22),
    "gpt-oss-120b": (116.8, None),
    "deepseek-v3": (671, 37.5),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_those_published(name: str) -> None:
    everything, active = PUBLISHED[name]
    model = models()[name]
    assert model.parameters / 1e9 == pytest.approx(everything, rel=0.005)
    if active is not None:
        assert model.active_parameters / 1e9 == pytest.approx(active, rel=0.02)


def test_every_preset_names_its_source() -> None:
    assert len(models()) > 15
    assert all(len(model.source) > 10 for model in models().values())


def test_operations_of_a_gpt_follow_the_formula_of_megatron() -> None:
    """96 B s l h^2 (1 + s/6h + V/16lh) is with recomputation; without, three quarters of it
    (arXiv 2104.04473, appendix; the head is not run again)."""
    model = find_model("gpt-3-175b")
    s, layers, h, v = 2048, model.layers, model.hidden, model.vocabulary
    wanted = 72 * layers * h**2 * (1 + s / (6 * h) + v / (12 * layers * h))
    norms = 6 * layers * 2 * h  # counted with the weights here
    assert 3 * model.forward_flops(s) - norms == pytest.approx(wanted, rel=1e-9)


def test_a_windowed_layer_stops_looking_back() -> None:
    model = find_model("gpt-oss-120b")
    wide = model.model_copy(update={"window": None})
    assert model.attention_flops(100) == wide.attention_flops(100)
    assert model.attention_flops(100_000) == pytest.approx(
        wide.attention_flops(100_000) / 2, rel=0.01
    )


def test_latent_attention_keeps_576_numbers_a_token() -> None:
    """DeepSeek-V3's cache: 512 compressed and 64 rotary (arXiv 2412.19437)."""
    assert find_model("deepseek-v3").cache_width == 576


def test_an_own_shape_equals_a_preset() -> None:
    own = own_model(
        None,
        layers=96,
        hidden=12288,
        heads=96,
        vocabulary=51200,
    )
    preset = find_model("gpt-3-175b")
    assert own.parameters == preset.parameters + preset.embedding_parameters  # heads are not tied


def test_a_preset_can_be_changed() -> None:
    changed = own_model(find_model("llama-3-8b"), layers=16)
    assert changed.layers == 16
    assert changed.name == "own"
    assert changed.kv_heads == 8


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"layers": 4}, "--hidden, --heads, --vocabulary"),
        ({"layers": 4, "hidden": 100, "heads": 3, "vocabulary": 9}, "does not divide by 3 heads"),
        ({"layers": 0, "hidden": 64, "heads": 4, "vocabulary": 9}, "layers"),
        ({"layers": 4, "hidden": 64, "heads": 0, "vocabulary": 9}, "cannot be"),
        (
            {"layers": 4, "hidden": 64, "heads": 4, "vocabulary": 9, "experts": 4, "top_k": 9},
            "1 to 4 experts, not 9",
        ),
        ({"layers": 4, "hidden": 64, "heads": 4, "kv_heads": 3, "vocabulary": 9}, "evenly"),
    ],
)
def test_impossible_shapes_are_refused_in_a_sentence(shape: dict[str, int], words: str) -> None:
    with pytest.raises(WorkloadError, match=words):
        own_model(None, **shape)


def test_a_name_nearly_right_gets_a_hint() -> None:
    with pytest.raises(WorkloadError, match=r"llama-3-70b"):
        find_model("llama3-71b")


@pytest.mark.parametrize("name", ["Llama 3 8B", "llama3-8b", "LLAMA_3.1_8B", "llama-3-8b"])
def test_a_model_is_found_however_its_name_is_written(name: str) -> None:
    assert find_model(name) == models()["llama-3-8b"]


def test_no_two_models_answer_to_one_name() -> None:
    plain = [
        {"".join(c for c in called.lower() if c.isalnum()) for called in (m.name, m.title, *m.also)}
        for m in models().values()
    ]
    assert sum(map(len, plain)) == len(set().union(*plain))
