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
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.restart import Edit, Restart
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.run_state.upstream_values import upstream_values
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.run import Run
from engine.runtime.services import EngineServices
from engine.runtime.submission import Submission, given_params
from engine.store.encoding import content_hash, json_text
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
        services, task, now = self._services, plan.task, self._services.now()
        trigger = Trigger(row.trigger)
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
        begun = {
            "name": task.name, "project": task.project, "started_at": now, "run": 1, "ended_at": None,
            "error_code": None, "error_message": None,
            "priority": facts.priority, "definition": facts.revision, "directory": str(facts.directory),
            "due_at": row.due_at or now,
        }  # fmt: skip
        services.changes.move("instance", row.id, row.status, InstanceState.RUNNING, {**begun, **said(None)})
        return self._first_run(facts, request.actor, waited, by)

    def _first_run(self, facts: RunFacts, actor: str, waited: float = 0.0, by: Trigger | None = None) -> Run:
        context, progress = TaskContext(self._services.loop, mask=self._services.mask), Progress(facts.plan)
        ended = self._ending.run_ended
        run = Run(self._services, facts, context, progress, self, ended, spent=waited)
        return self._begin(run, str(by or facts.trigger), actor)

    def _moment(self) -> datetime:
        """Now, but never the same microsecond twice: it is the scheduled time of what is started by hand."""
        self._last = max(self._services.clock.now(), self._last + _INSTANT)
        if (
            not self._last.microsecond
        ):  # whole seconds are the scheduled times of those that a schedule starts
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
        before, by_itself, store = run.facts, trigger == Trigger.RETRY, self._services.store
        links = [] if by_itself else [link for link in store.links(before.id) if link.decided_at]
        facts = replace(
            before,
            number=before.number + 1,
            plan=plan or before.plan,
            origin=before.origin if by_itself else Trigger(trigger),
            trigger=Trigger.BACKFILL if trigger == Trigger.BACKFILL else before.trigger,
            restart=restart,
            why=why,
            upstream=upstream_values(store, links, self._services.workspace.zone),
        )
        further = Run(
            self._services,
            facts,
            run.context.values,
            restart.progress(facts.plan),
            self,
            self._ending.run_ended,
            spent=run.spent + self._services.clock.monotonic() - run.began if by_itself else 0.0,
            row_state=run.row.state,
            edited=run.edits.paths,
            has_directory=True,
        )
        fresh: dict[str, Any] = {"ended_at": None, "error_code": None, "error_message": None, "results": {}}
        now = {
            "run": further.facts.number,
            "trigger": str(facts.trigger),
            "started_at": self._services.now(),
            **said(restart.why),
            **fresh,
        }
        further.row.move(InstanceState.RUNNING, now)
        by = "retry" if by_itself else actor
        note = Message.of("run {run} runs it again", run=further.facts.number)
        again = (*restart.selection.run, *facts.plan.handlers)
        exceptions.settle_open(self._services, run.facts.id, again, by, note)
        return self._begin(further, trigger, actor, edits)

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
            partial(services.writes.when_disk_has_room, partial(prepare_directory, run))
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


def prepare_directory(run: Run) -> None:
    """The directory of an instance with what it runs; also after a full disk has broken it off."""
    make_directory(run.files, run.facts.number)
    run.files.has_directory = True
    describe(run)
    run.files.write_lines()


def make_directory(files: InstanceFiles, number: int) -> None:
    """Room for the files of this run; those of the one before it are moved aside."""
    files.journal.create()
    if number > 1:
        files.folder.keep_run(number - 1)


def describe(run: Run) -> None:
    """What runs, with which parameters, where."""
    clock = run.services.clock
    environment = run.services.environment.describe(clock.now(), clock.monotonic())
    run.files.journal.describe(what_runs(run.facts), run.context.tree["TASK"]["PARAMS"], environment)


def what_runs(facts: RunFacts) -> dict[str, Any]:
    """What ``.skerry/definitions.json`` says: enough to rebuild the database, with the hash of it."""
    raw = facts.plan.definitions.raw
    hash = content_hash(json_text(raw))
    return {"task": facts.plan.task.id, "definition": facts.revision, "hash": hash, "raw": raw}
