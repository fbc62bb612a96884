"""The states of nodes: batches, rounds, events over a document, and a moment of the past by the same rule."""

from __future__ import annotations

from app.desktop.canvas.task_picture import graph_of, with_handlers
from app.desktop.run.graph_states import with_states
from app.desktop.run.live_states import LiveStates
from app.desktop.run.node_states import NodeState, by_node, first_needing, statuses_by_job, together
from tests.api.fake_service import instance, job


def test_a_batch_runs_until_its_last_member_has_ended_then_shows_the_worst() -> None:
    assert together(["succeeded", "queued"]) == "running"
    assert together(["succeeded", "lost", "failed"]) == "failed"
    assert together(["skipped", "succeeded"]) == "succeeded"
    assert together([]) == "pending"


def test_a_node_shows_its_latest_round_and_how_many_members_have_ended() -> None:
    jobs = [job("look", "succeeded"), job("look", "running", round=2)]
    batch = [job("each", "succeeded", index=0), job("each", "failed", index=1)]

    states = by_node(statuses_by_job([*jobs, *batch]))

    assert states["look"] == NodeState("running", 2, 1, 0)
    assert states["each"] == NodeState("failed", 1, 2, 2)


def test_what_failed_is_looked_at_first() -> None:
    jobs = [job("a", "running"), job("b", "timed_out"), job("c", "failed"), job("c.0", "failed")]

    found = first_needing(jobs)

    assert found is not None
    assert found["node"] == "c"
    assert first_needing([job("a", "succeeded"), job("b", "succeeded")]) is None


def test_the_only_job_is_looked_at_first() -> None:
    assert first_needing([job("a", "succeeded")]) == job("a", "succeeded")


def test_events_change_the_states_and_ask_for_a_new_reading() -> None:
    live = LiveStates(instance(3, jobs=[job("a", "running", instance=11), job("b", "pending", instance=12)]))

    changed = live.apply(
        [
            {"kind": "job", "instance": 3, "job_instance": 11, "node": "a", "status": "failed"},
            {"kind": "job", "instance": 4, "job_instance": 12, "node": "b", "status": "running"},
        ]
    )

    assert changed == {"a"}
    assert live.states(changed)["a"].status == "failed"
    assert live.stale


def test_a_job_that_is_not_known_yet_is_read_again() -> None:
    live = LiveStates(instance(3, jobs=[]))

    assert live.apply([{"kind": "job", "instance": 3, "job_instance": 5, "status": "running"}]) == set()
    assert live.stale


def test_handlers_of_the_end_are_in_the_picture_of_a_run() -> None:
    task = {
        "nodes": {"a": {"type": "shell"}},
        "on_end": {"failed": {"job": "note"}, "always": {"type": "shell"}},
    }
    jobs = {"note": {"type": "shell"}}

    graph = with_handlers(graph_of(task, jobs), task, jobs)
    shown = with_states(graph, {"a": NodeState("failed"), "on_end.always": NodeState("running")}, {})

    states = {node.id: node.status for node in shown.nodes}
    assert states == {"a": "failed", "on_end.failed": "", "on_end.always": "running"}
    assert [(link.source, link.target) for link in graph.links] == [("on_end.failed", "on_end.always")]
