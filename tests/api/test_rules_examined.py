"""The tasks that handling rules run, checked together with everything else of the files."""

from __future__ import annotations

from typing import Any

import pytest

from app import wiring
from engine.api.examine import examine, only_task
from engine.definitions.reader import ReadDefinitions
from engine.model.codes.planning import UNKNOWN_TASK

TEXT = """\
skerry: 1
tasks:
  t: {nodes: {a: {type: shell, process: 'true'}}}
  fix: {nodes: {a: {type: shell, process: 'true'}}}
rules:
  - {id: r, match: {task: t}, action: {run: {task: %s}}}
"""


def examined(task: str, standing: Any = None) -> ReadDefinitions:
    source = {"name": "a.yaml", "text": TEXT % task}
    return examine([source], wiring.job_types(), wiring.resource_types(), standing)  # type: ignore[list-item]


def test_a_task_that_a_rule_runs_is_none_that_a_file_is_run_for() -> None:
    made = examined("fix")

    assert made.findings == ()
    assert only_task(made.definitions, None) == "t"


def test_a_file_alone_may_name_a_task_of_the_workspace() -> None:
    [finding] = examined("clean").findings

    assert (finding.severity, finding.code, finding.line) == ("warning", UNKNOWN_TASK.number, 6)
    assert finding.column == TEXT.splitlines()[5].index("%s") + 1


@pytest.mark.parametrize(("known", "count"), [("clean", 0), ("other", 1)])
def test_what_is_loaded_must_know_the_task_or_find_it_in_the_workspace(known: str, count: int) -> None:
    trees = {("task", known): {"nodes": {"a": {"type": "shell", "process": "true"}}}}

    made = examined("clean", lambda kind, id: trees.get((kind, id)))

    assert [each.severity for each in made.errors] == ["error"] * count
