# SPDX-License-Identifier: Apache-2.0
"""Which badges of problems are drawn where there are more than can be."""

import numpy as np

from rackloom_gui.canvas.overlay import MOST_MARKS, _spread


def test_a_few_marks_are_all_drawn() -> None:
    places = np.arange(2.0 * MOST_MARKS).reshape(-1, 2) * 0.01
    assert _spread(places, 10.0).tolist() == list(range(MOST_MARKS))


def test_no_part_of_a_great_hall_looks_faultless() -> None:
    """Forty rows of fifty racks, all with a problem: each corner of the hall shows one."""
    places = np.array([(9.0 * x, 12.0 * y) for y in range(40) for x in range(50)])
    drawn = places[_spread(places, 10.0)]
    assert MOST_MARKS / 4 < len(drawn) <= MOST_MARKS
    for place in places:
        assert np.abs(drawn - place).max(axis=1).min() < 40.0, "none near it"


def test_the_gravest_of_what_lies_together_is_drawn() -> None:
    """Badges come with the gravest last; of a heap only that one is left."""
    heaps = np.repeat(np.array([(100.0 * n, 0.0) for n in range(10)]), 100, axis=0)
    drawn = _spread(heaps, 10.0).tolist()
    assert drawn == [100 * n + 99 for n in range(10)]
