"""The same words for why a job waits, in graph, Gantt chart, list of jobs and replay."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.canvas.task_picture import graph_of
from app.desktop.kernel.console import Console
from app.desktop.run.gantt_rows import Bar, GanttRow
from app.desktop.run.gantt_view import GanttView
from app.desktop.run.graph_states import extra_badges, with_states
from app.desktop.run.node_states import by_node, statuses_by_job
from app.desktop.run.reason_then import reason_then
from app.desktop.run.session import job_at
from app.desktop.run.waiting_words import next_moment, tip_of, waits_because
from engine.context.timeline import Moment
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from tests.api.fake_service import job

TIME = "2026-11-20T10:42:10+00:00"
RETRY = Reason.of(Kind.RETRY, seconds=5, at=TIME, attempt=2, of=4, message="exit status 3")


def waiting(reason: Reason, status: str = "retrying", **more: Any) -> Any:
    return job("load", status, **said(reason), **more)


def test_a_badge_has_the_attempt_and_the_time_of_the_next_one() -> None:
    retried = waiting(RETRY)

    moment = next_moment(retried)

    assert moment is not None
    assert moment.attempts == "2/4"
    assert moment.time.startswith("2026-11-20 ")
    graph = graph_of({"nodes": {"load": {"type": "shell"}}}, {})
    shown = with_states(graph, by_node(statuses_by_job([retried])), extra_badges({}, [retried]))
    assert shown.nodes[0].badges == (moment.badge,)


def test_a_pause_is_no_moment_that_comes() -> None:
    assert next_moment(waiting(Reason.of(Kind.INSTANCE_PAUSED, by="anna", at=TIME), "queued")) is None
    assert next_moment(job("load", "running")) is None


def test_tip_and_chart_have_the_sentence_that_the_list_has(console: Console, qtbot: QtBot) -> None:
    retried = waiting(RETRY)
    words = waits_because(retried)
    assert "attempt 2 of 4" in words
    assert "exit status 3" in words

    view = GanttView(console)
    qtbot.addWidget(view)
    view.show_rows([GanttRow("load", None, (Bar(0.0, 2.0, "failed"),))], 10.0)
    view.show_notes({("load", None): words})
    view.resize(900, 200)

    assert words in tip_of([retried])
    assert "attempt 2 of 4" in view._tip(0)
    assert not view.grab().isNull()


def test_at_a_moment_of_the_past_a_job_waits_for_what_had_not_ended_then() -> None:
    parents = {"load": ("extract",), "report": ("load",)}
    then = Moment(3, {"JOB": {"extract": {"STATUS": "running"}}})
    report = job("report", "succeeded")

    reason = reason_then(report, then, parents, {})

    assert reason == Reason.of(Kind.PARENTS, nodes=["load"], root="extract", state="running")
    assert "extract" in waits_because(job_at(report, None, reason))


def test_what_was_skipped_by_then_keeps_its_reason() -> None:
    skipped = job("load", "skipped", reason="parent_failed: extract")
    then = Moment(3, {"JOB": {"load": {"STATUS": "skipped"}}})

    assert reason_then(skipped, then, {}, {}) == Reason.of(Kind.PARENT_FAILED, nodes=["extract"])
    running = Moment(9, {"JOB": {"load": {"STATUS": "running"}}})
    assert reason_then(job("load", "succeeded"), running, {}, {"type": "shell"}) is None


FAILED = {
    "STATUS": "retrying", "ATTEMPT": 2, "ERROR_CODE": -11000001003, "ERROR_MESSAGE": "exit status 3",
    "EXIT_CODE": 3, "START_TIME": "2026-11-20T10:42:00+00:00", "END_TIME": "2026-11-20T10:42:10+00:00",
}  # fmt: skip


def then_because(keys: dict[str, Any], entry: dict[str, Any]) -> str:
    done = job("load", "succeeded")
    reason = reason_then(done, Moment(3, {"JOB": {"load": entry}}), {}, keys)
    return waits_because(job_at(done, entry, reason))


def test_a_replay_says_which_attempt_comes_next_and_when() -> None:
    retried = {"type": "shell", "retry": {"times": 3, "interval": "1m", "backoff": 2}}

    words = then_because(retried, FAILED)

    assert "attempt 3 of 4" in words
    assert words.endswith("exit status 3.")
    done = job("load", "succeeded")
    moment = next_moment(
        job_at(done, FAILED, reason_then(done, Moment(3, {"JOB": {"load": FAILED}}), {}, retried))
    )
    assert moment is not None
    assert (moment.attempts, moment.time) == ("3/4", "2026-11-20 10:44")


@pytest.mark.parametrize("retry", [None, {"times": 1}, {"times": 5, "exit": [9]}, {"times": "many"}, "no"])
def test_a_replay_does_not_guess_when_a_rule_or_recovery_tries_again(retry: object) -> None:
    assert then_because({"type": "shell", "retry": retry}, FAILED) == "Will be tried again."


RUNNING = {"STATUS": "running", "ATTEMPT": 1, "START_TIME": "2026-11-20T10:42:00+00:00"}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"type": "wait", "for": "3m"}, "Waits 3 min 00 s, until 2026-11-20 10:45."),
        ({"type": "wait", "until": "2026-11-20T10:45:00+00:00"}, "Waits until 2026-11-20 10:45."),
        ({"type": "wait", "until_true": "{true}"}, "Waits until its condition holds."),
        ({"type": "wait", "for": "$.TASK.PARAMS['long']"}, ""),
        ({"type": "wait", "for": "9999999999999w"}, ""),
        ({"type": "approve", "question": "Go on?"}, "Waits for an answer: Go on? (approve, reject)."),
        ({"type": "approve", "question": "Load {$.TASK.ID}?"}, ""),
        ({"type": "task", "task": "t"}, ""),
        ({"type": "shell"}, ""),
    ],
)
def test_a_replay_says_what_a_running_job_waits_for(keys: dict[str, Any], said: str) -> None:
    assert then_because(keys, RUNNING) == said


def test_a_replay_says_which_sub_task_is_waited_for() -> None:
    entry = {**RUNNING, "RESULT": {"instance": 7}}

    assert then_because({"type": "task"}, entry) == "Waits for the end of its sub-task, instance 7."
