# SPDX-License-Identifier: Apache-2.0
"""What the checks keep of a fabric when devices go and come back is what a full run finds."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackloom.catalog import load_bundled
from rackloom.checks import Findings, run
from rackloom.checks.room import TRAY_CLASSES_KG_PER_M
from rackloom.checks.topology import Topology
from rackloom.design import Change, Design, History, edits
from rackloom.generate import generate

CATALOG = load_bundled()
POD = generate("rail-fat-tree", CATALOG, servers=24, options={"tiers": 3, "unit_servers": 8}).design
"""Three tiers: a core and a leaf whose common spine goes still reach each other, but far round."""


def followed(findings: Findings, design: Design, change: Change) -> Findings:
    """The findings after a change, held against a full run and so is the network behind them."""
    known = findings.patched(design, change)
    full = run(design, CATALOG)
    assert known == full
    network, anew = known._topology, Topology.of(design)
    assert dict(network.nodes) == dict(anew.nodes)
    assert network.tiers == anew.tiers
    assert set(network.islands) == set(anew.islands)
    assert network.compute_switches == anew.compute_switches
    for device, node in anew.nodes.items():
        mine = network.nodes[device]
        assert list(mine.between) == list(node.between), "bundles keep their order"
        assert list(mine.served) == list(node.served)
    for device, spans in known._trays.items():
        if device in full._trays:
            assert dict(spans) == dict(full._trays[device])
    return known


@pytest.fixture(autouse=True, scope="module")
def light_trays() -> object:
    """Trays so light that every row is weighed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TRAY_CLASSES_KG_PER_M, "AA", 0.001)
        yield


VICTIMS = st.lists(
    st.tuples(st.sampled_from(["devices", "racks", "cables", "modules", "cords"]), st.integers(0)),
    min_size=1,
    max_size=3,
)


@settings(max_examples=8)
@given(st.lists(st.tuples(VICTIMS, st.booleans()), min_size=1, max_size=4))
def test_removals_and_their_undoing_leave_what_a_full_run_finds(
    steps: Sequence[tuple[Sequence[tuple[str, int]], bool]],
) -> None:
    history = History(POD)
    history.design.links  # noqa: B018 - carried along by edits, as in the program
    findings = run(history.design, CATALOG)
    for victims, taken_back in steps:
        tables = [(list(history.design.table(table)), number) for table, number in victims]
        doomed = {ids[number % len(ids)] for ids, number in tables if ids}
        history.do("Remove", edits.remove, doomed)
        findings = followed(findings, history.design, history.steps[-1].change)
        if taken_back:
            undone = history.undo()
            assert undone is not None
            findings = followed(findings, history.design, undone.change.inverse)


@pytest.mark.parametrize("role", ["leaf", "spine", "core"])
def test_the_last_switches_of_a_tier_leave_islands(role: str) -> None:
    history = History(POD)
    history.design.links  # noqa: B018 - carried along by edits, as in the program
    findings = run(history.design, CATALOG)
    switches = [d.id for d in history.design.devices.values() if d.role == role]
    assert len(switches) > 1
    for switch in switches[-6:]:
        history.do("Remove", edits.remove, {switch})
        findings = followed(findings, history.design, history.steps[-1].change)
    for _ in switches[-6:]:
        undone = history.undo()
        assert undone is not None
        findings = followed(findings, history.design, undone.change.inverse)
    assert findings == run(POD, CATALOG)
