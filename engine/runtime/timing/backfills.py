"""Runs backfills: begins their steps in order, so many at once; pause, cancel, later engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial

from engine.model.codes.store import ROW_DAMAGED
from engine.model.codes.timing import BACKFILL_STATE, BACKFILL_UNKNOWN
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import BackfillState, InstanceState, StepState
from engine.planning.schedules.backfill import decided
from engine.runtime.runs.control import RunControl
from engine.runtime.timing.alerts import alert
from engine.runtime.timing.backfill_plan import PlannedBackfill, missed_until, past
from engine.runtime.timing.backfill_runs import BackfillRuns
from engine.runtime.timing.existing import is_being_made, is_changing
from engine.runtime.timing.launching import Launching
from engine.runtime.timing.live_backfill import LiveBackfill, begun_rows
from engine.store.rows import BackfillRow, BackfillStepRow, InstanceRow


class Backfills:
    """Of one engine; loop thread only."""

    def __init__(self, control: RunControl, launching: Launching) -> None:
        self._ending = control.ending
        self._services = control.services
        self._launching = launching
        self._live: dict[int, LiveBackfill] = {}
        self._runs = BackfillRuns(control, launching, self._live, self)

    @property
    def at_work(self) -> bool:
        """Whether one of them runs: one that is paused can wait for a later engine."""
        return any(each.runs for each in self._live.values())

    # -- beginning, and going on with what an earlier engine left ----------------------------------

    def begin(self, planned: PlannedBackfill, actor: str) -> int:
        """Write it down, and begin; gives its number."""
        services = self._services
        row, steps = begun_rows(services.next_id("backfill"), planned, services.now(), actor)
        services.changes.insert("backfill", asdict(row))
        for step in steps:
            services.changes.insert("backfill_step", asdict(step))
        self._live[row.id] = LiveBackfill.of(row, steps)
        facts = {"since": row.since, "until": row.until, "reprocess": row.reprocess, "times": len(steps)}
        services.changes.act(actor, "backfill", f"task {row.task}", backfill=row.id, **facts)
        services.say(f"backfill {row.id} ({row.task}) of {len(steps)} times started by {actor}")
        services.loop.after_commit(partial(self._go_on, row.id))
        return row.id

    def restore(self) -> None:
        """Those that an earlier engine has not ended; one that cannot be read is an alert."""
        for id in self._services.store.backfills_under_way():
            try:
                self._restore(id)
            except SkerryError as error:
                if error.entry is not ROW_DAMAGED:
                    raise
                self._live.pop(id, None)
                template = "backfill {id} cannot be taken up: {message}"
                message = Message.of(template, id=id, message=error.message)
                alert(self._services, ROW_DAMAGED, "schedule", "error", message)

    def _restore(self, id: int) -> None:
        row = self._services.store.backfill(id)
        if row is None:
            return
        live = self._live[id] = self._loaded(row)
        for position, instance in tuple(live.begun.items()):
            self._take_up(live, position, instance or 0)
        self._go_on(id)

    def _loaded(self, row: BackfillRow) -> LiveBackfill:
        store = self._services.store
        live = LiveBackfill.of(row, store.backfill_steps(row.id))
        begun = (store.instance(each or 0) for each in live.begun.values())
        live.waiting = {each.id for each in begun if each is not None and _waits(each)}
        return live

    def _take_up(self, live: LiveBackfill, position: int, instance: int) -> None:
        row = self._services.store.instance(instance)
        if row is None or InstanceState(row.status).ended:
            state = InstanceState(row.status) if row is not None else InstanceState.SUCCEEDED  # it is gone
            return self._settle(live, position, state)
        self._runs.watch(live.row.id, instance)
        return self._listen(live.row.id, position, instance)

    # -- one step after the other ------------------------------------------------------------------

    def _go_on(self, id: int) -> None:
        live = self._live.get(id)
        if live is None or self._services.loop.ending:
            return
        while (step := live.next()) is not None:
            row = self._services.store.instance_at(step.task, step.at)
            if self._is_changing(step, row):  # what comes of that is waited for
                live.turns.give_back(step.position)
                of = () if row is None else (row.id,)
                return self._services.after_change(of, partial(self._go_on, id))
            self._take(live, step, row)
        if live.is_over:  # also of one that is paused: nothing is left for that to hold
            self._services.loop.after_commit(partial(self._end, id))

    def _is_changing(self, step: BackfillStepRow, row: InstanceRow | None) -> bool:
        """Whether more was decided about that time than is durable."""
        if row is None:
            return is_being_made(self._services, step.task, step.at)
        return is_changing(self._services, row)

    def _take(self, live: LiveBackfill, step: BackfillStepRow, row: InstanceRow | None) -> None:
        """It is decided again: much may have happened to that time since the beginning."""
        missed = missed_until(self._services.workspace, self._services.clock.now())
        choice, why = decided(past(row, missed) if row is not None else None, live.reprocess)
        if choice == "leave":
            self._write_left(live, step.position, why, row, choice="leave")
            live.turns.settled(step.position)
            return
        live.begun[step.position] = None
        if row is not None and choice == "run_again":
            self._runs.run_again(live, step, row)
        else:
            self._runs.make(live, step, row)

    def began(self, live: LiveBackfill, step: BackfillStepRow, instance: int) -> None:
        """Its instance waits or runs."""
        services, key = self._services, (live.row.id, step.position)
        live.begun[step.position] = instance
        values = {"instance": instance}
        services.changes.move("backfill_step", key, StepState.PENDING, StepState.BEGUN, values)
        self._tell(live.row.id, live.row.status)
        services.loop.after_commit(partial(self._listen, *key, instance))

    def failed(self, live: LiveBackfill, step: BackfillStepRow, why: Reason, row: InstanceRow | None) -> None:
        """It cannot be run, and so cannot what comes after it."""
        self._write_left(live, step.position, why, row)
        self._settle(live, step.position, InstanceState.FAILED)
        self._services.loop.after_commit(partial(self._go_on, live.row.id))

    def not_now(self, live: LiveBackfill, step: BackfillStepRow) -> None:
        """The backfill was paused before it could begin."""
        del live.begun[step.position]
        live.turns.give_back(step.position)

    def _write_left(
        self, live: LiveBackfill, position: int, why: Reason, row: InstanceRow | None, **more: str
    ) -> None:
        values = {"instance": row.id if row is not None else None, **said(why), **more}
        key = (live.row.id, position)
        self._services.changes.move("backfill_step", key, StepState.PENDING, StepState.LEFT, values)
        self._tell(live.row.id, live.row.status)

    def _settle(self, live: LiveBackfill, position: int, state: InstanceState) -> None:
        if live.begun.pop(position, None) is not None:
            key = (live.row.id, position)
            self._services.changes.move("backfill_step", key, StepState.BEGUN, StepState(state))
        if state is not InstanceState.SUCCEEDED and not live.row.ignores_dependencies:
            step = live.steps[position]
            at = self._services.local(datetime.fromisoformat(step.at))
            for each in live.turns.drop_behind(position):
                self._write_left(live, each, Reason.of(Kind.COMES_AFTER, task=step.task, at=at), None)
        live.turns.settled(position)

    def _listen(self, id: int, position: int, instance: int) -> None:
        self._ending.when_ended(instance, lambda end: self._ended(id, position, end[0]))

    def _ended(self, id: int, position: int, state: InstanceState) -> None:
        live = self._live.get(id)
        if live is not None and position in live.begun:
            step, instance = live.steps[position], live.begun[position]
            live.waiting.discard(instance or 0)
            self._settle(live, position, state)
            at = self._services.local(datetime.fromisoformat(step.at))
            about = {"task": step.task, "time": at, "of": instance, "outcome": str(state)}
            self._tell(id, live.row.status, **about)
            self._services.loop.after_commit(partial(self._go_on, id))

    def _end(self, id: int) -> None:
        live = self._live.get(id)
        if live is not None and live.is_over:
            bad = any(each.is_bad for each in self._services.store.step_counts([id]))
            self._close(live, BackfillState.FAILED if bad else BackfillState.SUCCEEDED)

    def _close(self, live: LiveBackfill, status: BackfillState) -> None:
        services, id = self._services, live.row.id
        services.changes.move("backfill", id, live.row.status, status, {"ended_at": services.now()})
        self._live.pop(id, None)
        services.say(f"backfill {id} ({live.row.task}) {status}")
        self._tell(id, status)
        services.loop.soon_enough()

    def _tell(self, id: int, status: str, **about: object) -> None:
        """When it is durable: who hears of it looks at it."""
        event = {"kind": "backfill", "backfill": id, "status": str(status), **about}
        self._services.loop.after_commit(partial(self._services.events.publish, event))

    # -- what operators do -------------------------------------------------------------------------

    def pause(self, id: int, actor: str) -> BackfillState:
        """Begin nothing more, under later engines neither; what runs goes on."""
        live = self._known(id, (BackfillState.RUNNING,), "backfill {where} is not running")
        self._move(live, BackfillState.PAUSED, actor)
        self._services.changes.act(actor, "pause", f"backfill {id}")
        for instance in live.waiting:
            self._launching.leave(instance)
            self._services.changes.update("instance", instance, said(live.paused()))
        return BackfillState.PAUSED

    def resume(self, id: int, actor: str) -> BackfillState:
        """Go on; what waits for other tasks has all of its time again."""
        services = self._services
        live = self._known(id, (BackfillState.PAUSED,), "backfill {where} is not paused")
        self._move(live, BackfillState.RUNNING, None)
        services.changes.act(actor, "resume", f"backfill {id}")
        for instance in live.waiting:
            services.changes.update("instance", instance, {"due_at": services.now()})
            services.loop.after_commit(partial(self._runs.watch, id, instance))
        services.loop.after_commit(partial(self._go_on, id))
        return BackfillState.RUNNING

    def cancel(self, id: int, actor: str) -> BackfillState:
        """Drop what has not begun; what runs goes on."""
        live = self._known(id, tuple(BackfillState), "backfill {where} has ended")
        for position in live.not_begun():
            key = (id, position)
            self._services.changes.move("backfill_step", key, StepState.PENDING, StepState.DROPPED)
        self._services.changes.act(actor, "cancel", f"backfill {id}")
        self._close(live, BackfillState.CANCELLED)
        self._services.loop.after_commit(partial(self._cancel_waiting, tuple(live.waiting), actor))
        return BackfillState.CANCELLED

    def _cancel_waiting(self, instances: Sequence[int], actor: str) -> None:
        for instance in instances:
            row = self._services.store.instance(instance)
            if row is not None and _waits(row):
                self._launching.cancel(row, actor)

    def _known(self, id: int, wanted: Sequence[BackfillState], message: str) -> LiveBackfill:
        """One that runs here, or that nobody has taken up; nothing of that one begins here."""
        row = self._services.store.backfill(id)
        if row is None:
            raise Invalid.at(BACKFILL_UNKNOWN, "there is no backfill {where}", id)
        if BackfillState(row.status).ended or row.status not in wanted:
            raise Refused.at(BACKFILL_STATE, message, id)
        return self._live.get(id) or self._loaded(row)

    def _move(self, live: LiveBackfill, status: BackfillState, paused_by: str | None) -> None:
        services, id = self._services, live.row.id
        services.changes.move("backfill", id, live.row.status, status, {"paused_by": paused_by})
        live.row = replace(live.row, status=str(status), paused_by=paused_by)
        services.say(f"backfill {id} ({live.row.task}) is {status}")
        self._tell(id, status)


def _waits(row: InstanceRow) -> bool:
    """Whether it waits for its first run."""
    return row.run == 0 and not InstanceState(row.status).ended
