"""A task of one node, to try it alone: everything it takes from elsewhere becomes a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.param_fields import param_fields, read_spec
from app.desktop.design.picker.bindings import node_of
from app.desktop.design.picker.conditions import Joint, read
from app.desktop.design.tree import Path, Tree, mapped
from engine.model.errors import SkerryError
from engine.model.expression import compile_value
from engine.model.job import STAGES
from engine.model.quantities import Kind
from engine.planning.outline import map_of
from engine.runtime.library import finder, referred

_RULES: Final = (
    "after", "run_if", "when", "for_each", "continue_on_failure", "enabled", "priority", "position", "on",
)  # fmt: skip
_GIVEN, _READ = "given_", "read_"


@dataclass(frozen=True, slots=True)
class TrialInput:
    """One value to be given: a parameter of the job, or a path that another of its keys reads.

    ``expression`` is what it is in the task (its sample comes from there), ``name`` that of the
    parameter of the trial's task.
    """

    name: str
    label: str
    kind: Kind | None
    expression: Any
    required: bool = False
    choices: tuple[Any, ...] = ()
    param: str = ""  # of the job, if it is one


@dataclass(frozen=True, slots=True)
class NodeTrial:
    """The tree of the trial's file, the id of its task and what it needs."""

    tree: Tree
    task: str
    inputs: tuple[TrialInput, ...]


def trial_of(scope: DefinitionScope, node: str, member: int = 0) -> NodeTrial:
    """The task that runs one node alone, once."""
    raw = _alone(scope.node(node))
    params = tuple(_params(scope, node, member))
    paths = tuple(_paths(scope, node, {key: each for key, each in raw.items() if key != "params"}))
    names = {path.expression: path.name for path in paths}
    raw = mapped(raw, lambda text: _replaced(text, names))
    raw = {**raw, "params": {each.param: f"$.TASK.PARAMS['{each.name}']" for each in params}}
    own = map_of(scope.raw_task.get("params"))  # resources and scripts may use these too
    inputs = (*params, *paths, *_needed(own))
    specs = {**own, **{each.name: _spec(each) for each in (*params, *paths)}}
    task = f"try.t{scope.task}"[:64]
    tree = {
        "resources": scope.section("resources"),
        "jobs": scope.section("jobs"),
        "tasks": {**scope.section("tasks"), task: {"params": specs, "nodes": {node: raw}}},
    }
    needed = referred(finder(tree), "task", task)  # no more: the run keeps its definitions
    return NodeTrial({section: part for section, part in needed.items() if part}, task, inputs)


def _alone(raw: Tree) -> dict[str, Any]:
    """The node without the rules of its task; a condition decides, but nothing follows."""
    kept = {key: value for key, value in raw.items() if key not in _RULES}
    branches = kept.get("branches")
    return {**kept, "branches": {key: [] for key in branches}} if isinstance(branches, dict) else kept


def _needed(table: Mapping[str, Any]) -> Iterator[TrialInput]:
    for name, raw in table.items():
        spec = read_spec(raw)
        if spec.required and spec.value is None:
            yield TrialInput(name, name, spec.kind, f"$.TASK.PARAMS['{name}']", True)


def _params(scope: DefinitionScope, node: str, member: int) -> Iterator[TrialInput]:
    raw = scope.node(node)
    where: Path = ("tasks", scope.task, "nodes", node, "params")
    where = (*where, member) if isinstance(raw.get("params"), list) else where
    fields = param_fields(scope, raw, scope.job_of(raw), where, inherits="job" in raw)
    for count, field in enumerate(fields, 1):
        param, choices = str(field.path[-1]), tuple(each for each, _ in field.choices)
        yield TrialInput(f"{_GIVEN}{count}", param, field.wanted, field.shown, field.required, choices, param)


def _paths(scope: DefinitionScope, node: str, raw: Mapping[str, Any]) -> Iterator[TrialInput]:
    """The paths of other nodes and of the round that keys other than params read."""
    texts = {key: each for key, each in raw.items() if key not in STAGES}
    try:
        paths = [each.text for each in compile_value(texts).references]
    except SkerryError:
        return
    conditions = [raw.get(key) for key in ("value", "success", "until_true")]
    paths += [path for each in conditions if isinstance(each, str) for path in _of_condition(read(each))]
    wanted = [path for path in dict.fromkeys(paths) if _is_elsewhere(scope, node, path)]
    for count, path in enumerate(wanted, 1):
        yield TrialInput(f"{_READ}{count}", path, None, path)


def _of_condition(joint: Joint | None) -> Iterator[str]:
    for part in joint.parts if joint else ():
        if isinstance(part, Joint):
            yield from _of_condition(part)
        else:
            yield from (each.binding.path for each in (part.left, part.right) if each.binding)


def _is_elsewhere(scope: DefinitionScope, node: str, path: str) -> bool:
    owner = node_of(path)
    if owner is None:
        return path.startswith(("$.ITEM", "$.INDEX", "$.UPSTREAM"))
    own = (node, str(scope.node(node).get("job", node)))
    return owner not in own and not owner.startswith(f"{node}.")


def _replaced(text: str, names: Mapping[str, str]) -> str:
    for path, name in names.items():
        if path in text:
            there = re.compile(rf"{re.escape(path)}(?![\w\[.])")
            text = there.sub(f"$.TASK.PARAMS['{name}']", text)
    return text


def _spec(given: TrialInput) -> dict[str, Any]:
    spec: dict[str, Any] = {"required": True} if given.required else {}
    return {**spec, "kind": given.kind} if given.kind else spec
