# SPDX-License-Identifier: Apache-2.0
"""``workload``: what a training or inference job gets out of a design."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rackloom.cli.errors import CommandError
from rackloom.cli.output import progress, say, say_json

if TYPE_CHECKING:
    from rackloom.workload import Model, Settings, Workload

_SHAPE = ("layers", "hidden", "heads", "kv-heads", "head-width", "ffn", "experts", "top-k")
_SHAPE_HELP = {
    "layers": "own shape: number of layers",
    "hidden": "own shape: width of the hidden states",
    "heads": "own shape: attention heads",
    "kv-heads": "own shape: key-value heads (default: as many as heads)",
    "head-width": "own shape: width of a head (default: hidden / heads)",
    "ffn": "own shape: inner width of the feed-forward block, of one expert (default: 4 x hidden)",
    "experts": "own shape: routed experts a layer",
    "top-k": "own shape: experts that a token goes to",
    "vocabulary": "own shape: size of the vocabulary",
}
_WORDS = {
    "compute": "computing",
    "memory": "reading memory",
    "tp": "tensor parallel communication",
    "cp": "context parallel communication",
    "ep": "expert parallel communication",
    "pp": "pipeline transfers",
    "dp": "data parallel communication",
    "optimizer": "optimizer",
    "bubble": "pipeline bubble",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="a project file")
    parser.add_argument("--model", metavar="NAME", help="a preset (see --list-models)")
    parser.add_argument("--list-models", action="store_true", help="list the presets and end")
    for name in (*_SHAPE, "vocabulary"):
        parser.add_argument(f"--{name}", type=_whole, metavar="N", help=_SHAPE_HELP[name])
    gated = parser.add_mutually_exclusive_group()
    gated.add_argument(
        "--gated", dest="gated", action="store_true", default=None, help="own shape: SwiGLU blocks"
    )
    gated.add_argument(
        "--not-gated", dest="gated", action="store_false", help="own shape: two matrices a block"
    )
    parser.add_argument(
        "--mode", default="train", metavar="MODE", help="train, prefill or decode (default: train)"
    )
    for name, words in (
        ("tp", "tensor parallel size (default: 1)"),
        ("pp", "pipeline stages (default: 1)"),
        ("cp", "context parallel size (default: 1)"),
        ("ep", "expert parallel size, within data and context parallel ranks (default: 1)"),
        ("virtual", "virtual pipeline stages a GPU (default: 1)"),
    ):
        parser.add_argument(f"--{name}", type=_whole, default=1, metavar="N", help=words)
    parser.add_argument("--dp", type=_whole, metavar="N", help="default: what the GPUs leave")
    parser.add_argument(
        "--zero", type=_whole, default=1, metavar="STAGE", help="ZeRO stage, 0 to 3 (default: 1)"
    )
    parser.add_argument("--micro-batch", type=_whole, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--global-batch", type=_whole, metavar="N", help="sequences of a step, over all replicas"
    )
    parser.add_argument("--sequence", type=_whole, metavar="TOKENS", help="default: the model's")
    parser.add_argument(
        "--precision", default="bf16", metavar="NAME", help="bf16, fp16 or fp8 (default: bf16)"
    )
    parser.add_argument(
        "--recompute", default="none", metavar="WHAT", help="none, selective or full"
    )
    parser.add_argument(
        "--no-sequence-parallel", action="store_true", help="all-reduce over tensor parallel ranks"
    )
    parser.add_argument(
        "--overlap",
        action="append",
        default=[],
        metavar="KIND=SHARE",
        help="share of tp, cp, ep, dp or pp communication that hides behind computation, 0 to 1",
    )
    for name, words in (
        ("efficiency", "share of the peak that computation reaches, 0 to 1"),
        ("peak-tflops", "peak of one GPU in this precision"),
        ("memory-gb", "memory of one GPU"),
        ("memory-gb-per-s", "peak bandwidth of one GPU's memory"),
    ):
        parser.add_argument(f"--{name}", type=_figure, metavar="X", help=words)
    parser.add_argument("--gpus", type=_whole, metavar="N", help="only the first N GPUs")
    parser.add_argument(
        "--fail",
        nargs="+",
        action="extend",
        default=[],
        metavar="DEVICE|CABLE",
        help="take these to be dead: names of devices, labels or ids of cables",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def run(arguments: argparse.Namespace) -> int:
    """``rackloom workload``."""
    from rackloom.cli.names import resolve
    from rackloom.files import load
    from rackloom.workload import Parallel, WorkloadError, workload

    if arguments.list_models:
        return _list_models(arguments.format)
    if arguments.file is None:
        raise CommandError("the project file is missing (see rackloom workload --help)")
    try:
        model, settings = _model(arguments), _settings(arguments)
        parallel = Parallel(
            tp=arguments.tp,
            pp=arguments.pp,
            dp=arguments.dp,
            cp=arguments.cp,
            ep=arguments.ep,
            virtual=arguments.virtual,
            zero=arguments.zero,
        )
        with progress(f"reading {arguments.file}"):
            design = load(arguments.file).design
        failed = resolve(design, arguments.fail)
        with progress("estimating"):
            answer = workload(design, model, parallel, settings, arguments.gpus, failed)
    except WorkloadError as error:
        raise CommandError(str(error)) from error
    if arguments.format == "json":
        say_json(answer.to_json())
    else:
        say(workload_text(answer))
    return 0


def _model(arguments: argparse.Namespace) -> Model:
    from rackloom.workload import find_model, own_model

    base = find_model(arguments.model) if arguments.model else None
    shape: dict[str, Any] = {
        name.replace("-", "_"): getattr(arguments, name.replace("-", "_"))
        for name in (*_SHAPE, "vocabulary")
    }
    shape["gated"] = arguments.gated
    if all(value is None for value in shape.values()):
        if base is None:
            raise CommandError(
                "the model is missing: give --model NAME (see --list-models), or --layers, "
                "--hidden, --heads and --vocabulary"
            )
        return base
    return own_model(base, **shape)


def _settings(arguments: argparse.Namespace) -> Settings:
    from rackloom.workload import Given, Settings

    overlap = {}
    for entry in arguments.overlap:
        kind, equals, share = entry.partition("=")
        try:
            overlap[kind.strip()] = _figure(share)
        except argparse.ArgumentTypeError:
            equals = ""
        if not equals:
            raise CommandError(f"--overlap {entry}: write it as KIND=SHARE, as in tp=0.5")
    return Settings(
        mode=arguments.mode,
        micro_batch=arguments.micro_batch,
        global_batch=arguments.global_batch,
        sequence=arguments.sequence,
        precision=arguments.precision,
        recompute=arguments.recompute,
        sequence_parallel=not arguments.no_sequence_parallel,
        overlap=overlap,
        given=Given(
            efficiency=arguments.efficiency,
            peak_tflops=arguments.peak_tflops,
            memory_gb=arguments.memory_gb,
            memory_gb_per_s=arguments.memory_gb_per_s,
        ),
    )


def _list_models(form: str) -> int:
    from rackloom.workload import models

    known = models().values()
    if form == "json":
        listed = [
            {
                **model.model_dump(mode="json"),
                "parameters": model.parameters,
                "active_parameters": model.active_parameters,
            }
            for model in known
        ]
        say_json({"schema": 1, "models": listed})
        return 0
    width = max(len(model.name) for model in known)
    say(
        "".join(
            f"{m.name:<{width}}  {m.parameters / 1e9:>7.1f} B  {m.title} ({m.source})\n"
            for m in known
        )
    )
    return 0


def workload_text(answer: Workload) -> str:
    """The answer for people: headline, split of the time, memory, communication, warnings."""
    per = {"train": "step", "prefill": "first token", "decode": "token"}[answer.mode]
    parallel = answer.parallel
    layout = f"tp {parallel.tp}, pp {parallel.pp}, dp {parallel.dp}, cp {parallel.cp}"
    if answer.model.experts:
        layout += f", ep {parallel.ep}"
    if parallel.virtual > 1:
        layout += f", {parallel.virtual} virtual stages"
    if answer.mode == "train":
        layout += f", ZeRO {parallel.zero}"
    lines = [
        f"{answer.model.title}, {answer.mode} on {answer.gpus} x {answer.gpu} ({layout})",
        f"{answer.global_batch} sequence{'' if answer.global_batch == 1 else 's'} of "
        f"{answer.sequence} tokens, micro-batch "
        f"{answer.micro_batch}, {answer.precision}",
        "",
        f"time per {per:<12} {_time(answer.step_s)}",
        f"tokens per second     {answer.tokens_per_s:,.0f} "
        f"({answer.tokens_per_s / answer.gpus:,.0f} a GPU)",
        f"TFLOP/s per GPU       {answer.tflops_per_gpu:,.1f} ({answer.mfu:.1%} of the peak)",
        f"GPUs are busy         {answer.utilisation:.1%} of the time",
        "",
        *_split_lines(answer),
        "",
        *_memory_lines(answer),
    ]
    if answer.channels:
        lines += ["", *_channel_lines(answer)]
    if answer.warnings:
        lines += ["", *(f"warning: {warned.text}" for warned in answer.warnings)]
    lines += ["", *(f"assumed: {text}" for text in answer.assumptions)]
    return "\n".join(lines) + "\n"


def _split_lines(answer: Workload) -> list[str]:
    return [
        f"  {_WORDS[name]:<34} {_time(seconds):>12} {seconds / answer.step_s:>7.1%}"
        for name, seconds in answer.split.parts().items()
        if seconds > 0
    ]


def _memory_lines(answer: Workload) -> list[str]:
    memory = answer.memory
    parts = (
        ("weights", memory.weights_bytes),
        ("gradients", memory.gradients_bytes),
        ("optimizer", memory.optimizer_bytes),
        ("activations", memory.activations_bytes),
        ("cache", memory.cache_bytes),
    )
    listed = ", ".join(f"{name} {size / 1e9:,.1f}" for name, size in parts if size > 0)
    limit = memory.available_bytes
    of = "an unknown size" if limit is None else f"{limit / 1e9:,.0f} GB"
    return [f"memory per GPU        {memory.total_bytes / 1e9:,.1f} GB of {of} ({listed})"]


def _channel_lines(answer: Workload) -> list[str]:
    head = f"{'groups':<17}{'collective':<16}{'ranks':>6}{'size_bytes':>14}{'time':>12}{'busbw':>9}"
    return [
        f"{head}  limited by",
        *(
            f"{f'{c.groups} {c.kind}':<17}{c.collective.value:<16}{c.ranks:>6}{c.size_bytes:>14}"
            f"{_time(c.time_us / 1e6):>12}{c.busbw_gb_per_s:>9.1f}  {c.limited_by}"
            for c in answer.channels
        ),
    ]


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:,.3f} s"
    return f"{seconds * 1e3:,.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:,.1f} us"


def _whole(text: str) -> int:
    plain = text.strip()
    if not plain.isascii() or not plain.isdecimal() or len(plain) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number")
    return int(plain)


def _figure(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not 0 <= found < 1e12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of 0 or more")
    return found
