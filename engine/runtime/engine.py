"""The engine: owns a workspace, runs its tasks on one thread, and can be embedded in any program."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from engine.execution.directories import JobDirectories
from engine.execution.host import OwnHost
from engine.execution.local_host import LocalHost
from engine.model.codes.commands import OPEN_TO_OTHERS
from engine.model.codes.runtime import NO_SUCH_TASK
from engine.model.errors import Invalid, SkerryError
from engine.model.states import InstanceState, JobState
from engine.plugins.registry import JobTypes, ResourceTypes
from engine.runtime import library
from engine.runtime.clock import MachineClock
from engine.runtime.elapsed import iso
from engine.runtime.environment_record import EnvironmentRecord
from engine.runtime.events import Events, Subscription
from engine.runtime.execution_log import ExecutionLog
from engine.runtime.handling_rules import Rulebook
from engine.runtime.hosts import Hosts
from engine.runtime.interventions import amending, commands, exception_answers, pause_resume, question_answers
from engine.runtime.interventions.amendment import Amendment, Packages
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.interventions.question_answers import Reply
from engine.runtime.interventions.queue_control import QueueDesk
from engine.runtime.interventions.worker_control import WorkerDesk
from engine.runtime.jobs.operator_answer import Word
from engine.runtime.known_secrets import KnownSecrets
from engine.runtime.loop import Loop
from engine.runtime.monitoring.machine_samples import EngineLoad
from engine.runtime.monitoring.output_guard import OutputGuard
from engine.runtime.monitoring.recorder import Recorder
from engine.runtime.queue.job_queue import Queue
from engine.runtime.queue.workers import WorkerRegistry
from engine.runtime.recovery import recover
from engine.runtime.recovery.confirmation import AttemptConfirmation
from engine.runtime.request_keys import RequestKeys
from engine.runtime.reruns import preparation, rerun
from engine.runtime.reruns.pending_reruns import PendingReruns
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.run import Run
from engine.runtime.runs.starting import Starting
from engine.runtime.runs.turn_commit import Committer
from engine.runtime.services import EngineServices
from engine.runtime.submission import Submission, given_params
from engine.runtime.threads import Event, Threads
from engine.runtime.timing.asked_outcomes import AskedOutcomes
from engine.runtime.timing.backfill_plan import PlannedBackfill, planned_backfill
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.runtime.timing.backfills import Backfills
from engine.runtime.timing.scheduler import Scheduler, begin_or_say
from engine.runtime.timing.task_changes import TaskChanges
from engine.runtime.upkeep.caretaker import Caretaker
from engine.runtime.upkeep.worker_hosts import WorkerHosts
from engine.runtime.workspace import Workspace, WorkspaceLock
from engine.runtime.write_health import WriteHealth
from engine.secrets.credentials import PASSPHRASE
from engine.secrets.vault import Vault
from engine.store.sql_store import Store

_LOOK = 1.0  # seconds between two looks whether the engine still works


class Engine:
    """Runs tasks. Every method may be called from any thread."""

    def __init__(
        self,
        workspace: Workspace,
        store: Store,
        job_types: JobTypes,
        resource_types: ResourceTypes,
        clock: MachineClock,
        vault: Vault | None = None,
        *,
        threads: Threads | None = None,
        host: Callable[[Loop], OwnHost] | None = None,
        resume: bool = True,
        remarks: Sequence[str] = (),
        packages: Packages | None = None,
    ) -> None:
        self.workspace = workspace
        self._remarks = remarks  # on what was done before it began
        self._resume = resume
        self.store = store
        self._lock: WorkspaceLock | None = None
        self.vault = vault
        self.packages = packages
        self.secrets = KnownSecrets(vault)
        if passphrase := os.environ.get(PASSPHRASE):
            self.secrets.remember_passphrase(passphrase)
        self._runs: dict[int, Run] = {}
        self._log = ExecutionLog(workspace.logs, clock)
        loop = self._new_loop(clock, threads)
        own_host = host(loop) if host is not None else LocalHost(clock, loop)
        self.services = self._new_services(loop, own_host, clock, job_types, resource_types)
        self._begin_and_end_runs()
        self._serve_people()
        self._worker_hosts = WorkerHosts(self.services) if resume else None
        self.caretaker = Caretaker(self.services, AskedOutcomes)

    def _new_loop(self, clock: MachineClock, threads: Threads | None) -> Loop:
        return Loop(
            clock,
            lambda: self._committer.prepare(),
            threads=threads,
            crowded=lambda: self.services.queue.running > 1,
            on_error=lambda error: self._log.say("unexpected in the engine's loop", logging.ERROR, error),
        )

    def _new_services(
        self,
        loop: Loop,
        own_host: OwnHost,
        clock: MachineClock,
        job_types: JobTypes,
        resource_types: ResourceTypes,
    ) -> EngineServices:
        workspace, secrets, say = self.workspace, self.secrets, self._log.say
        events, workers = Events(), WorkerRegistry(iso(clock.now()), own_host.load)
        return EngineServices(
            workspace=workspace,
            clock=clock,
            threads=loop.threads,
            host=own_host,
            store=self.store,
            loop=loop,
            queue=Queue(loop, 1, lambda: self.queue.joined(), workers),
            workers=workers,
            hosts=Hosts(own_host),
            events=events,
            job_types=job_types,
            resource_types=resource_types,
            secret=secrets.get,
            mask=secrets.mask,
            remember=secrets.remember,
            passphrases=secrets.passphrases,
            directories=JobDirectories(workspace.instances),
            environment=EnvironmentRecord(workspace.root, os.environ, workspace.settings.environment),
            rules=Rulebook(self.store, say),
            request_keys=RequestKeys(loop, self.store, lambda: self.services.changes),
            say=say,
            runs=self._runs,
            writes=WriteHealth(clock, loop, events, say, self._runs, str(workspace.root)),
            output=OutputGuard(clock, loop.threads, own_host),
            recorder=Recorder(workspace.monitor, clock, self._load, threads=loop.threads)
            if workspace.settings.monitor
            else None,
        )

    def _begin_and_end_runs(self) -> None:
        """The parts that need each other: what ends may begin again, and be what others wait for."""
        self._committer = Committer(self.services, lambda instances: self.scheduler.moved(instances))
        self.ending = Ending(
            self.services,
            self._runs,
            lambda *args, **more: self.starting.again(*args, **more),
            self._instance_ended,
        )
        self.starting = Starting(self.services, self.ending)
        self.pending_reruns = PendingReruns(
            self.services, self.ending, lambda link, batch: rerun.begin_pending(self.control, link, batch)
        )
        self.scheduler = Scheduler(self.services, self.starting, self.ending)

    def _serve_people(self) -> None:
        """What is done to runs, tasks, the queue and workers by hand."""
        coming = self.scheduler.launching
        self.control = RunControl(self.services, self.starting, self.ending, self.pending_reruns, coming)
        self.task_changes = TaskChanges(self.control, self.scheduler)
        self.backfills = Backfills(self.control, coming)
        self.queue = QueueDesk(self.services, self._runs)
        self.workers = WorkerDesk(self.services, self.queue)

    # -- start and stop --------------------------------------------------------------------------

    def start(self) -> Engine:
        """Own the workspace, take up what an earlier engine left, begin to work."""
        self._lock = self._owned()
        self.services.say(f"engine {os.getpid()} owns {self.workspace.root}")
        for remark in self._remarks:
            self.services.say(remark, logging.ERROR)
        if why := self.services.host.facts.unsupervised:
            message = f"what jobs start cannot be kept together: {why}"
            self.services.say(message, logging.WARNING)
        self.services.host.begin()
        self.services.loop.start()
        if self.services.recorder is not None:
            self.services.recorder.start()
        # not waited for: on a full disk it must answer, be asked and be stopped as well
        self.services.loop.ask(self.queue.restore, durable=False)
        self.services.loop.ask(self.workers.restore, durable=False)
        self.services.loop.ask(partial(amending.catch_up, self.control), durable=False)
        if self._resume:
            self.services.loop.ask(
                partial(recover.take_up, self.control, self.caretaker.synced), durable=False
            )
            self.services.loop.ask(self._go_on, durable=False)
            self.caretaker.synced.begin()
            self.caretaker.start()
        return self

    def _go_on(self) -> None:
        """What was taken up goes on from here."""
        self.backfills.restore()
        AttemptConfirmation(self.services).begin()

    def fire(self) -> None:
        """From now on the schedules of this workspace fire here; before that none does."""
        self.services.loop.ask(partial(begin_or_say, self.scheduler, self.services), durable=False)

    def _instance_ended(self, instance: int, state: InstanceState) -> None:
        self.pending_reruns.ended(instance, state)
        self.scheduler.ended(instance)

    def _owned(self) -> WorkspaceLock:
        """The workspace and its database for ourselves, or neither."""
        lock = self.workspace.own()
        try:
            self.store.alone()
            if repaired := self.workspace.keep_others_out():
                self._remarks = (*self._remarks, f"{OPEN_TO_OTHERS.number}: {repaired}")
        except BaseException:
            lock.close()
            raise
        return lock

    def close(self) -> None:
        """Stop working; jobs that run go on and are adopted by the next engine."""
        if self._worker_hosts is not None:
            self._worker_hosts.leave()
        self.caretaker.stop()
        self.services.loop.stop()
        if self.services.recorder is not None:
            self.services.recorder.stop()
        self.caretaker.synced.leave()
        self.store.close()
        if self._worker_hosts is not None:
            self._worker_hosts.close()
        self.services.host.close()
        self.services.say(f"engine {os.getpid()} ends")
        self._log.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Engine:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self) -> EngineLoad:
        """What the samples tell of the engine; read from another thread."""
        queue = self.services.queue
        return EngineLoad(queue.length, queue.taken, self.services.loop.timers.lateness)

    def idle(self) -> bool:
        """Whether it has nothing to do; one in which schedules fire always has."""
        waits = self.pending_reruns.waiting or self.scheduler.launching.at_work
        at_work = self._runs or waits or self.backfills.at_work
        return not (at_work or self.scheduler.fires)

    # -- running tasks -------------------------------------------------------------------------

    def submit(self, request: Submission) -> int:
        """Start a task; gives the instance. Invalid when the task or a parameter is not right."""
        return in_turn(self.services, (), self._first_run(request))

    def submit_job(self, job: str, request: Submission) -> dict[str, Any]:
        """The same of what runs a reusable Job alone: ``{"instance", "job"}``."""
        first = self._first_run(request)
        return in_turn(self.services, (), lambda: {"instance": first(), "job": job})

    def _first_run(self, request: Submission) -> Callable[[], int]:
        definitions = request.definitions or library.closure(self.store, request.task, self.services)
        if request.task not in definitions.tasks:
            raise Invalid.at(NO_SUCH_TASK, "there is no task {where!r}", request.task)
        plan = library.planned(request.task, definitions, self.services.job_types)
        params = given_params(plan.task, request)
        return lambda: self.starting.first(request, plan, params).facts.id

    def wait(self, instance: int, timeout: float | None = None) -> bool:
        """Wait for the end of an instance; False when it took longer than ``timeout`` seconds."""
        ended = self.services.threads.event()

        def listen() -> None:
            waits = instance in self.pending_reruns.waiting or self.scheduler.launching.waits(instance)
            if instance in self._runs or waits:
                self.ending.when_ended(instance, lambda _: ended.set())
            else:
                ended.set()

        self.services.loop.ask(listen)
        return self._waited(ended, timeout)

    def _waited(self, ended: Event, timeout: float | None) -> bool:
        """Wait, but not for an engine that had to stop; SkerryError tells why it did."""
        until = None if timeout is None else self.services.clock.monotonic() + timeout
        while not ended.wait(
            _LOOK if until is None else min(_LOOK, max(until - self.services.clock.monotonic(), 0))
        ):
            if isinstance(self.services.loop.fatal, SkerryError):
                raise self.services.loop.fatal
            if until is not None and self.services.clock.monotonic() >= until:
                return False
        return True

    # -- what people do to a run ---------------------------------------------------------------

    def cancel(self, instance: int, node: str | None = None, actor: str = "operator") -> dict[str, Any]:
        """Stop an instance or one node; returns when everything it started is verified to be gone."""
        return commands.cancel(self.control, instance, node, actor)

    def pause(self, instance: int, reason: str = "", actor: str = "operator") -> dict[str, Any]:
        """Let no further attempt of an instance's jobs begin; what runs goes on. Holds for later engines."""
        return pause_resume.pause(self.control, instance, reason, actor)

    def resume(self, instance: int, reason: str = "", actor: str = "operator") -> dict[str, Any]:
        """Let a paused instance go on; Refused when it is not paused."""
        return pause_resume.resume(self.control, instance, reason, actor)

    def place(self, instance: int, path: str) -> str:
        """The place in the context that ``path`` leads to, by node and by name; Invalid when none."""
        return commands.place(self.control, instance, path)

    def set_value(
        self, instance: int, path: str, value: Any, reason: str, actor: str = "operator"
    ) -> dict[str, Any]:
        """Change a value of the context; the old one stays in its log. Invalid without a path or reason."""
        return commands.set_value(self.control, instance, commands.edit_of(path, value, reason, actor))

    def force(
        self, instance: int, node: str, state: JobState, reason: str, actor: str = "operator"
    ) -> dict[str, Any]:
        """Settle a node's outcome by hand."""
        return commands.force(self.control, instance, node, state, reason, actor)

    def approve(self, instance: int, reply: Reply, actor: str = "operator") -> dict[str, Any]:
        """Answer an approve job."""
        return question_answers.approve(self.control, instance, reply, actor)

    def rerun(self, requests: Sequence[RerunRequest]) -> list[int]:
        """Start further runs of ended instances, all or none; gives the numbers of the runs."""
        asked = {request.instance for request in requests}
        return [each["run"] for each in self.rerun_chain(requests) if each["instance"] in asked]

    def rerun_chain(self, requests: Sequence[RerunRequest]) -> list[dict[str, Any]]:
        """``{"instance", "run"}`` of those that were asked for, then with ``after`` of those that follow."""
        return rerun.rerun(self.control, self.pending_reruns, requests)

    def preview(self, request: RerunRequest) -> dict[str, Any]:
        """``{"run", "keep", "skip"}``: what that rerun would do, with ``downstream`` of the others too."""
        services = self.services
        here = preparation.Here(self.workspace.zone, services.clock.now())
        return preparation.preview(self.store, services, request, here, services.hosts.living)

    def plan_backfill(self, request: BackfillRequest) -> PlannedBackfill:
        """Its times with a decision for each; Invalid or Refused when it cannot be."""
        services = self.services
        return planned_backfill(self.store, services, self.workspace, services.clock.now(), request)

    def backfill(self, request: BackfillRequest, actor: str = "operator") -> int:
        """Begin to run past times of a task; gives the number of the backfill."""
        planned = self.plan_backfill(request)
        return in_turn(self.services, (), lambda: self.backfills.begin(planned, actor))

    def pause_backfill(self, id: int, actor: str = "operator") -> str:
        """Let it begin nothing more, also under later engines; what runs goes on. Gives its state."""
        return in_turn(self.services, (), lambda: self.backfills.pause(id, actor))

    def resume_backfill(self, id: int, actor: str = "operator") -> str:
        """Let a paused one go on."""
        return in_turn(self.services, (), lambda: self.backfills.resume(id, actor))

    def cancel_backfill(self, id: int, actor: str = "operator") -> str:
        """Drop what of it has not begun; what runs goes on."""
        return in_turn(self.services, (), lambda: self.backfills.cancel(id, actor))

    def handle(
        self, exception: int, answer: Word | None = None, reason: str = "", actor: str = "operator"
    ) -> dict[str, Any]:
        """Close an exception; an ``answer`` lets the job go on that waits for one."""
        return exception_answers.handle(self.control, exception, answer, reason, actor)

    def acknowledge(self, alerts: Sequence[int] | None = None, actor: str = "operator") -> dict[str, Any]:
        """Mark these alerts, or all, as seen: ``{"acknowledged": [id, …]}`` of those that were not."""
        return exception_answers.acknowledge(self.control, alerts, actor)

    def amend(self, wanted: Amendment, actor: str = "operator") -> dict[str, Any]:
        """Apply a fix or a delivery as a whole, once; Refused, with nothing changed, when it does not fit."""
        return self.task_changes.amend(wanted, actor)

    def take_back(self, amendment: str, reason: str, actor: str = "operator") -> dict[str, Any]:
        """Restore what an amendment changed; Refused when it was changed since."""
        return self.task_changes.take_back(amendment, reason, actor)

    def sync(self, instance: int) -> None:
        """Make the instance's files current; not on a full disk, where no caller should wait for that."""
        run = self._runs.get(instance)
        if run is not None and self.services.writes.reason is None:
            self.services.loop.ask(partial(self.services.writes.when_disk_has_room, run.files.write))

    def subscribe(self) -> Subscription:
        """What happens from now on."""
        return self.services.events.subscribe()
