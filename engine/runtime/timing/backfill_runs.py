"""The runs of a backfill's steps: a first one, which may wait for other tasks, or a further one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from engine.model.codes.recovery import NEIGHBOUR_AT_WORK
from engine.model.errors import Failure, SkerryError
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief, said
from engine.model.states import InstanceState, Trigger
from engine.planning.schedules.upstreams import WaitVerdict, decided
from engine.runtime.reruns import rerun
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.runs.control import RunControl
from engine.runtime.submission import Submission
from engine.runtime.timing.launching import Launching
from engine.runtime.timing.live_backfill import LiveBackfill
from engine.runtime.timing.partners import looked_up, times_of
from engine.runtime.timing.ready_tasks import ReadyTask, ReadyTasks
from engine.runtime.timing.upstream_waits import Links
from engine.store.rows import BackfillStepRow, InstanceRow

_BACKFILL = str(Trigger.BACKFILL)


class StepListener(Protocol):
    """Who is told what becomes of a step."""

    def began(self, live: LiveBackfill, step: BackfillStepRow, instance: int) -> None:
        """Its instance waits or runs."""

    def failed(self, live: LiveBackfill, step: BackfillStepRow, why: Reason, row: InstanceRow | None) -> None:
        """It cannot be run."""

    def not_now(self, live: LiveBackfill, step: BackfillStepRow) -> None:
        """It was taken and has not begun."""


class BackfillRuns:
    """Loop thread only."""

    def __init__(
        self, control: RunControl, launching: Launching, live: Mapping[int, LiveBackfill], of: StepListener
    ) -> None:
        self._control = control
        self._services = control.services
        self._launching = launching
        self._ready = ReadyTasks(control.services)
        self._live = live
        self._of = of

    def _ready_of(self, live: LiveBackfill, task: str) -> ReadyTask:
        return self._ready.get(task, live.row.params if task == live.row.task else None)

    # -- a first run -------------------------------------------------------------------------------

    def make(self, live: LiveBackfill, step: BackfillStepRow, row: InstanceRow | None) -> None:
        """Begin the instance of a time, or let it wait; ``row`` is one that has never begun."""
        try:
            ready = self._ready_of(live, step.task)
        except SkerryError as error:
            return self._of.failed(live, step, Reason.of(Kind.NOT_RUN_ERROR, message=error.message), row)
        if ready.plan.task.depends_on and not live.row.ignores_dependencies:
            return self._let_wait(live, step, row, ready)
        if row is None:
            return self._begin_new(live, step, ready)
        self._begin(live, replace(row, due_at=self._services.now()), ready)
        return self._of.began(live, step, row.id)

    def _begin_new(self, live: LiveBackfill, step: BackfillStepRow, ready: ReadyTask) -> None:
        request = Submission(
            step.task,
            trigger=Trigger.BACKFILL,
            actor=live.row.actor or "",
            scheduled_time=datetime.fromisoformat(step.at),
            revision=ready.revision,
            reason=brief(live.reason()),
        )
        run = self._control.starting.first(request, ready.plan, ready.params)
        self._of.began(live, step, run.facts.id)

    def _begin(
        self, live: LiveBackfill, row: InstanceRow, ready: ReadyTask, waited: float = 0.0, links: Links = ()
    ) -> None:
        actor, why = live.row.actor or "", brief(live.reason())
        request = Submission(row.task, actor=actor, reason=why, revision=ready.revision)
        made = replace(row, trigger=_BACKFILL)
        self._control.starting.begin(made, request, ready.plan, ready.params, waited, links)
        self._services.changes.update("instance", row.id, {"trigger": _BACKFILL})

    def _let_wait(
        self, live: LiveBackfill, step: BackfillStepRow, row: InstanceRow | None, ready: ReadyTask
    ) -> None:
        services, waiting = self._services, InstanceState.WAITING
        why = Reason.of(Kind.UPSTREAMS, names=[each.task or step.task for each in ready.plan.task.depends_on])
        now, actor = services.now(), live.row.actor
        values = {"trigger": _BACKFILL, "due_at": now, "actor": actor, **said(why)}
        if row is None:
            id = services.next_id("instance")
            made = {"id": id, "task": step.task, "scheduled_time": step.at, "created_at": now}
            services.changes.insert("instance", {**made, "status": str(waiting), **values})
        else:
            id, nothing = row.id, dict.fromkeys(("ended_at", "error_code", "error_message"))
            services.changes.move("instance", id, row.status, waiting, {**values, **nothing})
        services.events.publish({"kind": "instance", "instance": id, "status": str(waiting)})
        live.waiting.add(id)
        self._of.began(live, step, id)
        services.loop.after_commit(partial(self.watch, live.row.id, id))

    def watch(self, backfill: int, instance: int) -> None:
        """Begin one that waits as soon as it may; not while the backfill is paused."""
        live, row = self._live.get(backfill), self._services.store.instance(instance)
        if live is None or not live.runs or row is None or not _waits_to_begin(row):
            return
        try:
            task = self._ready_of(live, row.task).plan.task
            self._launching.watch(row, task, partial(self._begin_waiting, backfill))
        except SkerryError as error:
            self._launching.settle(row, InstanceState.FAILED, None, Failure.of(error))

    def _begin_waiting(self, backfill: int, row: InstanceRow, waited: float, links: Links) -> None:
        live = self._live.get(backfill)
        if live is None:
            return
        live.waiting.discard(row.id)
        try:
            self._begin(live, row, self._ready_of(live, row.task), waited, links)
        except SkerryError as error:
            self._launching.settle(row, InstanceState.FAILED, None, Failure.of(error))

    # -- a further run -----------------------------------------------------------------------------

    def run_again(self, live: LiveBackfill, step: BackfillStepRow, row: InstanceRow) -> None:
        """All of an instance that has ended; whether anything of it lives is looked up on another thread."""
        request = self._request(live, row)
        id = live.row.id
        self._services.loop.offload(
            partial(rerun.refuse_impossible, self._control, request),
            lambda _, error: self._looked_at(id, step, row, error),
        )

    def _request(self, live: LiveBackfill, row: InstanceRow) -> RerunRequest:
        given: Mapping[str, Any] = live.row.params if row.task == live.row.task else {}
        return RerunRequest(
            row.id,
            "all",
            edits=[(f"$.TASK.PARAMS['{name}']", value) for name, value in given.items()],
            reason=brief(live.reason()),
            current=True,
            actor=live.row.actor or "",
            trigger=_BACKFILL,
        )

    def _looked_at(
        self, backfill: int, step: BackfillStepRow, row: InstanceRow, error: BaseException | None
    ) -> None:
        live = self._live.get(backfill)
        if live is None:
            return None
        if not live.runs:
            return self._of.not_now(live, step)
        try:
            if error is not None:
                raise error
            missing = self._missing(live, row)
            if missing is None:
                rerun.begin_now(self._control, self._request(live, row))
        except SkerryError as refused:
            if refused.entry is NEIGHBOUR_AT_WORK:
                return self._after_neighbour(live, step, row, refused)
            missing = Reason.of(Kind.NOT_RUN_ERROR, message=refused.message)
        if missing is not None:
            return self._of.failed(live, step, missing, row)
        return self._of.began(live, step, row.id)

    def _after_neighbour(
        self, live: LiveBackfill, step: BackfillStepRow, row: InstanceRow, refused: SkerryError
    ) -> None:
        """It keeps its place until that one has ended."""
        services = self._services
        services.say(f"backfill {live.row.id}: instance {row.id} has to wait: {refused.message}")
        again = partial(services.loop.soon, partial(self.run_again, live, step, row))
        self._control.ending.when_ended(int(refused.where or 0), lambda _: again())

    def _missing(self, live: LiveBackfill, row: InstanceRow) -> Reason | None:
        """What it depends on and is not good now: a further run does not wait for that."""
        if live.row.ignores_dependencies:
            return None
        task = self._ready_of(live, row.task).plan.task
        wanted = times_of(self._services, task, datetime.fromisoformat(row.scheduled_time))
        found = decided([looked_up(self._services, each) for each in wanted], 0.0)
        return None if found.verdict is WaitVerdict.START else found.reason


def _waits_to_begin(row: InstanceRow) -> bool:
    """One that has begun waits for its task's own retry."""
    return row.status == InstanceState.WAITING and row.run == 0
