"""What is found of ``on`` before anything runs."""

from __future__ import annotations

from typing import Any

from app import wiring
from engine.model.codes.workers import NOT_MOVED, UNKNOWN_PLACE
from engine.model.worker import LOCAL_WORKER, Address, Worker
from engine.planning.worker_findings import worker_findings
from tests.runtime.site import task

WORKERS = [LOCAL_WORKER, Worker("a", address=Address("a"), groups=("big",), labels={"os": "linux"})]
HTTP = {"type": "http", "url": "http://h/"}


def found(node: dict[str, Any], workers: list[Worker] | None = WORKERS) -> list[tuple[str, int]]:
    definitions = task({"x": node})
    findings = worker_findings(definitions, wiring.job_types(), workers)
    return sorted({(each.severity, each.code) for each in findings})


def shell(**on: Any) -> dict[str, Any]:
    return {"type": "shell", "process": "true", "on": on}


def test_a_name_group_or_label_that_no_worker_has_is_a_warning() -> None:
    unknown = [("warning", UNKNOWN_PLACE.number)]

    assert found(shell(workers=["a", "c"])) == unknown
    assert found(shell(group="small")) == unknown
    assert found(shell(labels={"os": "bsd"})) == unknown


def test_what_there_is_or_what_is_an_expression_is_none() -> None:
    assert found(shell(workers=["a", "local"])) == []
    assert found(shell(group="big", labels={"os": "linux"})) == []
    assert found(shell(group="$.TASK.PARAMS['g']")) == []
    assert found(shell(group="small"), None) == []


def test_what_is_not_moved_and_can_only_run_on_ssh_hosts_is_an_error() -> None:
    wrong = [("error", NOT_MOVED.number)]

    assert found({**HTTP, "on": {"workers": ["a"]}}) == wrong
    assert found({**HTTP, "on": {"workers": ["a"]}}, None) == wrong
    assert found({**HTTP, "on": {"group": "big"}}) == wrong


def test_what_may_run_on_this_machine_is_none() -> None:
    assert found({**HTTP, "on": {"workers": ["a", "local"]}}) == []
    assert found({**HTTP, "on": {"group": "big"}}, None) == []
    assert found({**HTTP, "on": {"exclusive": True}}) == []


GROUP_ON = {"type": "group", "on": {"workers": ["a"]}}


def members(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {**GROUP_ON, "jobs": [{"job": job} if isinstance(job, str) else job for job in jobs]}


def test_a_call_in_a_group_that_runs_elsewhere_stays_here_and_is_a_warning() -> None:
    stays = [("warning", NOT_MOVED.number)]
    inner = {"type": "group", "jobs": [{"type": "shell", "process": "true"}, HTTP]}

    assert found(members({"type": "shell", "process": "true"}, HTTP)) == stays
    assert found(members(inner)) == stays
    assert (
        found({"type": "shell", "process": "true", "on": {"workers": ["a"]}, "end": {"group": [HTTP]}})
        == stays
    )


def test_a_process_by_a_class_stays_here_and_is_a_warning() -> None:
    by_class = {"class": "file_exists"}
    on = {"on": {"workers": ["a"]}, "params": {"path": "/"}}

    assert found({"type": "shell", "process": by_class, **on}) == [("warning", NOT_MOVED.number)]
    assert found({"type": "shell", "process": by_class, **on, "on": {"workers": ["local"]}}) == []
    assert found({"type": "shell", "process": "true", "end": by_class, **on}) == []


def test_one_that_says_where_it_runs_or_may_run_where_its_group_does_is_none() -> None:
    assert found(members({"type": "shell", "process": "true"})) == []
    assert found(members({**HTTP, "on": {"workers": ["local"]}})) == []
    assert found({**members(HTTP), "on": {"workers": ["a", "local"]}}) == []
    assert found(members({"type": "wait", "for": "1s"})) == []


def test_what_a_member_a_handler_or_all_nodes_of_a_task_say_is_looked_at_too() -> None:
    unknown = [("warning", UNKNOWN_PLACE.number)]
    nowhere = {"type": "shell", "process": "true", "on": {"workers": ["nowhere"]}}

    def of_task(**more: Any) -> list[tuple[str, int]]:
        definitions = task({"x": {"type": "shell", "process": "true"}}, **more)
        findings = worker_findings(definitions, wiring.job_types(), WORKERS)
        return sorted({(each.severity, each.code) for each in findings})

    assert found({"type": "group", "jobs": [nowhere]}) == unknown
    assert found({"type": "group", "jobs": [{**HTTP, "on": {"workers": ["a"]}}]}) == [
        ("error", NOT_MOVED.number)
    ]
    assert of_task(on_end={"failed": nowhere}) == unknown
    assert of_task(defaults={"on": {"group": "small"}}) == unknown
    assert of_task(defaults={"on": {"group": "big"}}) == []
