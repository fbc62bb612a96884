"""What a person does to a task, as functions from tree to tree: nothing here knows the window."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.desktop.canvas.graph import CanvasGraph, Point
from app.desktop.canvas.keyboard_walk import ways
from app.desktop.canvas.task_picture import graph_of
from app.desktop.design.definition_library import own_jobs
from app.desktop.design.tree import REMOVE, Edit, Path, Tree, edit, get, mapped, node_path, put
from engine.definitions.tasks import IN_NO_HANDLER
from engine.model.names import HANDLER
from engine.planning.outline import afters, branch_key, branches_of, ids_of, map_of


def nodes_path(task: str, *rest: str | int) -> Path:
    return ("tasks", task, "nodes", *rest)


def handlers_of(task: Tree) -> dict[str, Any]:
    """The handlers of a task's end by their ids, which begin with ``on_end.``."""
    return {f"{HANDLER}{name}": node for name, node in map_of(task.get("on_end")).items()}


@edit
def make_handler(tree: Tree, task: str, id: str | None, outcome: str) -> Tree:
    """A node becomes the handler of an outcome, without what only nodes have; None: a new script does."""
    new = {"type": "shell", "process": "true\n"}
    found: Mapping[str, Any] = map_of(nodes_of(tree, task).get(id)) if id else new
    kept = {key: value for key, value in found.items() if key not in IN_NO_HANDLER}
    sets = kept.get("params")
    if isinstance(sets, list):
        kept["params"] = map_of(sets[0]) if sets else {}
    rest = remove_nodes(task, [id])(tree) if id else tree
    return put(rest, node_path(task, f"{HANDLER}{outcome}"), kept)


def nodes_of(tree: Tree, task: str) -> Mapping[str, Any]:
    return map_of(get(tree, nodes_path(task)))


def picture(tree: Tree, task: str) -> CanvasGraph:
    return graph_of(get(tree, ("tasks", task)) or {}, tree.get("jobs") or {})


def free_id(wanted: str, taken: Iterable[str]) -> str:
    """The id, with the first free number when it is taken.

    >>> free_id("load", ["load", "load_2"])
    'load_3'
    """
    known = set(taken)
    base = re.sub(r"[^A-Za-z0-9_.-]+", "_", wanted).strip("_.-")[:56] or "node"
    base = base if re.match(r"[A-Za-z_]", base) else f"n{base}"
    stem = re.sub(r"_\d+$", "", base) if base in known else base
    number = 2
    found = base
    while found in known:
        found, number = f"{stem}_{number}", number + 1
    return found


@edit
def add_node(tree: Tree, task: str, id: str, node: Tree) -> Tree:
    """A further node, at the end of the list."""
    return put(tree, nodes_path(task, id), dict(node))


@edit
def remove_nodes(tree: Tree, task: str, ids: Iterable[str]) -> Tree:
    """Take nodes away, and every link to them."""
    gone = frozenset(ids)
    tree = _without_handlers(tree, task, gone)
    kept = {id: node for id, node in nodes_of(tree, task).items() if id not in gone}
    none = _nothing_before(tree, task)
    whole = put(tree, nodes_path(task), {id: _without(node, gone, none) for id, node in kept.items()})
    return _with_branches(whole, task, nodes_of(whole, task), lambda branch: _branch_without(branch, gone))


def _without_handlers(tree: Tree, task: str, gone: frozenset[str]) -> Tree:
    known = handlers_of(map_of(get(tree, ("tasks", task))))
    if gone.isdisjoint(known):
        return tree
    left = {id.removeprefix(HANDLER): node for id, node in known.items() if id not in gone}
    return put(tree, ("tasks", task, "on_end"), left or REMOVE)


