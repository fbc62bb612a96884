"""What a form knows: the definitions being edited over those of the workspace, and the installed types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.desktop.design.edits import handlers_of
from app.desktop.design.tree import Tree, get
from engine.planning.outline import Outline, map_of, outline_of
from engine.plugins.job_type import JobType
from engine.plugins.registry import JobTypes, ResourceTypes


@dataclass(frozen=True, slots=True)
class DefinitionScope:
    """One task in its surroundings. ``standing`` are the workspace's own definitions, by section."""

    tree: Tree
    task: str
    job_types: JobTypes
    resource_types: ResourceTypes
    standing: Tree = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    owner: str = ""  # the job of the library that is edited, when it is one

    def section(self, name: str) -> dict[str, Any]:
        """The definitions of a section by id: the edited ones over the workspace's."""
        return {**get(self.standing, (name,), {}), **get(self.tree, (name,), {})}

    @property
    def raw_task(self) -> Tree:
        """The task's own part of the tree."""
        path = ("tasks", self.task)
        return map_of(get(self.tree, path) or get(self.standing, path))

    @property
    def nodes(self) -> Mapping[str, Any]:
        return map_of(self.raw_task.get("nodes"))

    @property
    def parts(self) -> Mapping[str, Any]:
        """The nodes and the handlers of the task's end, by id."""
        return {**self.nodes, **handlers_of(self.raw_task)}

    def node(self, id: str) -> Tree:
        """The part of the tree for a node or a handler of the end; empty when there is none."""
        return map_of(self.parts.get(id))

    def member(self, node: str, index: int) -> Tree:
        """A member of a group; empty when there is none."""
        return map_of(get(self.job_of(self.node(node)), ("jobs", index)))

    def job(self, id: object) -> Tree:
        """A job of the library; empty when there is none."""
        path = ("jobs", str(id))
        return map_of(get(self.tree, path) or get(self.standing, path))

    def job_of(self, node: Tree) -> Tree:
        """The job of a node or group member: the one it names, else itself."""
        return self.job(node["job"]) if "job" in node else node

    def type_of(self, job: Tree) -> JobType | None:
        """The type of a job; None while it has none that is installed."""
        kind = job.get("type")
        return self.job_types.get(kind) if isinstance(kind, str) else None

    def outline(self) -> Outline:
        return outline_of(self.raw_task, self.section("jobs"))

    def users(self, job: str) -> tuple[str, ...]:
        """The nodes of this task that use a job of the library."""
        return tuple(id for id in self.parts if str(self.node(id).get("job", "")) == job)
