"""Lives of the real engine on a simulated machine: each promise is kept, and each life can be lived again."""

from __future__ import annotations

import getpass
import os
import platform
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.api.local import LocalService
from engine.runtime.engine import Engine
from resources.clients import file_places
from tests.effort import ALL, effort
from tests.simulation import mutants, patience, runner
from tests.simulation.mutants import Mutant
from tests.simulation.runner import lived, lived_in_turn, shrunk
from tests.simulation.simulation import Simulation
from tests.simulation.workload.action import Action
from tests.simulation.workload.behaviours import mood
from tests.simulation.workload.fleet import Fleet
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.stories import Story, story, without

_SHELL = {"type": "shell", "process": "x"}
_LATE = {  # queued when the engine is killed
    "moment": {"type": "wait", "for": "30s"},
    "late": _SHELL | {"after": ["moment"], "on": {"exclusive": True}},
}
_AGAIN = {"run": [], "again": True, "from": "a"}
_AWAY = Action(35.0, "the system", "kill", {"when": "now", "after": 0, "down": 300.0})
FRESH = int(time.time()) * 1000  # other lives each time; what goes wrong is printed with its seed


@pytest.mark.parametrize("number", range(effort(12, 2000)))
def test_a_fresh_life_keeps_every_promise(number: int) -> None:
    outcome = lived(story(FRESH + number))

    assert not outcome.wrongs, f"python -m tests.simulation --seed {FRESH + number}"


def test_an_exclusive_job_waits_for_a_program_that_has_no_slot() -> None:
    assert lived(story(197, generation=Generation.ENDINGS)).wrongs == ()


def test_what_a_second_cancel_passed_over_stays_so_under_the_next_engine() -> None:
    assert lived(story(401, generation=Generation.ENDINGS)).wrongs == ()


def test_what_a_program_printed_is_kept_with_its_attempt_though_the_next_one_came_to_nothing() -> None:
    """The engine ended in the turn in which the second attempt began; the third one moves the files of the first."""
    assert lived(story(359, generation=Generation.INTERPLAY)).wrongs == ()


@pytest.mark.parametrize("seed", range(effort(2, 1000)))
def test_the_same_seed_gives_the_same_life_to_the_byte(seed: int) -> None:
    first, again = lived(story(seed), keep_lines=True), lived(story(seed), keep_lines=True)

    assert first.lines == again.lines
    assert first.digest == again.digest


def test_a_life_is_the_same_however_full_the_real_disk_is(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = set()
    for used in (9, 10_000_000_000):
        full = SimpleNamespace(total=1 << 40, used=used, free=used)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, full=full: full)
        digests.add(lived(story(200051, generation=Generation.ENDINGS)).digest)

    assert len(digests) == 1


