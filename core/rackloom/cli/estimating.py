# SPDX-License-Identifier: Apache-2.0
"""``estimate``: how fast a collective is, beside a measured log, and what unplugging costs."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rackloom.cli.errors import CommandError
from rackloom.cli.output import note, progress, say, say_json

if TYPE_CHECKING:
    from rackloom.collectives import Estimate, FailureSweep, Point, Settings
    from rackloom.design import Design
    from rackloom.interop.nccl_log import MeasuredPoint, MeasuredRun

DEFAULT_COLLECTIVE = "all-reduce"
DEFAULT_SIZES = "8:16G:2"
MOST_LOG_BYTES = 64 << 20
"""Greatest log of measurements that is read."""
_SWEPT_KINDS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``estimate``, but for the file and the format."""
    parser.add_argument(
        "--collective",
        metavar="NAME",
        help="all-reduce, all-gather, reduce-scatter, broadcast, reduce, all-to-all or "
        f"send-receive (default: that of --measured, or {DEFAULT_COLLECTIVE})",
    )
    parser.add_argument(
        "--sizes",
        metavar="FROM:TO:FACTOR",
        help=f"message sizes as nccl-tests counts them (default: those of --measured, or "
        f"{DEFAULT_SIZES})",
    )
    parser.add_argument(
        "--gpus",
        metavar="N|NAMES",
        help="the first N GPUs; servers by name, pod:NAME, gpu-001/0 for one GPU, separated by "
        "commas; every:N; one-per-server (default: all)",
    )
    parser.add_argument(
        "--algorithm",
        default="auto",
        metavar="NAME",
        help="ring, tree, nvls, nvls-tree, collnet-direct, collnet-chain, pat, direct or "
        "direct-without-pxn; forced also where the library would not choose it (default: the "
        "fastest at each size)",
    )
    parser.add_argument(
        "--protocol",
        default="auto",
        metavar="NAME",
        help="LL, LL128 or Simple (default: the fastest at each size)",
    )
    parser.add_argument(
        "--fail",
        nargs="+",
        action="extend",
        default=[],
        metavar="DEVICE|CABLE",
        help="take these to be dead: names of devices, labels or ids of cables",
    )
    parser.add_argument(
        "--measured",
        metavar="LOG",
        help="a log of nccl-tests or rccl-tests to lay beside the estimate",
    )
    parser.add_argument(
        "--sweep",
        action="store_true",
        help="unplug one of each kind of device and cable, and rank what hurts most",
    )
    parser.add_argument(
        "--routing",
        choices=("auto", "adaptive", "ecmp"),
        default="auto",
        help="adaptive: links fill evenly; ecmp: a hash places flows (default: by protocol)",
    )
    parser.add_argument(
        "--flows", type=int, metavar="N", help="flows of a connection under ecmp (default: 16)"
    )
    parser.add_argument(
        "--efficiency",
        type=float,
        default=1.0,
        metavar="PART",
        help="what loss or a wrong set-up leaves of the network, 0 to 1 (default: 1, healthy)",
    )
    parser.add_argument(
        "--transport",
        choices=("infiniband", "ethernet", "efa", "efa-p5"),
        help="where it is not what the switches speak; efa: of AWS P6, efa-p5: of P4 and P5",
    )
    parser.add_argument("--sharp", action="store_true", help="switches that can add up do so")


def run(arguments: argparse.Namespace, design: Design, failed: frozenset[str]) -> None:
    """Estimate and print. Errors of the user are CommandErrors."""
    from rackloom.collectives import EstimateError

    try:
        if arguments.sweep:
            _sweep(arguments, design, failed)
        else:
            _curve(arguments, design, failed)
    except EstimateError as error:
        raise CommandError(str(error)) from error


def _settings(arguments: argparse.Namespace) -> Settings:
    from rackloom.collectives import Settings
    from rackloom.collectives.case import FLOWS_PER_CONNECTION

    flows = FLOWS_PER_CONNECTION if arguments.flows is None else arguments.flows
    return Settings(
        routing=arguments.routing,
        flows_per_connection=flows,
        network_efficiency=arguments.efficiency,
        transport=arguments.transport,
        sharp=arguments.sharp,
    )


