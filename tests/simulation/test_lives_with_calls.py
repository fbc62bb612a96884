"""Lives with calls by class: what once went wrong in them."""

from __future__ import annotations

import pytest

from tests.simulation.runner import lived
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.stories import story


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(632, id="the database fails between a call's record and the call"),
        pytest.param(769, id="a handler of what is stopped has a remedy"),
    ],
)
def test_promises_that_were_too_strict_are_kept(seed: int) -> None:
    assert lived(story(seed, generation=Generation.CALLS)).wrongs == ()
