# SPDX-License-Identifier: Apache-2.0
"""The 74 collected compatibility rules: each is a rule of the program, as severe as it was noted.

The letters are the levels under which the facts were collected, in their order: error, warning,
information.
"""

from __future__ import annotations

import pytest
from tests.core.rule_world import H100, QM9700, World
from tests.core.test_checks_channels import Run

from rackloom.checks import rules
from rackloom.checks.finding import Severity

LEVELS = (
    "EEEEEEWWEEWEEIEEEEWEEWWEWWIWW"  # A mechanical, B lane rate, protocol, FEC
    "EEWWWWEEEEEWWIEWW"  # C optics and fibre, D copper
    "EWEEIWWWEEWEEWWEWEWWW"  # E breakout and ports, F power and heat
    "EEWWWWW"  # G space, weight, practice
)
OTHERWISE = {
    11: "a plug that needs an adapter (QSA) does not go in: an adapter is no part of a cage",
    19: "copper whose ends find no lane rate carries nothing; a gearbox cable is no finding",
    21: "which FEC is set nobody draws: what has to be set is told",
    25: "a part of the other protocol carries nothing",
    32: "a link beyond its modules' reach does not come up",
    34: "the wrong harness carries nothing, the right one is no finding",
    35: "an optic that cannot be split carries nothing on the branches",
    43: "fewer lanes: the speed that is left is a loss, the wrong optic an error",
    51: "what a switch can do without a side effect is no finding",
    52: "a small fabric may run the subnet manager of a switch",
    57: "optics at their maximum are in the sums that are judged as errors",
    60: "the square root of three is in every figure",
    71: "which way cords lie in the end nobody knows beforehand",
    74: "a box is as it is: good to know, nothing to mend",
}
"""Collected rules that are told more or less severely, and why."""
_SEVERITY = {"E": Severity.ERROR, "W": Severity.WARNING, "I": Severity.INFO}


def test_every_collected_rule_is_one_of_the_programs_and_as_severe() -> None:
    assert len(LEVELS) == 74
    for number, letter in enumerate(LEVELS, start=1):
        mine = [rule for rule in rules().values() if number in rule.numbers]
        assert mine, f"no rule says what collected rule {number} does"
        same = any(rule.severity is _SEVERITY[letter] for rule in mine)
        assert same is (number not in OTHERWISE), (number, [r.id for r in mine])


# Near misses of rules whose own tests only fire.


def test_a_plug_of_the_cages_own_speed_is_not_slower() -> None:
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp7y10-n", (leaf, "1"), (server, "slot1p1"), (server, "slot2p1"))
    assert not world.fires("port.slower-plug")


def test_retimed_modules_facing_each_other_are_no_linear_optics() -> None:
    world = World()
    a, b = world.device("dell-z9864f", "a"), world.device("dell-z9864f", "b")
    part = "mms4x00-nm-t"
    world.optics((a, "1", 0), (b, "1", 0), a_part=part, b_part=part, cord="mfp7e30")
    assert not world.fires("port.linear-optics")


@pytest.mark.parametrize("lengths", [(10.0, 10.0), (5.0, 30.0)])
def test_two_straight_fibres_in_one_module_may_differ_in_length(
    lengths: tuple[float, float],
) -> None:
    world = World()
    a, b = world.device(QM9700, "a"), world.device(QM9700, "b")
    for socket, length_m in enumerate(lengths):
        world.optics((a, "1", socket), (b, "1", socket), length_m=length_m)
    assert not world.fires("port.mixed-fibres")


def test_a_run_of_one_kind_of_fibre_is_not_mixed() -> None:
    assert not Run(cords=("mfp7e30", "mfp7e30")).fires("reach.channel-fibre")
