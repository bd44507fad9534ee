# SPDX-License-Identifier: Apache-2.0
"""What a check leaves behind: nothing that keeps the design of before the edit in memory."""

import gc
from collections.abc import Iterator

import pytest
from tests.builders import small_design

from rackloom.checks import run
from rackloom.checks.context import Context
from rackloom.design import Draft, edits


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Only what nobody refers to goes."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_designs_of_the_past_go_without_the_collector() -> None:
    """In a circle they would stay, some megabytes for each edit of a big design."""
    before = small_design()
    findings = run(before)
    draft = Draft(before)
    edits.remove(draft, [next(iter(before.cables))])
    after, step = draft.close("Delete")
    findings = findings.patched(after, step.change)
    assert findings.design is after
    assert not [kept for kept in gc.get_objects() if isinstance(kept, Context)]
