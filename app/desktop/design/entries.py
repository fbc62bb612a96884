"""What can be put into a task: job types, reusable jobs, other tasks; and what fits after a node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from app.desktop.design.tree import Tree
from engine.planning.outline import map_of
from engine.plugins.job_type import JobType
from engine.plugins.registry import JobTypes

ENTRY_MIME = "application/x-skerry-job"


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One thing of the palette; ``node`` is what it becomes in a task."""

    group: Literal["type", "job", "task"]
    id: str
    type: str
    title: str
    help: str
    node: Tree

    @property
    def words(self) -> str:
        """What a search looks in."""
        return f"{self.id} {self.title} {self.type} {self.help}".casefold()


def entries(types: JobTypes, jobs: Tree, tasks: Tree, task: str, chinese: bool) -> list[PaletteEntry]:
    """All of them: types first, then reusable jobs, then tasks; never the task itself."""
    made = [
        _of_type(kind, each, chinese) for kind, each in sorted(types.items(), key=lambda item: _rank(item[0]))
    ]
    for id, each in sorted(jobs.items()):
        job = map_of(each)
        made.append(_of_definition("job", id, job, str(job.get("type") or ""), {"job": id}))
    for id, each in sorted(tasks.items()):
        if id != task:
            node = {"type": "task", "task": id}
            made.append(_of_definition("task", id, map_of(each), "task", node))
    return made


def _of_type(kind: str, type: JobType, chinese: bool) -> PaletteEntry:
    return PaletteEntry(
        "type", kind, kind, type.label[chinese], type.help[chinese], starting_node(kind, type)
    )


def _of_definition(group: Literal["job", "task"], id: str, tree: Tree, type: str, node: Tree) -> PaletteEntry:
    title, help = str(tree.get("name") or id), str(tree.get("description") or "")
    return PaletteEntry(group, id, type, title, help, node)


_STARTS: dict[str, dict[str, Any]] = {
    "shell": {"process": "echo hello\n"},
    "python": {"process": 'print("hello")\n'},
    "command": {"argv": ["true"]},
    "condition": {"branches": {"true": [], "false": []}},
    "wait": {"for": "30s"},
    "approve": {"question": "Go on?"},
    "group": {"jobs": []},
}
_ORDER = (
    "shell",
    "python",
    "command",
    "condition",
    "wait",
    "approve",
    "task",
    "group",
    "sql",
    "sql_query",
    "http",
)


def _rank(kind: str) -> tuple[int, str]:
    return (_ORDER.index(kind) if kind in _ORDER else len(_ORDER), kind)


def starting_node(kind: str, type: JobType) -> dict[str, Any]:
    """A new node of a type: what it cannot be without, to be filled in the form."""
    node: dict[str, Any] = {"type": kind, **_STARTS.get(kind, {})}
    if type.process == "required" and "process" not in node:
        node["process"] = ""
    return node


def search(found: Iterable[PaletteEntry], text: str) -> list[PaletteEntry]:
    """Those that hold every word: names that begin as typed first, then names, then help texts."""
    words = text.casefold().split()
    fitting = [entry for entry in found if all(word in entry.words for word in words)]
    if not words:
        return fitting
    typed = " ".join(words)

    def rank(entry: PaletteEntry) -> tuple[bool, bool]:
        names = entry.id.casefold(), entry.title.casefold()
        return not any(name.startswith(typed) for name in names), not names[0].startswith(words[0])

    return sorted(fitting, key=rank)


def fitting(found: Iterable[PaletteEntry], source: str, types: JobTypes) -> list[PaletteEntry]:
    """What may follow a node of a type, the likeliest first: what has a place for one of its results."""
    type = types.get(source)
    given = {each.name for each in type.results} if type else set()
    kinds = {each.kind for each in type.results if each.kind} if type else set()

    def distance(entry: PaletteEntry) -> int:
        wanted = types.get(entry.type)
        if wanted is None or entry.group != "type":
            return 2
        names = set(wanted.params) | set(wanted.keys.model_fields)
        near = names & (given | {name.rstrip("s") for name in given})
        same_kind = any(spec.kind in kinds and spec.required for spec in wanted.params.values())
        return 0 if near or same_kind else 1

    return sorted(found, key=distance)