def test_a_life_is_the_same_on_any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the program lies and temporary files do, whatever the machine, its user and its Python are called."""
    lives = [story(seed) for seed in (2, 17, 200051)]
    here = [lived(each).digest for each in lives]
    tmp = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp))
    monkeypatch.setattr(runner, "_MEMORY", tmp / "none")
    monkeypatch.setattr(sys, "executable", f"/opt/{'far' * 30}/bin/python")
    for module, name, other in (
        (platform, "node", "m" * 60),
        (platform, "release", "0.1"),
        (platform, "python_version", "3.11.99-and-more"),
        (socket, "gethostname", "m" * 60),
        (getpass, "getuser", "someone-else"),
        (os, "cpu_count", 4096),
    ):
        monkeypatch.setattr(module, name, lambda other=other: other)

    assert [lived(each).digest for each in lives] == here


def test_a_life_is_the_same_however_old_its_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = set()
    for moment in (0.0, 9e9):
        written = lambda path, moment=moment: os.stat_result(os.stat(path), {"st_mtime": moment})  # noqa: E731
        monkeypatch.setattr(file_places, "_status", written)
        digests.add(lived(story(6026, generation=Generation.SIZED)).digest)

    assert len(digests) == 1


def test_who_waits_for_what_follows_a_missed_deadline_waits_for_no_answer() -> None:
    assert lived(story(200074, generation=Generation.ENDINGS)).wrongs == ()


def test_a_sub_task_that_is_stopped_at_its_time_ends_with_its_handlers() -> None:
    assert lived(story(20017, generation=Generation.SIZED)).wrongs == ()


def test_a_member_lives_on_whose_earlier_one_had_begun_its_end_stage() -> None:
    assert lived(story(700247, generation=Generation.SIZED)).wrongs == ()


def test_mains_that_fail_between_two_engines_bring_back_a_single_one() -> None:
    assert lived(story(3239, generation=Generation.SIZED)).wrongs == ()


def test_a_worker_that_answers_late_is_not_looked_at_two_hundred_times_a_second() -> None:
    assert lived(story(730604, generation=Generation.SIZED)).wrongs == ()


def test_another_round_of_a_rerun_is_no_answer_to_what_failed_in_this_one() -> None:
    assert lived(story(730383, generation=Generation.SIZED)).wrongs == ()


def test_what_was_passed_over_may_overlap_when_a_person_runs_it_after_all() -> None:
    assert lived(story(731104, generation=Generation.SIZED)).wrongs == ()


def test_a_program_that_nothing_ends_is_looked_at_after_the_end_of_its_job() -> None:
    assert lived(story(731623, generation=Generation.SIZED)).wrongs == ()


def test_a_remedy_may_follow_the_deadline_of_a_question() -> None:
    assert lived(story(731729, generation=Generation.SIZED)).wrongs == ()


def test_a_rule_may_skip_a_handler_that_has_failed() -> None:
    assert lived(story(731351, generation=Generation.SIZED)).wrongs == ()


def test_what_was_begun_after_a_power_cut_is_taken_up_by_a_further_engine() -> None:
    assert lived(story(740020, generation=Generation.SIZED)).wrongs == ()


def test_what_was_paused_stays_so_when_an_engine_ends_in_handlers_above_it() -> None:
    assert lived(story(1873, generation=Generation.CALLS)).wrongs == ()


def test_at_its_end_a_life_lets_go_of_what_a_cancel_waits_for() -> None:
    assert lived(story(760760, generation=Generation.CALLS)).wrongs == ()


def test_what_was_untrue_when_an_engine_ended_has_its_moment_under_the_next_one() -> None:
    assert lived(story(801325, generation=Generation.CALLS)).wrongs == ()


def test_what_its_task_tries_again_waits_for_the_files_of_the_run_before() -> None:
    assert lived(story(803509, generation=Generation.CALLS_ELSEWHERE)).wrongs == ()


def test_an_attempt_whose_end_found_no_room_has_its_status_though_a_person_is_asked_about_its_job() -> None:
    assert lived(story(3903, generation=Generation.CALLS_ELSEWHERE)).wrongs == ()


def test_who_waits_for_two_of_a_chain_is_dropped_once() -> None:
    assert lived(story(821544, generation=Generation.CALLS_ELSEWHERE)).wrongs == ()


def test_a_deadline_counts_from_when_the_question_was_asked() -> None:
    assert lived(story(822002, generation=Generation.CALLS_ELSEWHERE)).wrongs == ()


def test_an_asynchronous_job_may_write_a_result_after_it_was_missed() -> None:
    assert lived(story(1795953018039, generation=Generation.ENDINGS)).wrongs == ()


def test_what_was_on_time_when_an_engine_began_was_not_missed_though_a_full_disk_kept_it_from_saying_so() -> (
    None
):
    assert lived(story(1795953018079, generation=Generation.ENDINGS)).wrongs == ()


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(
            500261, id="the end stage of an asynchronous job that a power cut took is not begun again"
        ),
        pytest.param(433, id="a result of an asynchronous job that a power cut took is no failure of it"),
        pytest.param(750, id="what is let go just as an engine comes to it begins"),
        pytest.param(
            298, id="an attempt that fails within the turn in which it begins has a pause behind it"
        ),
        pytest.param(400003, id="a rerun after an edit whose files find no room is asked for once"),
        pytest.param(400362, id="what waits for one that has ended begins when the files of that have room"),
        pytest.param(506, id="what began and ended on a full disk has its files once there is room"),
        pytest.param(500096, id="what waits for one that has ended on a full disk waits for its files"),
        pytest.param(500184, id="the time of a task is up while an attempt that took too long is ended"),
        pytest.param(500270, id="the next engine takes no job of a stage for a worker"),
        pytest.param(400527, id="a preview of an engine that goes on with a rerun is none of that rerun"),
        pytest.param(400312, id="handlers of a remedy for a part of a job take none of its time"),
        pytest.param(400025, id="a clock is set back after the turn of an instance has come"),
        pytest.param(513, id="what came to nothing leaves the files of the attempt before alone"),
    ],
)
def test_what_went_wrong_once_does_not_any_more(seed: int) -> None:
    assert lived(story(seed)).wrongs == ()


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(5308, id="a remedy has ended, and its files have no room"),
        pytest.param(6539, id="what refuses a job is seen while the commit of its slot is held up"),
        pytest.param(6957, id="a handler begins in the moment of its run"),
    ],
)
def test_promises_that_were_too_strict_are_kept(seed: int) -> None:
    assert lived(story(seed, generation=Generation.SIZED)).wrongs == ()


def test_a_life_is_the_same_whatever_was_lived_before_it_in_its_process() -> None:
    stories = [story(seed) for seed in (3, 4, 5)]

    assert [each.digest for each in lived_in_turn(stories)] == [lived(each).digest for each in stories]


def test_a_life_that_goes_round_in_a_circle_is_told_at_once_and_the_others_are_lived(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live = Simulation.live

    def lived_in_a_circle(simulation: Simulation) -> None:
        while simulation._life.story.seed == 4:
            pass
        live(simulation)

    monkeypatch.setattr(Simulation, "live", lived_in_a_circle)
    monkeypatch.setattr(patience, "_STEP", 1)

    found = lived_in_turn([story(seed) for seed in (3, 4, 5)])

    assert [(each.seed, each.circles) for each in found] == [(3, False), (4, True), (5, False)]
    assert "lived_in_a_circle" in found[1].wrongs[0]
    assert [each.seed for each in lived_in_turn([story(4), story(5)], stop=True)] == [4]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "its process by SIGKILL"),
        (lambda: os._exit(3), "its process with status 3"),
        (lambda: sys.exit(4), "its process with status 1"),
    ],
)
def test_a_life_whose_process_ends_without_an_answer_says_how(
    end: Callable[[], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too little memory for it, or a fault of the interpreter."""
    live = Simulation.live
    monkeypatch.setattr(Simulation, "live", lambda self: end() if self._life.story.seed == 4 else live(self))

    found = lived_in_turn([story(3), story(4), story(5)])

    assert [len(each.wrongs) for each in found] == [0, 1, 0]
    assert found[1].wrongs == (f"the life ended without an answer, {words}: see its error output",)


