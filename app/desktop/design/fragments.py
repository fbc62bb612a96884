"""A piece of a task on the clipboard: nodes with the links between them, and the jobs that they use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from app.desktop.canvas.graph import Point
from app.desktop.canvas.task_picture import point
from app.desktop.design.definition_library import own_part
from app.desktop.design.edits import (
    free_id,
    joined,
    nodes_of,
    nodes_path,
    place_nodes,
    remove_nodes,
    rename_node,
)
from app.desktop.design.tree import Edit, Tree, get, put
from engine.planning.outline import map_of

MIME = "application/x-skerry-fragment+json"
_STEP = 32.0  # further down and right at each paste
_SCRATCH = "_"


def fragment(tree: Tree, task: str, ids: Iterable[str], places: Mapping[str, Point]) -> dict[str, Any]:
    """What is copied: a small definition file with one task, its nodes at their positions on the canvas."""
    wanted = frozenset(ids)
    others = [id for id in nodes_of(tree, task) if id not in wanted]
    cut = place_nodes(task, places)(remove_nodes(task, others)(tree))
    nodes = nodes_of(cut, task)
    whole = put(put(tree, ("jobs",), cut.get("jobs") or {}), ("tasks",), {_SCRATCH: {"nodes": nodes}})
    return {**own_part(whole, _SCRATCH), "tasks": {_SCRATCH: {"nodes": nodes}}}


def to_bytes(piece: Tree) -> bytes:
    """A fragment as the clipboard carries it."""
    return json.dumps(piece, ensure_ascii=False).encode()


def from_bytes(data: bytes) -> dict[str, Any] | None:
    """A fragment from the clipboard; None when it is none. Data only: nothing in it is run."""
    try:
        found = json.loads(data)
    except ValueError:
        return None
    nodes = get(found, ("tasks", _SCRATCH, "nodes"))
    proper = isinstance(nodes, dict) and all(isinstance(node, dict) for node in nodes.values())
    return found if proper and nodes else None


def corner(piece: Tree) -> Point:
    places = _positions(piece).values()
    return min(x for x, _ in places), min(y for _, y in places)


def _positions(piece: Tree) -> dict[str, Point]:
    nodes = nodes_of(piece, _SCRATCH).items()
    return {id: point(map_of(node).get("position")) or (0.0, 0.0) for id, node in nodes}


def pasted(tree: Tree, task: str, piece: Tree, at: Point) -> tuple[Edit, frozenset[str]]:
    """The edit that puts a fragment into a task with its corner at a place, and the ids that its nodes get.

    Jobs and resources that the workspace does not have come along; those that it has are used.
    """
    names = _names(piece, nodes_of(tree, task))
    renamed = joined(rename_node(_SCRATCH, old, new) for old, new in _safely(names))(piece)
    left, top = corner(piece)
    places = {id: (at[0] + x - left, at[1] + y - top) for id, (x, y) in _positions(renamed).items()}
    nodes = nodes_of(place_nodes(_SCRATCH, places)(renamed), _SCRATCH)

    def change(whole: Tree) -> Tree:
        for section in ("resources", "jobs"):
            known, brought = whole.get(section) or {}, renamed.get(section) or {}
            if brought.keys() - known.keys():
                whole = put(whole, (section,), {**brought, **known})
        return put(whole, nodes_path(task), {**nodes_of(whole, task), **nodes})

    return change, frozenset(names.values())


def _names(piece: Tree, taken: Iterable[str]) -> dict[str, str]:
    known, names = set(taken), {}
    for id in nodes_of(piece, _SCRATCH):
        names[id] = free_id(id, known)
        known.add(names[id])
    return names


def _safely(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """The renames in an order in which no new id is another's old one; new ids are free, so any is."""
    changed = [(old, new) for old, new in names.items() if old != new]
    temporary = [(old, f"{old}~{i}") for i, (old, _) in enumerate(changed)]
    return [*temporary, *((f"{old}~{i}", new) for i, (old, new) in enumerate(changed))]


def shifted(place: Point, times: int) -> Point:
    """Where the next paste of the same fragment goes."""
    return place[0] + _STEP * times, place[1] + _STEP * times
