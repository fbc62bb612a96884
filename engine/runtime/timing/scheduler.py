"""Fires what is due while tasks are online, by the engine's clock; one thread, no nap over five seconds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from engine.model.codes.timing import SCHEDULE_UNREADABLE, TIMES_MISSED
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import wording
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, Trigger
from engine.planning.schedules.due import COUNTED, DueFires, Lateness, due_fires
from engine.runtime.runs.ending import Ending
from engine.runtime.runs.starting import Starting
from engine.runtime.services import EngineServices
from engine.runtime.timers import Timer
from engine.runtime.timing.agenda import Agenda
from engine.runtime.timing.ahead import Ahead
from engine.runtime.timing.alerts import alert
from engine.runtime.timing.clock_watch import ClockWatch
from engine.runtime.timing.conditions import Conditions
from engine.runtime.timing.kept_schedules import KeptSchedules, OnlineSchedule
from engine.runtime.timing.launching import Launching
from engine.runtime.timing.server_clock import ServerClock
from engine.runtime.timing.zone_data import ZoneData
from engine.store.rows import time_text

_LONGEST_NAP = 5.0  # seconds: a clock that is set, or a machine that wakes up, is seen
_AT_ONCE = 20  # tasks that fire in one turn: what runs is answered in between
_UNREADABLE = (ValueError, KeyError, OverflowError)
_NAMED = 3  # tasks in an alert


class Scheduler:
    """Of one engine; loop thread only. It fires nothing before ``begin``."""

    def __init__(self, services: EngineServices, starting: Starting, ending: Ending) -> None:
        self._services = services
        self.kept = KeptSchedules(services)
        self.clock = ClockWatch(services)
        self._server_clock = ServerClock(services)
        self._zone_data = ZoneData(services, self.kept)
        self.launching = Launching(services, starting, ending, self.clock)
        self.ahead = Ahead(services, self.kept)
        self._conditions = Conditions(services, self.kept, self._became_true)
        self._agenda = Agenda()
        self._timer: Timer | None = None
        self._missed: dict[str, tuple[int, int]] = {}  # by task: how many, and how many were caught up
        self.fires = False

    def begin(self) -> None:
        """From now on the schedules of this workspace fire here."""
        if self.fires:
            return
        if self._services.turn.moves_tasks:  # what holds from then on is not in the store yet
            return self._services.loop.after_commit(partial(begin_or_say, self, self._services))
        self.fires = True
        self.kept.load()
        self.launching.restore()
        self.clock.look()
        self.kept.reconcile()
        self._leave_overdue()
        self._zone_data.look()
        self._clock_was_set()  # perhaps while nobody was at work
        self._server_clock.watch()
        self.look()

    def _leave_overdue(self) -> None:
        """An engine that was killed while tasks went offline left what was planned of them."""
        for row in self._services.store.planned_before(time_text(self._services.clock.now())):
            if row.task not in self.kept:
                self.launching.settle(row, InstanceState.OFFLINE, Reason.of(Kind.TASK_OFFLINE))

    def look_soon(self) -> None:
        """Definitions or states of tasks were written; from any thread."""
        self._services.loop.post(self.look)

    def ended(self, instance: int) -> None:
        """An instance has come to its end."""
        self.launching.ended(instance)

    def moved(self, instances: Sequence[int]) -> None:
        """These have another state."""
        self.launching.moved(instances)

    def look(self) -> None:
        """Do what is to be done now, and look again in time."""
        if not self.fires or self._services.loop.ending:
            return
        if self._timer is not None:
            self._timer.cancel()
        try:
            self._look()
        finally:
            self._timer = self._services.loop.later(self._nap(), self.look) if len(self.kept) else None

    def wait_until_made(self) -> None:
        """Wait until the instances of the coming day are as they should be; not on the loop's thread."""
        done = self._services.threads.event()
        self._services.loop.ask(partial(self._when_made, done.set))
        self._services.loop.wait_for(done)

    def _when_made(self, call: Callable[[], None]) -> None:
        if self.fires and not self.clock.is_held and not self._services.loop.ending:
            self.ahead.when_made(call)
            if self.kept.outdated:
                self._services.loop.post(self.look)
        else:
            call()

    def accept_clock(self, actor: str) -> None:
        """What the clock shows is right: go on."""
        self.clock.accept(actor)
        self._clock_was_set()
        self.look()

    # -- one look --------------------------------------------------------------------------------

    def _look(self) -> None:
        if self.kept.outdated:
            self._take_in()
        if self.clock.look() in ("back", "released"):
            self._clock_was_set()
        if self.clock.is_held:
            self.ahead.let_go()
            return self._conditions.hold()
        self._conditions.follow()
        self.ahead.follow()
        if self._fire_due(self._services.clock.now()) or self.kept.outdated:
            self._services.loop.post(self.look)
        else:
            self._tell_missed()
        return None

    def _take_in(self) -> None:
        self.kept.reconcile()
        self._zone_data.look()
        for kept in self.kept:
            self._agenda.put(kept.row.task, kept.next)

    def _clock_was_set(self) -> None:
        self.ahead.forget()
        if not self.clock.is_held:  # else it may soon be right again, and nothing was missed
            self.kept.set_back(self._services.clock.now())
        for kept in self.kept:
            self._agenda.put(kept.row.task, kept.next)

    def _nap(self) -> float:
        soonest = self._agenda.next()
        if soonest is None or self.clock.is_held:
            return _LONGEST_NAP
        left = (soonest - self._services.clock.now()).total_seconds()
        return min(max(left, 0.0), _LONGEST_NAP)

    def _fire_due(self, now: datetime) -> bool:
        """Whether more is due than one turn may fire."""
        for _ in range(_AT_ONCE):
            task = self._agenda.take(now)
            if task is None:
                return False
            if task in self.kept:
                self._fire(self.kept[task], now)
        return True

    def _fire(self, kept: OnlineSchedule, now: datetime) -> None:
        try:
            due = due_fires(kept.timetable(self._services.store), kept.last, now, self._lateness(kept))
            self._launch(kept, due, now)
            self.kept.move_on(kept, due.last or now)
        except _UNREADABLE as problem:
            template = "the schedule of task {task} cannot be evaluated: {message}"
            message = Message.of(template, task=kept.row.task, message=wording(problem))
            return alert(self._services, SCHEDULE_UNREADABLE, "schedule", "error", message)
        self._agenda.put(kept.row.task, kept.next)
        if kept.is_dense(self._services.store, now) and (id := self.ahead.make_next(kept)) and kept.next:
            self.launching.foresee(id, kept.row.task, kept.next)
        return None

    def _lateness(self, kept: OnlineSchedule) -> Lateness:
        misfire = timedelta(seconds=self._services.workspace.settings.misfire)
        return Lateness(misfire, kept.schedule.catchup, kept.schedule.max or 100)

    def _launch(self, kept: OnlineSchedule, due: DueFires, now: datetime) -> None:
        task, overlap = kept.row.task, kept.schedule.overlap
        leaves_rows = overlap != "skip" or not kept.is_dense(self._services.store, now)
        if due.missed:
            self._missed[task] = (due.missed, len(due.caught_up))
            keep = {*due.caught_up, *due.on_time}
            self.launching.pass_over(task, now, keep)
        for at in due.caught_up:  # one after another, whatever overlaps otherwise
            self.launching.launch(task, at, Trigger.SCHEDULE, "wait")
        for at in due.on_time:
            self.launching.launch(task, at, Trigger.SCHEDULE, overlap, leaves_rows=leaves_rows)

    def _became_true(self, kept: OnlineSchedule, at: datetime) -> None:
        if self.fires and not self.clock.is_held:
            self.launching.launch(kept.row.task, at, Trigger.CONDITION, kept.schedule.overlap)

    def _tell_missed(self) -> None:
        """One alert about all that one look found."""
        missed, self._missed = self._missed, {}
        if not missed:
            return
        total, caught_up = (sum(each[part] for each in missed.values()) for part in (0, 1))
        names = ", ".join(sorted(missed)[:_NAMED]) + (", …" if len(missed) > _NAMED else "")
        template = "{total} scheduled times were missed, {count} of them are caught up: {tasks}"
        if any(count >= COUNTED for count, _ in missed.values()):
            template = "more than {total} scheduled times were missed, {count} of them are caught up: {tasks}"
        message = Message.of(template, total=total, count=caught_up, tasks=names)
        alert(self._services, TIMES_MISSED, "schedule", "warning", message)

    def document(self) -> dict[str, Any]:
        """What ``skerry clock`` tells of schedules."""
        soonest = self._agenda.next()
        return {"fires": self.fires, "online": len(self.kept), "next": soonest and soonest.isoformat()}


def begin_or_say(scheduler: Scheduler, services: EngineServices) -> None:
    """Let it fire; a store that cannot be read right now is tried again."""
    try:
        scheduler.begin()
    except SkerryError as error:
        scheduler.fires = False
        services.say(f"schedules do not fire yet: {error.message}", logging.ERROR)
        services.loop.later(_LONGEST_NAP, lambda: begin_or_say(scheduler, services))