def test_what_people_ask_for_that_fails_ends_the_life_at_once_and_says_what(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # given a call of the engine that fails as nothing should
    def fails(*given: Any) -> None:
        raise ZeroDivisionError("in the middle of it")

    asked = next(each for each in map(story, range(100)) if any(each.what == "run" for each in each.actions))
    monkeypatch.setattr(LocalService, "run", fails)

    # when people ask for it
    outcome = lived(asked)

    # then it is not asked for again and again
    assert len(outcome.wrongs) == 1
    assert re.match(
        r"what people asked failed: \w+-\d+ run: ZeroDivisionError: in the middle", outcome.wrongs[0]
    )
    assert "in fails" in outcome.wrongs[0]
    assert not [line for line in outcome.lines if "engine 2 starts" in line]


def test_an_engine_that_cannot_begin_for_a_reason_that_nobody_foresaw_ends_the_life_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*given: Any) -> None:
        raise ZeroDivisionError("at its start")

    monkeypatch.setattr(Engine, "start", fails)

    outcome = lived(story(0))

    assert len(outcome.wrongs) == 1
    assert outcome.wrongs[0].startswith("main of ('engine', 1) failed: ZeroDivisionError: at its start")
    assert outcome.steps < 100


def test_a_life_without_one_of_its_actions_is_otherwise_the_same() -> None:
    whole = story(7)
    last = len(whole.actions) - 1

    less = lived(without(whole, [last]), keep_lines=True).lines

    begin = [
        line
        for line in lived(whole, keep_lines=True).lines
        if float(line.split()[0]) < whole.actions[last].at
    ]
    assert list(less[: len(begin)]) == begin


def test_a_wrong_life_is_cut_down_to_the_actions_that_matter() -> None:
    def wrong(life: Story) -> bool:
        return {"run", "kill"} <= {each.what for each in life.actions}

    planted = story(next(seed for seed in range(100) if wrong(story(seed))))
    left = shrunk(planted, wrong, without)

    assert sorted(each.what for each in left.actions) == ["kill", "run"]


def test_the_job_in_an_end_stage_ends_with_its_wait_whose_timeout_passed_without_an_engine() -> None:
    """The body of the wait was over: it is not waited for again, which would leave that job behind."""
    wait = {
        "type": "wait",
        "for": "1s",
        "timeout": "30s",
        "end": {"group": [{"type": "shell", "process": "x"}]},
    }
    away = {"when": "now", "after": 0, "down": 60.0}

    outcome = lived(_tale({"w": wait}, Action(1.0005, "the system", "kill", away)), keep_lines=True)

    assert outcome.wrongs == ()
    assert any("job_instance 1: waiting -> timed_out" in line for line in outcome.lines)


def test_what_runs_when_another_failure_stops_the_run_is_not_lost_sight_of_by_the_next_engine() -> None:
    """The failure that stops it comes first in the definition, and so does its outcome to the next engine."""
    nodes = {
        "bad": {"type": "wait", "for": "1h", "timeout": "2s"},
        "first": {"type": "wait", "for": "1s"},
        "runs": {"type": "wait", "for": "1m", "after": ["first"]},
        "never": {"type": "wait", "for": "1s", "after": ["runs"]},
    }
    killed = Action(3.0, "the system", "kill", {"when": "now", "after": 0, "down": 1.0})

    outcome = lived(_tale(nodes, killed, on_failure="stop"), keep_lines=True)

    assert outcome.wrongs == ()
    states = dict(
        line.split("job_instance ")[1].split(": ") for line in outcome.lines if " job_instance " in line
    )
    assert [each.split(" -> ")[1] for each in states.values()] == [
        "timed_out",
        "succeeded",
        "succeeded",
        "skipped",
    ]


def test_each_round_of_a_loop_keeps_its_own_part_of_the_context() -> None:
    """The next round begins in the very turn in which the round before has ended."""
    back = {"type": "condition", "value": "1 > 2", "branches": {"false": _AGAIN}}

    assert lived(_tale({"a": _SHELL, "c": {**back, "max_loops": 1, "after": ["a"]}})).wrongs == ()


def test_what_failed_is_dealt_with_when_its_task_tries_it_again() -> None:
    job = _SHELL | {"success": "1 > 2"}

    assert lived(_tale({"a": job}, retry={"times": 1, "interval": "10s"})).wrongs == ()


def test_a_job_that_is_cancelled_before_its_next_attempt_says_so_in_its_own_files() -> None:
    job = _SHELL | {"success": "1 > 2", "retry": {"times": 1, "interval": "1h"}}
    cancelled = Action(60.0, "bo", "cancel", {"instance": 0, "node": None})

    assert lived(_tale({"a": job}, cancelled)).wrongs == ()  # whose program leaves a daemon


