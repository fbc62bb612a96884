"""Where jobs ran: said beside the node, its row and its bar; each worker's record can be chosen."""

from __future__ import annotations

from typing import Any

from app.desktop.run.gantt_rows import GanttRow
from app.desktop.run.node_states import NodeState
from app.desktop.run.where_ran import places, records_of, worker_meant
from tests.api.fake_service import job

ON_BUILD = job("load", "running", worker="build")
HERE = job("sum", "running")
WAITS = job("next", "queued", worker="build")
ALL = [
    job("tidy", "running", attempt=0),
    job("tidy@local", "succeeded"),
    job("tidy@a", "failed", worker="a"),
    job("tidy@b.c", "running", worker="b.c"),
]
GROUP = [
    job("pack", "running", attempt=0),
    job("pack@a", "running", worker="a"),
    job("pack@a.0", "succeeded", worker="a"),
    job("pack@a.end.0", "succeeded", worker="a"),
]


def now(jobs: list[Any]) -> dict[str, NodeState]:
    return {each["node"]: NodeState(each["status"]) for each in jobs}


def test_a_node_says_on_which_other_worker_its_job_ran() -> None:
    jobs = [ON_BUILD, HERE, WAITS]

    assert places(jobs, now(jobs)) == {"load": "@build"}


def test_of_several_workers_the_others_are_counted() -> None:
    jobs = [job("load", "running", worker=name, index=at) for at, name in enumerate(("a", "b", "c"))]

    assert places(jobs, {"load": NodeState("running")}) == {"load": "@a +2"}


def test_with_a_record_for_each_worker_it_says_how_many_succeeded() -> None:
    assert places(ALL, now(ALL)) == {"tidy": "@1/3"}
    assert places(GROUP, now(GROUP)) == {"pack": "@0/1"}


def test_at_a_moment_of_the_past_it_says_what_was_known_then() -> None:
    assert places([ON_BUILD], {"load": NodeState("pending")}) == {}
    assert places(ALL, {"tidy@local": NodeState("succeeded")}) == {"tidy": "@1/3"}


def test_a_record_says_its_worker_before_anything_ran_there() -> None:
    record = job("tidy@b.c", "queued", attempt=0)

    assert worker_meant(record) == "b.c"


def test_the_records_of_a_job_are_those_of_its_round_and_member() -> None:
    jobs = [*ALL, job("tidy@a", "failed", round=2, worker="a"), *GROUP]

    assert [each["node"] for each in records_of("tidy@a", jobs, 1, None)] == [
        "tidy@local",
        "tidy@a",
        "tidy@b.c",
    ]
    assert [each["node"] for each in records_of("pack", jobs, 1, None)] == ["pack@a"]
    assert records_of("load", [ON_BUILD], 1, None) == []


def test_a_row_of_the_gantt_chart_has_its_worker_once() -> None:
    assert GanttRow("load", None, (), worker="build").name == "load @build"
    assert GanttRow("tidy@a", None, (), worker="a").name == "tidy@a"
    assert GanttRow("load", 3, ()).name == "load[3]"