def _curve(arguments: argparse.Namespace, design: Design, failed: frozenset[str]) -> None:
    from rackloom.cli.curves import estimate_csv, estimate_table
    from rackloom.collectives import estimate, parse_sizes

    measured = _measured(arguments)
    sizes: tuple[int, ...]
    if measured is not None and arguments.sizes is None:
        sizes = tuple(point.size_bytes for point in measured.points)
    else:
        sizes = parse_sizes(arguments.sizes or DEFAULT_SIZES)
    with progress("estimating"):
        answer = estimate(
            design,
            _collective(arguments, measured),
            sizes,
            gpus=arguments.gpus if arguments.gpus is not None else _ranks(measured, design),
            failed=failed,
            algorithm=arguments.algorithm,
            protocol=arguments.protocol,
            settings=_settings(arguments),
        )
    gaps = None if measured is None else gaps_of(answer, measured)
    if measured is not None and measured.collective is None and arguments.collective is None:
        note(f"the log does not say which test it is of: taken for {DEFAULT_COLLECTIVE}")
    if arguments.format == "json":
        document = answer.to_json()
        if measured is not None and gaps is not None:
            document["measured"] = _measured_json(measured, gaps)
        say_json(document)
    elif arguments.format == "csv":
        say(estimate_csv(answer) if gaps is None else gap_csv(gaps))
    else:
        say(estimate_table(answer) + ("" if gaps is None else gap_table(gaps)))


def _collective(arguments: argparse.Namespace, measured: MeasuredRun | None) -> str:
    if arguments.collective is not None:
        return str(arguments.collective)
    if measured is not None and measured.collective is not None:
        return measured.collective.value
    return DEFAULT_COLLECTIVE


def _ranks(measured: MeasuredRun | None, design: Design) -> int | None:
    """The first GPUs, as many as the log has ranks; all where it does not say."""
    if measured is None or measured.ranks is None:
        return None
    from rackloom.fabric import Fabric

    gpus = Fabric.of(design).gpus
    if measured.ranks > gpus:
        raise CommandError(
            f"the log is of {measured.ranks} GPUs and the design has {gpus}: "
            "choose with --gpus what to compare it with"
        )
    return measured.ranks


def _measured(arguments: argparse.Namespace) -> MeasuredRun | None:
    """The table of the log that is about the collective asked for, the first where several are."""
    if arguments.measured is None:
        return None
    from rackloom.collectives import parse_collective
    from rackloom.interop.nccl_log import NcclLogError, decoded, read_nccl_log

    path = Path(arguments.measured)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_LOG_BYTES + 1)
        if len(data) > MOST_LOG_BYTES:
            raise CommandError(f"{path}: a log is not longer than {MOST_LOG_BYTES >> 20} MB")
        runs = read_nccl_log(decoded(data))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or 'cannot be read'}") from error
    except NcclLogError as error:
        raise CommandError(f"{path}: {error}") from error
    there = ", ".join(str(r.collective or "unnamed") for r in runs)
    wanted = None if arguments.collective is None else parse_collective(arguments.collective)
    fitting = [run for run in runs if wanted is None or run.collective in {wanted, None}]
    if len(runs) > 1 and fitting:
        note(
            f"the log has {len(runs)} tables ({there}): compared is the first"
            + (" (choose with --collective)" if wanted is None else f" of {wanted}")
        )
    if fitting:
        return fitting[0]
    raise CommandError(f"{path}: no table is of {wanted}; there are {there}")


@dataclass(frozen=True, slots=True)
class GapRow:
    """A measured size beside the estimate, with the field names of the CSV."""

    size_bytes: int
    measured_time_us: float
    time_us: float
    measured_busbw_gb_per_s: float
    busbw_gb_per_s: float
    gap_percent: float
    """How much faster (or, below 0, slower) was measured than is expected, by time."""
    algorithm: str
    protocol: str


def gaps_of(answer: Estimate, measured: MeasuredRun) -> list[GapRow]:
    """Every measured size that was estimated too."""
    at: dict[int, Point] = {point.size_bytes: point for point in answer.points}
    return [_gap(at[p.size_bytes], p) for p in measured.points if p.size_bytes in at]


def _gap(point: Point, measured: MeasuredPoint) -> GapRow:
    return GapRow(
        size_bytes=point.size_bytes,
        measured_time_us=measured.time_us,
        time_us=point.time_us,
        measured_busbw_gb_per_s=measured.busbw_gb_per_s,
        busbw_gb_per_s=point.busbw_gb_per_s,
        gap_percent=100 * (point.time_us / measured.time_us - 1),
        algorithm=point.algorithm,
        protocol=point.protocol,
    )


