# SPDX-License-Identifier: Apache-2.0
"""Activations in flight, held against the published formulae and against the schedule itself.

Korthikanti et al. (arXiv 2205.05198): a layer keeps s b h (34 + 5 a s / h) bytes, of which fused
attention leaves 34; with the interleaved schedule the first stage holds L (1 + (p - 1) / (p m))
layers of one micro-batch, without interleaving L (section 4.2.3).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackloom.workload.layout import Parallel
from rackloom.workload.memory import training_memory
from rackloom.workload.models import find_model
from rackloom.workload.settings import Settings


def layers_held(pp: int, virtual: int, batches: int, layers: int | None = None) -> float:
    """Layers whose activations of one micro-batch the fullest GPU holds, worked out of bytes."""
    model = find_model("gpt-3-175b").model_copy(update={"layers": layers or 2 * pp * virtual})
    parallel = Parallel(tp=8, pp=pp, dp=1, virtual=virtual)
    found = training_memory(model, parallel, Settings(global_batch=batches), 80.0)
    layer_bytes = 34 * model.hidden * model.sequence / 8
    return found.activations_bytes / layer_bytes


def in_flight(pp: int, virtual: int, batches: int) -> int:
    """Most (micro-batch, chunk) pairs that the first stage holds, by running its schedule.

    One-forward-one-backward as Megatron-LM runs it: warm-up passes forward (2 (p - 1) and one for
    each micro-batch of the further chunks when interleaved, p - 1 when not), then in turns.
    """
    passes = batches * virtual
    warm_up = (pp - 1) * 2 + (virtual - 1) * pp if virtual > 1 else pp - 1
    forward = held = most = 0
    while forward < min(warm_up, passes):
        forward, held = forward + 1, held + 1
        most = max(most, held)
    backward = 0
    while backward < passes:
        if forward < passes:
            forward, held = forward + 1, held + 1
            most = max(most, held)
        backward, held = backward + 1, held - 1
    return most


@pytest.mark.parametrize(
    ("pp", "virtual", "layers", "expected"),
    [
        (8, 1, 96, 96.0),  # GPT-3 175B of the paper without interleaving
        (8, 3, 96, 96 * (1 + 7 / 24)),  # and with three virtual stages: 1.29 times as much
        (35, 3, 105, 105 * (1 + 34 / 105)),  # 530B: 1.32 times
        (64, 2, 128, 128 * (1 + 63 / 128)),
    ],
)
def test_the_first_stage_holds_what_the_paper_says(
    pp: int, virtual: int, layers: int, expected: float
) -> None:
    assert layers_held(pp, virtual, 1024, layers) == pytest.approx(expected)


@given(pp=st.integers(2, 12), virtual=st.integers(1, 6), rounds=st.integers(1, 6))
def test_it_is_the_most_the_schedule_ever_holds(pp: int, virtual: int, rounds: int) -> None:
    """Interleaving takes whole rounds of p micro-batches; two layers are in a chunk here."""
    batches = pp * rounds
    assert layers_held(pp, virtual, batches) == pytest.approx(2 * in_flight(pp, virtual, batches))


def test_few_micro_batches_cannot_fill_the_pipeline() -> None:
    """With two micro-batches the first of eight stages holds two, not eight."""
    assert layers_held(8, 1, 2) == pytest.approx(2 * 2)


def test_full_recomputation_keeps_inputs_and_one_layer() -> None:
    """2 s b h a layer in flight, and the layer that is being run again."""
    model = find_model("gpt-3-175b").model_copy(update={"layers": 96})
    parallel = Parallel(tp=8, pp=8, dp=1, virtual=3)
    settings = Settings(global_batch=1024, recompute="full")
    found = training_memory(model, parallel, settings, 80.0)
    token_bytes = 2 * 96 * (1 + 7 / 24) + 34
    expected = token_bytes * model.hidden * model.sequence / 8
    assert found.activations_bytes == pytest.approx(expected)
