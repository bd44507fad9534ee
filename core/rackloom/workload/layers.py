# SPDX-License-Identifier: Apache-2.0
"""What the layers of one pipeline stage cost for one micro-batch: computation and communication.

Communication inside a layer after Shoeybi et al. (arXiv 1909.08053: two all-reduces a pass),
Korthikanti et al. (arXiv 2205.05198: with sequence parallelism, two pairs of all-gather and
reduce-scatter), Ring Attention (arXiv 2310.01889: blocks of keys and values go once around) and
GShard (arXiv 2006.16668: two all-to-alls a pass and layer of experts).
"""

from __future__ import annotations

from dataclasses import dataclass

from rackloom.collectives import Collective
from rackloom.workload.figures import BF16_BYTES, Rates
from rackloom.workload.layout import Layout, Parallel
from rackloom.workload.memory import stage_layers
from rackloom.workload.models import Model
from rackloom.workload.network import Communication
from rackloom.workload.settings import Settings


@dataclass(frozen=True, slots=True)
class Pass:
    """Seconds of one micro-batch through one stage, one way; communication as far as it shows."""

    compute_s: float
    tp_s: float = 0.0
    cp_s: float = 0.0
    ep_s: float = 0.0

    @property
    def total_s(self) -> float:
        """All of it."""
        return self.compute_s + self.tp_s + self.cp_s + self.ep_s

    def __add__(self, other: Pass) -> Pass:
        return Pass(
            self.compute_s + other.compute_s,
            self.tp_s + other.tp_s,
            self.cp_s + other.cp_s,
            self.ep_s + other.ep_s,
        )

    def times(self, factor: float) -> Pass:
        """The same, that many times over."""
        return Pass(*(factor * x for x in (self.compute_s, self.tp_s, self.cp_s, self.ep_s)))


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Everything that the cost of a pass depends on."""

    model: Model
    parallel: Parallel
    settings: Settings
    rates: Rates
    layout: Layout
    talk: Communication
    tokens: float
    """Tokens of a micro-batch on one context parallel rank."""
    context: float
    """Tokens that attention really looks at, on average."""

    @property
    def part(self) -> float:
        """Share of the model's layers in the fullest stage."""
        return stage_layers(self.model, self.parallel) / self.model.layers

    def compute_s(self) -> float:
        """Forward computation of the fullest stage, without the output head."""
        model, rates = self.model, self.rates
        each = (
            (model.layer_flops - model.routed_flops) / rates.layer_flops_per_s
            + model.routed_flops / rates.expert_flops_per_s
            + model.attention_flops(self.context) / rates.attention_flops_per_s
        )
        return self.tokens * self.part * (each / self.parallel.tp + self._moved_s())

    def _moved_s(self) -> float:
        """What a token's norms, sums and activation functions take, at the speed of memory.

        Left out where that speed is not known.
        """
        carried = self.rates.memory_bytes_per_s
        if carried is None:
            return 0.0
        tp = self.parallel.tp
        norms = self.model.norm_bytes / (tp if self.settings.sequence_parallel else 1)
        return (norms + self.model.elementwise_bytes / tp) / carried

    def head_s(self) -> float:
        """Forward computation of the output head."""
        return self.tokens * self.model.head_flops / self.parallel.tp / self.rates.layer_flops_per_s

    def forward(self) -> Pass:
        """One micro-batch forward, as far as its communication shows."""
        return Pass(self.compute_s(), self._tp_s(), self._cp_s(1.0), self._ep_s())

    def backward(self) -> Pass:
        """One micro-batch backward: twice the computation, the same exchanges the other way.

        Context parallel ranks send keys and values around again and their gradients back.
        """
        recompute = self.settings.recompute == "full"
        again = self.forward() if recompute else Pass(0.0)
        return again + Pass(2 * self.compute_s(), self._tp_s(), self._cp_s(2.0), self._ep_s())

    def _tp_s(self) -> float:
        """Tensor parallel exchanges of one pass."""
        rows, shown = self.layout.tp, 1 - self.settings.hidden("tp")
        if rows.shape[1] < 2 or shown <= 0:
            return 0.0
        model = self.model
        moe = model.moe_layers * self.part
        dense = model.layers * self.part - moe
        each = self._tp_pair(self.tokens)
        pairs = 2 * dense + moe * (2 if model.shared_ffn else 1)
        routed = moe * self._tp_pair(self.tokens * model.top_k) if moe else 0.0
        return shown * (pairs * each + routed)

    def _tp_pair(self, tokens: float) -> float:
        """Gather and scatter, or one all-reduce, of the hidden states of so many tokens."""
        size = tokens * self.model.hidden * BF16_BYTES
        rows, ask = self.layout.tp, self.talk.time_s
        if not self.settings.sequence_parallel or self.settings.mode == "decode":
            return ask("tp", Collective.ALL_REDUCE, rows, size)
        return ask("tp", Collective.ALL_GATHER, rows, size) + ask(
            "tp", Collective.REDUCE_SCATTER, rows, size
        )

    def _cp_s(self, rounds: float) -> float:
        """Keys and values once around the context parallel ring, as far as attention hides not."""
        rows = self.layout.cp
        if rows.shape[1] < 2:
            return 0.0
        model, tp = self.model, self.parallel.tp
        size = self.tokens * rows.shape[1] * model.key_value_width * BF16_BYTES / tp
        each = self.talk.time_s("cp", Collective.ALL_GATHER, rows, size)
        flops = self.tokens * model.attention_flops(self.context) / model.layers / tp
        beside = self.settings.hidden("cp") * flops / self.rates.attention_flops_per_s
        return rounds * model.layers * self.part * max(0.0, each - beside)

    def _ep_s(self) -> float:
        """Tokens to their experts and back."""
        rows, shown = self.layout.ep, 1 - self.settings.hidden("ep")
        moe = self.model.moe_layers * self.part
        if rows.shape[1] < 2 or not moe or shown <= 0:
            return 0.0
        elements = self.tokens / self.parallel.tp * self.model.top_k * self.model.hidden
        there = 1 if self.settings.precision == "fp8" else BF16_BYTES
        ask, kind = self.talk.time_s, Collective.ALL_TO_ALL
        each = ask("ep", kind, rows, elements * there) + ask(
            "ep", kind, rows, elements * BF16_BYTES
        )
        return shown * moe * each
