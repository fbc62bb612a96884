"""What an engine does for the people and programs around it: one port, three ways to reach it.

``LocalService`` holds the engine, ``Client`` speaks to one in another process over the
workspace's socket, ``ReadOnlyService`` reads the store when no engine runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from engine.api.amending import AmendingService
from engine.api.cleaning import CleaningService
from engine.api.documents import Document, Kind, Loaded, LogFile, RunDocument, Source, Summary
from engine.api.queueing import QueueService
from engine.api.repairing import RepairService
from engine.api.troubles import TroubleService
from engine.api.unlocking import UnlockService


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A task to start now.

    ``task`` None: the only task of ``sources`` that no other one uses. ``sources`` None: the
    workspace's own definitions. ``params`` are typed values, ``texts`` are converted by the
    parameter's kind (``-p``); neither is ever evaluated.
    """

    task: str | None = None
    sources: Sequence[Source] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None  # where the caller stands: relative files among ``texts`` belong to it


@dataclass(frozen=True, slots=True)
class InstanceQuery:
    """Which instances to list, the newest first. Times are aware ISO 8601 and mean the scheduled time."""

    task: str | None = None
    status: str | None = None
    since: str | None = None
    until: str | None = None
    planned: bool = False
    limit: int = 100


class EventStream(Protocol):
    """Events as they happen, ``{"kind", "instance", …}``.

    ``{"kind": "tick"}`` comes when nothing happened for a while, ``{"kind": "resync"}`` after a
    break in which events may have been missed: then read the state anew.
    """

    def __iter__(self) -> Iterator[Document]:
        """Wait for each; SkerryError when the engine is gone for good."""

    def close(self) -> None:
        """Listen no more; from any thread."""


@runtime_checkable
class Service(
    AmendingService, CleaningService, QueueService, RepairService, TroubleService, UnlockService, Protocol
):
    """Every operation that touches a workspace; JSON-able in and out, SkerryError when it fails."""

    def about(self) -> Document:
        """``{"version", "pid", "workspace", "trouble", "hold_up", "busy_for"}`` of who answers.

        ``trouble``: what keeps it from writing down what happens (a full disk), or None. ``hold_up``: the
        same as ``{"since", "reason", "instances"}``, the latter how many wait for it.
        ``busy_for``: seconds that it has been at one thing, so that it hears nothing else, or None.
        """

    def load(self, sources: Sequence[Source]) -> list[Loaded]:
        """Store definitions, all or none; Invalid with every finding, Refused for online tasks."""

    def warnings(self, sources: Sequence[Source]) -> list[Document]:
        """The warnings of definitions that were loaded or run: findings as ``check --json`` has them."""

    def dump(self, ids: Sequence[str]) -> str:
        """The YAML of these definitions (all without ids)."""

    def definitions(self, kind: Kind) -> list[Document]:
        """``{"id", "name", "revision", …}`` of every definition of a kind."""

    def definition(self, kind: Kind, id: str, revision: int | None = None) -> Document:
        """One definition with its tree in ``definition``; the latest revision by default."""

    def history(self, kind: Kind, id: str) -> list[Document]:
        """Its revisions, the newest first."""

    def delete(self, kind: Kind, id: str) -> Document:
        """Delete a definition; Refused while it is in use."""

    def set_state(self, task: str, state: str) -> Document:
        """Move a task through its life-cycle."""

    def run(self, request: RunRequest) -> int:
        """Start a task by hand and give the number of its instance at once."""

    def instances(self, query: InstanceQuery) -> list[Summary]:
        """The instances that fit."""

    def instance(self, instance: int) -> RunDocument:
        """One instance with its jobs."""

    def captured(self, instance: int, run: int | None = None) -> Document:
        """The definitions that a run went by (the latest by default), as a tree of a definition file.

        Empty where they were not kept.
        """

    def logs(self, instance: int, node: str | None = None, attempt: int | None = None) -> list[LogFile]:
        """The attempts that have logs; without ``attempt`` the latest of each job."""

    def context(self, instance: int, at: int | None = None) -> Document:
        """The context's tree, now or after line ``at`` of its log."""

    def set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        """Override a value of the context; the text is read as the kind of what it replaces."""

    def cancel(self, instance: int, node: str | None = None) -> Document:
        """Stop an instance or one node and everything it started; returns when that is verified."""

    def check_resource(self, id: str, params: Mapping[str, str]) -> Document:
        """``{"ok", "message", "details", "took", "code"}``; params stand for the task's in a dynamic one."""

    def stats(self, task: str | None = None, job: str | None = None) -> list[Document]:
        """Counts, failures, times and error codes per task and job."""

    def own_errors(self) -> Document:
        """The user's own catalogue entries by code, as written in their definitions."""

    def events(self, instance: int | None = None) -> EventStream:
        """What happens from now on, of one instance or of all."""
