"""What definitions of a life may use, how likely each of it is, and what of it given definitions do use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

Tree = Mapping[str, Any]

PIECES: Mapping[str, float] = {  # what a task is put together from, by weight
    "step": 34, "reusable job": 8, "batch": 5, "for_each": 4, "branches": 5, "many branches": 3,
    "resource branches": 1.5, "loop": 4, "loop of one": 2, "nested loop": 1.5, "wait for": 4,
    "wait until": 2, "wait until true": 3, "group": 5, "nested group": 2.5, "sub-task": 5,
    "sub-task beside": 2.5, "asynchronous": 5, "asynchronous unchecked": 1.5, "call": 4, "command": 3,
    "python": 2,
}  # fmt: skip
OF_NODES: Mapping[str, float] = {
    "run_if": 0.1, "when": 0.08, "continue_on_failure": 0.08, "disabled": 0.02, "priority": 0.1,
    "position": 0.02,
}  # fmt: skip
OF_JOBS: Mapping[str, float] = {  # of jobs with a process of their own
    "retry": 0.25, "retry on": 0.04, "backoff": 0.08, "recovery retry": 0.05, "recovery ask": 0.04,
    "recovery discard": 0.03, "timeout": 0.15, "queue_timeout": 0.05, "success": 0.06,
    "success resource": 0.02, "ready": 0.06, "end": 0.06, "ready group": 0.03, "end group": 0.03,
    "ready task": 0.015, "ready built-in": 0.01, "exclusive": 0.03, "worker": 0.03,
    "worker elsewhere": 0.008, "limits": 0.04, "resources": 0.03, "changes": 0.02, "binary": 0.02,
    "monitor": 0.03, "computed result": 0.06, "condition result": 0.03, "resource result": 0.015,
}  # fmt: skip
OF_STEERING: Mapping[str, float] = {  # of waits, groups and sub-tasks
    "steering retry": 0.2, "steering timeout": 0.15, "steering ready": 0.03, "steering end": 0.03,
    "steering recovery": 0.06,
}  # fmt: skip
OF_VALUES: Mapping[str, float] = {  # where a parameter comes from, by weight
    "literal": 4, "task parameter": 4, "result": 8, "result by position": 2, "parameter of a job": 1.5,
    "output": 1.5, "exit code": 1, "attempt": 0.5, "text with a value": 2, "pattern": 1.5, "date": 1,
    "earlier round": 1, "of a member": 2, "of all members": 2,
}  # fmt: skip
OF_TASKS: Mapping[str, float] = {
    "task params": 0.8, "job_params": 0.25, "task results": 0.4, "task success": 0.06, "task timeout": 0.15,
    "task retry": 0.1, "task priority": 0.15, "parallel": 0.2, "on_failure stop": 0.15, "depends_on": 0.25,
    "depends_on self": 0.03, "manual": 0.4, "online": 0.05,
}  # fmt: skip
OF_LIVES: Mapping[str, float] = {
    "project": 0.2, "own errors": 0.1, "rule retry": 0.12, "rule skip": 0.06, "rule succeed": 0.06,
    "rule set": 0.06, "rule run": 0.08, "rule pause": 0.08, "rule alert": 0.08, "rule off": 0.03,
}  # fmt: skip
OF_ENDS: Mapping[str, float] = {"on_end": 0.2, "approve": 0.15}  # of tasks; see ``newer_pieces``
OF_CALLS: Mapping[str, float] = {"process built-in": 0.12, "end built-in": 0.1}  # of lives; see ``calls``
_TABLES = (PIECES, OF_NODES, OF_JOBS, OF_STEERING, OF_VALUES, OF_TASKS, OF_LIVES, OF_ENDS, OF_CALLS)
FEATURES: Mapping[str, float] = dict(chain.from_iterable(table.items() for table in _TABLES))

STEERING = ("condition", "wait", "group", "task", "approve")
PROGRAMS = ("shell", "command", "python")


class Place(NamedTuple):
    """A job in a tree: whose it is, its node (of a member ``report.0``), the job, the node's own keys."""

    task: str
    node: str
    job: Tree
    keys: Tree


def places(tree: Tree) -> Iterator[Place]:
    """Every job of every task, those of groups and stages too."""
    for task, keys in tree["tasks"].items():
        for node, given in keys["nodes"].items():
            yield from _within(tree, task, node, given, given)
        for name, given in keys.get("on_end", {}).items():
            yield from _within(tree, task, f"on_end.{name}", given, given)


def _within(tree: Tree, task: str, node: str, given: Tree, keys: Tree) -> Iterator[Place]:
    job = tree["jobs"][given["job"]] if "job" in given else given
    yield Place(task, node, job, keys)
    for index, member in enumerate(job.get("jobs", ())):
        yield from _within(tree, task, f"{node}.{index}", member, {})
    for stage in ("ready", "end"):
        made = job.get(stage)
        if isinstance(made, Mapping):
            for index, member in enumerate(made.get("group", ())):
                yield from _within(tree, task, f"{node}.{stage}.{index}", member, {})


def declared(tree: Tree) -> dict[tuple[str, str], dict[str, str]]:
    """The results that programs have to write, with their kinds, by task and node; of a job run alone by its id."""
    found = {("", id): _written(job) for id, job in tree["jobs"].items()}
    return found | {(each.task, each.node): _written(each.job) for each in places(tree)}


def _written(job: Tree) -> dict[str, str]:
    results = job.get("results", {}).items()
    return {name: spec.get("kind", "text") for name, spec in results if "value" not in spec}


