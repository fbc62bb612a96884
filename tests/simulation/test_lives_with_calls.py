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
        pytest.param(801104, id="the next attempt has a slot before it is durable"),
    ],
)
def test_promises_that_were_too_strict_are_kept(seed: int) -> None:
    assert lived(story(seed, generation=Generation.CALLS)).wrongs == ()


def test_a_program_that_runs_on_behind_a_call_whose_record_a_power_cut_took_is_not_lost() -> None:
    assert lived(story(802262, generation=Generation.CALLS)).wrongs == ()


def test_an_end_stage_that_is_a_call_is_not_made_again_when_a_power_cut_took_its_record() -> None:
    assert lived(story(915273, generation=Generation.CALLS_ELSEWHERE)).wrongs == ()


def test_what_is_checked_keeps_its_reason_while_the_next_engine_reaches_its_worker() -> None:
    assert lived(story(934049, generation=Generation.CALLS_ELSEWHERE)).wrongs == ()