def test_an_attempt_whose_engine_was_killed_right_after_its_end_has_its_status_though_its_job_goes_on() -> (
    None
):
    job = _SHELL | {"success": "1 > 2", "retry": {"times": 1, "interval": "1h"}}
    killed = Action(0.0, "the system", "kill", {"when": "after commit", "after": 3, "down": 5.0})
    cancelled = Action(60.0, "bo", "cancel", {"instance": 0, "node": None})

    outcome = lived(_tale({"a": job}, killed, cancelled), keep_lines=True)

    assert any("job_instance 1: retrying -> cancelled" in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_a_next_attempt_that_is_stopped_before_it_has_its_files_is_in_those_of_the_job() -> None:
    """The pause before it and the time of its task pass while the database is locked."""
    killed = Action(0.0, "the system", "kill", {"when": "file", "after": 18, "down": 1.8})
    locked = Action(0.6, "the database", "locked", {"seconds": 24.0})
    job = _SHELL | {"recovery": {"strategy": "retry", "after": 0}}

    outcome = lived(_tale({"a": job}, killed, locked, timeout="15s"), keep_lines=True)

    assert any("job_run (1, 2): running -> timed_out" in line for line in outcome.lines)
    assert outcome.wrongs == ()


@pytest.mark.parametrize("commits", [3, 4], ids=["before the end stage", "in it"])
def test_a_check_that_held_is_not_made_again_by_the_next_engine(commits: int) -> None:
    killed = Action(0.0, "the system", "kill", {"when": "after commit", "after": commits, "down": 1.8})
    check = {"after": 1, "every": "1h", "times": 2, "success": "1 < 2"}
    job = _SHELL | {"mode": "async", "check": check, "end": "y"}

    outcome = lived(_tale({"a": job}, killed), keep_lines=True)

    at_the_blow = next(at for at, line in enumerate(outcome.lines) if "it happens" in line)
    assert any("job_instance 1: checking -> running" in line for line in outcome.lines[:at_the_blow])
    assert not any("-> checking" in line for line in outcome.lines[at_the_blow:])
    assert outcome.wrongs == ()


@pytest.mark.parametrize(
    ("success", "moment", "state"), [("1 < 2", 600, "succeeded"), ("2 < 1", 7800, "failed")]
)
def test_checks_go_on_where_they_were_under_the_next_engine(success: str, moment: int, state: str) -> None:
    """The first one after ten minutes, three in all; engines end before the first and before the third one."""
    now = {"when": "now", "after": 0, "down": 60.0}
    killed = [Action(at, "the system", "kill", now) for at in (300.0, 5000.0)]
    job = _SHELL | {"mode": "async", "check": {"after": "10m", "every": "1h", "times": 3, "success": success}}

    outcome = lived(_tale({"a": job}, *killed), keep_lines=True)

    [at] = [
        float(line.split()[0]) for line in outcome.lines if f"job_instance 1: checking -> {state}" in line
    ]
    assert int(at) == moment
    assert outcome.wrongs == ()


_NO_ROOM = Action(0.3, "the disk", "disk full", {"left": 0, "seconds": 600.0, "database": False})
_RERUN = Action(
    31.0,
    "bo",
    "rerun",
    {
        "instance": 0, "mode": "all", "nodes": (), "with_upstream": False, "downstream": False,
        "current": False, "edits": (),
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("blow", "asked", "retry"),
    [
        pytest.param("power", (), {"times": 1, "interval": "20s"}, id="its task's own retry"),
        pytest.param("kill", (_RERUN,), {}, id="one that a person asks for"),
    ],
)
def test_a_further_run_waits_until_an_earlier_engine_s_files_have_found_room(
    blow: str, asked: tuple[Action, ...], retry: dict[str, Any]
) -> None:
    """Both would write the same files: the log lost what the further run wrote."""
    ends = Action(15.0, "the system", blow, {"when": "now", "after": 0, "down": 1.0})
    tale = _tale({"a": _SHELL | {"success": "1 > 2"}}, _NO_ROOM, ends, *asked, retry=retry)

    outcome = lived(tale, keep_lines=True)

    assert outcome.wrongs == ()
    [begin] = [float(line.split()[0]) for line in outcome.lines if " run (1, 2): None -> running" in line]
    assert begin > 600


def test_what_was_to_be_tried_again_is_given_up_when_its_files_have_found_room() -> None:
    ends = Action(15.0, "the mains", "power", {"when": "now", "after": 0, "down": 1.0})
    cancelled = Action(30.0, "bo", "cancel", {"instance": 0, "node": None})
    retry = {"times": 1, "interval": "1h"}
    tale = _tale({"a": _SHELL | {"success": "1 > 2"}}, _NO_ROOM, ends, cancelled, _RERUN, retry=retry)

    outcome = lived(tale, keep_lines=True)

    assert outcome.wrongs == ()
    assert any(" rerun refused: " in line for line in outcome.lines)  # it has not ended yet


def test_a_commit_goes_through_as_soon_as_the_database_is_locked_no_longer() -> None:
    """As SQLite's busy handler does it, after which the engine asks again."""
    locked = Action(0.5, "the database", "locked", {"seconds": 15.0})

    outcome = lived(_tale({"a": {"type": "wait", "for": 1}}, locked), keep_lines=True)

    assert "15.500000 job_instance 1: waiting -> succeeded" in outcome.lines
    assert outcome.wrongs == ()


def test_a_job_that_got_its_slot_leaves_no_timer_of_the_queue_behind() -> None:
    job = {"type": "shell", "process": "x", "queue_timeout": "30d"}
    outcome = lived(_tale({"first": job, "second": job, "third": job}))

    assert outcome.wrongs == ()


def test_what_an_exclusive_job_holds_up_names_the_one_that_runs_now() -> None:
    exclusive = {"type": "shell", "process": "x", "on": {"exclusive": True}}
    nodes = {
        "first": {**exclusive, "priority": 9},
        "second": {**exclusive, "priority": 5},
        "waits": {"type": "shell", "process": "x"},
    }

    assert lived(_tale(nodes)).wrongs == ()


def test_what_an_exclusive_job_without_a_slot_holds_up_names_it() -> None:
    """An asynchronous one has given its slot back, and keeps its worker for itself until it is over."""
    check = {"every": "10s", "times": 5, "success": "$.JOB['alone'].OUTPUT # 'done'"}
    nodes = {
        "alone": _SHELL | {"priority": 9, "on": {"exclusive": True}, "mode": "async", "check": check},
        "waits": _SHELL,
    }

    outcome = lived(_tale(nodes), keep_lines=True)

    assert outcome.wrongs == ()
    assert any("job_instance 2: None -> busy" in line for line in outcome.lines)


def test_what_an_asynchronous_job_runs_out_of_reach_counts_from_the_next_engine_on() -> None:
    """What waits for its worker does not begin there before it is known what became of that."""
    check = {"every": "10s", "times": 60, "success": "$.JOB['alone'].OUTPUT # 'done'"}
    reef = {"workers": ["reef"]}
    nodes = {
        "alone": _SHELL | {"mode": "async", "check": check, "on": {**reef, "exclusive": True}},
        "moment": {"type": "wait", "for": "20s"},
        "late": _SHELL | {"after": ["moment"], "on": reef},
    }
    silence = {"worker": "reef", "takes": 2000.0, "after": 1.0, "seconds": 60.0}
    kill = Action(10.0, "the system", "kill", {"when": "now", "after": 0, "down": 5.0})
    tale = _tale(nodes, kill)
    actions = (Action(0.0, "the network", "silence", silence), *tale.actions)

    outcome = lived(replace(tale, actions=actions, fleet=Fleet({"reef": 2})), keep_lines=True)

    assert outcome.wrongs == ()
    assert any("job_instance 3: no_worker -> busy" in line for line in outcome.lines)


def test_what_ended_after_the_clock_was_set_back_is_examined_after_a_power_cut() -> None:
    ended = {"first": {"type": "shell", "process": "x"}}
    set_back = Action(0.01, "the clock", "clock", {"by": -86_400.0})
    cut = Action(8.0, "the system", "reboot", {"down": 5.0})

    assert lived(_tale(ended, set_back, cut)).wrongs == ()


def test_what_ended_between_two_engines_while_the_clock_was_set_back_is_examined_after_a_power_cut() -> None:
    """Seed 1795861055018: its end is noted in the first turn of the engine, before it has done anything else."""
    killed = Action(0.001, "the system", "kill", {"when": "now", "after": 0, "down": 600.0})
    set_back = Action(300.0, "the clock", "clock", {"by": -86_400.0})
    cut = Action(604.0, "the mains", "power", {"when": "now", "after": 0, "down": 5.0})

    outcome = lived(_tale({"a": _SHELL}, killed, set_back, cut), keep_lines=True)

    assert any(line.startswith("600.001000 instance 1: running ->") for line in outcome.lines)
    assert any("lost: instances/" in line for line in outcome.lines)
    assert outcome.wrongs == ()


@pytest.mark.parametrize("commits", [1, 2])
def test_what_ends_in_the_moment_of_a_power_cut_is_examined_though_the_clock_was_set_back(
    commits: int,
) -> None:
    """Seed 3132: its end is durable, and nothing else was written down about it yet."""
    set_back = Action(0.01, "the clock", "clock", {"by": -86_400.0})
    cut = Action(2.0, "the mains", "power", {"when": "after commit", "after": commits, "down": 5.0})

    outcome = lived(_tale({"a": _SHELL}, set_back, cut), keep_lines=True)

    assert any("instance 1: running -> succeeded" in line for line in outcome.lines)
    assert any("lost: instances/" in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_a_question_ends_with_its_deadline_whatever_engines_do_meanwhile() -> None:
    asks = {"type": "approve", "question": "Go on?", "deadline": "10m", "otherwise": "reject"}

    outcome = lived(_tale({"a": asks}, _AWAY), keep_lines=True)

    assert "600.000000 job_instance 1: waiting -> failed" in outcome.lines
    assert outcome.wrongs == ()


def test_the_handlers_of_an_end_go_on_under_the_next_engine_and_change_nothing() -> None:
    wait = {"type": "wait", "for": "1m"}
    on_end = {"succeeded": wait, "always": wait | {"timeout": "10s"}}

    outcome = lived(_tale({"a": {"type": "wait", "for": "5s"}}, _AWAY, on_end=on_end), keep_lines=True)

    assert any("job_instance 3: waiting -> timed_out" in line for line in outcome.lines)
    assert any("run (1, 1): running -> succeeded" in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_what_is_not_tried_again_is_not_because_an_engine_ended_while_its_handlers_were_at_work() -> None:
    """Seed 1795891258333: an error that no retry mends is one under the next engine too."""
    nodes = {"a": _SHELL | {"results": {"n": {"kind": "number"}}, "when": "1 > 2"}}
    keys = {
        "results": {"n": {"value": "$.JOB['a'].RESULT['n']"}},
        "retry": {"times": 1, "interval": "10s"},
        "on_end": {"failed": {"type": "wait", "for": "1h"}},
    }
    killed = Action(10.0, "the system", "kill", {"when": "now", "after": 0, "down": 1.0})

    outcome = lived(_tale(nodes, killed, **keys), keep_lines=True)

    assert outcome.wrongs == ()
    assert not any("run (1, 2)" in line for line in outcome.lines)


def test_nothing_begins_by_what_is_settled_while_the_next_engine_runs_the_handlers() -> None:
    """Seed 1795895315020: that engine has not looked at the nodes of the run, which have ended."""
    nodes = {"a": _SHELL, "b": _SHELL | {"after": ["a"]}}
    killed = Action(100.0, "the system", "kill", {"when": "now", "after": 0, "down": 1.0})
    by_hand = Action(200.0, "bo", "force", {"instance": 0, "node": "a", "outcome": "succeeded"})

    outcome = lived(
        _tale(nodes, killed, by_hand, on_end={"always": {"type": "wait", "for": "1h"}}), keep_lines=True
    )

    assert outcome.wrongs == ()
    assert any("has ended already" in line for line in outcome.lines)
    assert not any("job_instance 4: " in line for line in outcome.lines)


def test_nobody_looks_later_at_what_refused_a_job_that_has_ended() -> None:
    exclusive = _SHELL | {"on": {"exclusive": True}, "priority": 9}
    waits = _SHELL | {"recovery": {"strategy": "retry", "after": "1h"}}

    outcome = lived(_tale({"first": exclusive, "waits": waits, "too": waits}), keep_lines=True)

    assert any("job_instance 2: None -> busy" in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_the_jobs_of_a_stage_end_with_it_when_it_is_stopped_while_a_full_disk_keeps_its_files() -> None:
    """After a power cut: its directory is to be made again before anything else of it goes on."""
    job = _SHELL | {"ready": {"group": [_SHELL]}}
    cut = Action(0.001, "the mains", "power", {"when": "now", "after": 0, "down": 5.0})
    full = Action(0.002, "the disk", "disk full", {"left": 0, "seconds": 600.0})

    outcome = lived(_tale({"j": job}, cut, full, timeout="30s"), keep_lines=True)

    assert any("job_instance 1: waiting -> timed_out" in line for line in outcome.lines)
    assert outcome.wrongs == ()


@pytest.mark.parametrize("seconds", [4.5, 8.0, 12.5])
def test_what_an_attempt_has_still_to_write_on_a_full_disk_precedes_the_files_of_the_next_one(
    seconds: float,
) -> None:
    full = Action(0.001, "the disk", "disk full", {"left": 0, "seconds": seconds, "database": False})
    job = _SHELL | {"timeout": "0.1s", "retry": {"times": 2, "interval": "0s"}}

    outcome = lived(_tale({"a": job}, full), keep_lines=True)

    assert any("job_run (1, 3): running -> " in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_a_daemon_of_a_program_ends_with_the_end_stage_that_takes_too_long() -> None:
    job = _SHELL | {"timeout": "50s", "end": {"group": [{"type": "wait", "for": "1h"}]}}

    outcome = lived(_tale({"a": job}), keep_lines=True)  # whose program leaves one

    assert any("job_instance 1: waiting -> timed_out" in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_what_a_failing_disk_kept_from_being_restored_after_a_power_cut_is_restored_later() -> None:
    cut = Action(3.0, "the mains", "power", {"when": "now", "after": 0, "down": 5.0})
    fails = Action(4.0, "the disk", "io error", {"operation": "open", "after": 2, "times": 1})

    outcome = lived(_tale({"a": _SHELL}, cut, fails), keep_lines=True)

    assert any(line.endswith(" fails") for line in outcome.lines)
    assert outcome.wrongs == ()


def test_a_log_that_was_begun_while_the_disk_failed_goes_on_where_it_is() -> None:
    killed = Action(0.0, "the system", "kill", {"when": "file", "after": 2, "down": 5.0})
    fails = Action(1.0, "the disk", "io error", {"operation": "mkdir", "after": 1, "times": 1})

    assert lived(_tale({"a": _SHELL}, killed, fails)).wrongs == ()


def test_a_value_that_was_set_for_a_whole_batch_gives_way_to_its_members() -> None:
    when = "$.JOB['a'].RESULT['exit_code'] > 0"
    batch = _SHELL | {"params": [{"x": 1}, {"x": 2}], "after": ["a"], "when": when}
    edit = {"instance": 0, "path": "$.JOB['k'].RESULT['exit_code']", "value": "0"}

    outcome = lived(_tale({"a": _SHELL, "k": batch}, Action(0.1, "bo", "set", edit)), keep_lines=True)

    assert outcome.wrongs == ()
    assert len([line for line in outcome.lines if line.endswith(": pending -> skipped")]) == 2


def test_what_was_settled_by_hand_and_runs_again_goes_on_though_the_clock_was_set_back() -> None:
    """By the times alone its outcome would come after what made it run again."""
    nodes = {
        "first": {"type": "wait", "for": "10s"},
        "c": {"type": "condition", "value": "1 > 0", "after": ["first"], "max_loops": 2}
        | {"branches": {"false": _AGAIN | {"from": "first"}, "true": ["held"]}},
        "held": {"type": "wait", "for": "1h"},
    }
    by_hand = Action(1.0, "bo", "force", {"instance": 0, "node": "held", "outcome": "succeeded"})
    set_back = Action(2.0, "the clock", "clock", {"by": -86_400.0})
    killed = Action(20.0, "the system", "kill", {"when": "now", "after": 0, "down": 1.0})

    outcome = lived(_tale(nodes, by_hand, set_back, killed), keep_lines=True)

    assert outcome.wrongs == ()
    assert any("job_instance 4: waiting -> succeeded" in line for line in outcome.lines)


def test_the_status_file_is_that_of_the_attempt_though_its_job_was_settled_by_hand() -> None:
    by_hand = Action(0.2, "bo", "force", {"instance": 0, "node": "a", "outcome": "succeeded"})
    killed = Action(0.2001, "the system", "kill", {"when": "after commit", "after": 1, "down": 1.0})

    assert lived(_tale({"a": _SHELL}, by_hand, killed)).wrongs == ()


@pytest.mark.parametrize("operation", [2, 3, 4])
def test_a_rerun_whose_engine_is_killed_at_once_describes_itself_in_its_files(operation: int) -> None:
    failing, better = ({"t": {"nodes": {"a": _SHELL | {"success": each}}}} for each in ("1 > 2", "1 > 0"))
    load = {"definitions": {"tasks": better}, "change": "its success"}
    rerun = {"instance": 0, "mode": "all", "nodes": [], "with_upstream": False, "downstream": False}
    killed = {"when": "file", "after": operation, "down": 1.0}

    outcome = lived(
        _tale(
            failing["t"]["nodes"],
            Action(50.0, "chen", "load", load),
            Action(100.0, "chen", "rerun", rerun | {"current": True, "edits": []}),
            Action(100.0, "the system", "kill", killed),
        )
    )

    assert outcome.wrongs == ()


def test_a_pause_before_a_retry_does_not_begin_again_because_the_clock_was_set_back() -> None:
    job = _SHELL | {"success": "1 > 2", "retry": {"times": 1, "interval": "10m"}}
    set_back = Action(400.0, "the clock", "clock", {"by": -3600.0})
    killed = Action(500.0, "the system", "kill", {"when": "now", "after": 0, "down": 1.0})

    lines = lived(_tale({"a": job}, set_back, killed), keep_lines=True).lines

    failed, again = (
        float(line.split()[0]) for line in lines if "job_instance 1: " in line and "retrying" in line
    )
    assert again - failed == pytest.approx(600, abs=0.1)


def test_an_exclusive_job_that_only_a_paused_queue_holds_up_waits_for_no_other_one() -> None:
    nodes = {
        "first": {"type": "shell", "process": "x", "priority": 9},
        "alone": {"type": "shell", "process": "x", "on": {"exclusive": True}},
    }

    assert lived(_tale(nodes, Action(0.1, "anna", "queue pause", {}))).wrongs == ()


@pytest.mark.parametrize(
    "outer",
    [
        {"v": {"type": "group", "ready": "x", "jobs": [_SHELL]}},
        {"g": {"type": "group", "jobs": [_SHELL], "end": {"group": [_SHELL]}}},
    ],
    ids=["a member behind a ready stage", "the end of a group"],
)
def test_a_job_within_a_job_has_its_slot_in_the_next_engine_before_others_get_one(
    outer: dict[str, Any],
) -> None:
    assert lived(_tale({**outer, "s": _SHELL, **_LATE}, _AWAY)).wrongs == ()


def test_a_program_that_waits_for_its_end_stage_takes_no_slot_in_the_next_engine() -> None:
    """The jobs of that stage wait for one, and have waited for longer than the exclusive job."""
    ends = _SHELL | {"end": {"group": [_SHELL]}}

    lines = lived(
        _tale({"g": ends, "t": ends, "i": _SHELL, "s": _SHELL, **_LATE}, _AWAY), keep_lines=True
    ).lines

    begun = [
        int(line.split()[2][:-1]) for line in lines if line.endswith("-> running") and "job_inst" in line
    ]
    assert begun == [1, 2, 3, 4, 8, 7, 6]


_HERE = {"resources": {"here": {"type": "file", "uri": "$.TASK.WORKSPACE", "check": {"exists": True}}}}
_CALL = {"type": "file_exists", "params": {"path": "$.TASK.WORKSPACE"}}
_CHECK = {"after": "1s", "every": "5s", "times": 3, "success": {"resource": "here"}}


@pytest.mark.parametrize("stopped", [False, True], ids=["goes on", "was stopped"])
@pytest.mark.parametrize(
    "outer",
    [
        {"type": "wait", "for": "1s", "changes": ["here"]},
        _SHELL | {"changes": ["here"]},
        _SHELL | {"mode": "async", "check": _CHECK},
        _SHELL | {"process": {"class": "file_exists"}, "params": _CALL["params"]},
        _CALL,
        _CALL | {"ready": {"group": [_SHELL]}},
    ],
    ids=["wait", "program", "asynchronous", "built-in", "call", "ready stage of a call"],
)
def test_the_jobs_of_a_stage_go_on_first_whatever_it_is_a_stage_of(
    outer: dict[str, Any], stopped: bool
) -> None:
    """They have their slots before the exclusive job gets one, and none of them is left behind."""
    cancel = Action(34.9, "bo", "cancel", {"instance": 0, "node": "g"})
    nodes = {"g": outer | {"end": {"group": [_SHELL]}}, "s": _SHELL, **_LATE}
    tale = _tale(nodes, *[cancel] * stopped, _AWAY)

    outcome = lived(replace(tale, definitions=_HERE | dict(tale.definitions)), keep_lines=True)

    assert outcome.wrongs == ()
    assert any(line.endswith("job_instance 5: None -> running") for line in outcome.lines)


@pytest.mark.parametrize("moment", [0.5, 1.5], ids=["the folder", "the copy at the end"])
@pytest.mark.parametrize("operation", ["mkdir", "open", "write", "rename"])
def test_a_copy_that_the_disk_failed_to_take_is_written_again(operation: str, moment: float) -> None:
    fails = {"operation": operation, "after": 1, "times": 1}
    again = Action(0.6, "bo", "run", _RUN | {"key": "run-1"})

    outcome = lived(
        _tale({"w": {"type": "wait", "for": "1s"}}, Action(moment, "the disk", "io error", fails), again),
        keep_lines=True,
    )

    assert outcome.wrongs == ()
    assert any(" fails" in line for line in outcome.lines) or (operation, moment) == ("mkdir", 1.5)


def test_what_was_settled_by_hand_before_its_turn_stays_so_though_what_comes_before_it_fails_later() -> None:
    """What follows it runs: the next engine must not lose sight of that."""
    nodes = {
        "bad": {"type": "wait", "for": "1h", "timeout": "2s"},
        "held": {"type": "wait", "for": "1s", "after": ["bad"]},
        "runs": {"type": "wait", "for": "1m", "after": ["held"]},
    }
    by_hand = {"instance": 0, "node": "held", "outcome": "succeeded"}
    killed = {"when": "now", "after": 0, "down": 1.0}

    outcome = lived(
        _tale(nodes, Action(1.0, "bo", "force", by_hand), Action(3.0, "the system", "kill", killed)),
        keep_lines=True,
    )

    assert outcome.wrongs == ()
    assert any("job_instance 3: waiting -> succeeded" in line for line in outcome.lines)


def test_a_change_of_an_ended_instance_reaches_its_files_though_the_engine_is_killed_right_after_it() -> None:
    by_hand = {"instance": 0, "node": "bad", "outcome": "succeeded"}
    killed = {"when": "after commit", "after": 1, "down": 1.0}
    nodes = {"bad": {"type": "wait", "for": "1h", "timeout": "2s"}}

    outcome = lived(
        _tale(nodes, Action(8.0, "the system", "kill", killed), Action(9.0, "bo", "force", by_hand)),
        keep_lines=True,
    )

    assert any("timed_out -> succeeded" in line for line in outcome.lines)
    assert outcome.wrongs == ()


def test_a_job_whose_question_was_closed_without_an_answer_can_still_be_answered() -> None:
    nodes = {"w": {"type": "shell", "process": "x", "on": {"workers": ["far-away"]}}}

    closed = Action(1.0, "bo", "answer", {"exception": 0, "word": None})

    outcome = lived(_tale(nodes, closed), keep_lines=True)

    assert outcome.wrongs == ()
    assert any("job_instance 1: no_worker -> " in line for line in outcome.lines)


@pytest.mark.parametrize("moment", [30.0, 0.5], ids=["after it was known", "before"])
def test_each_member_of_a_batch_fails_when_it_is_not_clear_whether_it_runs(moment: float) -> None:
    """None of them is left for the next engine to begin, or for ever."""
    nodes = {
        "bad": {"type": "wait", "for": "1h", "timeout": "2s"},
        "batch": _SHELL
        | {"after": ["bad"], "params": [{"x": 1}, {"x": 2}], "run_if": "any_failed"}
        | {"when": "$.JOB['bad'].RESULT['waited'] > 0"},
        "long": {"type": "wait", "for": "1m"},
    }
    killed = Action(moment, "the system", "kill", {"when": "now", "after": 0, "down": 1.0})

    outcome = lived(_tale(nodes, killed), keep_lines=True)

    assert outcome.wrongs == ()
    assert len([line for line in outcome.lines if line.endswith(": pending -> failed")]) == 2


def test_an_engine_sleeps_while_a_job_only_waits() -> None:
    """What it looks after wakes it; it does not look each ten seconds whether there is something to do."""
    outcome = lived(_tale({"long": {"type": "wait", "for": "6h"}}), keep_lines=True)

    assert outcome.wrongs == ()
    assert outcome.seconds > 6 * 3600
    assert outcome.steps < 3.5 * outcome.seconds / 60  # the disk's reserve is looked after each minute


def test_what_has_ended_is_on_the_disk_ten_seconds_later() -> None:
    nodes = {each: {"type": "wait", "for": f"{number}s"} for number, each in enumerate("abc", start=18)}
    cut = Action(40.0, "the mains", "power", {"when": "now", "after": 0, "down": 1.0})

    outcome = lived(_tale(nodes, cut), keep_lines=True)

    assert outcome.wrongs == ()
    assert not any(" lost: " in line for line in outcome.lines)


_RUN = {"task": "t", "params": {}, "texts": {}, "key": "run-0", "file": False}


def _tale(nodes: dict[str, Any], *actions: Action, **keys: Any) -> Story:
    """A life of one task, whose processes are those of a calm seed."""
    settings = {"places": 2, "timezone": "UTC", "durability": "normal", "grace": 1, "monitor": False}
    seed = next(seed for seed in count() if mood(seed) == "calm")
    return Story(
        seed,
        settings,
        {"tasks": {"t": {"nodes": nodes, **keys}}},
        (Action(0.0, "anna", "run", _RUN), *actions),
    )


@pytest.mark.parametrize("mutant", mutants.planted(), ids=lambda each: each.name)
def test_every_planted_defect_has_its_place(mutant: Mutant) -> None:
    """The list is only worth something as long as each of its changes can be made."""
    assert mutant.planted_in((mutants.ROOT / mutant.file).read_text())


if ALL:  # minutes each

    @pytest.mark.timeout(0)
    @pytest.mark.parametrize("mutant", mutants.planted(), ids=lambda each: each.name)
    def test_every_planted_defect_breaks_a_promise(mutant: Mutant) -> None:
        assert mutants.tried(mutant).promise, f"python -m tests.simulation.mutants {mutant.name!r}"


def test_the_page_tells_of_planted_defects_that_are_listed() -> None:
    rows = mutants.rows_of(mutants.PAGE.read_text())

    assert {row.split(" | ")[0].removeprefix("| ") for row in rows} <= {
        each.name for each in mutants.planted()
    }
