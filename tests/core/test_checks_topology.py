# SPDX-License-Identifier: Apache-2.0
"""The network as the rules see it, carried from edit to edit: what is kept is what is true."""

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule_world import H100, QM9700, World

from rackloom.checks import run
from rackloom.checks.topology import Topology
from rackloom.design import Design, History, edits


@cache
def fabric() -> Design:
    """Six servers of two links each below three leaves and two spines: soon it falls apart."""
    world = World("generic-48u-800", *["generic-48u-800"] * 3)
    leaves = [world.device(QM9700, f"leaf-{n}") for n in range(3)]
    spines = [world.device(QM9700, f"spine-{n}") for n in range(2)]
    for number, spine in enumerate(spines):
        for n, leaf in enumerate(leaves):
            world.cable("mcp4y10-n", (leaf, str(31 + number)), (spine, str(n + 1)))
    for n in range(6):
        server = world.device(H100, f"gpu-{n}", rack=1 + n // 3)
        for cage in range(1 + n % 2):
            leaf = leaves[(n + cage) % 3]
            world.optics((server, f"OSFP{1 + cage}", 0), (leaf, str(n + 1), cage))
    return world.design


def same(carried: Topology, fresh: Topology) -> None:
    assert set(carried.islands) == set(fresh.islands)
    assert carried.compute_switches == fresh.compute_switches
    assert dict(carried.tiers) == dict(fresh.tiers)
    assert dict(carried.nodes) == dict(fresh.nodes)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["cable", "device", "devices", "undo"]),
            st.integers(0, 10_000),
            st.integers(1, 4),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_a_network_that_loses_and_regains_pieces_is_seen_as_it_is(
    steps: list[tuple[str, int, int]],
) -> None:
    history = History(fabric())
    findings = run(history.design)
    for kind, a, count in steps:
        before = history.design
        networked = [d for d in before.devices if before.index.cables_of_device.get(d)]
        if kind == "undo":
            if not history.position:
                continue
            change = history.steps[history.position - 1].change.inverse
            history.undo()
        elif not networked:
            continue
        else:
            names = list(before.cables) if kind == "cable" else networked
            doomed = {names[(a + 7 * n) % len(names)] for n in range(count)}
            if kind == "device":
                doomed = {names[a % len(names)]}
            history.do(kind, edits.remove, doomed)
            change = history.steps[history.position - 1].change
        findings = findings.patched(history.design, change)
        same(findings._topology, Topology.of(history.design))
        assert findings == run(history.design)


def test_islands_appear_as_cable_after_cable_goes() -> None:
    history = History(fabric())
    findings = run(history.design)
    counts = []
    for cable in list(fabric().cables):
        history.do("unplug", edits.remove, {cable})
        findings = findings.patched(history.design, history.steps[-1].change)
        same(findings._topology, Topology.of(history.design))
        counts.append(len(findings._topology.islands))
    assert max(counts) > 1, "without its spines the fabric is in pieces"
    assert counts[-1] == 0
