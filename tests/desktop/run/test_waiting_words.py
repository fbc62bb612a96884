"""The same words for why a job waits, in graph, Gantt chart, list of jobs and replay."""

from __future__ import annotations

from typing import Any

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

    reason = reason_then(report, then, parents)

    assert reason == Reason.of(Kind.PARENTS, nodes=["load"], root="extract", state="running")
    assert "extract" in waits_because(job_at(report, None, reason))


def test_what_was_skipped_by_then_keeps_its_reason() -> None:
    skipped = job("load", "skipped", reason="parent_failed: extract")
    then = Moment(3, {"JOB": {"load": {"STATUS": "skipped"}}})

    assert reason_then(skipped, then, {}) == Reason.of(Kind.PARENT_FAILED, nodes=["extract"])
    assert (
        reason_then(job("load", "succeeded"), Moment(9, {"JOB": {"load": {"STATUS": "running"}}}), {}) is None
    )
