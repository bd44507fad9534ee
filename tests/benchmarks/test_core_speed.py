# SPDX-License-Identifier: Apache-2.0
"""The core rows of the speed table: open, edit with checks, estimate, generate, lists."""

from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from tests.benchmarks.conftest import catalog

from rackloom.checks import run
from rackloom.collectives import estimate
from rackloom.design import Cable, Design, History, edits
from rackloom.design.ids import CableId
from rackloom.fabric import Fabric
from rackloom.files import load, save
from rackloom.generate import generate
from rackloom.placement.trays import tray_segments
from rackloom.reports import bom, cable_schedule, labels, power_report
from rackloom.reports.tiers import tier_report

SIZES = "8:16G:2"
"""31 sizes, as all_reduce_perf -b 8 -e 16G -f 2."""


def fresh(design: Design) -> Design:
    """The same design without anything derived from it."""
    return Design({name: dict(design.table(name)) for name in (*TABLES, "parts")})


TABLES = (
    "settings", "rows", "racks", "devices", "modules", "cables", "feeds", "cords", "notes",
    "accepted", "severities", "spares", "prices",
)  # fmt: skip


def test_generate(benchmark: BenchmarkFixture, gpus: int) -> None:
    made = benchmark.pedantic(
        lambda: generate("rail-fat-tree", catalog(), gpus=gpus), rounds=3, warmup_rounds=1
    )
    assert sum(len(d.part) > 0 for d in made.design.devices.values()) > gpus // 8


def test_open(benchmark: BenchmarkFixture, project_file: Path, design: Design) -> None:
    """Read, validate, links: what has to be there before the first frame."""

    def open_project() -> Design:
        opened = load(project_file).design
        assert opened.index
        assert opened.links
        return opened

    opened = benchmark.pedantic(open_project, rounds=3, warmup_rounds=1)
    assert len(opened.cables) == len(design.cables)


def test_save(benchmark: BenchmarkFixture, design: Design, folder: Path) -> None:
    path = folder / "saved.rackloom"
    benchmark.pedantic(lambda: save(path, design), rounds=3, warmup_rounds=1)
    assert path.stat().st_size > 0


def test_check_all(benchmark: BenchmarkFixture, design: Design) -> None:
    """Every rule on a bare design: index, links, routes and loads are worked out as well.

    Target: 3 s at 16,384 GPUs.
    """
    found = benchmark.pedantic(
        lambda base: run(base, catalog()),
        setup=lambda: ((fresh(design),), {}),
        rounds=3,
        warmup_rounds=1,
    )
    assert found.counts["error"] == 0


