# SPDX-License-Identifier: Apache-2.0
"""Steps of training and inference: what they must be by hand, and how they follow the wiring."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.core.workload_runs import plain_server, rack_domains
from tests.fabrics import rail_pods, star

from rackloom.fabric import Fabric
from rackloom.workload import (
    Given,
    Parallel,
    Settings,
    Workload,
    WorkloadError,
    find_model,
    own_model,
    workload,
)
from rackloom.workload.memory import activation_bytes_per_token
from rackloom.workload.network import Communication

H100 = plain_server("dgx-h100", 8, 400)


@cache
def hall(servers: int = 4) -> Fabric:
    """Servers of 8 H100 on one switch."""
    return Fabric.of(star(servers, H100).design())


@cache
def two_pods(uplinks: int) -> Fabric:
    """Two pods of four servers, a leaf a rail, so many uplinks a leaf."""
    return Fabric.of(rail_pods(2, 4, uplinks, part=H100).design())


def step(fabric: Fabric, model: str = "llama-3-8b", **sizes: int) -> Workload:
    return workload(fabric, model, Parallel(**sizes), Settings(global_batch=64))


def rules(answer: Workload) -> set[str]:
    return {warned.rule for warned in answer.warnings}


# By hand


def test_with_a_given_efficiency_computing_is_operations_over_rate() -> None:
    """6N a token and half the square of attention, with memory too fast to count."""
    model = find_model("llama-3-8b")
    given = Given(efficiency=0.5, peak_tflops=1000, memory_gb_per_s=1e8)
    answer = workload(hall(), model, Parallel(tp=1), Settings(global_batch=32, given=given))
    tokens = 32 * 8192
    matrices = 6 * (model.parameters - model.embedding_parameters)
    attention = 12 * model.layers * 4096 * (8192 / 2)  # heads x width = 4096
    wanted = tokens * (matrices + attention) / (32 * 500e12)
    assert answer.split.compute_s == pytest.approx(wanted, rel=1e-3)


def test_the_split_adds_up_and_mfu_is_operations_over_peak() -> None:
    answer = step(hall(), tp=2, pp=2)
    assert sum(answer.split.parts().values()) == pytest.approx(answer.step_s)
    model = answer.model
    flops = 64 * 8192 * 3 * model.forward_flops(8192)
    assert answer.mfu == pytest.approx(flops / answer.step_s / (32 * 989e12))
    assert answer.tokens_per_s == pytest.approx(64 * 8192 / answer.step_s)


@pytest.mark.parametrize(("pp", "virtual"), [(2, 1), (4, 1), (4, 4)])
def test_the_bubble_is_that_of_the_schedule(pp: int, virtual: int) -> None:
    answer = step(hall(), pp=pp, virtual=virtual)
    steady = answer.split.compute_s + answer.split.tp_s
    wanted = (pp - 1) / (virtual * answer.micro_batches)
    assert answer.split.bubble_s / steady == pytest.approx(wanted)


def test_tensor_parallel_time_is_that_of_the_engine() -> None:
    """32 layers, forward and backward, two gathers and two scatters each, 64 / dp times."""
    answer = step(hall(), tp=8)
    asked = {c.collective.value: c for c in answer.channels if c.kind == "tp"}
    size = 8192 * 4096 * 2
    assert {c.size_bytes for c in asked.values()} == {size}
    pair = asked["all-gather"].time_us + asked["reduce-scatter"].time_us
    assert answer.split.tp_s == pytest.approx(32 * 2 * 2 * pair * 16 / 1e6)


def test_context_parallel_keys_and_values_hide_behind_long_sequences() -> None:
    long = workload(hall(), "llama-3-8b", Parallel(cp=8), Settings(sequence=131072))
    short = workload(hall(), "llama-3-8b", Parallel(cp=8), Settings(sequence=1024))
    assert long.split.cp_s == 0
    assert short.split.cp_s > 0
    (asked,) = (c for c in long.channels if c.kind == "cp")
    assert asked.size_bytes == 131072 * 2 * 8 * 128 * 2  # keys and values of 8 heads in bf16


def test_experts_exchange_top_k_copies_twice_a_pass() -> None:
    answer = step(hall(), "mixtral-8x7b", ep=8)
    (asked,) = (c for c in answer.channels if c.kind == "ep")
    assert asked.size_bytes == 4096 * 2 * 4096 * 2
    assert answer.split.ep_s == pytest.approx(32 * 2 * 2 * asked.time_us * 2 / 1e6)


# Memory


def test_eighteen_bytes_a_parameter_without_sharing() -> None:
    """Megatron-LM: 2 + 4 + 12; with the optimizer shared by d ranks, 6 + 12/d."""
    model = find_model("llama-3-8b")
    for zero, each in ((0, 18), (1, 6 + 12 / 32), (2, 2 + 16 / 32), (3, 18 / 32)):
        memory = step(hall(), zero=zero).memory
        held = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes
        assert held == pytest.approx(each * model.parameters, rel=1e-3)


def test_activations_of_a_gpt_are_34_bytes_times_hidden() -> None:
    """Korthikanti et al., with the square of attention fused away; 2 with full recomputation."""
    model = find_model("gpt-3-175b")
    assert activation_bytes_per_token(model, "none") == 34 * model.hidden * model.layers
    assert activation_bytes_per_token(model, "full") == 2 * model.hidden * model.layers
    selective = activation_bytes_per_token(model, "selective")
    assert 2 * model.hidden < selective / model.layers < 34 * model.hidden


def test_what_does_not_fit_is_said() -> None:
    assert "memory" in rules(step(hall(), "llama-3-70b"))
    assert "memory" not in rules(step(hall(), "llama-3-8b", tp=8))


# The wiring


def test_tensor_groups_across_servers_are_slow_and_warned_of() -> None:
    inside, across = step(hall(), tp=8), step(hall(), tp=16)
    assert "tp-crosses-servers" in rules(across)
    assert "tp-crosses-servers" not in rules(inside)
    assert across.split.tp_s / across.split.compute_s > inside.split.tp_s / inside.split.compute_s


def test_a_rack_that_is_one_domain_takes_wide_tensor_groups() -> None:
    tray = plain_server("gb200-compute-tray", 4, 400)
    racks = Fabric.of(rack_domains(tray, 32, 16).design())
    inside, across = step(racks, tp=16), step(racks, tp=32)
    assert "tp-crosses-servers" not in rules(inside)
    assert "tp-crosses-servers" in rules(across)


def test_expert_groups_across_pods_are_warned_of() -> None:
    assert "ep-crosses-pods" in rules(step(two_pods(4), "qwen3-30b-a3b", ep=64))
    assert "ep-crosses-pods" not in rules(step(two_pods(4), "qwen3-30b-a3b", ep=32))


def test_groups_that_meet_on_an_uplink_share_it() -> None:
    """tp 8, pp 4: two pipelines a rail cross from pod to pod at once, over one uplink a leaf."""
    shares = {
        uplinks: Communication(two_pods(uplinks), None)._contention.sharing(
            "chain", np.arange(64).reshape(4, 2, 8).transpose(1, 2, 0).reshape(16, 4), np.array(row)
        )
        for uplinks in (1, 2)
        for row in [[0, 16, 32, 48]]
    }
    assert shares == {1: pytest.approx(0.5), 2: pytest.approx(1.0)}


def test_oversubscription_shows_in_data_parallel_time() -> None:
    """With experts spread over both pods, every uplink carries all groups' all-to-all."""
    thin = step(two_pods(1), "qwen3-30b-a3b", ep=64)
    full = step(two_pods(4), "qwen3-30b-a3b", ep=64)
    assert thin.split.ep_s > 1.5 * full.split.ep_s
    assert thin.mfu < full.mfu


