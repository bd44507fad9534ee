# SPDX-License-Identifier: Apache-2.0
"""The estimate held against published training runs, and the table of it in the help pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rackloom.fabric import Fabric
from rackloom.workload.answer import Workload
from rackloom.workload.figures import Given, load_figures
from rackloom.workload.files import read_yaml
from rackloom.workload.layout import Parallel
from rackloom.workload.models import Model, find_model
from rackloom.workload.run import workload
from rackloom.workload.settings import Settings

START, END = "<!-- published runs: generated -->", "<!-- end of published runs -->"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class RunServer(_Frozen):
    """The hardware that runs are placed on, rail by rail and without oversubscription."""

    part: str
    nics: int
    nic_gbps: float
    gpus: int
    """GPUs of the whole design; a run takes the first of them."""
    rack_gpus: int | None = None
    """GPUs of a rack where a rack is one scale-up domain."""
    scale_up_gb_per_s: float | None = None
    links_per_gpu: int | None = None
    note: str


class Run(_Frozen):
    """A published training run."""

    run: str
    family: str
    model: str
    server: str
    gpus: int
    parallel: dict[str, int]
    settings: dict[str, int | str | bool | dict[str, float]]
    measure: Literal["step_s", "tokens_per_s", "tflops_per_gpu", "hardware_tflops_per_gpu"]
    published: float = Field(gt=0)
    assumed: str = ""
    source: str


class LeftOut(_Frozen):
    """A run that cannot be estimated."""

    run: str
    why: str
    source: str


class PublishedRuns(_Frozen):
    """All of them."""

    servers: dict[str, RunServer]
    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]


@cache
def published_runs() -> PublishedRuns:
    """The runs that ship with the program."""
    return PublishedRuns.model_validate(read_yaml("published_runs.yaml"))


FabricFor = Callable[[str], Fabric]
"""Makes the fabric of a server's name in ``published_runs``."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A run and what the estimate makes of it."""

    run: Run
    answer: Workload
    estimated: float
    """In the unit of the run's measure."""
    now: float
    """The layer share (dense models) or expert share that the estimate took."""
    scaled: float
    """What part of the estimated time goes with it."""
    asked: float
    """The share with which the estimate would be right."""

    @property
    def fits(self) -> str:
        """Which constant of figures.yaml the run has a say in: a precision, or ``experts``."""
        return "experts" if self.answer.model.experts else _kind(self.answer.precision)

    @property
    def error(self) -> float:
        """How much faster (above 0) or slower the estimate is than what was measured."""
        if self.run.measure == "step_s":
            return self.run.published / self.estimated - 1
        return self.estimated / self.run.published - 1


def check_runs(fabric_for: FabricFor, runs: Iterable[Run] | None = None) -> list[Checked]:
    """Estimate published runs, each on the fabric of its server."""
    return [check_run(run, fabric_for(run.server)) for run in runs or published_runs().runs]


def check_run(run: Run, fabric: Fabric) -> Checked:
    """Estimate one run."""
    model, settings = find_model(run.model), Settings(**run.settings)  # type: ignore[arg-type]
    parallel = Parallel(**run.parallel)
    answer = workload(fabric, model, parallel, settings, run.gpus)
    # Time is nearly a / share + b: a second point gives the share that is asked for.
    figures = load_figures()
    if model.experts:
        now = figures.experts.fraction
        given = Given(experts=now / 2)
    else:
        now = figures.layer_of(_kind(answer.precision)).fraction
        given = Given(efficiency=answer.efficiency / 2)
    other = workload(fabric, model, parallel, replace(settings, given=given), run.gpus)
    scaled = other.step_s - answer.step_s
    estimated = _figure(run, answer, model, settings)
    measured_s = run.published
    if run.measure != "step_s":
        measured_s = answer.step_s * estimated / run.published
    left = measured_s - (answer.step_s - scaled)
    asked = now * scaled / left if left > 0 else 1.0
    return Checked(run, answer, estimated, now, scaled / answer.step_s, asked)


def _figure(run: Run, answer: Workload, model: Model, settings: Settings) -> float:
    match run.measure:
        case "step_s":
            return answer.step_s
        case "tokens_per_s":
            return answer.tokens_per_s
        case "tflops_per_gpu":
            return answer.tflops_per_gpu
        case _:
            again = model.layer_flops + model.attention_flops(answer.sequence)
            more = again / (3 * model.forward_flops(answer.sequence))
            return answer.tflops_per_gpu * (1 + (more if settings.recompute == "full" else 0.0))


def fitted(checked: Iterable[Checked], constant: str) -> float:
    """A fitted constant of figures.yaml, ``bf16``, ``fp8`` or ``experts``: the runs' median."""
    return median(c.asked for c in checked if c.fits == constant)


def _kind(precision: str) -> str:
    return "fp8" if precision == "fp8" else "bf16"


def median_error(checked: Iterable[Checked]) -> float:
    """Median of the absolute errors."""
    return median(abs(c.error) for c in checked)


def median_error_left_out(checked: list[Checked]) -> float:
    """The same, each family of runs estimated with what the other families ask for."""
    errors = []
    for c in checked:
        others = [o for o in checked if o.run.family != c.run.family and o.fits == c.fits]
        if others:
            longer = 1 + c.scaled * (c.now / median(o.asked for o in others) - 1)
            errors.append(abs((1 + c.error) / longer - 1))
    return median(errors)


_UNITS = {
    "step_s": "s a step",
    "tokens_per_s": "tokens/s",
    "tflops_per_gpu": "TFLOP/s a GPU",
    "hardware_tflops_per_gpu": "TFLOP/s a GPU, recomputation counted",
}


def markdown(checked: list[Checked]) -> str:
    """The part of the help page between its two marks."""
    known = published_runs()
    worst = max(abs(c.error) for c in checked)
    lines = [
        START,
        "",
        f"Of {len(checked)} runs, half are estimated within {median_error(checked):.0%}, the worst "
        f"is {worst:.0%} off. With the fitted shares taken from the other families of runs only, "
        f"half are within {median_error_left_out(checked):.0%}.",
        "",
        "| run | GPUs | measured | estimated | MFU | error |",
        "|---|---|---|---|---|---|",
        *(_row(c) for c in checked),
        "",
        "Error above 0: the estimate is too fast. What the sources leave open, and was assumed:",
        "",
        *_assumptions(known.runs),
        "",
        "Hardware: " + "; ".join(f"{name}: {s.note}" for name, s in known.servers.items()) + ".",
        "",
        "Not estimated:",
        "",
        *_reasons(known.left_out),
        "",
        END,
    ]
    return "\n".join(lines)


def _row(c: Checked) -> str:
    return (
        f"| {c.run.run} | {c.run.gpus} x {c.answer.gpu} | {_number(c.run.published)} "
        f"{_UNITS[c.run.measure]} | {_number(c.estimated)} | {c.answer.mfu:.0%} | {c.error:+.0%} |"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _assumptions(runs: Iterable[Run]) -> list[str]:
    by_text: dict[str, list[str]] = {}
    for run in runs:
        if run.assumed:
            by_text.setdefault(run.assumed, []).append(run.run)
    return [f"- {', '.join(names)}: {text}" for text, names in by_text.items()]


def _reasons(left_out: Iterable[LeftOut]) -> list[str]:
    by_text: dict[str, list[str]] = {}
    for row in left_out:
        by_text.setdefault(row.why, []).append(row.run)
    return [f"- {', '.join(names)}: {text}" for text, names in by_text.items()]
