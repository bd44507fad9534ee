# SPDX-License-Identifier: Apache-2.0
"""What the chart asks the engine, and the answer with what unplugging changes, for a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rackloom.collectives import Estimate, FailureSweep, Settings
    from rackloom.collectives.group import GpuChoice
    from rackloom.fabric import Fabric

COLLECTIVES = (
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce",
    "send-receive",
)  # fmt: skip
"""As the engine names them; here without it, for importing it costs the start half a second."""
FLOWS = 16
"""Flows of a connection unless another number is asked for; a test holds it to the engine's."""
ALL_GPUS, SELECTION, ONE_PER_SERVER = "", "selection", "one-per-server"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the engine."""

    collective: str = "all-reduce"
    group: str = ALL_GPUS
    """Empty: all GPUs. ``selection``: those of ``servers``. Else as the engine takes it: a number
    (the first so many), ``every:8``, ``one-per-server``, ``pod:NAME``."""
    servers: tuple[str, ...] = ()
    """Ids of the selected servers."""
    algorithm: str = "auto"
    protocol: str = "auto"
    routing: str = "auto"
    flows: int = FLOWS
    """Flows of a connection where a hash places them."""
    transport: str = ""
    """Empty: what the switches speak. Else one of the engine's TRANSPORTS."""
    sharp: bool = False
    efficiency: float = 1.0
    """What the network is taken to reach of its rate: 1 is a healthy one."""
    also: tuple[str, ...] = ()
    """Further collectives, on the same group and network, to lay beside the first."""

    def gpus(self, failed: frozenset[str]) -> GpuChoice:
        """Which GPUs, as the engine takes it; servers that are unplugged do not take part."""
        if self.group == SELECTION:
            return [server for server in self.servers if server not in failed]
        return self.group or None


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back."""

    estimate: Estimate
    whole: Estimate | None
    """The same with nothing unplugged, while something is."""
    fabric: Fabric
    """The network it is of, with nothing unplugged."""
    note: str
    """What unplugging changes and why, in a sentence; empty while nothing is unplugged."""
    also: tuple[Estimate, ...] = ()
    """The further collectives that were asked for, where they have an answer."""


def answer(
    fabric: Fabric, asked: Asked, failed: frozenset[str], whole: Estimate | None
) -> Answered:
    """Estimate, and, while something is unplugged, compare with ``whole`` (or work that out)."""
    now = _one(fabric, asked, failed)
    also = _also(fabric, asked, failed)
    if not failed:
        return Answered(now, None, fabric, "", also)
    from rackloom.collectives import EstimateError
    from rackloom_gui.charts.what_if import what_if_text

    if whole is None:
        try:
            whole = _one(fabric, asked, frozenset())
        except EstimateError:
            return Answered(now, None, fabric, "", also)
    return Answered(now, whole, fabric, what_if_text(fabric.design, whole, now, failed), also)


def _also(fabric: Fabric, asked: Asked, failed: frozenset[str]) -> tuple[Estimate, ...]:
    """The further collectives; an algorithm that is forced is one of the first alone."""
    from rackloom.collectives import EstimateError

    found = []
    for collective in asked.also:
        if collective == asked.collective:
            continue
        other = replace(asked, collective=collective, algorithm="auto", protocol="auto")
        try:
            found.append(_one(fabric, other, failed))
        except EstimateError:  # the first collective says what is amiss, where anything is
            continue
    return tuple(found)


def sweep_failures(
    fabric: Fabric,
    asked: Asked,
    failed: frozenset[str],
    on_step: Callable[[int, int], object],
    size_bytes: int,
    collective: str = "",
) -> FailureSweep:
    """Every single failure on top of what is unplugged, at one size.

    ``collective``: another one than was asked for, by the fastest algorithm.
    """
    from rackloom.collectives import failure_sweep

    if collective and collective != asked.collective:
        asked = replace(asked, collective=collective, algorithm="auto", protocol="auto")
    return failure_sweep(
        fabric.without(failed),
        asked.collective,
        size_bytes,
        gpus=asked.gpus(failed),
        settings=_settings(asked),
        on_step=on_step,
        algorithm=asked.algorithm,
        protocol=asked.protocol,
    )


def _settings(asked: Asked) -> Settings:
    from rackloom.collectives import Settings

    return Settings(
        routing=asked.routing,
        flows_per_connection=asked.flows,
        network_efficiency=asked.efficiency,
        transport=asked.transport or None,
        sharp=asked.sharp,
    )


def _one(fabric: Fabric, asked: Asked, failed: frozenset[str]) -> Estimate:
    from rackloom.collectives import estimate

    return estimate(
        fabric,
        asked.collective,
        gpus=asked.gpus(failed),
        failed=failed,
        algorithm=asked.algorithm,
        protocol=asked.protocol,
        settings=_settings(asked),
    )
