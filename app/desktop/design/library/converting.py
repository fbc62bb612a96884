"""A node that uses a job of the library and one that has its own: either way into the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.desktop.design.edits import renamed_text
from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.tree import Tree, get, mapped, node_path, put
from engine.model.task import Node

_OF_THE_NODE: Final = frozenset(Node.model_fields) - {"id", "job", "params", "on"}


def secrets_of(scope: DefinitionScope, node: str) -> tuple[str, ...]:
    """The parameters whose value is a stored secret: only jobs of the library have them."""
    params = scope.job_of(scope.node(node)).get("params")
    table = params if isinstance(params, Mapping) else {}
    return tuple(name for name, spec in table.items() if isinstance(spec, Mapping) and spec.get("secret"))


def to_own(scope: DefinitionScope, node: str) -> Tree:
    """The tree in which the node has a copy of its job; expressions that named the job name the node."""
    raw, id = scope.node(node), str(scope.node(node)["job"])
    job = dict(scope.job(id))
    given, batch = raw.get("params"), isinstance(raw.get("params"), list)
    values = _values(scope, id, job.pop("params", None))
    params: Any = [{**values, **each} for each in given] if batch and given else {**values, **(given or {})}
    rules = {key: value for key, value in raw.items() if key in _OF_THE_NODE}
    own = {
        **job,
        **({"params": params} if params else {}),
        **({"on": raw["on"]} if "on" in raw else {}),
        **rules,
    }
    own = mapped(own, lambda text: renamed_text(text, id, node))
    tree = put(scope.tree, node_path(scope.task, node), own)
    if scope.users(id) != (node,):
        return tree
    path = ("tasks", scope.task)
    return put(tree, path, mapped(get(tree, path), lambda text: renamed_text(text, id, node)))


def _values(scope: DefinitionScope, id: str, table: Any) -> dict[str, Any]:
    """What the job's parameters are without the node: from the task's values, the job, the task."""
    of_task = get(scope.raw_task, ("job_params", id), {})
    own = scope.raw_task.get("params") or {}
    found: dict[str, Any] = {}
    for name, spec in (table if isinstance(table, Mapping) else {}).items():
        value = spec.get("value") if isinstance(spec, Mapping) else spec
        if name in of_task:
            found[name] = of_task[name]
        elif value is not None:
            found[name] = value
        elif name in own:
            found[name] = f"$.TASK.PARAMS['{name}']"
    return found


def to_library(scope: DefinitionScope, node: str, id: str) -> Tree:
    """The tree in which the node's own job is the job ``id`` of the library, with the node's values kept."""
    raw = scope.node(node)
    job = {key: value for key, value in raw.items() if key not in _OF_THE_NODE and key != "params"}
    given = raw.get("params")
    names = [name for each in (given if isinstance(given, list) else [given or {}]) for name in each]
    if names:
        job["params"] = {name: {} for name in dict.fromkeys(names)}
    job = mapped(job, lambda text: renamed_text(text, node, id))
    rules = {key: value for key, value in raw.items() if key in _OF_THE_NODE}
    user = {"job": id, **({"params": given} if given else {}), **rules}
    return put(put(scope.tree, ("jobs", id), job), node_path(scope.task, node), user)