def test_a_dead_cable_slows_the_job() -> None:
    fabric = hall()
    cable = next(iter(fabric.design.cables))
    whole = workload(fabric, "llama-3-8b", Parallel(zero=3), Settings(overlap={"dp": 0.0}))
    hurt = workload(
        fabric, "llama-3-8b", Parallel(zero=3), Settings(overlap={"dp": 0.0}), failed={cable}
    )
    assert hurt.split.dp_s > whole.split.dp_s


def test_hidden_communication_does_not_show() -> None:
    shown = step(hall(), tp=8)
    hidden = workload(
        hall(), "llama-3-8b", Parallel(tp=8), Settings(global_batch=64, overlap={"tp": 1.0})
    )
    assert hidden.split.tp_s == 0
    assert hidden.step_s < shown.step_s


def test_groups_alike_cost_one_question_each() -> None:
    """Sixteen tensor groups are alike: the engine hears of one, for each collective."""
    answer = step(two_pods(4), tp=4)
    assert sorted(c.collective.value for c in answer.channels if c.kind == "tp") == [
        "all-gather",
        "reduce-scatter",
    ]
    talk = Communication(two_pods(4), None)
    rows = np.arange(64).reshape(16, 4)
    assert len(talk._find_sorts(rows)) == 1


# Inference


def test_a_token_takes_at_least_the_reading_of_the_weights() -> None:
    model = find_model("llama-3-70b")
    answer = workload(
        hall(), model, Parallel(tp=8), Settings(mode="decode", global_batch=4, sequence=1)
    )
    read = 2 * (model.parameters - model.embedding_parameters) / 8 / (3350e9 * 0.8)
    busy = answer.split.compute_s + answer.split.memory_s
    assert busy == pytest.approx(read, rel=0.02)
    assert answer.step_s > busy


def test_a_long_context_costs_reading_the_cache() -> None:
    asked = {"mode": "decode", "global_batch": 128}
    short, long = (
        workload(hall(), "llama-3-8b", Parallel(tp=8), Settings(sequence=s, **asked))  # type: ignore[arg-type]
        for s in (1024, 65536)
    )
    assert long.step_s > 3 * short.step_s
    assert long.memory.cache_bytes == pytest.approx(64 * short.memory.cache_bytes)