def _without(node: Any, gone: frozenset[str], none: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    after = ids_of(node.get("after"))
    if gone.isdisjoint(after):
        return node
    return put(node, ("after",), [each for each in after if each not in gone] or none)


def _after(tree: Tree, task: str, id: str) -> list[str]:
    """What a node comes after, also by its place."""
    return afters(map_of(get(tree, ("tasks", task))), map_of(tree.get("jobs"))).get(id, [])


def _nothing_before(tree: Tree, task: str) -> Any:
    """How a node says that it comes after nothing: in a sequence it has to."""
    return [] if get(tree, ("tasks", task, "sequence")) is True else REMOVE


def _branch_without(branch: Tree, gone: frozenset[str]) -> Tree:
    kept = {**branch, "run": [each for each in branch["run"] if each not in gone]}
    return put(kept, ("from",), REMOVE) if str(branch.get("from") or "") in gone else kept


@edit
def rename_node(tree: Tree, task: str, old: str, new: str) -> Tree:
    """Another id for a node, wherever the task names it: links, branches, expressions.

    A job of the library is changed too where no other task uses it; in a job of that id, it is its own.
    """
    nodes = {new if id == old else id: _renamed(node, old, new) for id, node in nodes_of(tree, task).items()}
    whole = put(tree, nodes_path(task), nodes)
    whole = _with_branches(whole, task, nodes, lambda branch: _branch_renamed(branch, old, new))
    value = get(whole, ("tasks", task))
    whole = put(whole, ("tasks", task), mapped(value, lambda text: renamed_text(text, old, new)))
    for job in own_jobs(whole, task) - {old}:
        definition = get(whole, ("jobs", job))
        whole = put(whole, ("jobs", job), mapped(definition, lambda text: renamed_text(text, old, new)))
    return whole


def _renamed(node: Any, old: str, new: str) -> Any:
    after = ids_of(map_of(node).get("after"))
    return put(node, ("after",), [new if each == old else each for each in after]) if old in after else node


def _branch_renamed(branch: Tree, old: str, new: str) -> Tree:
    run = [new if each == old else each for each in branch["run"]]
    return {**branch, "run": run, **({"from": new} if branch.get("from") == old else {})}


def renamed_text(text: str, old: str, new: str) -> str:
    """A text whose expressions name a node by its new id, however they write it.

    >>> renamed_text("{$.JOB['a'].OUTPUT} a {$.JOB.a.OUTPUT}", "a", "b")
    "{$.JOB['b'].OUTPUT} a {$.JOB['b'].OUTPUT}"
    """
    if "$." not in text:
        return text
    jobs, id = r"(\$\.(?:JOB|ROUNDS))", re.escape(old)
    bare = re.sub(rf"{jobs}\.{id}(?![\w-])", rf"\g<1>['{new}']", text)
    return re.sub(rf"{jobs}(\[\s*)(['\"]){id}(?=['\".])", rf"\g<1>\g<2>\g<3>{new}", bare)


@edit
def place_nodes(tree: Tree, task: str, places: Mapping[str, Point]) -> Tree:
    """Positions of nodes; whole numbers, as a person would write them."""
    for id, (x, y) in places.items():
        if isinstance(get(tree, node_path(task, id)), Mapping):
            tree = put(tree, node_path(task, id, "position"), [round(x), round(y)])
    return tree


@edit
def link(tree: Tree, task: str, source: str, target: str) -> Tree:
    """``target`` starts after ``source``."""
    after = _after(tree, task, target)
    if source in after:
        return tree
    return put(tree, nodes_path(task, target, "after"), [*after, source])


@edit
def branch(tree: Tree, task: str, condition: str, key: str, target: str) -> Tree:
    """``target`` belongs to a branch of a condition."""
    known = _branches(tree, task, condition).get(key, {"run": []})
    if target in known["run"]:
        return tree
    branched = {**known, "run": [*known["run"], target]}
    return _set_branch(unlink(task, condition, target)(tree), task, condition, key, branched)


@edit
def unlink(tree: Tree, task: str, source: str, target: str) -> Tree:
    """Take a link away, whatever its kind."""
    after = _after(tree, task, target)
    if source in after:
        left = [each for each in after if each != source]
        tree = put(tree, nodes_path(task, target, "after"), left or _nothing_before(tree, task))

    def change(branch: Tree) -> Tree:
        return {**branch, "run": [each for each in branch["run"] if each != target]}

    return _with_branches(tree, task, [source], change)


@edit
def unloop(tree: Tree, task: str, condition: str, key: str) -> Tree:
    """A branch that no longer runs again."""
    known = _branches(tree, task, condition).get(key, {})
    left = {name: value for name, value in known.items() if name not in ("again", "from")}
    return _set_branch(tree, task, condition, key, left)


def _branches(tree: Tree, task: str, condition: str) -> Mapping[str, Any]:
    return branches_of(map_of(nodes_of(tree, task).get(condition)), map_of(tree.get("jobs")))


def _with_branches(tree: Tree, task: str, ids: Iterable[str], change: Edit) -> Tree:
    """The branches of these conditions, also of reusable ones, given through ``change``."""
    for id in ids:
        for key, branch in _branches(tree, task, id).items():
            changed = change(branch)
            if changed != branch:
                tree = _set_branch(tree, task, id, key, changed)
    return tree


def _set_branch(tree: Tree, task: str, condition: str, key: str, branch: Tree) -> Tree:
    """Write a branch where the condition's job is; a plain one as a list of nodes."""
    node = map_of(nodes_of(tree, task).get(condition))
    path = ("jobs", str(node["job"])) if "job" in node else nodes_path(task, condition)
    branches = map_of(get(tree, (*path, "branches")))
    value = list(branch.get("run") or []) if set(branch) <= {"run"} else dict(branch)
    same = next((known for known in branches if branch_key(known) == key), key)
    return put(tree, (*path, "branches"), {**branches, same: value})


def refusal(graph: CanvasGraph, source: str, target: str) -> list[str] | None:
    """Why ``target`` cannot come after ``source``: the way that would become a cycle; None when it can.

    An empty list: they are linked already.
    """
    if source == target:
        return [source, source]
    if (source, target) in {link.key for link in graph.links if link.kind != "loop"}:
        return []
    way = ways(graph, target, source)
    return [*way, target] if way else None


def joined(edits: Iterable[Edit]) -> Edit:
    steps = tuple(edits)

    def change(tree: Tree) -> Tree:
        for step in steps:
            tree = step(tree)
        return tree

    return change
