"""The workload of the simulator: what the lives of many seeds consist of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from app import wiring
from engine.definitions.reader import read
from engine.definitions.text_source import SourceFile
from engine.planning.plan import check
from tests.effort import effort
from tests.simulation.workload.action import Action
from tests.simulation.workload.actions import estimated
from tests.simulation.workload.behaviours import Behaviour, behaviour
from tests.simulation.workload.calls import is_calling
from tests.simulation.workload.definitions import definitions
from tests.simulation.workload.faults import ALL
from tests.simulation.workload.features import FEATURES, declared, places
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.requests import REQUESTS
from tests.simulation.workload.stories import Story, line, lines, story, without
from tests.simulation.workload.timetable import expected, timetable

SEEDS = range(effort(70, all=3000))


@cache
def lives() -> list[Story]:
    """Enough of them that everything occurs."""
    return [story(seed) for seed in range(300)]


def problems(tree: Mapping[str, Any]) -> list[str]:
    """What the reader and the planner have against definitions."""
    source = SourceFile("story.json", json.dumps({"skerry": 1, **tree}).encode())
    reading = read([source], wiring.job_types(), wiring.resource_types())
    found = [*reading.findings, *check(reading.definitions, wiring.job_types())]
    return [str(each) for each in found if each.severity == "error"]


def named(life: Story, what: str) -> list[Mapping[str, Any]]:
    """The facts of all actions of that name."""
    return [each.facts for each in life.actions if each.what == what]


# -- definitions ---------------------------------------------------------------------------------


def test_the_definitions_of_any_seed_are_valid() -> None:
    assert {seed: found for seed in SEEDS if (found := problems(definitions(seed)))} == {}


def test_nodes_that_are_calls_are_valid_and_came_late() -> None:
    found = [life for life in lives() if is_calling(life.seed)]
    assert {life.seed: wrong for life in found if (wrong := problems(life.definitions))} == {}
    earlier = [story(life.seed, generation=Generation.SIZED) for life in found]
    assert not any(
        "call0" in task["nodes"] for life in earlier for task in life.definitions["tasks"].values()
    )


def test_the_tasks_that_start_by_themselves_are_valid() -> None:
    assert {seed: found for seed in SEEDS if (found := problems({"tasks": timetable(seed).tasks}))} == {}


def test_what_a_person_loads_or_a_fix_brings_is_valid() -> None:
    some = lives()[: effort(40, all=300)]
    loaded = [each["definitions"] for life in some for each in named(life, "load")]
    fixed = [
        {**life.definitions, "tasks": {**life.definitions["tasks"], each["definition"]: each["content"]}}
        for life in some
        for each in named(life, "amend")
    ]
    assert loaded
    assert fixed
    assert [problems(tree) for tree in (*loaded, *fixed)] == [[]] * len([*loaded, *fixed])


def test_every_feature_occurs_in_some_life() -> None:
    assert frozenset[str]().union(*(life.features for life in lives())) == frozenset(FEATURES)


def test_a_life_has_a_few_tasks_and_runs_of_twenty_to_sixty_jobs() -> None:
    tasks = {len(life.definitions["tasks"]) for life in lives()}
    jobs = [
        expected(life.timetable) + sum(estimated(life.definitions, run["task"]) for run in _asked(life))
        for life in lives()
    ]
    assert tasks == {2, 3, 4}
    assert min(jobs) >= 20
    assert sum(each <= 60 for each in jobs) > 0.95 * len(jobs)


def _asked(life: Story) -> list[Mapping[str, Any]]:
    """The runs, each once however often it is asked for."""
    return list({each["key"]: each for each in named(life, "run")}.values())


# -- processes -----------------------------------------------------------------------------------


def all_processes(seed: int) -> list[tuple[dict[str, str], Behaviour]]:
    """The results that the jobs of a life declare, and what their first processes do."""
    tree = definitions(seed)
    known = declared(tree)
    return [
        (known[each.task, each.node], behaviour(seed, each.task, each.node, "process", 1))
        for each in places(tree)
    ]


def test_a_process_ends_by_an_exit_status_or_by_a_signal() -> None:
    ends = Counter(
        (made.exit is None, made.signal is None) for seed in range(60) for _, made in all_processes(seed)
    )
    assert set(ends) == {(False, True), (True, False)}


def test_a_process_that_ends_well_mostly_leaves_the_results_that_are_declared() -> None:
    well = [
        (wanted, made)
        for seed in range(60)
        for wanted, made in all_processes(seed)
        if made.exit == 0 and wanted
    ]
    right = sum(
        all(_fits(made.outputs.get(name), kind) for name, kind in wanted.items()) for wanted, made in well
    )
    assert 0.8 * len(well) < right < len(well)


def _fits(text: str | None, kind: str) -> bool:
    kinds = {"number": (int, float), "boolean": bool, "list": list, "map": dict}
    if text is None or kind not in kinds:
        return text is not None
    try:
        return isinstance(json.loads(text), kinds[kind])  # type: ignore[arg-type]
    except ValueError:
        return False


def test_most_processes_are_short_and_some_take_hours() -> None:
    seconds = sorted(made.seconds for seed in range(60) for _, made in all_processes(seed))
    assert seconds[0] == 0.0
    assert seconds[len(seconds) // 2] < 10.0
    assert 3600.0 < seconds[-1] <= 4 * 3600.0


def test_some_ignore_term_and_some_leave_a_child_behind() -> None:
    found = [made for seed in range(60) for _, made in all_processes(seed)]
    assert any(made.term is None for made in found)
    assert any(made.term for made in found)
    assert any(made.daemon for made in found)


def test_the_log_has_the_bytes_that_it_says_and_tells_when_it_is_done() -> None:
    for out in (0, 1, 5, 7, 8, 9, 20, 1000):
        made = Behaviour(1.0, out=out, err=out)
        assert (len(made.log.encode()), len(made.error_log.encode())) == (out, out)
    assert Behaviour(1.0, out=100).log.endswith("\ndone 2\n")


def test_the_next_attempt_of_a_job_may_behave_otherwise() -> None:
    tries = [behaviour(7, "tide", "a", "process", nth) for nth in range(1, 5)]
    assert len({made.seconds for made in tries}) == 4
    assert behaviour(7, "tide", "a", "process", 1) == tries[0]


def test_a_job_that_runs_alone_leaves_its_results_too() -> None:
    made = [behaviour(seed, "job.count", "count", "process", 1) for seed in range(20)]
    assert sum("n" in each.outputs for each in made) > 10


# -- what happens --------------------------------------------------------------------------------


def test_the_first_thing_that_happens_is_a_run() -> None:
    for life in lives():
        first, *_ = life.actions
        assert (first.at, first.what) == (0.0, "run")


def test_actions_come_in_the_order_of_time_some_of_them_at_the_same_moment() -> None:
    close = 0
    for life in lives():
        moments = [each.at for each in life.actions]
        assert moments == sorted(moments)
        close += sum(after - before < 1.0 for before, after in pairwise(moments))
    assert close > len(lives())


def test_a_life_has_about_five_actions_of_people_and_three_faults() -> None:
    """Whatever else is in it: schedules, workers, backfills."""
    acts = Counter(each.what in ALL for life in lives() for each in life.actions)
    assert 4.5 < acts[False] / len(lives()) < 5.7
    assert 2.7 < acts[True] / len(lives()) < 3.5
    assert max(sum(each.what not in ALL for each in life.actions) for life in lives()) < 20
    assert max(sum(each.what in ALL for each in life.actions) for life in lives()) < 10


def test_what_belongs_together_is_there_as_a_whole_or_not_at_all() -> None:
    for life in lives():
        held = {each["key"] for each in named(life, "backfill") if each["key"].startswith(("held", "twice"))}
        assert len(held) in (0, 2)
        left, joined = (
            Counter(each["worker"] for each in named(life, what)) for what in ("regroup", "worker joins")
        )
        assert left == joined


def test_everything_that_can_be_wished_or_go_wrong_occurs_in_some_life() -> None:
    assert {each.what for life in lives() for each in life.actions} == {
        "run",
        "approve",
        "release",
        "backfill",
        *(f"backfill {each}" for each in ("pause", "resume", "cancel", "release")),
        *(f"worker {each}" for each in ("pause", "resume", "drain", "gone", "joins")),
        *REQUESTS,
        *ALL,
    }


def test_only_the_faults_that_are_wanted_occur_and_people_do_the_same_without_them() -> None:
    for seed in range(50):
        whole, some, none = story(seed), story(seed, {"power", "clock"}), story(seed, ())
        assert {each.what for each in some.actions} & ALL <= {"power", "clock"}
        assert none.actions == tuple(each for each in whole.actions if each.what not in ALL)


def test_a_seed_gives_the_same_life_every_time() -> None:
    first = story(11)
    definitions.cache_clear()
    assert story(11) == first
    assert story(12) != first


def test_a_life_without_some_actions_keeps_all_others_as_they_are() -> None:
    whole = story(1)
    left = without(whole, [0, 2])
    assert left.actions == (whole.actions[1], *whole.actions[3:])
    assert (left.definitions, left.seed, left.settings) == (whole.definitions, whole.seed, whole.settings)


# -- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (
            Action(12.5, "anna", "cancel", {"instance": 2, "node": "b"}),
            "at 12.5 s anna cancels node b of instance 2",
        ),
        (
            Action(0.0, "bo", "queue resize", {"size": None}),
            "at 0 s bo gives the queue the usual number of slots",
        ),
        (
            Action(3.000001, "the system", "kill", {"when": "file", "after": 2, "down": 1.5}),
            "at 3.000001 s the system kills the engine at its 2nd file operation from now; it is back after 1.5 s",
        ),
        (
            Action(60.0, "the mains", "power", {"when": "now", "after": 0, "down": 90.0}),
            "at 60 s the mains fails; it is back after 90 s",
        ),
    ],
)
def test_an_action_is_reported_in_a_sentence(action: Action, sentence: str) -> None:
    assert line(action) == sentence


def test_every_action_of_a_life_has_its_sentence() -> None:
    for life in lives():
        story_lines = lines(life)
        assert len(story_lines) == len(life.actions)
        assert all(each.actor in words for each, words in zip(life.actions, story_lines, strict=True))
