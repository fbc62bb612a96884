"""Changed definitions of a life: what a person loads, or a fix brings, while instances run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.simulation.workload.features import PROGRAMS

Tree = Mapping[str, Any]
ADDED, ADDED_RESULTS = "new", {"n": "number"}  # the node that a revision adds


def revised(tree: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    """The definitions with one change, and the change in words."""
    task = dice.choice(tuple(tree["tasks"]))
    changed, words = dice.choice(_CHANGES)(tree["tasks"][task], dice)
    return {**tree, "tasks": {**tree["tasks"], task: changed}}, f"{task}: {words}"


def amended(tree: Tree, dice: Random) -> dict[str, Any]:
    """One changed task as a fix brings it: ``{kind, definition, content, change}``."""
    task = dice.choice(tuple(tree["tasks"]))
    content, words = dice.choice(_CHANGES)(tree["tasks"][task], dice)
    return {"kind": "task", "definition": task, "content": content, "change": f"{task}: {words}"}


def _with_node(task: Tree, node: str, keys: Tree) -> dict[str, Any]:
    return {**task, "nodes": {**task["nodes"], node: dict(keys)}}


def _program(task: Tree, dice: Random) -> str | None:
    found = [id for id, keys in task["nodes"].items() if keys.get("type") in PROGRAMS]
    return dice.choice(found) if found else None


def _timeout(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    node, limit = _program(task, dice), dice.choice(("2s", "5m"))
    if node is None:
        return {**task, "timeout": limit}, f"takes at most {limit}"
    return _with_node(task, node, {**task["nodes"][node], "timeout": limit}), f"{node} takes at most {limit}"


def _retry(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    node = _program(task, dice)
    if node is None:
        return {**task, "retry": {"times": 1}}, "is tried twice"
    keys = {**task["nodes"][node], "retry": {"times": 2, "interval": dice.choice(("0s", "1m"))}}
    return _with_node(task, node, keys), f"{node} is tried three times"


def _added(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    after = dice.choice(tuple(task["nodes"]))
    results = {name: {"kind": kind} for name, kind in ADDED_RESULTS.items()}
    keys = {"type": "shell", "process": "work", "after": [after], "results": results}
    return _with_node(task, ADDED, keys), f"a node {ADDED} comes after {after}"


def _freed(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    """The last node, which nothing comes after, is no more under any condition."""
    *_, (node, keys) = task["nodes"].items()
    left = {key: value for key, value in keys.items() if key not in ("when", "run_if", "enabled")}
    return _with_node(task, node, left), f"{node} runs whatever came before"


def _parallel(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    most = dice.choice((1, 2, 5))
    return {**task, "limits": {"parallel": most}}, f"at most {most} jobs at once"


def _default(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    limit = dice.choice((1, 4, 99))
    params = {**task.get("params", {}), "limit": {"kind": "number", "value": limit}}
    return {**task, "params": params}, f"the limit is {limit}"


def _renamed(task: Tree, dice: Random) -> tuple[dict[str, Any], str]:
    return {**task, "name": f"Round {dice.randint(1, 9)}"}, "another name"


Change = Callable[[Tree, Random], tuple[dict[str, Any], str]]
_CHANGES: tuple[Change, ...] = (_timeout, _retry, _added, _freed, _parallel, _default, _renamed)
