"""What can be read from the store alone, with an engine or without."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from engine.api import views
from engine.api.documents import SECTIONS, Document, Kind, LogFile, RunDocument, Summary
from engine.api.service import InstanceQuery
from engine.api.troubles import TroubleReader
from engine.model.codes.commands import NO_SUCH_ATTEMPT, NO_SUCH_DEFINITION
from engine.model.codes.runtime import NO_SUCH_INSTANCE, NO_SUCH_NODE
from engine.model.errors import Invalid
from engine.model.states import InstanceState, JobState
from engine.planning.outline import Outline, outline_in
from engine.store.port import InstanceFilter
from engine.store.rows import DefinitionRow, InstanceRow, JobRow

if TYPE_CHECKING:
    from engine.runtime.workspace import Workspace
    from engine.store.port import Store


_NOTHING = {"trouble": None, "hold_up": None, "busy_for": None}


class StoreReader(TroubleReader):
    """The reading half of ``engine.api.service.Service``."""

    def __init__(self, store: Store, workspace: Workspace) -> None:
        self._store = store
        self._workspace = workspace

    def about(self) -> Document:
        """See ``Service``."""
        place = str(self._workspace.root)
        return {"version": version("skerry"), "pid": os.getpid(), "workspace": place, **_NOTHING}

    # -- definitions ---------------------------------------------------------------------------

    def dump(self, ids: Sequence[str]) -> str:
        """See ``Service``."""
        from engine.definitions.writer import dump

        return dump(self._chosen(ids))

    def definitions(self, kind: Kind) -> list[Document]:
        """See ``Service``."""
        return [views.definition_summary(row, self._workspace.zone) for row in self._store.definitions(kind)]

    def definition(self, kind: Kind, id: str, revision: int | None = None) -> Document:
        """See ``Service``."""
        row = self._definition(kind, id, revision)
        told = views.definition_summary(row, self._workspace.zone)
        return {"kind": kind, **told, "definition": row.content}

    def history(self, kind: Kind, id: str) -> list[Document]:
        """See ``Service``."""
        rows = self._store.history(kind, id)
        if not rows:
            raise _no_definition(kind, id)
        zone = self._workspace.zone
        return [
            views.definition_summary(row, zone) | {"deleted": row.hash is None, "definition": row.content}
            for row in rows
        ]

    def _definition(self, kind: Kind, id: str, revision: int | None = None) -> DefinitionRow:
        row = self._store.definition(kind, id, revision)
        if row is None:
            raise _no_definition(kind, id, revision)
        return row

    def _chosen(self, ids: Sequence[str]) -> Document:
        """The tree of a definition file with everything, or what has one of these ids."""
        raw = {"skerry": 1, **self._store.raw_definitions()}
        if not ids:
            return raw
        kept: Document = {"skerry": 1}
        rules = {str(each.get("id")): each for each in raw.get("rules", ())}
        for id in ids:
            if id in rules:
                kept.setdefault("rules", []).append(rules[id])
            holders = [section for section in SECTIONS.values() if id in raw.get(section, {})]
            if not holders and id not in rules:
                raise _no_definition("definition", id)
            for section in holders:
                kept.setdefault(section, {})[id] = raw[section][id]
        return kept

    def own_errors(self) -> Document:
        """See ``Service``."""
        return {row.id: row.content for row in self._store.definitions("error") if row.error is None}

    # -- instances -----------------------------------------------------------------------------

    def instances(self, query: InstanceQuery) -> list[Summary]:
        """See ``Service``."""
        statuses = (query.status,) if query.status else (str(InstanceState.PLANNED),) if query.planned else ()
        wanted = InstanceFilter(query.task, statuses, views.utc(query.since), views.utc(query.until))
        rows = self._store.instances(wanted, limit=query.limit)
        running = any(row.status == InstanceState.RUNNING for row in rows)
        told = views.progress(self._store.at_work()) if running else {}
        return [views.summary(row, self._workspace.zone, told.get(row.id)) for row in rows]

    def instance(self, instance: int) -> RunDocument:
        """See ``Service``."""
        row, jobs = self._instance(instance), self._store.jobs(instance)
        workspace = self._workspace
        return views.run_document(row, jobs, self._outline(row), workspace.zone, workspace.root)

    def captured(self, instance: int, run: int | None = None) -> Document:
        """See ``Service``."""
        row = self._instance(instance)
        return self._store.snapshot(instance, row.run if run is None else run) or {}

    def logs(self, instance: int, node: str | None = None, attempt: int | None = None) -> list[LogFile]:
        """See ``Service``."""
        jobs = self._jobs_of(self._instance(instance), node)
        found = [self._log_file(row, attempt) for row in jobs if _has_attempt(row, attempt)]
        if attempt is not None and not found:
            told = f"no job of instance {instance} has made attempt {attempt}"
            raise Invalid(
                NO_SUCH_ATTEMPT, told if node is None else f"{node!r} has made no attempt {attempt}"
            )
        return found

    def context(self, instance: int, at: int | None = None) -> Document:
        """See ``Service``."""
        from engine.context import TaskContext
        from engine.runtime.clock import SystemClock

        self._instance(instance)
        lines = self._store.lines(instance, upto=at)
        return TaskContext.replay(lines, SystemClock()).tree

    def stats(self, task: str | None = None, job: str | None = None) -> list[Document]:
        """See ``Service``."""
        kind = "task" if task else "job" if job else None
        return [views.stat_document(row) for row in self._store.stats(kind, task or job)]

    def _instance(self, instance: int) -> InstanceRow:
        row = self._store.instance(instance)
        if row is None:
            raise Invalid(NO_SUCH_INSTANCE, f"there is no instance {instance}", where=str(instance))
        return row

    def _outline(self, row: InstanceRow) -> Outline:
        raw = self._store.snapshot(row.id, row.run)
        return outline_in(raw, row.task) if raw else Outline()

    def _jobs_of(self, row: InstanceRow, node: str | None) -> Iterable[JobRow]:
        """The latest JobInstances of a node (of a group: with its members), or of all."""
        latest = views.in_order(views.latest_jobs(self._store.jobs(row.id)), self._outline(row))
        if node is None:
            return latest
        whole = {job.id for job in latest if job.node == node}
        if not whole:
            told = f"instance {row.id} has no node {node!r}"
            raise Invalid(NO_SUCH_NODE, told, where=node)
        return [job for job in latest if job.id in whole or job.parent in whole]

    def _log_file(self, row: JobRow, attempt: int | None) -> LogFile:
        number = attempt or row.attempt
        folder = self._workspace.root / (row.directory or "")
        if number < row.attempt:
            folder = folder / "attempts" / str(number)
        return {
            "node": row.node,
            "instance": row.id,
            "attempt": number,
            "path": str(folder / "job.log"),
            "ended": number < row.attempt or JobState(row.status).ended,
        }


def _has_attempt(row: JobRow, attempt: int | None) -> bool:
    return row.directory is not None and 0 < (attempt or row.attempt) <= row.attempt


def _no_definition(kind: str, id: str, revision: int | None = None) -> Invalid:
    which = f"{kind} {id!r}" if revision is None else f"revision {revision} of {kind} {id!r}"
    return Invalid(NO_SUCH_DEFINITION, f"there is no {which} in the workspace", where=id)
