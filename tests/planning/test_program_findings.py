"""Keys about programs, in jobs that run none: a warning, since nothing would come of them."""

from __future__ import annotations

from typing import Any

import pytest

from app import wiring
from engine.model.codes.planning import NO_EFFECT
from engine.planning.plan import check
from tests.runtime.site import tree

SHELL = {"type": "shell", "process": "true"}
WAIT = {"type": "wait", "for": "1s"}
EXIT = {"retry": {"times": 1, "exit": [3]}}


def found(node: dict[str, Any], jobs: dict[str, Any] | None = None, **keys: Any) -> list[tuple[Any, ...]]:
    """Where a key means nothing: the path below the node, or below ``jobs``."""
    made = tree({"jobs": jobs or {}, "tasks": {"t": {"nodes": {"x": node}, **keys}}})
    findings = check(made, wiring.job_types())
    assert {(each.severity, each.code) for each in findings} <= {("warning", NO_EFFECT.number)}
    return [each.path[4 if each.path[0] == "tasks" else 1 :] for each in findings]


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ({"env": {"A": "1"}}, ("env",)),
        ({"working_dir": "/tmp"}, ("working_dir",)),
        (EXIT, ("retry", "exit")),
    ],
)
def test_what_is_about_programs_is_warned_of_where_none_runs(
    keys: dict[str, Any], where: tuple[str, ...]
) -> None:
    assert found({**WAIT, **keys}) == [where]
    assert found({**SHELL, **keys}) == []
    assert found({**WAIT, "ready": "true", **keys}) == []


def test_a_node_that_names_a_job_is_warned_of_at_the_node() -> None:
    around = {"env": {"A": "1"}, "working_dir": "/tmp"}

    assert found({"job": "pause", **around}, {"pause": WAIT}) == [("env",), ("working_dir",)]
    assert found({"job": "script", **around}, {"script": SHELL}) == []
    assert found({"job": "pause"}, {"pause": {**WAIT, "env": {"A": "1"}}}) == [("pause", "env")]


def test_a_group_has_members_with_programs_but_no_exit_status_of_its_own() -> None:
    group = {"type": "group", "env": {"A": "1"}, "jobs": [{**WAIT, "env": {"A": "1"}}, SHELL]}

    assert found(group) == [("jobs", 0, "env")]
    assert found({"type": "group", "jobs": [SHELL], **EXIT}) == [("retry", "exit")]


def test_what_a_task_says_for_all_its_nodes_is_no_mistake_of_those_without_a_program() -> None:
    assert found(WAIT, env={"A": "1"}, working_dir="/tmp", defaults=EXIT) == []
