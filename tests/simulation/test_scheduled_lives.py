"""Lives of tasks that start by themselves: what they use, and what once went wrong in such lives."""

from __future__ import annotations

import pytest

from tests.effort import effort
from tests.simulation.runner import lived
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.letting_go import let_go
from tests.simulation.workload.stories import story
from tests.simulation.workload.timetable import TASKS, step, timetable

_USED = {
    "scheduled", "interval", "minute", "overlap skip", "overlap wait", "overlap parallel", "catchup none",
    "catchup latest", "catchup all", "waits for itself", "waits for a task", "dependency fail", "dependency wait",
}  # fmt: skip

_BACKFILLS = {"backfill", "backfill pause", "backfill resume", "backfill cancel", "backfill release"}


def test_timetables_use_everything() -> None:
    found = [timetable(seed) for seed in range(effort(200, all=3000))]

    assert frozenset[str]().union(*(each.features for each in found)) == _USED


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(12, id="a time limit that is missed by a rounding is no circle"),
        pytest.param(226, id="what was settled by hand before a power cut has its status when there is room"),
        pytest.param(514, id="what waits for an earlier one that ends names another that goes on"),
        pytest.param(868, id="a rerun by hand holds nothing up under the next engine"),
        pytest.param(1795490967079, id="what began and ended in its last turn has its files"),
        pytest.param(1795500233007, id="a task goes offline while what has begun is not durable yet"),
        pytest.param(1795500623008, id="a task goes offline on a full disk"),
        pytest.param(1795510290806, id="an attempt that waits for its slot again is stopped at its time"),
        pytest.param(1795500623004, id="to be taken out of the queue counts as an attempt"),
        pytest.param(1795871718051, id="what is cancelled ahead of its time does not fire early"),
    ],
)
def test_what_went_wrong_once_does_not_any_more(seed: int) -> None:
    assert lived(story(seed, generation=Generation.SCHEDULES)).wrongs == ()


def test_what_starts_by_itself_does_so_some_times_and_in_a_few_lives_to_the_end() -> None:
    found = [life.timetable for seed in range(effort(400, all=3000)) if (life := story(seed)).timetable.tasks]
    ending = [each for each in found if "schedule end" in each.features]
    fires = [each.span / step(task["schedule"]) for each in ending for task in each.tasks.values()]

    assert 0.9 * len(found) < len(ending) < len(found)
    assert 3 < sum(fires) / len(fires) < 12


def test_backfills_of_all_kinds_are_asked_for() -> None:
    actions = [each for seed in range(effort(400, all=3000)) for each in story(seed).actions]
    asked = [each.facts for each in actions if each.what == "backfill"]

    assert {each.what for each in actions if each.what.startswith("backfill")} == _BACKFILLS
    assert {each["reprocess"] for each in asked} == {"missing", "failed", "all"}
    assert {each["order"] for each in asked} == {"oldest", "newest"}
    assert {each["parallel"] for each in asked} == {1, 2, 3}


def test_a_life_without_what_is_newer_is_the_one_that_it_was() -> None:
    lives = (story(seed, generation=Generation.ENDINGS) for seed in range(400))
    newer = next(each for each in lives if any(action.what == "backfill" for action in each.actions))
    older = story(newer.seed, generation=Generation.SCHEDULES)

    assert [each for each in newer.actions if each in older.actions] == list(older.actions)
    assert not any(each.what.startswith("backfill") for each in older.actions)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(1123, id="a time of before the schedule held is waited for once it has an instance"),
        pytest.param(1156, id="the jobs of a backfill are behind all others"),
        pytest.param(142, id="a backfill is cancelled while three of its times run"),
        pytest.param(3132, id="it ended in the moment of a power cut, while the clock was a year behind"),
        pytest.param(1795888242004, id="each time is on time for an engine that can write nothing down"),
        pytest.param(1795891258333, id="a run that is not tried again has its handlers under a later engine"),
        pytest.param(1795895315020, id="a node is settled while a later engine runs the handlers"),
        pytest.param(1795891258296, id="an end that is not durable yet is none for what comes after it"),
        pytest.param(1795891258141, id="a clock that was a year back is right again under the next engine"),
    ],
)
def test_newer_lives_keep_every_promise(seed: int) -> None:
    assert lived(story(seed, generation=Generation.BACKFILLS)).wrongs == ()


def test_some_lives_ask_for_past_times_twice() -> None:
    lives = [story(seed).actions for seed in range(effort(400, all=3000))]
    twice = [each for each in lives if any(action.facts.get("key") == "twice-1" for action in each)]

    assert len(twice) > len(lives) / 20


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(213, id="what was backfilled before the engine looked is caught up already"),
        pytest.param(
            400184, id="what was backfilled while the clock was wrong is not caught up after it left"
        ),
    ],
)
def test_lives_that_ask_for_past_times_twice_keep_every_promise(seed: int) -> None:
    assert lived(story(seed, generation=Generation.INTERPLAY)).wrongs == ()


def test_what_waits_for_several_tasks_is_let_go_from_one_of_them_and_an_engine_ends_meanwhile() -> None:
    lives = (list(let_go(seed, timetable(seed))) for seed in range(effort(400, all=3000)))
    found = [life for life in lives if life]

    assert len(found) >= 5
    for life in found:
        assert [each.what for each in life if each.actor is None][-1] == "queue resume"
        [released] = {each.facts["only"] for each in life if each.what == "release"}
        assert released in TASKS
        assert {each.what for each in life if each.actor} <= {"kill", "restart"}
