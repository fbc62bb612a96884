"""Makes the instance of a task at a scheduled time, at most once, and begins it when nothing is before it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from engine.context.line import ENGINE
from engine.model.codes.timing import CANNOT_FIRE
from engine.model.errors import Failure, SkerryError
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import INSTANCE_MOVES, InstanceState, Trigger
from engine.model.task import Task
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.starting import Starting
from engine.runtime.services import EngineServices
from engine.runtime.submission import Submission
from engine.runtime.timing import links
from engine.runtime.timing.alerts import alert
from engine.runtime.timing.clock_watch import ClockWatch
from engine.runtime.timing.existing import being_made, is_changing, is_still
from engine.runtime.timing.few_per_turn import FewPerTurn
from engine.runtime.timing.partners import times_of
from engine.runtime.timing.ready_tasks import ReadyTasks
from engine.runtime.timing.unfinished import Unfinished
from engine.runtime.timing.upstream_waits import Start, UpstreamWaits
from engine.store.changes import UNKNOWN
from engine.store.rows import InstanceRow, LinkRow, time_text

_FIRED = (Trigger.SCHEDULE, Trigger.CONDITION)


class DueInstance(NamedTuple):
    """A time that has come; ``planned``: the instance that was made ahead of it."""

    task: str
    at: datetime
    trigger: Trigger
    planned: InstanceRow | None


class Launching:
    """Loop thread only."""

    def __init__(
        self, services: EngineServices, starting: Starting, ending: Ending, clock: ClockWatch
    ) -> None:
        self._services = services
        self._starting = starting
        self._ending = ending
        self._unfinished = Unfinished()
        self._waits = UpstreamWaits(services, clock.passed, self.settle)
        self._ready = ReadyTasks(services)
        self._turns = FewPerTurn(services.loop, self._watch)

    # -- what an earlier engine left ---------------------------------------------------------------

    def restore(self) -> None:
        """What runs and what waits for its turn."""
        rows = self._services.store.unfinished()
        for row in rows:
            if Trigger(row.trigger) in _FIRED and (row.run == 0 or self._fired(row.id)):
                at, waits = datetime.fromisoformat(row.scheduled_time), row.run == 0
                self._unfinished.add(
                    row.task, row.id, at, waits=waits, behind=_behind(row) if waits else None
                )
        came = (row for row in rows if row.run == 0 and _turn_has_come(row))
        self._turns.add(row.id for row in came if Trigger(row.trigger) in _FIRED)
        for task in {row.task for row in rows if row.run == 0}:
            self._begin_next(task)
        for id in self._unfinished.astray():
            self._name_another(id)

    def _fired(self, instance: int) -> bool:
        """Whether what goes on there is its own run, not a rerun by hand."""
        run = self._ending.runs.get(instance)
        return run is not None and run.facts.origin in _FIRED

    # -- a time has come ---------------------------------------------------------------------------

    def launch(
        self, task: str, at: datetime, trigger: Trigger, overlap: str, *, leaves_rows: bool = True
    ) -> None:
        """Start the instance of that time, let it wait for its turn, or pass it over."""
        time = time_text(at)
        existing = self._services.store.instance_at(task, time) or being_made(self._services, task, time)
        planned = existing if existing is not None and self._is_coming(existing) else None
        if self._unfinished.at(task, at) or (existing is not None and planned is None):
            return self._met(existing)
        due = DueInstance(task, at, trigger, planned)
        before = None if overlap == "parallel" else self._unfinished.earlier(task, at)
        if before is None:
            return self._start(due)
        if overlap == "wait":
            self._wait(due, Reason.of(Kind.EARLIER, instance=before), before)
        elif leaves_rows:
            self._put(due, InstanceState.SKIPPED, **said(Reason.of(Kind.OVERLAPS, instance=before)))
        elif planned is not None:
            self._services.changes.remove("instance", planned.id, planned.status)
        return None

    def pass_over(self, task: str, until: datetime, keep: Collection[datetime]) -> None:
        """What was made ahead of times that were missed, and are not caught up, goes: it is missing.

        Not what a backfill has begun in this very turn.
        """
        for row in self._services.store.planned(task, time_text(until)):
            is_kept = datetime.fromisoformat(row.scheduled_time) in keep
            if not is_kept and is_still(self._services, row):
                self._services.changes.remove("instance", row.id, row.status)

    def foresee(self, id: int, task: str, at: datetime) -> None:
        """Keep what an instance that was just made ahead will wait for, if that can be said."""
        with suppress(SkerryError):
            plan = self._ready.get(task).plan
            if plan.task.depends_on:
                links.foreseen(self._services, id, times_of(self._services, plan.task, at))

    def _is_coming(self, row: InstanceRow) -> bool:
        """Whether it was made ahead and nothing was decided about it since."""
        untouched = is_still(self._services, row) and row.run == 0
        return untouched and row.status in (InstanceState.PLANNED, InstanceState.OFFLINE)

    def _met(self, existing: InstanceRow | None) -> None:
        if existing is not None:
            text = f"instance {existing.id} ({existing.task}) of {existing.scheduled_time} is there already"
            self._services.say(text)

    def _start(self, due: DueInstance) -> None:
        try:
            ready = self._ready.get(due.task)
        except SkerryError as error:
            return self._cannot(due, error)
        upstreams = [each.task or due.task for each in ready.plan.task.depends_on]
        if upstreams and due.trigger is Trigger.SCHEDULE:
            id = self._wait(due, Reason.of(Kind.UPSTREAMS, names=upstreams))
            return self._services.loop.after_commit(partial(self._watch, id))
        request = Submission(
            due.task, trigger=due.trigger, actor=ENGINE, scheduled_time=due.at, revision=ready.revision
        )
        if due.planned is None:
            run = self._starting.first(request, ready.plan, ready.params)
        else:
            run = self._starting.begin(due.planned, request, ready.plan, ready.params)
        return self._unfinished.add(due.task, run.facts.id, due.at)

    def _wait(self, due: DueInstance, why: Reason, behind: int | None = None) -> int:
        """An instance that waits, without a run."""
        id = self._put(due, InstanceState.WAITING, **said(why))
        self._unfinished.add(due.task, id, due.at, waits=True, behind=behind)
        return id

    def _put(self, due: DueInstance, state: InstanceState, **values: Any) -> int:
        """An instance without a run: the one that was made ahead in another state, or a new one."""
        services, now, planned = self._services, self._services.now(), due.planned
        ended = {"ended_at": now if state.ended else None}
        values = {"due_at": now, **ended, **values}
        if planned is None:
            id = services.next_id("instance")
            made = {"id": id, "task": due.task, "scheduled_time": due.at, "created_at": now}
            how = {"status": str(state), "trigger": str(due.trigger), "actor": ENGINE}
            services.changes.insert("instance", {**made, **how, **values})
        else:
            id = planned.id
            self._moved_on(planned, state, values)
        services.events.publish({"kind": "instance", "instance": id, "status": str(state)})
        return id

    def _moved_on(self, planned: InstanceRow, state: InstanceState, values: Mapping[str, Any]) -> None:
        """By way of the states between: what cannot begin has waited, what was offline is planned again."""
        changes, before = self._services.changes, planned.status
        for each in (InstanceState.PLANNED, InstanceState.WAITING):
            if state not in INSTANCE_MOVES[InstanceState(before)]:
                changes.move("instance", planned.id, before, each)
                before = str(each)
        changes.move("instance", planned.id, before, state, values)

    def _cannot(self, due: DueInstance, error: SkerryError) -> None:
        """It could not even begin: the instance says why."""
        self._put(due, InstanceState.FAILED, **self._services.error_columns(error))
        self._tell_failed(due.task, error)

    # -- what others let wait ----------------------------------------------------------------------

    def watch(self, row: InstanceRow, task: Task, start: Start) -> None:
        """Let ``start`` begin it once what it waits for has succeeded; SkerryError when nobody can tell."""
        self._waits.watch(row, task, start)

    def leave(self, instance: int) -> None:
        """It is not begun, whatever it waited for."""
        self._waits.leave(instance)

    # -- what waits for its turn -------------------------------------------------------------------

    def ended(self, instance: int) -> None:
        """An instance has come to its end: the next one of its task may begin."""
        task = self._unfinished.ended(instance)
        if task is not None:
            self._begin_next(task)
            self._name_another(instance)

    def _name_another(self, ended: int) -> None:
        """What waited for one that has ended waits on where others of earlier times go on."""
        for id, before in self._unfinished.followers(ended):
            if before is not None:
                other = said(Reason.of(Kind.EARLIER, instance=before))
                self._services.changes.update("instance", id, other)
                self._unfinished.wait_behind(id, before)

    def moved(self, instances: Sequence[int]) -> None:
        """These have another state: look again at what waits for them."""
        if len(self._waits):
            for row in filter(None, map(self._services.store.instance, instances)):
                self._waits.changed(row.task)

    def task_moved(self, task: str) -> None:
        """It went online or offline: what waits for it says so."""
        self._waits.changed(task)

    def _begin_next(self, task: str) -> None:
        id = self._unfinished.first_waiting(task)
        if id is None or id in self._waits:
            return None
        row = self._services.store.instance(id)
        if row is None or (row.status != InstanceState.WAITING and is_changing(self._services, row)):
            # that it waits is not durable yet
            return self._services.after_change((id,), partial(self._begin_next, task))
        if _turn_has_come(row):  # it is looked at as soon as it is durable
            return None
        now = self._services.now()  # its timeouts count from here
        self._services.changes.update("instance", id, {"due_at": now})
        return self._take_turn(replace(row, due_at=now))

    def wait_again(self, row: InstanceRow) -> None:
        """One that did not begin because of what it depends on waits for that once more, from now on."""
        services, now, task = self._services, self._services.now(), row.task
        upstreams = list(dict.fromkeys(link.upstream for link in services.store.links(row.id)))
        nothing = dict.fromkeys(("ended_at", "error_code", "error_message"))
        values = {"due_at": now, "trigger": str(Trigger.SCHEDULE), **nothing}
        why = said(Reason.of(Kind.UPSTREAMS, names=upstreams))
        services.changes.move("instance", row.id, row.status, InstanceState.WAITING, {**values, **why})
        services.events.publish(
            {"kind": "instance", "instance": row.id, "status": str(InstanceState.WAITING)}
        )
        self._unfinished.add(task, row.id, datetime.fromisoformat(row.scheduled_time), waits=True)
        services.loop.after_commit(partial(self._watch, row.id))

    def waits(self, instance: int) -> bool:
        """Whether it waits for its turn, or for other tasks."""
        return instance in self._unfinished or instance in self._waits

    @property
    def at_work(self) -> bool:
        """Whether anything waits for other tasks."""
        return len(self._waits) > 0

    def release(self, instance: int, tasks: Sequence[str]) -> None:
        """It need not wait for these any more, which is durable with this turn.

        An engine that has just begun may come to it in between: it is read without that, and looked at again.
        """
        if instance not in self._waits:
            return self._services.loop.after_commit(partial(self._release_read, instance, tasks))
        return self._waits.release(instance, tasks)

    def _release_read(self, instance: int, tasks: Sequence[str]) -> None:
        if instance in self._waits:
            self._waits.release(instance, tasks)

    def let_begin(self, instance: int) -> None:
        """It need not wait for the end of an earlier one any more; the same holds of this."""
        if instance in self._unfinished:
            self._unfinished.turn_came(instance)
        self._services.loop.after_commit(partial(self._watch_known, instance))

    def _watch_known(self, instance: int) -> None:
        if instance in self._unfinished:
            self._watch(instance)

    def _watch(self, id: int) -> None:
        row = self._services.store.instance(id)
        if row is not None and row.status == InstanceState.WAITING:
            self._take_turn(row)

    def _take_turn(self, row: InstanceRow) -> None:
        """Nothing of its own task is before it: begin, or wait for other tasks."""
        if self._services.turn.state("instance", row.id) not in (UNKNOWN, InstanceState.WAITING):
            return None  # cancelled or taken offline, which is not durable yet
        self._unfinished.turn_came(row.id)
        try:
            task = self._ready.get(row.task).plan.task
            if task.depends_on and Trigger(row.trigger) is Trigger.SCHEDULE:
                return self._waits.watch(row, task, self._begin)
        except SkerryError as error:
            return self._cannot_begin(row, error)
        return self._begin(row)

    def _begin(self, row: InstanceRow, waited: float = 0.0, waited_for: Sequence[LinkRow] = ()) -> None:
        try:
            ready = self._ready.get(row.task)
        except SkerryError as error:
            return self._cannot_begin(row, error)
        self._unfinished.began(row.id)
        request = Submission(row.task, actor=ENGINE, revision=ready.revision)
        self._starting.begin(row, request, ready.plan, ready.params, waited, waited_for)
        return None

    def _cannot_begin(self, row: InstanceRow, error: SkerryError) -> None:
        self.settle(row, InstanceState.FAILED, None, error)
        self._tell_failed(row.task, error)

    def _tell_failed(self, task: str, error: SkerryError) -> None:
        message = Message.of("task {task}: {message}", task=task, message=error.message)
        alert(self._services, CANNOT_FIRE, "schedule", "error", message)

    def settle(
        self,
        row: InstanceRow,
        state: InstanceState,
        why: Reason | None,
        failure: Failure | SkerryError | None = None,
    ) -> None:
        """It will not begin: another state for one that only waited."""
        services = self._services
        self._waits.leave(row.id)
        ends = {"ended_at": services.now(), **services.error_columns(failure), **said(why)}
        services.changes.move("instance", row.id, row.status, state, ends)
        services.events.publish({"kind": "instance", "instance": row.id, "status": str(state)})
        services.say(f"instance {row.id} ({row.task}) {state} before it began", logging.INFO)
        services.loop.after_commit(partial(self._ending.ended_before, row.id, state))

    def cancel(self, row: InstanceRow, by: str) -> None:
        """One that has not begun, by hand."""
        self.settle(row, InstanceState.CANCELLED, Reason.of(Kind.NOT_RUN_CANCELLED, by=by))


def _behind(row: InstanceRow) -> int | None:
    """The earlier instance of its own task for whose end it waits."""
    why = row.because
    return int(why.facts["instance"]) if why is not None and why.kind is Kind.EARLIER else None


def _turn_has_come(row: InstanceRow) -> bool:
    """Whether it waits for other tasks, not for an earlier instance of its own."""
    return row.because is not None and _behind(row) is None