def test_edit_and_check(benchmark: BenchmarkFixture, design: Design) -> None:
    """Unplug one cable: the new design, its links, and the findings that can have changed."""
    history = History(design)
    assert design.links
    state = {"findings": run(design, catalog())}
    cables = iter(list(design.cables)[:: max(len(design.cables) // 200, 1)])

    def edit() -> None:
        history.do("Delete cable", edits.remove, {next(cables)})
        after, step = history.design, history.steps[-1]
        state["findings"] = state["findings"].patched(after, step.change)

    benchmark.pedantic(edit, rounds=20, warmup_rounds=2)
    assert history.position == 22


def test_rename_and_check(benchmark: BenchmarkFixture, design: Design) -> None:
    history = History(design)
    device = next(iter(design.devices))
    state = {"findings": run(design, catalog())}
    numbers = count()

    def edit() -> None:
        history.do("Rename", edits.rename, device, f"renamed-{next(numbers)}")
        state["findings"] = state["findings"].patched(history.design, history.steps[-1].change)

    benchmark.pedantic(edit, rounds=20, warmup_rounds=2)
    assert history.design.devices[device].name.startswith("renamed-")


def test_fabric(benchmark: BenchmarkFixture, design: Design) -> None:
    """The network from its links, as after opening."""
    assert design.links
    fabric = benchmark.pedantic(lambda: Fabric.of(design), rounds=3, warmup_rounds=1)
    assert fabric.gpus


def test_estimate(benchmark: BenchmarkFixture, design: Design, gpus: int) -> None:
    """One collective, 31 sizes, on a fabric that is there."""
    fabric = Fabric.of(design)
    answer = benchmark.pedantic(
        lambda: estimate(fabric, "all-reduce", SIZES),
        rounds=3,
        warmup_rounds=1,
    )
    assert answer.gpus == gpus


@pytest.mark.parametrize("collective", ["all-reduce", "all-to-all"])
def test_estimate_one_uplink_down(
    benchmark: BenchmarkFixture, design: Design, gpus: int, collective: str
) -> None:
    """The same with one leaf uplink unplugged: symmetry broken in one place."""
    fabric = Fabric.of(design)
    uplink = an_uplink(design)
    answer = benchmark.pedantic(
        lambda: estimate(fabric, collective, SIZES, failed=frozenset({uplink})),
        rounds=3,
        warmup_rounds=1,
    )
    assert answer.gpus == gpus


def test_estimate_all_to_all(benchmark: BenchmarkFixture, design: Design, gpus: int) -> None:
    fabric = Fabric.of(design)
    answer = benchmark.pedantic(
        lambda: estimate(fabric, "all-to-all", SIZES), rounds=3, warmup_rounds=1
    )
    assert answer.gpus == gpus


def test_edit_and_estimate(benchmark: BenchmarkFixture, design: Design, gpus: int) -> None:
    """What the chart does after each edit: the network patched, then estimated; every round takes
    another uplink away, so symmetry is broken in more and more places.
    """
    history = History(design)
    state = {"fabric": Fabric.of(design)}
    uplinks = iter([c.id for c in design.cables.values() if is_uplink(design, c)][::97])
    estimate(state["fabric"], "all-reduce", SIZES)

    def edit() -> None:
        history.do("Delete cable", edits.remove, {next(uplinks)})
        after, step = history.design, history.steps[-1]
        state["fabric"] = state["fabric"].patched(after, step.change)
        assert estimate(state["fabric"], "all-reduce", SIZES).gpus == gpus

    benchmark.pedantic(edit, rounds=3, warmup_rounds=1)
    assert history.position == 4


def test_tiers_and_ways(benchmark: BenchmarkFixture, design: Design) -> None:
    """Numbers by tier, and hops and ways between 24 groups, as summary --tiers gives them."""
    fabric = Fabric.of(design)
    report = benchmark.pedantic(lambda: tier_report(fabric), rounds=3, warmup_rounds=1)
    assert report["ways"]["pairs"]


def an_uplink(design: Design) -> CableId:
    """The last cable of the first leaf."""
    leaf = next(d.id for d in design.devices.values() if d.role == "leaf")
    return design.index.cables_of_device[leaf][-1]


def is_uplink(design: Design, cable: Cable) -> bool:
    """Whether a cable goes from a leaf to a spine."""
    return {design.devices[end.device].role for end in cable.ends} == {"leaf", "spine"}


def test_bom(benchmark: BenchmarkFixture, design: Design) -> None:
    assert benchmark.pedantic(lambda: bom(design), rounds=3, warmup_rounds=1)


def test_cable_schedule(benchmark: BenchmarkFixture, design: Design) -> None:
    rows = benchmark.pedantic(lambda: cable_schedule(design), rounds=3, warmup_rounds=1)
    assert len(rows) == len(design.cables)


def test_power_report(benchmark: BenchmarkFixture, design: Design) -> None:
    report = benchmark.pedantic(lambda: power_report(design), rounds=3, warmup_rounds=1)
    assert len(report.bars) == len(design.racks)


def test_trays(benchmark: BenchmarkFixture, design: Design) -> None:
    assert benchmark.pedantic(lambda: tray_segments(design), rounds=3, warmup_rounds=1)


def test_labels(benchmark: BenchmarkFixture, design: Design) -> None:
    """Both ends of every cable."""
    found = benchmark.pedantic(lambda: labels(design), rounds=3, warmup_rounds=1)
    assert len(found) >= len(design.cables)
