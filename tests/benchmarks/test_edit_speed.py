# SPDX-License-Identifier: Apache-2.0
"""One edit of each kind: the new design, its links, and the findings that can have changed.

Targets (DESIGN.md 9): 16 ms at 1,024 GPUs and 50 ms at 16,384, with the canvas up to date.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from tests.benchmarks.conftest import catalog

from rackloom.bulk import set_heap_apart
from rackloom.catalog.parts import DevicePart, ServerPart
from rackloom.checks import run
from rackloom.design import Design, Draft, History, edits
from rackloom.design.ids import DeviceId, RackId
from rackloom.design.slots import first_free_u


def _devices(design: Design, role: str) -> list[str]:
    return [d.id for d in design.devices.values() if d.role == role]


def _servers(design: Design) -> list[str]:
    return [d.id for d in design.devices.values() if isinstance(design.parts[d.part], ServerPart)]


def _higher(design: Design, device_id: str) -> tuple[DeviceId, RackId, int]:
    """A device with another place for it in its rack."""
    device = design.devices[DeviceId(device_id)]
    free_u = first_free_u(design, design.part(device.part, DevicePart), device.rack)
    assert free_u is not None
    return device.id, device.rack, free_u


def _bring(draft: Draft, leaf: str, design: Design) -> None:
    """Another leaf, bare, into the first rack with room for it."""
    part = design.device_part(DeviceId(leaf))
    rack, u = next((r, u) for r in design.racks if (u := first_free_u(design, part, r)) is not None)
    edits.add_device(draft, part, rack, u)


EDITS: dict[str, Callable[[Design, int], tuple[Any, ...]]] = {
    "rename_device": lambda d, n: (edits.rename, list(d.devices)[n], f"renamed-{n}"),
    "remove_cable": lambda d, n: (edits.remove, {list(d.cables)[101 * n]}),
    "remove_server": lambda d, n: (edits.remove, {_servers(d)[n]}),
    "remove_leaf": lambda d, n: (edits.remove, {_devices(d, "leaf")[n]}),
    "remove_spine": lambda d, n: (edits.remove, {_devices(d, "spine")[n]}),
    "remove_rack": lambda d, n: (edits.remove, {list(d.racks)[n]}),
    "remove_cord": lambda d, n: (edits.remove, {list(d.cords)[n]}),
    "move_server": lambda d, n: (edits.move_device, *_higher(d, _servers(d)[n])),
    "add_leaf": lambda d, n: (_bring, _devices(d, "leaf")[n], d),
    "set_severity": lambda d, n: (edits.set_severity, "fabric.island", ("info", "error")[n % 2]),
}
"""Kinds of edits, each made in its ``n``-th way."""


@pytest.mark.parametrize("kind", EDITS)
def test_edit_and_check_again(benchmark: BenchmarkFixture, design: Design, kind: str) -> None:
    """One edit of each kind, always from the same design: the design after it, and its findings.

    The collector is as the program has it while a big design is open.
    """
    assert design.links
    findings = run(design, catalog())
    assert findings.all is not None
    set_heap_apart()
    numbers = count()

    def prepared() -> tuple[tuple[Any, ...], dict[str, Any]]:
        return EDITS[kind](design, next(numbers)), {}

    def edit(*arguments: Any) -> int:
        history = History(design)
        history.do(kind, *arguments)
        return len(findings.patched(history.design, history.steps[-1].change).all)

    assert benchmark.pedantic(edit, setup=prepared, rounds=8, warmup_rounds=1) >= 0