def gap_table(gaps: list[GapRow]) -> str:
    """The measured sizes beside the estimate, and the median gap of the large ones."""
    from rackloom.collectives.answer import LARGE_BYTES

    lines = [
        f"# {'size_bytes':>12} {'measured_us':>12} {'expected_us':>12} {'measured':>9} "
        f"{'expected':>9} {'gap':>7}"
    ]
    lines += [
        f"{g.size_bytes:>14} {g.measured_time_us:>12.2f} {g.time_us:>12.2f} "
        f"{g.measured_busbw_gb_per_s:>9.2f} {g.busbw_gb_per_s:>9.2f} {g.gap_percent:>+6.1f}%"
        for g in gaps
    ]
    large = [g for g in gaps if g.size_bytes >= LARGE_BYTES]
    middle = median(g.gap_percent for g in large or gaps) if gaps else 0.0
    where = "from 256 MiB on" if large else "over all sizes"
    if gaps:
        way = "faster" if middle > 0 else "slower"
        lines.append(f"# measured {abs(middle):.1f}% {way} than expected {where} (median)")
    return "\n".join(lines) + "\n"


def gap_csv(gaps: list[GapRow]) -> str:
    """The same as CSV."""
    from rackloom.reports import csv_text

    return csv_text(gaps, GapRow)


def _measured_json(measured: MeasuredRun, gaps: list[GapRow]) -> dict[str, Any]:
    return {
        "collective": measured.collective.value if measured.collective is not None else None,
        "gpus": measured.ranks,
        "points": [
            {
                "size_bytes": gap.size_bytes,
                "time_us": gap.measured_time_us,
                "busbw_gb_per_s": gap.measured_busbw_gb_per_s,
                "gap_percent": gap.gap_percent,
            }
            for gap in gaps
        ],
    }


def _sweep(arguments: argparse.Namespace, design: Design, failed: frozenset[str]) -> None:
    from rackloom.collectives import failure_sweep, parse_sizes
    from rackloom.fabric import Fabric

    size = max(parse_sizes(arguments.sizes or "1G"))
    with progress("unplugging"):
        found = failure_sweep(
            Fabric.of(design, failed),
            arguments.collective or DEFAULT_COLLECTIVE,
            size,
            gpus=arguments.gpus,
            settings=_settings(arguments),
            most_kinds=_SWEPT_KINDS,
            algorithm=arguments.algorithm,
            protocol=arguments.protocol,
        )
    if arguments.format == "json":
        say_json(_sweep_json(found))
    elif arguments.format == "csv":
        from rackloom.reports import csv_text

        say(csv_text([_SweepRow.of(e) for e in found.effects], _SweepRow))
    else:
        say(_sweep_table(found))


@dataclass(frozen=True, slots=True)
class _SweepRow:
    kind: str
    members: int
    example: str
    busbw_gb_per_s: float
    lost_percent: float
    text: str

    @classmethod
    def of(cls, effect: Any) -> _SweepRow:
        return cls(
            effect.kind,
            len(effect.members),
            effect.example,
            effect.busbw_gb_per_s,
            100 * effect.lost,
            effect.text,
        )


def _sweep_table(found: FailureSweep) -> str:
    lines = [
        f"# {found.collective.value} of {found.size_bytes} bytes: {found.busbw_gb_per_s:.2f} GB/s "
        "of bus bandwidth with nothing unplugged; one of each kind out:",
        f"{'lost':>7} {'busbw':>9} {'of kind':>8}  kind, example: what binds then",
    ]
    lines += [
        f"{_percent(e.lost):>7} {e.busbw_gb_per_s:>9.2f} {len(e.members):>8}  {e.kind}, "
        f"{e.example}: {e.text}"
        for e in found.effects
    ]
    if found.left_out:
        lines.append(f"# {found.left_out} rarer kinds were not tried")
    return "\n".join(lines) + "\n"


def _percent(part: float) -> str:
    """``9.6%``; what rounds to nothing has no sign."""
    text = f"{part:.1%}"
    return "0.0%" if text == "-0.0%" else text


def _sweep_json(found: FailureSweep) -> dict[str, Any]:
    return {
        "schema": 1,
        "collective": found.collective.value,
        "size_bytes": found.size_bytes,
        "busbw_gb_per_s": found.busbw_gb_per_s,
        "effects": [
            {
                "kind": e.kind,
                "members": list(e.members),
                "example": e.example,
                "busbw_gb_per_s": e.busbw_gb_per_s,
                "lost": e.lost,
                "text": e.text,
            }
            for e in found.effects
        ],
        "left_out": found.left_out,
    }
