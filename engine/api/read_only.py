"""The service when no engine runs: it reads the store; everything else needs an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.api.backfill_views import preview_documents
from engine.api.documents import Document, Rerun
from engine.api.operation import Arguments, Operation
from engine.api.reading import StoreReader, rerun_request
from engine.api.views import local_time
from engine.execution.vitals import Vitals, cores, vitals_here
from engine.model.codes.commands import ENGINE_NEEDED
from engine.model.errors import Refused
from engine.model.message import Message
from engine.model.reason import Reason
from engine.model.reason_words import said
from engine.model.states import InstanceState, JobState, Trigger
from engine.model.worker import LOCAL
from engine.planning.places import first_places
from engine.planning.schedules.clock_jumps import ClockReading
from engine.runtime.clock import SystemClock
from engine.runtime.elapsed import iso
from engine.runtime.run_state.origins import origin_of
from engine.store.rows import local_row

if TYPE_CHECKING:
    from engine.api.probing import Probe
    from engine.runtime.library import Types
    from engine.runtime.timing.backfill_request import BackfillRequest
    from engine.runtime.workspace import Workspace
    from engine.store.rows import JobRow, WorkerRow
    from engine.store.sql_store import Store

_FOR_A_SLOT = (JobState.QUEUED, JobState.BUSY)


class NothingHappens:
    """A stream in which nothing comes: without an engine nothing changes."""

    def __iter__(self) -> Iterator[Document]:
        return iter(())

    def close(self) -> None:
        """See ``EventStream``."""


class ReadOnlyService(StoreReader):
    """See ``engine.api.service.Service``.

    With a ``probe`` it can check resources too, with ``types`` preview reruns.
    """

    def __init__(
        self,
        store: Store,
        workspace: Workspace,
        probe: Probe | None = None,
        types: Types | None = None,
    ) -> None:
        super().__init__(store, workspace)
        self._probe = probe
        self._types = types

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        """Refused: what is not read from the store takes an engine."""
        given = operation.request(arguments).items()
        what = Message.of(operation.needs, **{k: value for k, value in given if f"{{{k}" in operation.needs})
        raise Refused(ENGINE_NEEDED, "no engine runs, so nothing can {what}", what=what)

    def events(self, instance: int | None = None) -> NothingHappens:
        return NothingHappens()

    def about(self) -> Document:
        """``pid`` None: nobody works."""
        return {**super().about(), "pid": None}

    def clock(self) -> Document:
        """See ``Service``; nothing fires."""
        from engine.runtime.timing.clock_document import clock_document, nothing_fires
        from engine.runtime.timing.clock_watch import SETTING

        clock = SystemClock()
        reading = ClockReading(clock.now(), clock.monotonic(), clock.boot())
        found = clock_document(reading, self._store.setting(SETTING), self._workspace.zone)
        return {**found, **nothing_fires(self._store, self._workspace.zone, reading.wall)}

    def secrets(self) -> Document:
        return {"stored": None, "locked": None}

    def check_resource(self, id: str, params: Mapping[str, str] = {}) -> Document:
        """See ``Service``; Refused without a probe."""
        if self._probe is None:
            return super().check_resource(id, params)
        return self._probe.check(id, self.known("resource", id).content, params)

    def try_resource(self, id: str, resource: Document) -> Document:
        """See ``Service``; Refused without a probe."""
        if self._probe is None:
            return super().try_resource(id, resource)
        return self._probe.check(id, resource, {})

    def check_worker(self, name: str) -> Document:
        """See ``Service``; Refused without a probe."""
        from engine.api.worker_check import checked_worker

        if self._probe is None:
            return super().check_worker(name)
        return checked_worker(self._worker_known(name)[0], self._workspace, self._probe.secret, SystemClock())

    def preview(self, rerun: Rerun) -> Document:
        """See ``Service``; Refused without the types."""
        from engine.runtime.reruns.preparation import Here, preview

        if self._types is None:
            return super().preview(rerun)
        here = Here(self._workspace.zone, SystemClock().now())
        return preview(self._store, self._types, rerun_request(rerun, "operator"), here)

    def preview_backfill(self, request: BackfillRequest) -> list[Document]:
        """See ``Service``; Refused without the types."""
        from engine.runtime.timing.backfill_plan import planned_backfill

        if self._types is None:
            return super().preview_backfill(request)
        now = SystemClock().now()
        planned = planned_backfill(self._store, self._types, self._workspace, now, request)
        return preview_documents(planned)

    def clean(self, dry_run: bool = False) -> Document:
        """See ``Service``; Refused without ``dry_run``."""
        from engine.runtime.timing.asked_outcomes import AskedOutcomes
        from engine.runtime.upkeep.retention import Chooser

        if not dry_run:
            return super().clean()
        chooser = Chooser(self._store, self._workspace, SystemClock().now, AskedOutcomes)
        choices = chooser.choose(measured=True)
        removed = [each.document() for each in choices]
        return {"removed": removed, "size": sum(each.size for each in choices), "problems": [],
                "dry_run": True, "backfills": [row.id for row in chooser.backfills()]}  # fmt: skip

    def queue(self) -> Document:
        """See ``Service``; the order is the one in which an engine would queue the jobs again.

        Which workers a job waits for only an engine knows, where there is another than this machine.
        """
        from engine.runtime.queue.sizing import HELD_JOBS, SETTING

        kept: Mapping[str, Any] = self._store.setting(SETTING, {})
        jobs = self._store.unfinished_jobs()
        held = {row.id for row in self._store.unfinished() if row.status == InstanceState.PAUSED}
        waiting = [job for job in jobs if job.status in _FOR_A_SLOT and job.instance not in held]
        kept_back = self._store.setting(HELD_JOBS, {})
        line = [job for job in waiting if str(job.id) not in kept_back]
        at_work = {each.job_instance for each in self._store.attempts_on(at_work=True)}
        running = [self._queue_entry(job) for job in jobs if job.id in at_work]
        workers = None if self._has_others() else [LOCAL]
        return {
            "size": kept.get("size"),
            "places": first_places(kept.get("size"), self._workspace.settings.places, cores()),
            "taken": sum(each["worker"] in (None, LOCAL) for each in running),
            "paused": bool(kept.get("paused")),
            "held": sorted(held),
            "held_jobs": [
                {**self._queue_entry(job), **said(Reason.read(kept_back[str(job.id)], None))}
                for job in waiting
                if str(job.id) in kept_back
            ],
            "waiting": [
                {**self._queue_entry(job), "workers": workers, **said(job.because)}
                for job in sorted(line, key=self._place)
            ],
            "running": running,
        }

    def _workers_now(self) -> list[tuple[WorkerRow, Vitals, int | str | None]]:
        """See ``StoreReader``: without an engine only this machine is looked at.

        Those of a case are as they were at the site.
        """
        from engine.runtime.queue.sizing import SETTING

        rows, is_case = self._store.workers(), self._workspace.is_case
        stored = next((row for row in rows if row.name == LOCAL), None)
        here = stored or local_row(iso(SystemClock().now()))
        size = self._store.setting(SETTING, {}).get("size")
        slots = first_places(size, self._workspace.settings.places, cores())
        others: list[tuple[WorkerRow, Vitals, int | str | None]] = [
            (row if is_case else row.unreached(), Vitals(), None) for row in rows if row.name != LOCAL
        ]
        if is_case:
            return [(here, Vitals(), None), *others]
        return [(here, vitals_here(self._workspace.root), slots), *others]

    def _place(self, job: JobRow) -> tuple[bool, int]:
        """Jobs of backfills come last, the others by priority."""
        return origin_of(self._store, job.instance, job.run) is Trigger.BACKFILL, -job.priority

    def _queue_entry(self, job: JobRow) -> Document:
        row = self._store.instance(job.instance)
        return {
            "job_instance": job.id,
            "instance": job.instance,
            "task": row.task if row else None,
            "node": job.node,
            "index": job.index,
            "job": job.job,
            "status": job.status,
            "priority": job.priority,
            "exclusive": None,  # only an engine knows
            "since": local_time(job.started_at or job.created_at, self._workspace.zone),
            "worker": job.worker if job.status == "running" else None,
        }
