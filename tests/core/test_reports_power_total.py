# SPDX-License-Identifier: Apache-2.0
"""The site's draw kept up with edits is the one added up anew."""

import random

import pytest

from rackloom.design import Change, Design, History, edits
from rackloom.design.ids import CableId, DeviceId
from rackloom.generate.example import example
from rackloom.reports import PowerTotal, power_sum


def same(total: PowerTotal, design: Design) -> bool:
    now, fresh = total.sum(design), power_sum(design)
    return now.unknown_devices == fresh.unknown_devices and now.maximum_w == pytest.approx(
        fresh.maximum_w
    )


@pytest.mark.parametrize("seed", range(4))
def test_it_follows_edits_undo_and_redo(seed: int) -> None:
    chance = random.Random(seed)
    history, total = History(example()), PowerTotal()
    assert same(total, history.design)
    history.listen(lambda design, step: total.follow(design, step.change))
    for _ in range(25):
        design = history.design
        match chance.randrange(4):
            case 0 if design.cables:
                cable = CableId(chance.choice(sorted(design.cables)))
                history.do("Unplug", edits.remove, [cable])
            case 1 if len(design.devices) > 2:
                device = DeviceId(chance.choice(sorted(design.devices)))
                history.do("Take out", edits.remove, [device])
            case 2 if history.can_undo():
                history.undo()
            case _ if history.can_redo():
                history.redo()
        assert total.sum(history.design) is not None
        assert same(total, history.design)


def test_it_is_what_the_edit_says_and_not_added_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    history, total = History(example()), PowerTotal()
    before = total.sum(history.design).maximum_w
    history.listen(lambda design, step: total.follow(design, step.change))
    monkeypatch.setattr("rackloom.reports.power_total.power_of", None)
    server = next(d.id for d in history.design.devices.values() if d.name == "gpu-004")
    history.do("Take out", edits.remove, [server])
    assert total.sum(history.design).maximum_w == pytest.approx(before - 10_200)


def test_another_design_is_added_up_anew() -> None:
    total = PowerTotal()
    assert total.sum(Design()).maximum_w == 0
    assert same(total, example())
    total.follow(Design(), Change(()))
    total.forget()
    assert same(total, Design())
