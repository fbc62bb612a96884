"""What an engine in this process does for one person: an implementation of every operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.api.backfill_views import preview_documents
from engine.api.definition_operations import DefinitionOperations
from engine.api.documents import Document, Rerun, RunDocument, RunRequest
from engine.api.examine import only_task
from engine.api.probing import Probe
from engine.api.reading import rerun_request
from engine.api.worker_check import checked_worker, lets_in
from engine.api.worker_views import shown_key
from engine.execution.vitals import Vitals, vitals_here
from engine.model.states import JobState
from engine.model.worker import LOCAL, Wanted
from engine.model.worker_request import WorkerRequest
from engine.runtime.interventions.question_answers import Reply
from engine.runtime.interventions.single_job import submission
from engine.runtime.interventions.typed_values import value_like
from engine.runtime.submission import Submission
from engine.runtime.timing.clock_document import clock_document, how_many_online, nothing_fires
from engine.runtime.timing.clock_watch import SETTING, reading_of
from engine.runtime.timing.releasing import release

if TYPE_CHECKING:
    from engine.planning.places import Size
    from engine.runtime.timing.backfill_request import BackfillRequest
    from engine.store.rows import WorkerRow

_LONG = 2  # seconds for one turn of the engine's loop: nobody else is answered meanwhile


class EngineOperations(DefinitionOperations):
    """See ``engine.api.service.Service``; who asked is named in what is changed."""

    def _now(self) -> datetime:
        return self._engine.services.clock.now()

    def about(self) -> Document:
        services = self._engine.services
        found = services.writes.stall
        busy = int(services.loop.turn_lasts)
        problems = {
            "trouble": services.writes.reason,
            "hold_up": found and found.to_json(),
            "damage": self._engine.caretaker.damage,
        }
        fires = self._engine.scheduler.fires
        online = None if fires else how_many_online(self._store)
        firing = {"fires": fires, "online": online}
        return {**super().about(), **problems, "busy_for": busy if busy >= _LONG else None, **firing}

    def run(self, request: RunRequest) -> int:
        definitions = None if request.sources is None else self._examiner.valid(request.sources)
        task = request.task if definitions is None else only_task(definitions, request.task)
        return self._engine.submit(
            Submission(
                task or "",
                definitions,
                params=request.params,
                text_params=request.texts,
                folder=request.folder,
                actor=self._actor,
            )
        )

    def instance(self, instance: int) -> RunDocument:
        """See ``Service``; the instance's files are current too when this returns."""
        self._engine.sync(instance)
        return super().instance(instance)

    def context(self, instance: int, at: int | None = None) -> Document:
        """See ``Service``; the instance's files are current too when this returns."""
        self._engine.sync(instance)
        return super().context(instance, at)

    def set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        path = self._engine.place(instance, path)
        value: Any = value_like(self.context(instance), path, text)
        return self._engine.set_value(instance, path, value, reason, self._actor)

    def cancel(self, instance: int, node: str | None = None) -> Document:
        return self._engine.cancel(instance, node, self._actor)

    def force(self, instance: int, node: str, state: str, reason: str) -> Document:
        return self._engine.force(instance, node, JobState(state), reason, self._actor)

    def approve(
        self,
        instance: int,
        node: str,
        choice: str,
        index: int | None = None,
        note: str | None = None,
        value: str | None = None,
        folder: str | None = None,
    ) -> Document:
        return self._engine.approve(instance, Reply(node, choice, index, note, value, folder), self._actor)

    def pause(self, instance: int, reason: str = "") -> Document:
        return self._engine.pause(instance, reason, self._actor)

    def resume(self, instance: int, reason: str = "") -> Document:
        return self._engine.resume(instance, reason, self._actor)

    def release(self, instance: int, tasks: Sequence[str], reason: str) -> Document:
        services, launching = self._engine.services, self._engine.scheduler.launching
        return release(services, launching, instance, tasks, reason, self._actor)

    def rerun(self, reruns: Sequence[Rerun]) -> list[Document]:
        return self._engine.rerun_chain([rerun_request(each, self._actor) for each in reruns])

    def preview(self, rerun: Rerun) -> Document:
        return self._engine.preview(rerun_request(rerun, self._actor))

    def start_backfill(self, request: BackfillRequest) -> int:
        return self._engine.backfill(request, self._actor)

    def preview_backfill(self, request: BackfillRequest) -> list[Document]:
        return preview_documents(self._engine.plan_backfill(request))

    def pause_backfill(self, id: int) -> Document:
        return {"backfill": id, "status": self._engine.pause_backfill(id, self._actor)}

    def resume_backfill(self, id: int) -> Document:
        return {"backfill": id, "status": self._engine.resume_backfill(id, self._actor)}

    def cancel_backfill(self, id: int) -> Document:
        return {"backfill": id, "status": self._engine.cancel_backfill(id, self._actor)}

    def queue(self) -> Document:
        return self._engine.queue.document()

    def queue_add(self, job: str, params: Mapping[str, Any] = {}, texts: Mapping[str, str] = {}) -> Document:
        engine = self._engine
        return engine.submit_job(job, submission(engine.services, job, params, texts, self._actor))

    def queue_size(self, size: Size) -> Document:
        return self._engine.queue.resize(size, self._actor)

    def queue_pause(self, paused: bool) -> Document:
        return self._engine.queue.pause(paused, self._actor)

    def queue_clear(self) -> Document:
        return self._engine.queue.clear(self._actor)

    def queue_clean(self, minutes: float) -> Document:
        return self._engine.queue.clean(minutes, self._actor)

    def queue_remove(self, job_instance: int) -> Document:
        return self._engine.queue.remove(job_instance, self._actor)

    def queue_priority(self, job_instance: int, priority: int) -> Document:
        return self._engine.queue.prioritise(job_instance, priority, self._actor)

    def queue_hold(self, job_instance: int, held: bool, reason: str = "") -> Document:
        queue = self._engine.queue
        if held:
            return queue.hold(job_instance, reason, self._actor)
        return queue.release(job_instance, self._actor)

    def _workers_now(self) -> list[tuple[WorkerRow, Vitals, int | str | None]]:
        """See ``StoreReader``: this engine knows how each is right now."""
        found = self._engine.services.loop.ask(self._engine.workers.now, durable=False)
        return [
            (row, vitals_here(self._workspace.root) if row.name == LOCAL else vitals, slots)
            for row, vitals, slots in found
        ]

    def add_worker(self, name: str, request: WorkerRequest) -> Document:
        return self._worker_row(self._engine.workers.add(name, request, self._actor))

    def set_worker(self, name: str, request: WorkerRequest) -> Document:
        return self._worker_row(self._engine.workers.change(name, request, self._actor))

    def want_worker(self, name: str, wanted: Wanted, reason: str = "") -> Document:
        return self._worker_row(self._engine.workers.want(name, wanted, reason, self._actor))

    def try_worker(
        self, name: str, request: WorkerRequest, vouched: Mapping[str, str] = {}, new: bool = False
    ) -> Document:
        found, reached = self._engine.workers.attempt(name, request, vouched, new)
        return {"host_keys": [shown_key(each, vouched) for each in found], "reached": reached}

    def trust_worker(
        self, name: str, fingerprint: str | None = None, vouched: Mapping[str, str] = {}
    ) -> Document:
        trusted, keys = self._engine.workers.trust(name, fingerprint, self._actor, vouched)
        return {**self._worker_row(trusted), "host_keys": [shown_key(each, vouched) for each in keys]}

    def check_worker(self, name: str) -> Document:
        services = self._engine.services
        row = self._worker_known(name)[0]
        found = checked_worker(row, self._workspace, services.secret, services.clock)
        if lets_in(found):
            services.hosts.of(name).reach()
        return found

    def worker_gone(self, name: str, reason: str) -> Document:
        return self._worker_row(self._engine.workers.gone(name, reason, self._actor))

    def remove_worker(self, name: str) -> Document:
        return {"removed": self._engine.workers.remove(name, self._actor)}

    def handle(self, id: int, reason: str, answer: Any = None) -> Document:
        return self._engine.handle(id, answer, reason, self._actor)

    def acknowledge(self, alerts: Sequence[int] | None = None) -> Document:
        return self._engine.acknowledge(alerts, self._actor)

    def check_resource(self, id: str, params: Mapping[str, str] = {}) -> Document:
        return self._probe.check(id, self.known("resource", id).content, params)

    def try_resource(self, id: str, resource: Document) -> Document:
        return self._probe.check(id, resource, {})

    @property
    def _probe(self) -> Probe:
        services = self._engine.services
        return Probe(services.resource_types, services.secret, self._workspace)

    def secrets(self) -> Document:
        vault = self._engine.vault
        if vault is None or not vault.exists:
            return {"stored": 0, "locked": False}
        return {"stored": len(vault.names()), "locked": vault.closed}

    def unlock(self, passphrase: str) -> Document:
        vault = self._engine.vault
        if vault is not None and vault.exists:
            vault.unlock(passphrase=passphrase)
            vault.check()
            self._engine.secrets.remember_passphrase(passphrase)
        return self.secrets()

    def clock(self) -> Document:
        services = self._engine.services
        kept, zone = self._store.setting(SETTING), self._workspace.zone
        found = clock_document(reading_of(services), kept, zone)
        if not self._engine.scheduler.fires:
            return {**found, **nothing_fires(self._store, zone, services.clock.now())}
        return {**found, **services.loop.ask(self._engine.scheduler.document, durable=False)}

    def accept_clock(self) -> Document:
        self._engine.services.loop.ask(partial(self._engine.scheduler.accept_clock, self._actor))
        return self.clock()

    def fire_schedules(self) -> Document:
        self._engine.fire()
        return self.clock()

    def clean(self, dry_run: bool = False) -> Document:
        return self._engine.caretaker.cleaner.clean(dry_run)
