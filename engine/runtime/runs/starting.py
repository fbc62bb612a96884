"""Creates runs: the first of a new instance, a further one of an old instance, a sub-task of a job."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from engine.context import TaskContext
from engine.context.line import ENGINE
from engine.model.codes.planning import SUBTASKS_TOO_DEEP
from engine.model.codes.runtime import NO_SUCH_TASK
from engine.model.definitions import Definitions
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.reason_words import said
from engine.model.states import InstanceState, Trigger
from engine.planning.progress import Progress
from engine.planning.shape import Plan
from engine.planning.subtasks import MAX_SUBTASKS
from engine.runtime import library
from engine.runtime.elapsed import ticks
from engine.runtime.fibers import Stopped
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.restart import Edit, Restart
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.run_state.upstream_values import upstream_values
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.run import Run
from engine.runtime.runs.run_directory import prepare_directory
from engine.runtime.services import EngineServices
from engine.runtime.submission import Submission, given_params
from engine.store.rows import InstanceRow, LinkRow, time_text

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class ChildInstance:
    """A sub-task as its job sees it."""

    ending: Ending
    id: int

    def on_end(self, listener: Callable[[Any], None]) -> None:
        """Call ``listener((state, failure, results))`` when it has ended."""
        self.ending.when_ended(self.id, listener)

    def stop(self, stopped: Stopped) -> None:
        """End it as its parent is ended."""
        run = self.ending.runs.get(self.id)
        if run is not None and run.phase.handling:
            return  # it has ended by itself: its handlers do too
        if run is not None and run.phase.retry is not None:
            self.ending.give_up(run, stopped.actor)
        elif run is not None:
            why = Message.of("its parent was stopped: {kind}", kind=Message.of(stopped.kind))
            run.stop(Stopped("cancelled", stopped.actor, why))


class Starting:
    """Makes runs; loop thread only."""

    def __init__(self, services: EngineServices, ending: Ending) -> None:
        self._services = services
        self._ending = ending
        self._last = datetime.min.replace(tzinfo=UTC)

    def first(
        self, request: Submission, plan: Plan, params: Mapping[str, Any], parent: RunFacts | None = None
    ) -> Run:
        """A new instance and its first run."""
        services, task = self._services, plan.task
        now = self._moment()
        self._take_place(task.id, request)
        by_hand = request.trigger is Trigger.MANUAL  # the caller can be refused for want of room
        id = services.store.next_id("instance") if by_hand else services.next_id("instance")
        facts = RunFacts(
            number=1,
            plan=plan,
            origin=parent.origin if parent else request.trigger,
            restart=None,
            id=id,
            trigger=request.trigger,
            scheduled_time=request.scheduled_time or now,
            created_at=now,
            directory=services.workspace.task_directory(task.id, id),
            priority=task.priority if request.priority is None else request.priority,
            params=params,
            above=(*parent.above, parent.id) if parent else (),
            revision=request.revision or library.revision(services.store, request, task.id),
            why=request.reason,
            upstream=request.upstream,
        )
        self._insert_instance(request, facts)
        return self._first_run(facts, request.actor)

    def _take_place(self, task: str, request: Submission) -> None:
        """Of what was made ahead for that very time: it will not begin."""
        if request.scheduled_time is None:
            return
        found = self._services.store.instance_at(task, time_text(request.scheduled_time))
        if found is not None and found.run == 0 and found.status == InstanceState.PLANNED:
            self._services.changes.remove("instance", found.id, found.status)

    def begin(
        self,
        row: InstanceRow,
        request: Submission,
        plan: Plan,
        params: Mapping[str, Any],
        waited: float = 0.0,
        links: Sequence[LinkRow] = (),
        by: Trigger | None = None,
    ) -> Run:
        """The first run of an instance that was there before it could begin.

        ``waited``: how many seconds of the task's timeout are over. ``links``: what it has waited for.
        ``by``: what begins it, if that is not what made it.
        """
        services, task, trigger = self._services, plan.task, Trigger(row.trigger)
        facts = RunFacts(
            number=1,
            plan=plan,
            origin=by or trigger,
            restart=None,
            id=row.id,
            trigger=trigger,
            scheduled_time=datetime.fromisoformat(row.scheduled_time),
            created_at=datetime.fromisoformat(row.created_at),
            directory=services.workspace.task_directory(task.id, row.id),
            priority=task.priority,
            params=params,
            revision=request.revision,
            why=request.reason,
            made_before=True,
            upstream=upstream_values(services.store, links, services.workspace.zone),
        )
        services.changes.move(
            "instance",
            row.id,
            row.status,
            InstanceState.RUNNING,
            _begun(facts, row, services.clock.now(), waited),
        )
        return self._first_run(facts, request.actor, waited, by)

    def _first_run(self, facts: RunFacts, actor: str, waited: float = 0.0, by: Trigger | None = None) -> Run:
        context, progress = TaskContext(self._services.loop, mask=self._services.mask), Progress(facts.plan)
        ended = self._ending.run_ended
        run = Run(self._services, facts, context, progress, self, ended, spent=waited)
        return self._begin(run, str(by or facts.trigger), actor)

    def _moment(self) -> datetime:
        """Now, but never the same microsecond twice: it is the scheduled time of what is started by hand."""
        self._last = max(self._services.clock.now(), self._last + _INSTANT)
        if not self._last.microsecond:  # a whole second is the time of what a schedule starts
            self._last += _INSTANT
        return self._last

    def _insert_instance(self, request: Submission, facts: RunFacts) -> None:
        task = facts.plan.task
        self._services.changes.insert(
            "instance",
            {
                "id": facts.id, "task": task.id, "name": task.name, "project": task.project,
                "status": "running", "trigger": str(facts.trigger),
                "scheduled_time": facts.scheduled_time, "created_at": facts.created_at,
                "started_at": facts.created_at, "run": 1, "priority": facts.priority,
                "definition": facts.revision,
                "directory": str(facts.directory), "actor": request.actor, "parent": request.parent,
                "due_at": facts.created_at if request.scheduled_time else None,
            },
        )  # fmt: skip

    def again(
        self,
        run: Run,
        restart: Restart,
        *,
        plan: Plan | None = None,
        edits: Iterable[Edit] = (),
        trigger: str = "manual",
        actor: str = "operator",
        why: str | None = None,
    ) -> Run:
        """A further run of the instance of ``run``, which has ended; what failed in it is dealt with so."""
        by_itself = trigger == Trigger.RETRY
        facts = self._further_facts(run.facts, restart, plan or run.facts.plan, Trigger(trigger), why)
        further = self._further_run(run, facts, restart, by_itself=by_itself)
        further.row.move(InstanceState.RUNNING, _begun_again(facts, restart, self._services.now()))
        by = "retry" if by_itself else actor
        note = Message.of("run {run} runs it again", run=facts.number)
        again = (*restart.selection.run, *facts.plan.handlers)
        exceptions.settle_open(self._services, run.facts.id, again, by, note)
        return self._begin(further, trigger, actor, edits)

    def _further_facts(
        self, before: RunFacts, restart: Restart, plan: Plan, trigger: Trigger, why: str | None
    ) -> RunFacts:
        by_itself, store = trigger is Trigger.RETRY, self._services.store
        links = [] if by_itself else [link for link in store.links(before.id) if link.decided_at]
        return replace(
            before,
            number=before.number + 1,
            plan=plan,
            origin=before.origin if by_itself else trigger,
            trigger=Trigger.BACKFILL if trigger is Trigger.BACKFILL else before.trigger,
            restart=restart,
            why=why,
            upstream=upstream_values(store, links, self._services.workspace.zone),
        )

    def _further_run(self, run: Run, facts: RunFacts, restart: Restart, *, by_itself: bool) -> Run:
        progress, ended = restart.progress(facts.plan), self._ending.run_ended
        return Run(
            self._services,
            facts,
            run.context.values,
            progress,
            self,
            ended,
            spent=run.spent + self._services.clock.monotonic() - run.began if by_itself else 0.0,
            row_state=run.row.state,
            edited=run.edits.paths,
            has_directory=True,
        )

    def _begin(self, run: Run, trigger: str, actor: str, edits: Iterable[Edit] = ()) -> Run:
        services, facts, now = self._services, run.facts, run.start
        services.remember(run.typed_secrets.values.values())
        services.changes.insert(
            "run",
            {
                "instance": facts.id, "run": facts.number, "status": "running", "trigger": trigger,
                "reason": facts.why, "created_at": now, "started_at": now, "actor": actor, "pid": os.getpid(),
                "snapshot": services.changes.snapshot(facts.plan.definitions.raw),
                "params": services.mask(dict(facts.params)),
                "selection": facts.restart.to_json() if facts.restart else {},
                "boot_id": services.clock.boot(), "start_ticks": ticks(services.clock),
            },
        )  # fmt: skip
        self._ending.runs[facts.id] = run
        services.say(f"instance {facts.id} ({facts.plan.task.id}) run {facts.number} started by {actor}")
        services.loop.after_commit(
            partial(services.writes.when_disk_has_room, partial(prepare_directory, run), run.files)
        )
        run.pause.show()
        run.begin(edits)
        return run

    def subtask(
        self, run: RunFacts, job: int, task: str, params: Mapping[str, Any], begun: int | None
    ) -> ChildInstance:
        """The instance that a task job starts, or the one that it had started under an earlier engine."""
        if begun is not None:
            return ChildInstance(self._ending, begun)
        return self._child(run, job, task, params, run.plan.definitions)

    def remedy(self, run: RunFacts, job: int, task: str, params: Mapping[str, Any]) -> ChildInstance:
        """The instance that a handling rule starts: of the run's own definitions, else the workspace's."""
        definitions = run.plan.definitions
        if task not in definitions.tasks:
            definitions = library.closure(self._services.store, task, self._services)
        return self._child(run, job, task, params, definitions)

    def _child(
        self, parent: RunFacts, job: int, task: str, params: Mapping[str, Any], definitions: Definitions
    ) -> ChildInstance:
        if len(parent.above) >= MAX_SUBTASKS:
            text = "task {where!r} would lie more than {most} sub-tasks deep"
            raise SkerryError.at(SUBTASKS_TOO_DEEP, text, task, most=MAX_SUBTASKS)
        if task not in definitions.tasks:
            raise SkerryError.at(NO_SUCH_TASK, "task {where!r} cannot be started here", task)
        plan = library.planned(task, definitions, self._services.job_types)
        request = Submission(task, definitions, params, trigger=Trigger.SUBTASK, actor=ENGINE, parent=job)
        run = self.first(request, plan, given_params(plan.task, request), parent)
        return ChildInstance(self._ending, run.facts.id)


def _begun(facts: RunFacts, row: InstanceRow, now: datetime, waited: float) -> dict[str, Any]:
    """What the row of an instance that was there before says as it begins.

    A clock that was set while it waited is not to change how long that was.
    """
    task, since = facts.plan.task, time_text(now - timedelta(seconds=waited))
    return {
        "name": task.name, "project": task.project, "started_at": time_text(now), "run": 1, "ended_at": None,
        "error_code": None, "error_message": None,
        "priority": facts.priority, "definition": facts.revision, "directory": str(facts.directory),
        "due_at": since if waited else row.due_at or since, **said(None),
    }  # fmt: skip


def _begun_again(facts: RunFacts, restart: Restart, now: str) -> dict[str, Any]:
    fresh: dict[str, Any] = {"ended_at": None, "error_code": None, "error_message": None, "results": {}}
    begun = {"run": facts.number, "trigger": str(facts.trigger), "started_at": now}
    begun["directory"] = str(facts.directory)
    return {**begun, **said(restart.why), **fresh}
