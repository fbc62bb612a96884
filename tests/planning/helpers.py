"""Small tasks for the tests, built from the model directly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jobs_builtin
from engine.model.control import ConditionKeys
from engine.model.definitions import Definitions
from engine.model.job import Job
from engine.model.task import Node, Task
from engine.planning.plan import Plan, plan
from engine.planning.progress import Progress
from engine.planning.rules import Outcome, Skip, Start
from engine.plugins.registry import job_types

TYPES = job_types(jobs_builtin)


def shell(id: str, after: str = "", **keys: Any) -> Node:
    """A node with a shell job; ``after`` is a text with the parents."""
    own = {key: keys.pop(key) for key in ("results", "params", "success", "retry") if key in keys}
    job = Job(id=id, type="shell", process="true", **own)
    return Node(id=id, job=job, after=tuple(after.split()), **keys)


def condition(id: str, after: str = "", max_loops: int = 100, value: Any = "x", **branches: Any) -> Node:
    """A condition node. A branch is a text with its nodes; a loop's begins with ``again`` or ``again:x``."""
    keys = ConditionKeys(
        value=value, max_loops=max_loops, branches={k: _branch(v) for k, v in branches.items()}
    )
    return Node(id=id, job=Job(id=id, type="condition", settings=keys), after=tuple(after.split()))


def _branch(text: str) -> Any:
    words = text.split()
    if not words or not words[0].startswith("again"):
        return {"run": words}
    start = words[0].partition(":")[2]
    return {"run": words[1:], "again": True, **({"from": start} if start else {})}


def task(*nodes: Node, id: str = "t", **keys: Any) -> Task:
    """A task of these nodes."""
    return Task(id=id, nodes={node.id: node for node in nodes}, **keys)


def definitions(*tasks: Task, jobs: Mapping[str, Job] | None = None, **keys: Any) -> Definitions:
    """Definitions of these tasks."""
    return Definitions(tasks={each.id: each for each in tasks}, jobs=dict(jobs or {}), **keys)


def planned(*nodes: Node, **keys: Any) -> Plan:
    """The plan of a task that has no error."""
    planning = plan("t", definitions(task(*nodes, **keys)), TYPES)
    assert planning.plan is not None, [each.message for each in planning.findings]
    return planning.plan


def messages(*nodes: Node, **keys: Any) -> list[str]:
    """What planning finds wrong with a task."""
    return [each.message for each in plan("t", definitions(task(*nodes, **keys)), TYPES).findings]


class Played:
    """A run that is played by hand; ``log`` reads ``look#1`` for starts and ``x-branch`` for skips."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.log: list[str] = []
        self._note(progress.begin())

    def _note(self, steps: list[Start | Skip]) -> None:
        for step in steps:
            name = (
                f"{step.node}#{step.round}" if isinstance(step, Start) else f"{step.node}-{step.reason.kind}"
            )
            self.log.append(name)

    def end(self, *nodes: str, outcome: Outcome = Outcome.OK, branch: str | None = None) -> list[str]:
        """End these nodes one after the other; gives what that led to."""
        before = len(self.log)
        for node in nodes:
            self._note(self.progress.ended(node, outcome, branch))
        return self.log[before:]

    def bad(self, node: str) -> list[str]:
        """A node fails."""
        return self.end(node, outcome=Outcome.BAD)

    def take(self, node: str, branch: str | None) -> list[str]:
        """A condition takes a branch."""
        return self.end(node, branch=branch)


def play(*nodes: Node, **keys: Any) -> Played:
    """Begin a run of these nodes."""
    return Played(Progress(planned(*nodes, **keys)))
