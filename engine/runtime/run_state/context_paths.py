"""Resolves the context path an operator writes: jobs by node or by Job, values by name or position."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from engine.context import MISSING, Path, format_path, target
from engine.context.line import ENGINE, json_text
from engine.context.tree import at_path
from engine.model.codes.runtime import EDIT_INVALID
from engine.model.errors import Invalid, SkerryError
from engine.planning.graph import read
from engine.planning.known import KnownNames
from engine.planning.names import did_you_mean
from engine.planning.shape import Plan
from engine.planning.uses import uses_of
from engine.plugins.registry import JobTypes
from engine.store.changes import Changes

_COLUMNS: dict[str | int, str] = {"PARAMS": "params", "RESULT": "results"}  # of a JobInstance's row


def by_node(plan: Plan, steps: Path) -> Path:
    """A path that names a job by its Job's id, with the node's instead."""
    nodes = plan.job_nodes.get(str(steps[1]), ()) if len(steps) > 1 else ()
    known = len(steps) < 2 or steps[1] in plan.nodes or len(nodes) != 1
    return steps if known else (steps[0], nodes[0], *steps[2:])


def is_original(lines: Iterable[str], path: str, value: Any) -> bool:
    """Whether that is what was at ``path`` before people changed it; ``lines`` are the context's log."""
    original, found = MISSING, False
    path_in_line = json_text(path)  # cheaper to look for than reading every line
    for record in (json.loads(line) for line in lines if path_in_line in line):
        if record["path"] != path or "new" not in record:
            continue
        if record["actor"] == ENGINE:
            original, found = record["new"], True
        elif not found:
            original, found = record.get("old", MISSING), True
    return original is not MISSING and json_text(original) == json_text(value)


def meant(plan: Plan, tree: Mapping[str, Any], steps: Path) -> Path:
    """The one place that a path leads to; Invalid when there is no such job or position."""
    place = by_node(plan, steps)
    known = {**plan.nodes, **tree.get("JOB", {})}
    if place[0] == "JOB" and place[1] not in known:
        where, hint = format_path(steps), did_you_mean(str(place[1]), known)
        message = "task '{task}' has no node '{node}'{hint}"
        raise Invalid(EDIT_INVALID, message, where=where, task=plan.task.id, node=place[1], hint=hint)
    try:
        return target(tree, place)
    except SkerryError as error:
        raise Invalid(EDIT_INVALID, error.message, where=format_path(steps)) from error


def known(plan: Plan, tree: Mapping[str, Any], steps: Path, job_types: JobTypes) -> Path:
    """The place that is ``meant``; Invalid for a parameter or result that is neither there nor defined.

    For what a person asks for: a value set elsewhere would never be read.
    """
    path = meant(plan, tree, steps)
    at = next((at for at, step in enumerate(path) if step in _COLUMNS), None)
    name = path[at + 1] if at is not None and at + 1 < len(path) else None
    if at is None or not isinstance(name, str):
        return path
    there = at_path(tree, path[: at + 1])
    defined = _defined(plan, path, str(path[at]), job_types)
    names = {*defined, *there} if isinstance(there, Mapping) else {*defined}
    if name not in names:
        message = "{place}: there is no result '{name}'{hint}"
        message = "{place}: there is no parameter '{name}'{hint}" if path[at] == "PARAMS" else message
        where, place = format_path(path), format_path(path[: at + 2])
        hint = did_you_mean(name, names)
        raise Invalid(EDIT_INVALID, message, where=where, place=place, name=name, hint=hint)
    return path


def _defined(plan: Plan, path: Path, field: str, job_types: JobTypes) -> Iterable[str]:
    """The names that the definition gives, also where nothing has run yet."""
    if path[0] == "TASK":
        return plan.task.params
    uses = list(uses_of(read(plan.task, plan.definitions), plan.definitions))
    names = KnownNames(plan.task, uses, plan.definitions, job_types)
    use = names.find(str(path[1]))
    if use is None:
        return ()
    return names.params_of(use) if field == "PARAMS" else names.results_of(use.job).names


def show_edited(changes: Changes, instance: int, tree: Mapping[str, Any], steps: Path) -> None:
    """The row that shows the params or results which hold an edited value tells what the context tells."""
    if steps[:2] == ("TASK", "PARAMS"):
        return changes.update("instance", instance, {"params": tree["TASK"]["PARAMS"]})
    holder = next((step for step in steps if step in _COLUMNS), None)
    entry = tree["JOB"][steps[1]] if steps[0] == "JOB" else {}
    entry = entry[steps[2]] if isinstance(entry, list) and isinstance(steps[2], int) else entry
    if holder is not None and "INSTANCE" in entry:
        changes.update("job_instance", entry["INSTANCE"], {_COLUMNS[holder]: entry[holder]})
    return None
