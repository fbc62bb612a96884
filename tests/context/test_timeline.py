"""The moments of a context log: every state and value after any of its lines."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context import TaskContext
from engine.context.timeline import EVERY, JobKey, Timeline
from engine.model.errors import SkerryError
from tests.context.clocks import HandClock

NAMES = st.sampled_from(["a", "b", "it's"])
PATHS = st.tuples(st.sampled_from(["JOB", "TASK"]), NAMES, NAMES) | st.tuples(
    st.just("ROUNDS"), NAMES, st.integers(0, 3), NAMES
)
VALUES = st.none() | st.booleans() | st.text(max_size=4) | st.dictionaries(NAMES, st.integers(), max_size=2)


def job(status: str, **more: object) -> dict[str, object]:
    return {"PARAMS": {}, "STATUS": status, **more}


def story() -> TaskContext:
    """A run with a batch, a loop of two rounds, an edit and a rerun."""
    context = TaskContext(HandClock())
    context.set(("TASK",), {"ID": "t", "STATUS": "running", "PARAMS": {"limit": 10}}, run=1)
    context.set(("JOB", "look"), job("running"), run=1)
    context.set(("JOB", "look", "STATUS"), "succeeded", run=1)
    context.set(("ROUNDS", "look", 0), context.tree["JOB"]["look"], run=1)
    context.set(("JOB", "look"), job("running"), run=1)
    context.set(("JOB", "parts", 0), job("running"), run=1)
    context.set(("JOB", "parts", 1), job("running"), run=1)
    context.set(("JOB", "parts", 1, "STATUS"), "failed", run=1)
    context.set(("JOB", "last"), job("skipped"), run=1, why="parent_failed: parts")
    context.set(("TASK", "STATUS"), "failed", run=1)
    context.set(("TASK", "PARAMS", "limit"), 30, run=1, actor="ada", why="more came")
    context.remove(("JOB", "parts"), run=2, why="run 2 runs it again")
    return context


def test_every_moment_is_the_replay_up_to_its_line() -> None:
    context = story()
    lines = [line.text for line in context.drain()]

    timeline = Timeline(lines)

    for seq in range(timeline.last + 1):
        assert timeline.at(seq).tree == TaskContext.replay(lines, HandClock(), upto=seq).tree


def test_a_moment_tells_the_state_of_every_job_in_every_round() -> None:
    timeline = Timeline(line.text for line in story().drain())

    moment = timeline.at(9)

    assert moment.statuses == {
        JobKey("look", 1): "succeeded",
        JobKey("look", 2): "running",
        JobKey("parts", 1, 0): "running",
        JobKey("parts", 1, 1): "failed",
        JobKey("last"): "skipped",
    }
    assert moment.status == "running"
    assert moment.run == 1
    assert moment.cause is not None
    assert moment.cause.why == "parent_failed: parts"
    assert moment.entry(JobKey("parts", 1, 1)) == job("failed")
    assert moment.entry(JobKey("parts", 1, 7)) is None
    assert moment.entry(JobKey("nobody")) is None


def test_before_the_first_line_there_is_nothing() -> None:
    moment = Timeline(line.text for line in story().drain()).at(0)

    assert (moment.time, moment.run, moment.status, moment.statuses) == (None, 0, None, {})


def test_ticks_are_the_lines_that_people_look_for() -> None:
    ticks = Timeline(line.text for line in story().drain()).ticks

    assert [(tick.seq, tick.kind, tick.node, tick.index) for tick in ticks] == [
        (1, "run", None, None),
        (2, "started", "look", None),
        (3, "ended", "look", None),
        (5, "started", "look", None),
        (6, "started", "parts", 0),
        (7, "started", "parts", 1),
        (8, "ended", "parts", 1),
        (9, "skipped", "last", None),
        (10, "run_ended", None, None),
        (11, "edited", None, None),
    ]


def test_moments_are_not_changed_by_later_ones() -> None:
    timeline = Timeline(line.text for line in story().drain())
    early = timeline.at(6)
    before = copy.deepcopy(early.tree)

    timeline.at(timeline.last)

    assert early.tree == before


def test_a_long_log_is_kept_in_pieces_that_share_what_stands_still() -> None:
    context = TaskContext(HandClock())
    context.set(("JOB", "still"), job("succeeded"), run=1)
    for number in range(2 * EVERY):
        context.set(("JOB", "busy", "RESULT", "n"), number, run=1)
    timeline = Timeline(line.text for line in context.drain())

    early, late = timeline.at(EVERY), timeline.at(2 * EVERY)

    assert early.tree["JOB"]["busy"]["RESULT"]["n"] == EVERY - 2
    assert late.tree["JOB"]["busy"]["RESULT"]["n"] == 2 * EVERY - 2
    assert late.tree["JOB"]["still"] is early.tree["JOB"]["still"]


def test_a_live_log_grows() -> None:
    context = story()
    lines = [line.text for line in context.drain()]
    timeline = Timeline(lines[:4])

    timeline.extend(lines[4:])

    assert timeline.at(timeline.last).tree == context.tree


def test_a_time_finds_the_last_line_before_it() -> None:
    clock = HandClock()
    context = TaskContext(clock)
    for number in range(3):
        context.set(("TASK", "N"), number, run=1)
        clock.tick(60)
    timeline = Timeline(line.text for line in context.drain())

    assert timeline.seq_at("2026-11-21T08:01:30+00:00") == 2
    assert timeline.seq_at("2020") == 0


def test_a_torn_last_line_is_left_out_and_a_changed_one_is_an_error() -> None:
    lines = [line.text for line in story().drain()]

    assert Timeline([*lines[:3], lines[3][:-5]]).torn is not None
    with pytest.raises(SkerryError):
        Timeline([lines[0], lines[1].replace("running", "skipped")])
    with pytest.raises(SkerryError):
        Timeline([lines[0], lines[2]])
    with pytest.raises(SkerryError):
        Timeline([lines[0][:-5], lines[1]])
    with pytest.raises(IndexError):
        Timeline(lines).cause(99)


def test_lines_whose_sums_do_not_fit_can_be_looked_at() -> None:
    lines = [line.text for line in story().drain()]

    timeline = Timeline([lines[0], lines[1].replace("running", "skipped")], verify=False)

    assert timeline.at(2).statuses == {JobKey("look"): "skipped"}
    assert [cause.seq for cause in timeline.causes()] == [1, 2]


@given(st.lists(st.tuples(PATHS, VALUES), max_size=40), st.data())
def test_any_log_gives_the_same_tree_at_every_line(
    changes: list[tuple[tuple[str | int, ...], object]], data: st.DataObject
) -> None:
    context = TaskContext(HandClock())
    for path, value in changes:
        try:
            context.set(path, value, run=1)
        except SkerryError:
            continue
    lines = [line.text for line in context.drain()]
    timeline = Timeline(lines)

    seq = data.draw(st.integers(0, len(lines)))

    assert timeline.at(seq).tree == TaskContext.replay(lines, HandClock(), upto=seq).tree
