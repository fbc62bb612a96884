"""``on_end`` in definition files: read, checked at its place, written out as it was (contract 2.3)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from app import wiring
from engine.definitions.reader import read
from engine.definitions.text_source import SourceFile
from engine.planning.plan import check, plan

JOB = {"type": "shell", "process": "true"}


def found(
    task: dict[str, Any], jobs: dict[str, Any] | None = None
) -> list[tuple[tuple[str | int, ...], str]]:
    """Place and message of every error."""
    raw = {"skerry": 1, "jobs": jobs or {}, "tasks": {"t": {"nodes": {"a": JOB}, **task}}}
    types = wiring.job_types(), wiring.resource_types()
    reading = read([SourceFile("t.yaml", yaml.safe_dump(raw).encode())], *types)
    findings = [*reading.errors, *check(reading.definitions, types[0])]
    return [(tuple(each.path), str(each.message)) for each in findings if each.severity == "error"]


@pytest.mark.parametrize(
    ("task", "place", "words"),
    [
        ({"on_end": {"suceeded": JOB}}, ("suceeded",), "did you mean `succeeded`"),
        ({"on_end": {"always": {**JOB, "after": ["a"]}}}, ("always", "after"), "not for a handler"),
        ({"on_end": {"always": {**JOB, "for_each": [1]}}}, ("always", "for_each"), "not for a handler"),
        ({"on_end": {"always": {"job": "j", "params": [{}]}}}, ("always", "params"), "runs once"),
        ({"on_end": {"failed": {"job": "nope"}}}, ("failed", "job"), "there is no job 'nope'"),
        (
            {"on_end": {"failed": {**JOB, "params": {"x": "$.TASK.ERROR.COD"}}}},
            ("failed", "params", "x"),
            "COD",
        ),
        (
            {"on_end": {"failed": {**JOB, "params": {"x": "$.JOB['b'].STATUS"}}}},
            ("failed", "params", "x"),
            "'b'",
        ),
    ],
)
def test_a_mistake_is_found_at_its_place(task: dict[str, Any], place: tuple[str, ...], words: str) -> None:
    [(where, message), *rest] = found(task, {"j": JOB})

    assert where == ("tasks", "t", "on_end", *place)
    assert words in message
    assert rest == []


def test_ids_of_nodes_cannot_begin_as_those_of_handlers_do() -> None:
    [(where, message)] = found({"nodes": {"on_end.x": JOB}})

    assert where == ("tasks", "t", "nodes", "on_end.x")
    assert "handlers" in message


def test_a_task_cannot_start_itself_at_its_end() -> None:
    [(where, _)] = found({"on_end": {"always": {"type": "task", "task": "t"}}})

    assert where == ("tasks", "t", "on_end", "always")


def test_handlers_read_every_node_and_have_a_timeout() -> None:
    read_all = {**JOB, "params": {"x": "$.JOB['a'].STATUS", "c": "$.TASK.ERROR.CODE"}}
    raw = {"skerry": 1, "tasks": {"t": {"nodes": {"a": JOB}, "defaults": {"retry": {"times": 3}}, "on_end": {
        "always": read_all, "failed": {**JOB, "timeout": 5}}}}}  # fmt: skip
    types = wiring.job_types(), wiring.resource_types()
    definitions = read([SourceFile("t.yaml", yaml.safe_dump(raw).encode())], *types).definitions

    planning = plan("t", definitions, types[0])

    assert planning.findings == ()
    assert planning.plan is not None
    limits = {id: (each.job.timeout, each.job.retry.times) for id, each in planning.plan.handlers.items()}
    assert limits == {"on_end.always": (300.0, 0), "on_end.failed": (5.0, 0)}
