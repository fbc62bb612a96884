"""What the workspace holds, as the designer needs it: every definition's tree with its revision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from app.desktop.design.tree import Tree
from engine.api.documents import Source
from engine.api.service import Service
from engine.definitions.text_source import SourceFile as Bytes
from engine.definitions.text_source import parse
from engine.definitions.writer import dump
from engine.model.names import SECTIONS
from engine.runtime.library import names_in, referred

KINDS: tuple[Literal["task", "job", "resource"], ...] = ("task", "job", "resource")


@dataclass(frozen=True, slots=True)
class DefinitionLibrary:
    """All definitions: ``raw`` by section and id, ``about`` the service's summaries by (kind, id)."""

    raw: Tree = field(default_factory=dict)
    about: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    def section(self, section: str) -> Mapping[str, Any]:
        """The trees of a section by id."""
        return self.raw.get(section) or {}

    def find(self, kind: str, id: str) -> Any:
        """The tree of a definition; None of one that is not there."""
        return self.section(SECTIONS.get(kind, "")).get(id)

    def tasks(self) -> list[Mapping[str, Any]]:
        """The summaries of all tasks that are not deleted, by id."""
        return [summary for (kind, _), summary in sorted(self.about.items()) if kind == "task"]


def read_library(service: Service) -> DefinitionLibrary:
    """Read everything; on a worker thread."""
    raw = tree_of(service.dump(())) or {}
    about: dict[tuple[str, str], Mapping[str, Any]] = {
        (kind, str(each["id"])): each for kind in KINDS for each in service.definitions(kind)
    }
    return DefinitionLibrary({section: raw.get(section) or {} for section in SECTIONS.values()}, about)


def tree_of(text: str) -> Any:
    """The tree of a definition file's text; None when it cannot be read."""
    return parse(Bytes("task.yaml", text.encode("utf-8", "surrogateescape"))).value


def own_part(tree: Tree, task: str) -> dict[str, Any]:
    """The file of one task: itself, and the jobs, resources and calendars that it uses."""
    used = _used(tree, task)
    part = {
        section: {id: each for id, each in (tree.get(section) or {}).items() if id in used.get(section, ())}
        for section in ("resources", "jobs", "calendars")
    }
    part["tasks"] = {task: (tree.get("tasks") or {}).get(task, {})}
    return {section: definitions for section, definitions in part.items() if definitions}


def own_jobs(tree: Tree, task: str) -> frozenset[str]:
    """The jobs of the library that this task uses, and no other."""
    others = {each: _used(tree, each).get("jobs", ()) for each in tree.get("tasks") or {} if each != task}
    return frozenset(_used(tree, task).get("jobs", ())).difference(*others.values())


def _used(tree: Tree, task: str) -> Mapping[str, Collection[str]]:
    """By section, the ids of what a task refers to, also through its jobs."""

    def find(kind: str, id: str) -> Any:
        known = tree.get(SECTIONS[kind]) or {}
        return known[id] or {} if id in known and (kind != "task" or id == task) else None

    return referred(find, "task", task)


def changed_part(tree: Tree, library: DefinitionLibrary) -> dict[str, Any]:
    """The definitions of a tree that differ from the workspace's, as the tree of a file."""
    found = {}
    for section in SECTIONS.values():
        before = library.section(section)
        part = {id: each for id, each in (tree.get(section) or {}).items() if before.get(id) != each}
        if part:
            found[section] = part
    return found


def source_of(part: Tree, name: str) -> Source:
    """The file that the engine is given."""
    return Source(name=name, text=dump(part))


def users_of(library: DefinitionLibrary, kind: str, id: str) -> tuple[tuple[str, str], ...]:
    """``(kind, id)`` of every task and job that names a definition."""
    return tuple(
        (user_kind, user)
        for section, user_kind in (("tasks", "task"), ("jobs", "job"))
        for user, tree in library.section(section).items()
        if (kind, id) in set(names_in(user_kind, tree))
    )


def user_task(library: DefinitionLibrary, kind: str, id: str) -> str:
    """A task that uses it, also through a job; empty when there is none."""
    seen: set[tuple[str, str]] = set()
    ahead = [(kind, id)]
    while ahead:
        each = ahead.pop(0)
        for user in users_of(library, *each):
            if user[0] == "task":
                return user[1]
            if user not in seen:
                seen.add(user)
                ahead.append(user)
    return ""