def test_a_prompt_is_taken_in_once_forward() -> None:
    train = workload(hall(), "llama-3-8b", Parallel(tp=8), Settings(global_batch=4))
    prompt = workload(hall(), "llama-3-8b", Parallel(tp=8), Settings(mode="prefill"))
    assert prompt.split.compute_s < train.split.compute_s / 3


def test_unknown_figures_are_asked_for_and_never_made_up() -> None:
    assert H100.gpu is not None
    gpu = H100.gpu.model_copy(update={"model": "X1", "memory_gb": None})
    strange = H100.model_copy(update={"gpu": gpu, "id": "strange"})
    fabric = Fabric.of(star(2, strange).design())
    with pytest.raises(WorkloadError, match="memory bandwidth of X1 is not known"):
        workload(fabric, "llama-3-8b", Parallel(tp=8), Settings(mode="decode"))
    answer = workload(fabric, "llama-3-8b", Parallel(tp=8))
    assert answer.memory.available_bytes is None
    assert answer.memory.fits is None
    assert "memory-unknown" in rules(answer)
    assert any("left out" in text for text in answer.assumptions)
    dim = gpu.model_copy(update={"bf16_dense_tflops": None})
    unknown = strange.model_copy(update={"gpu": dim, "id": "dim"})
    with pytest.raises(WorkloadError, match="give --peak-tflops"):
        workload(Fabric.of(star(2, unknown).design()), "llama-3-8b")


# Nonsense

anything = st.one_of(st.integers(-3, 70), st.sampled_from([10**6, 10**12]))
small = st.sampled_from([1, 1, 2, 4, 8])


def answered(ask: Callable[[], Workload]) -> Workload | None:
    """The answer, or None where there was one sentence instead."""
    try:
        return ask()
    except WorkloadError as error:
        sentence = str(error)
    assert 10 < len(sentence) < 400
    assert "\n" not in sentence
    return None


def everything_is_a_number(value: Any) -> bool:
    if isinstance(value, dict):
        return all(everything_is_a_number(v) for v in value.values())
    if isinstance(value, list):
        return all(everything_is_a_number(v) for v in value)
    return not isinstance(value, float) or math.isfinite(value)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    model=st.sampled_from(["llama-3-8b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-120b"]),
    sizes=st.fixed_dictionaries({}, optional=dict.fromkeys(("tp", "pp", "cp"), small | anything)),
    more=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("dp", "ep", "virtual", "zero"), small | anything)
    ),
    batch=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("micro_batch", "global_batch", "sequence"), small | anything)
    ),
    mode=st.sampled_from(["train", "prefill", "decode", "dream"]),
    precision=st.sampled_from(["bf16", "fp8", "int3"]),
    recompute=st.sampled_from(["none", "selective", "full"]),
    gpus=st.none() | small | anything,
)
def test_nonsense_gives_a_sentence_or_numbers(
    model: str,
    sizes: dict[str, int],
    more: dict[str, int],
    batch: dict[str, int],
    mode: Any,
    precision: str,
    recompute: Any,
    gpus: int | None,
) -> None:
    answer = answered(
        lambda: workload(
            hall(),
            model,
            Parallel(**sizes, **more),
            Settings(mode=mode, precision=precision, recompute=recompute, **batch),  # type: ignore[arg-type]
            gpus,
        )
    )
    if answer is None:
        return
    document = answer.to_json()
    assert everything_is_a_number(document)
    json.dumps(document, allow_nan=False)
    assert answer.step_s > 0
    assert all(seconds >= 0 for seconds in answer.split.parts().values())
    assert 0 < answer.mfu < 1.5
    assert 0 < answer.utilisation <= 1


@given(
    layers=st.integers(-1, 300),
    hidden=st.integers(-1, 40_000) | st.just(10**15),
    heads=st.integers(-1, 300),
    experts=st.none() | st.integers(-1, 600),
    vocabulary=st.integers(-1, 10**6),
)
def test_any_shape_gives_a_sentence_or_numbers(
    layers: int, hidden: int, heads: int, experts: int | None, vocabulary: int
) -> None:
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary}
    answer = answered(lambda: workload(hall(), own_model(None, experts=experts, **shape)))
    assert answer is None or everything_is_a_number(answer.to_json())


@pytest.mark.parametrize(
    "given", [{"efficiency": 0.0}, {"efficiency": 1.5}, {"peak_tflops": float("inf")}]
)
def test_impossible_figures_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(WorkloadError, match="cannot be"):
        Given(**given)


def test_a_design_without_gpus_gets_a_sentence() -> None:
    with pytest.raises(WorkloadError, match="no GPU"):
        workload(Fabric.of(star(0, H100).design()), "llama-3-8b")


def test_servers_that_are_not_cabled_get_a_sentence_with_their_ids() -> None:
    from tests.fabrics import Cluster

    cluster = Cluster()
    lonely = [str(cluster.device(H100, f"gpu-{n}")) for n in range(2)]
    with pytest.raises(WorkloadError, match="no working link") as caught:
        workload(cluster.design(), "llama-3-8b")
    assert set(caught.value.where) <= set(lonely)
    assert caught.value.where
