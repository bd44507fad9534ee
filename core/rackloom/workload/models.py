# SPDX-License-Identifier: Apache-2.0
"""Transformers by their shape: parameters, floating-point operations and cache per token.

A multiplication and an addition are two operations, so a matrix of n weights costs 2n a token
(Kaplan et al., arXiv 2001.08361, section 2.1). Attention over a context of c tokens costs
2 c (query-key width + value width) a layer and token, on top.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rackloom.workload.errors import WorkloadError
from rackloom.workload.files import read_yaml

MOST = 10**7
"""Greatest width or count that is taken for meant."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Latent(_Frozen):
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): keys and values compressed."""

    query_rank: int = Field(gt=0, le=MOST)
    key_value_rank: int = Field(gt=0, le=MOST)
    plain_head_width: int = Field(gt=0, le=MOST)
    """Width of a head's query and key that carries no position."""
    rotary_head_width: int = Field(gt=0, le=MOST)
    value_head_width: int = Field(gt=0, le=MOST)


class Model(_Frozen):
    """A transformer. Widths are numbers of elements."""

    name: str
    title: str
    source: str
    also: tuple[str, ...] = ()
    """Other names it goes by."""
    layers: int = Field(gt=0, le=100_000)
    hidden: int = Field(gt=0, le=MOST)
    heads: int = Field(gt=0, le=MOST)
    kv_heads: int = Field(gt=0, le=MOST)
    head_width: int = Field(gt=0, le=MOST)
    ffn: int = Field(gt=0, le=MOST)
    """Inner width of the feed-forward block; of one expert where there are experts."""
    gated: bool = True
    """Three matrices (SwiGLU) instead of two."""
    experts: int = Field(0, ge=0, le=MOST)
    """Routed experts a layer; 0 for a dense model."""
    top_k: int = Field(0, ge=0, le=MOST)
    shared_ffn: int = Field(0, ge=0, le=MOST)
    """Inner width of the experts that every token passes."""
    dense_layers: int = Field(0, ge=0)
    """How many layers of a mixture of experts are dense."""
    dense_ffn: int = Field(0, ge=0, le=MOST)
    vocabulary: int = Field(gt=0, le=10**9)
    tied: bool = False
    """Embedding and output head share their weights."""
    sequence: int = Field(gt=0, le=10**9)
    """Tokens of a sequence in training, unless asked otherwise."""
    latent: Latent | None = None
    window: int | None = Field(None, gt=0)
    """How far back windowed layers look."""
    windowed_layers: int = Field(0, ge=0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.experts and not 1 <= self.top_k <= self.experts:
            raise ValueError(f"a token goes to 1 to {self.experts} experts, not {self.top_k}")
        if self.experts == 0 and (self.top_k or self.shared_ffn or self.dense_layers):
            raise ValueError("a model without experts has no top-k, shared expert or dense layers")
        if self.dense_layers > self.layers or self.windowed_layers > self.layers:
            raise ValueError(f"there are only {self.layers} layers")
        if self.dense_layers and not self.dense_ffn:
            raise ValueError("dense layers need their inner width (dense_ffn)")
        if self.heads % self.kv_heads:
            raise ValueError(
                f"{self.heads} heads cannot share {self.kv_heads} key-value heads evenly"
            )
        return self

    @property
    def moe_layers(self) -> int:
        """Layers with routed experts."""
        return self.layers - self.dense_layers if self.experts else 0

    @property
    def query_key_width(self) -> int:
        """Width of all queries together; each is as wide as its key."""
        if self.latent is not None:
            return self.heads * (self.latent.plain_head_width + self.latent.rotary_head_width)
        return self.heads * self.head_width

    @property
    def value_width(self) -> int:
        """Width of the values that all heads see together."""
        each = self.head_width if self.latent is None else self.latent.value_head_width
        return self.heads * each

    @property
    def key_value_width(self) -> int:
        """Width of keys and values as attention reads them, one token and layer."""
        if self.latent is not None:
            return self.query_key_width + self.value_width
        return 2 * self.kv_heads * self.head_width

    @property
    def cache_width(self) -> int:
        """Elements kept for a token and layer while decoding."""
        if self.latent is not None:
            return self.latent.key_value_rank + self.latent.rotary_head_width
        return self.key_value_width

    @property
    def attention_parameters(self) -> int:
        """Weights of one layer's attention."""
        h = self.hidden
        if self.latent is None:
            return h * (2 * self.query_key_width + self.key_value_width)
        a = self.latent
        inner = a.plain_head_width + a.value_head_width
        return (
            a.query_rank * (h + self.query_key_width)
            + h * (a.key_value_rank + a.rotary_head_width)
            + a.key_value_rank * self.heads * inner
            + self.value_width * h
        )

    def ffn_parameters(self, width: int) -> int:
        """Weights of a feed-forward block of this inner width."""
        return (3 if self.gated else 2) * self.hidden * width

    @property
    def dense_ffn_width(self) -> int:
        """Inner width in the layers without routed experts."""
        return self.dense_ffn if self.experts else self.ffn

    @property
    def expert_parameters(self) -> int:
        """Weights of all routed experts of one layer."""
        return self.experts * self.ffn_parameters(self.ffn)

    @property
    def embedding_parameters(self) -> int:
        """Weights of the embedding; the output head has as many."""
        return self.vocabulary * self.hidden

    @property
    def shared_parameters(self) -> int:
        """Weights of all layers that are not routed experts (norms included)."""
        moe = self.moe_layers
        dense = self.layers - moe
        each = self.attention_parameters + 2 * self.hidden
        router = self.experts * self.hidden
        return (
            self.layers * each
            + dense * self.ffn_parameters(self.dense_ffn_width)
            + moe * (self.ffn_parameters(self.shared_ffn) + router)
        )

    @property
    def parameters(self) -> int:
        """All weights."""
        ends = self.embedding_parameters * (1 if self.tied else 2)
        routed = self.moe_layers * self.expert_parameters
        return self.shared_parameters + routed + ends + self.hidden  # the last norm

    @property
    def active_parameters(self) -> int:
        """Weights that one token meets, embedding and head included as publishers count them."""
        routed = self.moe_layers * self.top_k * self.ffn_parameters(self.ffn)
        ends = self.embedding_parameters * (1 if self.tied else 2)
        return self.shared_parameters + routed + ends + self.hidden

    @property
    def routed_flops(self) -> float:
        """Operations of the routed experts of all layers, one token forward."""
        return 2.0 * self.moe_layers * self.top_k * self.ffn_parameters(self.ffn)

    @property
    def layer_flops(self) -> float:
        """Operations of all layers' matrices, one token forward."""
        return 2.0 * self.shared_parameters + self.routed_flops

    @property
    def norm_bytes(self) -> float:
        """Bytes that norms and residual sums of all layers move, one token forward, in bf16.

        Two norms (in and out) and two sums (two in, one out) a layer.
        """
        return 20.0 * self.hidden * self.layers

    @property
    def elementwise_bytes(self) -> float:
        """Bytes that all else between the matrices of all layers moves, one token forward, in bf16.

        Rotary positions of queries and keys, the activation function, and the sorting of tokens
        to their experts and back.
        """
        rotary = 4.0 * (self.query_key_width + self.key_value_width / 2) * self.layers
        inner = 6.0 if self.gated else 4.0
        moe = self.moe_layers
        dense = inner * self.dense_ffn_width * (self.layers - moe)
        routed = inner * (self.top_k * self.ffn + self.shared_ffn) * moe
        return rotary + dense + routed + 8.0 * self.hidden * self.top_k * moe

    @property
    def head_flops(self) -> float:
        """Operations of the output head, one token forward."""
        return 2.0 * self.embedding_parameters

    def attention_flops(self, context: float) -> float:
        """Operations of all layers' attention, one token over ``context`` tokens, forward."""
        width = 2.0 * (self.query_key_width + self.value_width)
        near = context if self.window is None else min(context, float(self.window))
        wide = self.layers - self.windowed_layers
        return width * (wide * context + self.windowed_layers * near)

    def forward_flops(self, sequence: float) -> float:
        """Operations of one token forward as publications count them for MFU.

        The whole square of attention counts, masked half included (PaLM, arXiv 2204.02311,
        appendix B).
        """
        return self.layer_flops + self.head_flops + self.attention_flops(sequence)


@cache
def models() -> Mapping[str, Model]:
    """The presets, by name."""
    found = read_yaml("models.yaml")
    return {row["name"]: Model.model_validate(row) for row in found["models"]}


def _plain(name: str) -> str:
    """A name without what people write differently: case, spaces, dashes, dots."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def find_model(name: str) -> Model:
    """A preset by name; WorkloadError with what comes close."""
    known = models()
    for model in known.values():
        if _plain(name) in {_plain(called) for called in (model.name, model.title, *model.also)}:
            return model
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    near = difflib.get_close_matches(plain, known, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise WorkloadError(f"no model is called {name[:60]!r}: {hint}")


def own_model(base: Model | None, **shape: int | bool | None) -> Model:
    """A model of one's own, from scratch or from a preset with some of its shape changed.

    What is None is taken from ``base``, or, where there is none, from the usual proportions: as
    many key-value heads as heads, a feed-forward block four times as wide, 2048 tokens a sequence.
    """
    given = {key: value for key, value in shape.items() if value is not None}
    fields = {} if base is None else base.model_dump()
    if base is None:
        missing = [k for k in ("layers", "hidden", "heads", "vocabulary") if k not in given]
        if missing:
            raise WorkloadError(
                f"a model of one's own needs --{', --'.join(missing)} (or name a model with "
                "--model)"
            )
        hidden, heads = int(given["hidden"]), int(given["heads"])
        if heads > 0 and hidden % heads and "head_width" not in given:
            raise WorkloadError(
                f"hidden {hidden} does not divide by {heads} heads: give --head-width"
            )
        fields = {
            "kv_heads": heads,
            "head_width": hidden // heads if heads > 0 else 0,
            "ffn": 4 * hidden,
            "gated": False,
            "sequence": 2048,
            "top_k": 2 if given.get("experts") else 0,
        }
    elif "heads" in given and "kv_heads" not in given:
        fields["kv_heads"] = given["heads"]
    if "experts" in given and not given["experts"]:
        fields |= {"top_k": 0, "shared_ffn": 0, "dense_layers": 0}
    if base is None or given.keys() - {"sequence"}:
        told = {"name": "own", "title": "own shape", "source": "given by the user", "also": ()}
        fields |= told
    fields |= given
    try:
        return Model.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        what = ".".join(str(place) for place in first["loc"])
        said = str(first["msg"]).removeprefix("Value error, ")
        raise WorkloadError(f"this model cannot be: {what + ': ' if what else ''}{said}") from error
