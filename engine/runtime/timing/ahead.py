"""Makes the instances of the coming day: at the begin, each night, and after each change; again and again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from engine.context.line import ENGINE
from engine.model.plain_words import wording
from engine.model.reason import Kind, Reason
from engine.model.reason_words import Said, said
from engine.model.states import InstanceState, Trigger
from engine.planning.schedules.ahead import ComingInstance, Repairs, day_made, horizon, repairs
from engine.runtime.services import EngineServices
from engine.runtime.timing.kept_schedules import KeptSchedules, OnlineSchedule
from engine.runtime.timing.links import same_times, times_in
from engine.runtime.timing.survey import DaySurvey, Signature, TaskDay
from engine.store.changes import UNKNOWN
from engine.store.rows import LinkRow, time_text

_AT_ONCE = 500  # instances that one transaction makes: what runs goes on in between
_READ_AT_ONCE = 20  # tasks whose instances are read together
_UNREADABLE = (ValueError, KeyError, TypeError, OverflowError)  # a calendar or zone that is gone
_MADE = {"trigger": str(Trigger.SCHEDULE), "actor": ENGINE}


class Ahead:
    """Of one engine; loop thread only, what is read and computed on another one."""

    def __init__(self, services: EngineServices, kept: KeptSchedules) -> None:
        self._services = services
        self._kept = kept
        self._seen: dict[str, Signature] = {}  # of each task, when its instances were looked at
        self._written = -1  # how often definitions had been written then
        self._made: datetime | None = None  # when the coming day was made last
        self._works = False
        self._waiting: list[Callable[[], None]] = []
        self._taken_by: dict[str, str] = {}  # who took a task offline while this engine lives

    def taken_offline(self, task: str, actor: str) -> None:
        """What is planned of it leaves, by a command or by a pass, whichever comes first."""
        self._taken_by[task] = actor

    def follow(self) -> None:
        """Make what is missing and put right what is not as it should be, if anything has changed."""
        now, settings = self._services.clock.now(), self._services.workspace.settings
        made = day_made(now, settings.day_made_at, self._services.workspace.zone)
        if self._works or self._kept.outdated:
            return
        if made != self._made:  # another day, or a clock that was set
            self._made, self._seen, self._written = made, {}, -1
        if self._written != self._services.store.definitions_written:
            self._begin(now)
        else:
            self.let_go()

    def forget(self) -> None:
        """The clock was set: look at all of it again."""
        self._made = None

    def when_made(self, call: Callable[[], None]) -> None:
        """Have ``call`` made once nothing is left to be done."""
        self._waiting.append(call)
        self.follow()

    def let_go(self) -> None:
        """Nobody waits any longer until all is made."""
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()

    # -- one pass ----------------------------------------------------------------------------------

    def _begin(self, now: datetime) -> None:
        self._works = True
        workspace = self._services.workspace
        until = horizon(now, workspace.settings.day_made_at, workspace.zone)
        survey = partial(DaySurvey, self._services.store, workspace.zone, now, until)
        look = partial(self._look, survey, dict(self._seen))
        loop = self._services.loop  # schedules that begin to hold in this turn are read as well
        loop.after_commit(partial(loop.offload, look, self._looked))

    def _look(
        self, survey: Callable[[], DaySurvey], seen: dict[str, Signature]
    ) -> tuple[DaySurvey, Iterator[TaskDay], dict[str, Signature]]:
        made = survey()
        tasks = made.tasks()
        changed = [task for task, signature in tasks.items() if seen.get(task) != signature]
        return made, self._days(made, changed), tasks

    def _days(self, survey: DaySurvey, tasks: Iterable[str]) -> Iterator[TaskDay]:
        left = iter(tasks)
        while some := list(islice(left, _READ_AT_ONCE)):
            there = survey.there(some)
            for task in some:
                if self._services.loop.ending:
                    return
                try:
                    yield survey.day_of(task, there[task])
                except _UNREADABLE as problem:
                    text = f"no instances of task {task} are made ahead: {wording(problem)}"
                    self._services.say(text, logging.WARNING)

    def _looked(
        self,
        found: tuple[DaySurvey, Iterator[TaskDay], dict[str, Signature]] | None,
        error: BaseException | None,
    ) -> None:
        if found is None:
            return self._broken_off(error)
        survey, days, tasks = found
        self._written = survey.written
        self._seen = {task: signature for task, signature in self._seen.items() if task in tasks}
        return self._go_on(days, tasks)

    def _go_on(self, days: Iterator[TaskDay], tasks: dict[str, Signature]) -> None:
        done = partial(self._read, days, tasks)
        self._services.loop.offload(partial(_piece, days), done)

    def _read(
        self,
        days: Iterator[TaskDay],
        tasks: dict[str, Signature],
        piece: Sequence[TaskDay] | None,
        error: BaseException | None,
    ) -> None:
        if piece is None:
            return self._broken_off(error)
        if self._is_outdated() or not piece:
            self._works = False
            return self.follow()
        self._make(piece)
        self._seen |= {day.task: tasks[day.task] for day in piece}
        return self._services.loop.after_commit(partial(self._go_on, days, tasks))

    def _is_outdated(self) -> bool:
        """Whether states or definitions have changed since, or change in this very turn."""
        services = self._services
        under_way = services.changes.task_moves or services.changes.definitions
        return bool(under_way) or self._written != services.store.definitions_written

    def _broken_off(self, error: BaseException | None) -> None:
        """It is tried again at the next change, or tomorrow."""
        if isinstance(error, Exception) and not self._services.loop.ending:
            self._services.say(f"instances ahead: {wording(error)}", logging.WARNING)
        self._works = False
        self._written = self._services.store.definitions_written
        self.let_go()

    # -- writing -----------------------------------------------------------------------------------

    def _make(self, piece: Sequence[TaskDay]) -> None:
        now = time_text(self._services.clock.now())
        there: dict[str, list[ComingInstance]] = {day.task: [] for day in piece}
        for row in self._services.store.coming(list(there), now):
            decided = self._services.turn.state("instance", row.id) is not UNKNOWN
            state = InstanceState(row.status)
            coming = ComingInstance(row.id, row.scheduled_time, state, row.run > 0 or decided)
            there[row.task].append(coming)
        for day in piece:
            times = [at for at in day.times if at > now]
            self._put_right(day, repairs(times, there[day.task], day.wanted, day.later))

    def _put_right(self, day: TaskDay, found: Repairs) -> None:
        changes, services = self._services.changes, self._services
        first = services.next_id("instance", len(found.make)) if found.make else 0
        why = self._why(day)
        fixed: dict[str, Any] = {"task": day.task, "status": str(day.wanted), **_MADE}
        fixed |= {"created_at": services.now(), **day.columns, **why}
        for id, at in enumerate(found.make, first):
            changes.insert("instance", {"id": id, "scheduled_time": at, **fixed})
            for link in day.links.get(at, ()):
                changes.insert("link", link.columns(id))
        for each in found.move:
            changes.move("instance", each.id, str(each.state), str(day.wanted), {"ended_at": None, **why})
        for each in found.remove:
            changes.remove("instance", each.id, str(each.state))
        for each in (*found.move, *found.keep):
            self._relink(each.id, day.known.get(each.id, ()), day.links.get(each.at, ()))

    def _why(self, day: TaskDay) -> Said:
        if day.wanted is not InstanceState.OFFLINE:
            return said(None)
        actor = self._taken_by.get(day.task)
        return said(Reason.of(Kind.TASK_OFFLINE, **({} if actor is None else {"by": actor})))

    def _relink(self, instance: int, known: Sequence[LinkRow], links: Sequence[LinkRow]) -> None:
        """The forecast of one that is there already, as it would be made now."""
        changes, before = self._services.changes, {link.upstream: link for link in known}
        for link in links:
            old = before.pop(link.upstream, None)
            if old is None:
                changes.insert("link", link.columns(instance))
            elif not same_times(old, link):
                changes.update("link", (instance, link.upstream), times_in(link))
        for task, old in before.items():
            changes.remove("link", (instance, task), old.decided_at)

    # -- those that fire too often -----------------------------------------------------------------

    def make_next(self, kept: OnlineSchedule) -> int | None:
        """Of a task that fires more often than each minute the one that comes next; None: it is there."""
        services, at = self._services, kept.next
        if at is None or kept.row.task not in self._seen:  # the pass that is to come makes it
            return None
        if services.store.instance_at(kept.row.task, time_text(at)) is not None:
            return None
        id = services.next_id("instance")
        row = {"id": id, "task": kept.row.task, "status": str(InstanceState.PLANNED), "scheduled_time": at}
        services.changes.insert("instance", {**row, "created_at": services.now(), **_MADE})
        return id


def _piece(days: Iterator[TaskDay]) -> list[TaskDay]:
    """So many tasks that one transaction is enough for their instances."""
    found: list[TaskDay] = []
    count = 0
    for day in islice(days, _AT_ONCE):
        found.append(day)
        count += len(day.times) + len(day.known)
        if count >= _AT_ONCE:
            break
    return found
