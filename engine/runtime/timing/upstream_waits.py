"""Instances whose time has come and that wait for other tasks: looked at whenever one of those changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

from engine.model.codes.runtime import TASK_TIMED_OUT
from engine.model.codes.timing import DEPENDENCY_FAILED, DEPENDENCY_TIMED_OUT
from engine.model.errors import Failure
from engine.model.reason import Reason
from engine.model.reason_words import said
from engine.model.states import InstanceState
from engine.model.task import Task
from engine.planning.schedules.upstreams import AwaitedTask, Decision, WaitVerdict, decided, next_deadline
from engine.runtime.services import EngineServices
from engine.runtime.timers import Timer
from engine.runtime.timing import links
from engine.runtime.timing.few_per_turn import FewPerTurn
from engine.runtime.timing.partners import PartnerTimes, looked_up, times_of
from engine.store.rows import InstanceRow, LinkRow

_SOON = 0.001  # seconds: what is left by the rounding of a sum alone is no time at all
Links = Sequence[LinkRow]
Start = Callable[[InstanceRow, float, Links], None]  # gets how many seconds it has waited, and what for


@dataclass(slots=True)
class WaitingInstance:
    """One that has not begun, and what it waits for."""

    row: InstanceRow
    task: Task
    wanted: tuple[PartnerTimes, ...]
    released: set[str]  # the tasks that need not be waited for any more
    since: float  # when its time was reached, by the time since boot
    reason: Reason | None
    start: Start
    timer: Timer | None = None


class Settle(Protocol):
    """How an instance is settled that will not begin."""

    def __call__(
        self, row: InstanceRow, state: InstanceState, why: Reason | None, failure: Failure, /
    ) -> None: ...


class UpstreamWaits:
    """Loop thread only."""

    def __init__(self, services: EngineServices, passed: Callable[[datetime], float], settle: Settle) -> None:
        self._services = services
        self._passed = passed  # gives the seconds since a time that the wall clock has shown
        self._settle = settle
        self._waiting: dict[int, WaitingInstance] = {}
        self._by_upstream: dict[str, set[int]] = {}
        self._changed: set[str] = set()
        self._looks = FewPerTurn(services.loop, self._look)

    def __contains__(self, instance: int) -> bool:
        return instance in self._waiting

    def __len__(self) -> int:
        return len(self._waiting)

    def watch(self, row: InstanceRow, task: Task, start: Start) -> None:
        """Its time has come: ``start`` it as soon as it may. SkerryError when nobody can say when that is."""
        wanted = times_of(self._services, task, datetime.fromisoformat(row.scheduled_time))
        since = self._services.clock.monotonic() - self._waited(row)
        released = links.foreseen(self._services, row.id, wanted)
        self._waiting[row.id] = WaitingInstance(row, task, wanted, released, since, row.because, start)
        for each in wanted:
            self._by_upstream.setdefault(each.task, set()).add(row.id)
            if not each.times and not each.by_hand:
                text = f"instance {row.id} ({task.id}): {each.task} has no time to wait for"
                self._services.say(text, logging.INFO)
        self._look(row.id)

    def release(self, instance: int, tasks: Iterable[str]) -> None:
        """It need not wait for these any more."""
        self._waiting[instance].released.update(tasks)
        self._look(instance)

    def _waited(self, row: InstanceRow) -> float:
        """An earlier engine may have begun to wait."""
        return self._passed(datetime.fromisoformat(row.due_at or row.created_at))

    def changed(self, task: str) -> None:
        """An instance of that task was made or has another state: look again when that is durable."""
        if task in self._by_upstream and task not in self._changed:
            self._changed.add(task)
            self._services.loop.after_commit(partial(self._look_at, task))

    def leave(self, instance: int) -> None:
        """It waits no more."""
        waiting = self._waiting.pop(instance, None)
        if waiting is None:
            return
        if waiting.timer is not None:
            waiting.timer.cancel()
        for task in {each.task for each in waiting.wanted}:
            self._by_upstream[task].discard(instance)
            if not self._by_upstream[task]:
                del self._by_upstream[task]

    def _look_at(self, task: str) -> None:
        self._changed.discard(task)
        self._looks.add(sorted(self._by_upstream.get(task, ())))

    def _look(self, id: int) -> None:
        waiting = self._waiting.get(id)
        if waiting is None:
            return
        awaited = [
            looked_up(self._services, each, released=each.task in waiting.released) for each in waiting.wanted
        ]
        waited = self._services.clock.monotonic() - waiting.since
        found = decided(awaited, waited, waiting.task.timeout)
        if found.verdict is WaitVerdict.WAIT:
            self._wait_on(waiting, awaited, found.reason, waited)
        else:
            self._carry_out(waiting, awaited, found, waited)

    def _wait_on(
        self, waiting: WaitingInstance, awaited: list[AwaitedTask], reason: Reason | None, waited: float
    ) -> None:
        if reason != waiting.reason:
            waiting.reason = reason
            self._services.changes.update("instance", waiting.row.id, said(reason))
            self._services.events.publish(
                {"kind": "instance", "instance": waiting.row.id, "status": str(InstanceState.WAITING)}
            )
        if waiting.timer is not None:
            waiting.timer.cancel()
        deadline = next_deadline(awaited, waiting.task.timeout)
        if deadline is not None:
            left = max(deadline - waited, _SOON)
            waiting.timer = self._services.loop.later(left, partial(self._look, waiting.row.id))

    def _carry_out(
        self, waiting: WaitingInstance, awaited: list[AwaitedTask], found: Decision, waited: float
    ) -> None:
        row = waiting.row
        self.leave(row.id)
        made = links.decided(self._services, row.id, waiting.wanted, awaited)
        if found.verdict is WaitVerdict.START:
            return waiting.start(row, waited, made)
        failed = found.verdict is WaitVerdict.FAIL
        state = InstanceState.FAILED if failed else InstanceState.TIMED_OUT
        return self._settle(row, state, found.reason, _failure(waiting, found))


def _failure(waiting: WaitingInstance, found: Decision) -> Failure:
    if found.verdict is WaitVerdict.TASK_TIMEOUT:
        return Failure.new(TASK_TIMED_OUT, "not finished within {seconds:g} s", seconds=waiting.task.timeout)
    if found.verdict is WaitVerdict.FAIL:
        facts = found.reason.facts if found.reason else {}
        text = "task {task} ended badly, which it waits for: instance {instance} is {status}"
        known = {name: facts[name] for name in ("task", "instance", "status")}
        return Failure.new(DEPENDENCY_FAILED, text, **known)
    limits = {each.task: each.dependency.timeout for each in waiting.wanted}
    text = "task {task}, which it waits for, did not succeed within {seconds:g} s"
    return Failure.new(DEPENDENCY_TIMED_OUT, text, task=found.task, seconds=limits[str(found.task)])