def used(tree: Tree) -> frozenset[str]:
    """The features that definitions use."""
    found = set[str]()
    for place in places(tree):
        found.update(_of_place(place), _of_values(place))
        if place.job["type"] in STEERING:
            found.update(
                f"steering {key}"
                for key in ("retry", "timeout", "ready", "end", "recovery")
                if key in place.job
            )
        else:
            found.update(_of_job(place.job))
    for id, task in tree["tasks"].items():
        found.update(_of_task(id, task))
    return frozenset(found.union(_of_life(tree)))


def _of_place(place: Place) -> Iterator[str]:
    job, keys = place.job, place.keys
    yield from (
        key for key in ("run_if", "when", "continue_on_failure", "position", "for_each") if key in keys
    )
    if "priority" in keys:
        yield "priority"
    if keys.get("enabled") is False:
        yield "disabled"
    if "job" in keys:
        yield "reusable job"
    if isinstance(keys.get("params"), list):
        yield "batch"
    yield from _KINDS.get(job["type"], lambda _: ())(job)


def _of_shell(job: Tree) -> Iterable[str]:
    if job.get("mode") != "async":
        return ("step",)
    return ("asynchronous",) if "check" in job else ("asynchronous unchecked",)


def _of_condition(job: Tree) -> Iterator[str]:
    again = [each for each in job["branches"].values() if isinstance(each, Mapping) and each.get("again")]
    for each in again:
        yield "loop" if "from" in each else "loop of one"
        if not each["run"]:
            yield "nested loop"
    if not again and isinstance(job["value"], Mapping):
        yield "resource branches"
    elif not again:
        yield "many branches" if "default" in job["branches"] else "branches"


def _of_group(job: Tree) -> Iterator[str]:
    inner = any(member.get("type") == "group" for member in job["jobs"])
    yield "nested group" if inner else "group"


_KINDS: Mapping[str, Any] = {
    "shell": _of_shell,
    "condition": _of_condition,
    "group": _of_group,
    "wait": lambda job: (next(f"wait {key.replace('_', ' ')}" for key in ("for", "until", "until_true") if key in job),),
    "task": lambda job: ("sub-task beside" if job.get("wait") is False else "sub-task",),
    "file_exists": lambda _: ("call",),
    "command": lambda _: ("command",),
    "python": lambda _: ("python",),
    "approve": lambda _: ("approve",),
}  # fmt: skip


def _of_job(job: Tree) -> Iterator[str]:
    yield from (
        key
        for key in ("retry", "timeout", "queue_timeout", "limits", "resources", "changes", "monitor")
        if key in job
    )
    retry, on, success = job.get("retry", {}), job.get("on", {}), job.get("success")
    if "on" in retry:
        yield "retry on"
    if "backoff" in retry:
        yield "backoff"
    if "recovery" in job:
        yield f"recovery {job['recovery']['strategy']}"
    if success is not None:
        yield "success resource" if isinstance(success, Mapping) else "success"
    if "exclusive" in on:
        yield "exclusive"
    if "workers" in on:
        yield "worker" if "local" in on["workers"] else "worker elsewhere"
    if isinstance(job.get("process"), Mapping):
        yield "process built-in" if "class" in job["process"] else "binary"
    for stage in ("ready", "end"):
        made = job.get(stage)
        if isinstance(made, Mapping):
            kind = next(iter(made))
            yield f"{stage} {'built-in' if kind == 'class' else kind}"
        elif made is not None:
            yield stage
    for spec in job.get("results", {}).values():
        if isinstance(spec.get("value"), Mapping):
            yield "resource result"
        elif "value" in spec:
            yield "condition result" if spec.get("kind") == "boolean" else "computed result"


_SIGNS: Mapping[str, tuple[str, ...]] = {  # what in an expression tells where the value comes from
    "task parameter": ("$.TASK.PARAMS",), "result": ("].RESULT['",), "result by position": ("].RESULT[0]",),
    "parameter of a job": ("].PARAMS[",), "output": ("'].OUTPUT",), "exit code": ("].EXIT_CODE",),
    "attempt": ("].ATTEMPT",), "text with a value": ("of {$.",), "pattern": ("}:REGEX",), "date": ("}:DATE:",),
    "earlier round": ("$.ROUNDS[",), "of a member": ("'][0].RESULT",), "of all members": ("[*]",),
}  # fmt: skip


def _of_values(place: Place) -> Iterator[str]:
    given = place.keys.get("params", place.job.get("params", {}))
    for values in given if isinstance(given, list) else [given]:
        for value in values.values():
            text = value if isinstance(value, str) else ""
            if "$." not in text:
                yield "literal"
            yield from (name for name, signs in _SIGNS.items() if any(sign in text for sign in signs))


def _of_task(id: str, task: Tree) -> Iterator[str]:
    for key in ("params", "results", "success", "timeout", "retry", "priority"):
        if key in task:
            yield f"task {key}"
    if "on_end" in task:
        yield "on_end"
    if "job_params" in task:
        yield "job_params"
    if "limits" in task:
        yield "parallel"
    if task.get("on_failure") == "stop":
        yield "on_failure stop"
    if "schedule" in task:
        yield "online" if task.get("state") == "online" else "manual"
    for each in task.get("depends_on", ()):
        yield "depends_on self" if "self" in each else "depends_on"


def _of_life(tree: Tree) -> Iterator[str]:
    if "project" in tree:
        yield "project"
    if "errors" in tree:
        yield "own errors"
    for rule in tree.get("rules", ()):
        action = rule["action"]
        yield f"rule {action if isinstance(action, str) else next(iter(action))}"
        if rule.get("enabled") is False:
            yield "rule off"
