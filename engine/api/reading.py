"""Definitions and instances as the store has them, with an engine or without."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime

from engine import __version__
from engine.api import views
from engine.api.backfill_views import backfill_document, step_document
from engine.api.day_views import day_document, links_document
from engine.api.documents import (
    DayQuery,
    Document,
    FireQuery,
    InstanceQuery,
    Kind,
    LogFile,
    Rerun,
    RunDocument,
    Source,
    Summary,
    UpstreamDocument,
)
from engine.api.faults import no_definition
from engine.api.question_views import open_questions
from engine.api.task_map import task_map
from engine.api.trouble_reading import TroubleReader
from engine.api.worker_views import Running, worker_details, worker_row
from engine.execution.vitals import Vitals
from engine.model.codes.commands import NO_SUCH_ATTEMPT
from engine.model.codes.runtime import NO_SUCH_INSTANCE, NO_SUCH_NODE
from engine.model.codes.timing import BACKFILL_UNKNOWN
from engine.model.codes.workers import NO_SUCH_WORKER
from engine.model.errors import Invalid
from engine.model.names import SECTIONS
from engine.model.states import INSTANCE_UNFINISHED, InstanceState, JobState
from engine.model.worker import LOCAL
from engine.runtime.clock import SystemClock
from engine.runtime.reruns.rerun_request import RerunRequest, Spoken
from engine.store.filters import InstanceFilter
from engine.store.rows import (
    InstanceRow,
    JobRow,
    LinkRow,
    PartnerRow,
    WorkerRow,
    in_workspace,
    partners_setting,
    time_text,
)

_COMING = (str(InstanceState.PLANNED), str(InstanceState.OFFLINE))
_AT_ONCE = 500  # instances whose links are read together
_NAMED = 3  # jobs that have a slot while others wait for one
_UNDER_WAY = (JobState.RUNNING, JobState.CHECKING, JobState.WAITING)  # waiting: for a stage that is jobs
_FOR_A_SLOT = (JobState.QUEUED, JobState.BUSY)
_NOTHING = {"trouble": None, "hold_up": None, "damage": None, "busy_for": None}


class StoreReader(TroubleReader):
    """The reading half of ``engine.api.service.Service``."""

    def _now(self) -> datetime:
        """By the clock that schedules go by."""
        return SystemClock().now()

    def about(self) -> Document:
        root = str(self._workspace.root)
        return {"version": __version__, "pid": os.getpid(), "workspace": root, **_NOTHING}

    def dump(self, id: Sequence[str] = ()) -> str:
        from engine.definitions.writer import dump

        return dump(self._chosen(id))

    def definitions(self, kind: Kind) -> list[Document]:
        return [views.definition_summary(row, self._workspace.zone) for row in self._store.definitions(kind)]

    def definition(self, kind: Kind, id: str, revision: int | None = None) -> Document:
        row = self.known(kind, id, revision)
        shown = views.definition_summary(row, self._workspace.zone)
        return {"kind": kind, **shown, "definition": row.content}

    def history(self, kind: Kind, id: str) -> list[Document]:
        rows = self._store.history(kind, id)
        if not rows:
            raise no_definition(kind, id)
        zone = self._workspace.zone
        return [
            views.definition_summary(row, zone) | {"deleted": row.hash is None, "definition": row.content}
            for row in rows
        ]

    def workers(self) -> list[Document]:
        running = Counter(each.worker for each in self._store.attempts_on(at_work=True))
        zone = self._workspace.zone
        return [
            worker_row(row, vitals, running[row.name], zone, slots)
            for row, vitals, slots in self._workers_now()
        ]

    def worker(self, name: str) -> Document:
        there = [*self._running_on(name)]
        row, vitals, slots = self._worker_known(name)
        zone, at_work = self._workspace.zone, len(self._store.attempts_on(name, at_work=True))
        return worker_row(row, vitals, at_work, zone, slots) | worker_details(row, there, zone)

    def _worker_known(self, name: str) -> tuple[WorkerRow, Vitals, int | str | None]:
        found = next((each for each in self._workers_now() if each[0].name == name), None)
        if found is None:
            raise Invalid.at(NO_SUCH_WORKER, "there is no worker {where!r}", name)
        return found

    def _running_on(self, name: str) -> Iterator[Running]:
        """The attempts there that are under way, also without a slot, with what they are of."""
        for each in self._store.attempts_on(name):
            job = self._store.job(each.job_instance)
            row = self._store.instance(job.instance) if job is not None else None
            if job is not None and row is not None and job.status in _UNDER_WAY and job.directory is not None:
                yield each, job, row

    def _worker_row(self, name: str) -> Document:
        return next(each for each in self.workers() if each["name"] == name)

    def _workers_now(self) -> list[tuple[WorkerRow, Vitals, int | str | None]]:
        """The rows, how each is now, and its slots where they are known."""
        raise NotImplementedError

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
                raise no_definition("definition", id)
            for section in holders:
                kept.setdefault(section, {})[id] = raw[section][id]
        return kept

    def fire_times(self, query: FireQuery) -> Document:
        from engine.api.next_fires import FireTimes, stored

        if query.task is not None:
            self.known("task", query.task)
        return FireTimes(stored(self._store), self._workspace.zone, SystemClock().now()).document(query)

    def calendar_effects(self, sources: Sequence[Source]) -> list[Document]:
        from engine.api.calendar_effects import calendar_effects

        return calendar_effects(self._store, sources, self._workspace.zone, self._now())

    def own_errors(self) -> Document:
        return {row.id: row.content for row in self._store.definitions("error") if row.error is None}

    def instances(self, query: InstanceQuery) -> list[Summary]:
        statuses = (query.status,) if query.status else _COMING if query.planned else ()
        now = time_text(self._now())
        which = InstanceFilter(
            query.task,
            statuses,
            views.utc(query.since),
            views.utc(query.until),
            text=query.text,
            offline_until=None if query.planned else now,
            offline_after=now if query.planned else None,
        )
        rows = self._store.instances(which, limit=query.limit, newest_first=not query.planned)
        running = any(row.status == InstanceState.RUNNING for row in rows)
        texts = views.progress(self._store.at_work()) if running else {}
        zone, root = self._workspace.zone, self._workspace.root
        upstream = self._upstream(rows)
        return [views.summary(row, zone, root, texts.get(row.id), upstream.get(row.id, ())) for row in rows]

    def day(self, query: DayQuery) -> Document:
        return day_document(self._store, query, self._workspace.zone, self._now())

    def task_map(self) -> list[Document]:
        return task_map(self._store, self._workspace.zone, self._now())

    def links(self, instance: int) -> Document:
        return links_document(self._store, self._instance(instance))

    def instance(self, instance: int) -> RunDocument:
        row, jobs = self._instance(instance), self._store.jobs(instance)
        holders = self._holders() if any(job.status in _FOR_A_SLOT for job in jobs) else ()
        zone, root = self._workspace.zone, self._workspace.root
        upstream = self._upstream([row]).get(instance, ())
        return views.run_document(row, jobs, self._outline(row), zone, root, holders, upstream)

    def questions(self) -> list[Document]:
        jobs = self._store.waiting_jobs()
        return open_questions(jobs, self._task_of, self._now(), self._workspace.zone)

    def _task_of(self, instance: int) -> str | None:
        row = self._store.instance(instance)
        return row.task if row is not None else None

    def _upstream(self, rows: Iterable[InstanceRow]) -> dict[int, list[UpstreamDocument]]:
        """By instance what it waits for, or has waited for."""
        found: dict[int, list[UpstreamDocument]] = {}
        ids = [row.id for row in rows]
        for start in range(0, len(ids), _AT_ONCE):
            for link in self._store.links_of(ids[start : start + _AT_ONCE]):
                partners, zone = self._partners(link), self._workspace.zone
                found.setdefault(link.instance, []).append(views.upstream_document(link, partners, zone))
        return found

    def _partners(self, link: LinkRow) -> Sequence[PartnerRow]:
        """The instances that a link names; in a case their states as they were at the site."""
        found = self._store.partner_states(link)
        if found or not link.partners:
            return found
        kept = self._store.setting(partners_setting(link.instance, link.upstream), [])
        return [PartnerRow(*each) for each in kept]

    def _has_others(self) -> bool:
        """Whether another worker than this machine is registered."""
        return any(row.name != LOCAL for row in self._store.workers())

    def _holders(self) -> list[JobRow]:
        """Some of the jobs that have the slots of this machine, where there is no other to wait for."""
        if self._has_others():
            return []
        here = [job for job in self._store.at_work() if job.worker in (None, LOCAL)]
        return [job for job in here if job.directory is not None][:_NAMED]

    def captured(self, instance: int, run: int | None = None) -> Document:
        row = self._instance(instance)
        return self._store.snapshot(instance, row.run if run is None else run) or {}

    def logs(self, instance: int, node: str | None = None, attempt: int | None = None) -> list[LogFile]:
        jobs = self._jobs_of(self._instance(instance), node)
        files = [self._log_file(row, attempt) for row in jobs if _has_attempt(row, attempt)]
        if attempt is not None and not files:
            message = "no job of instance {instance} has made attempt {attempt}"
            message = message if node is None else "{node!r} has made no attempt {attempt}"
            raise Invalid(NO_SUCH_ATTEMPT, message, instance=instance, node=node, attempt=attempt)
        return files

    def context(self, instance: int, at: int | None = None) -> Document:
        from engine.context import TaskContext

        self._instance(instance)
        lines = self._store.lines(instance, upto=at)
        return TaskContext.replay(lines, SystemClock()).tree

    def amendments(self) -> list[Document]:
        from engine.runtime.interventions.amending import records

        return records(self._store)

    def stats(self, task: str | None = None, job: str | None = None) -> list[Document]:
        kind = "task" if task else "job" if job else None
        return [views.stat_document(row) for row in self._store.stats(kind, task or job)]

    def counts(self, whole: bool = True) -> Document:
        jobs: dict[int, dict[str, int]] = {}
        for number, status, count in self._store.job_counts():
            jobs.setdefault(number, {})[status] = count
        return {
            "instances": self._store.status_counts(() if whole else INSTANCE_UNFINISHED),
            "jobs": [{"instance": number, "statuses": own} for number, own in sorted(jobs.items())],
        }

    def backfills(self, limit: int = 100) -> list[Document]:
        rows = self._store.backfills(limit=limit)
        counts = self._store.step_counts([row.id for row in rows])
        return [backfill_document(row, counts, self._workspace.zone) for row in rows]

    def backfill(self, id: int) -> Document:
        row, zone = self._store.backfill(id), self._workspace.zone
        if row is None:
            raise Invalid.at(BACKFILL_UNKNOWN, "there is no backfill {where}", id)
        states = self._store.step_states(id)
        instances = [step_document(step, states, zone) for step in self._store.backfill_steps(id)]
        return {**backfill_document(row, self._store.step_counts([id]), zone), "instances": instances}

    def _instance(self, instance: int) -> InstanceRow:
        row = self._store.instance(instance)
        if row is None:
            raise Invalid.at(NO_SUCH_INSTANCE, "there is no instance {where}", instance)
        return row

    def _jobs_of(self, row: InstanceRow, node: str | None) -> Iterable[JobRow]:
        """The latest JobInstances of a node (of a group: with its members), or of all."""
        latest = views.in_order(views.latest_jobs(self._store.jobs(row.id)), self._outline(row))
        if node is None:
            return latest
        whole = {job.id for job in latest if job.node == node}
        if not whole:
            raise Invalid.at(NO_SUCH_NODE, "instance {instance} has no node {where!r}", node, instance=row.id)
        return [job for job in latest if job.id in whole or job.parent in whole]

    def _log_file(self, row: JobRow, attempt: int | None) -> LogFile:
        number = attempt or row.attempt
        folder = self._workspace.root / in_workspace(row.directory or "")
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


def rerun_request(rerun: Rerun, actor: str) -> RerunRequest:
    """The same as the engine takes it."""
    edits = [(path, Spoken(text)) for path, text in rerun.edits]
    return RerunRequest(**{**asdict(rerun), "edits": edits}, actor=actor)
