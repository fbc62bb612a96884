"""Two versions of a task in one picture, with what was added, removed and changed, and a list of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.desktop.canvas.graph import CanvasGraph, GraphLink, GraphNode
from app.desktop.canvas.task_picture import graph_of
from app.desktop.design.tree import Tree

Mark = Literal["added", "removed", "changed"]
_NONE = object()


@dataclass(frozen=True, slots=True)
class DefinitionDifference:
    """One value that differs; ``node`` is empty for the task's own keys, ``key`` for a node as a whole."""

    mark: Mark
    node: str
    key: tuple[str, ...]
    old: Any = None
    new: Any = None


def compared(old: Tree, new: Tree, jobs: Tree) -> CanvasGraph:
    """The picture of ``new`` with the nodes and links that only ``old`` has, all marked."""
    was, now = graph_of(old, jobs), graph_of(new, jobs)
    before = {node.id for node in was.nodes}
    here = {node.id for node in now.nodes}
    changed = {each.node for each in differences(old, new) if each.mark == "changed" and each.node}
    kept = [_marked(node, before, changed) for node in now.nodes]
    gone = [replace(node, mark="removed", faint=True) for node in was.nodes if node.id not in here]
    return CanvasGraph((*kept, *gone), tuple(_links(was, now)))


def _marked(node: GraphNode, before: set[str], changed: set[str]) -> GraphNode:
    if node.id not in before:
        return replace(node, mark="added")
    return replace(node, mark="changed") if node.id in changed else node


def _links(was: CanvasGraph, now: CanvasGraph) -> Iterator[GraphLink]:
    old, new = {link.key for link in was.links}, {link.key for link in now.links}
    yield from (link if link.key in old else link._replace(mark="added") for link in now.links)
    yield from (link._replace(mark="removed") for link in was.links if link.key not in new)


def differences(old: Tree, new: Tree) -> list[DefinitionDifference]:
    """Every key that differs, the task's own first; places on the canvas do not count."""
    found = list(_keys("", {**old, "nodes": None}, {**new, "nodes": None}))
    was, now = old.get("nodes") or {}, new.get("nodes") or {}
    for id in dict.fromkeys((*was, *now)):
        if id not in was:
            found.append(DefinitionDifference("added", id, ()))
        elif id not in now:
            found.append(DefinitionDifference("removed", id, ()))
        elif was[id] != now[id]:
            found += _keys(id, was[id], now[id])
    return found


def _keys(node: str, old: Any, new: Any, above: tuple[str, ...] = ()) -> Iterator[DefinitionDifference]:
    """One for each value that differs, however deep it lies in maps."""
    before: Mapping[str, Any] = old if isinstance(old, Mapping) else {"": old}
    after: Mapping[str, Any] = new if isinstance(new, Mapping) else {"": new}
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key, _NONE), after.get(key, _NONE)
        if was == now or (key == "position" and not above):
            continue
        place = (*above, str(key))
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _keys(node, was, now, place)
        else:
            shown = (None if was is _NONE else was, None if now is _NONE else now)
            yield DefinitionDifference("changed", node, place, *shown)


def differing_lines(old: str, new: str) -> tuple[str, str]:
    r"""Of two texts of several lines what lies between the lines that they begin and end with alike.

    >>> differing_lines("a\nb\nc", "a\nx\ny\nc")
    ('b', 'x\ny')
    """
    before, after = old.splitlines(), new.splitlines()
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    rest = most - start
    end = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    cut = ("\n".join(lines[start : len(lines) - end]) for lines in (before, after))
    return next(cut), next(cut)
