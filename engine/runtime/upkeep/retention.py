"""Applies retention: finds what is no longer kept and removes it in small steps."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from engine.context.line import ENGINE
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.states import InstanceState
from engine.planning.retention import Ended, Leaving, leaving
from engine.runtime.upkeep.trash import EXPORTED, Trash
from engine.store.changes import Changes
from engine.store.filters import InstanceCursor, InstanceFilter
from engine.store.reading_schedules import BY_TIME
from engine.store.rows import time_text

if TYPE_CHECKING:
    from engine.runtime.services import EngineServices
    from engine.runtime.threads import Event
    from engine.runtime.workspace import Workspace
    from engine.store.rows import BackfillRow, InstanceRow
    from engine.store.sql_store import Store

_ENDED = tuple(str(state) for state in InstanceState if state.ended)
_FAILED = {str(InstanceState.FAILED), str(InstanceState.TIMED_OUT), str(InstanceState.LOST)}
_AT_ONCE = 20  # instances that leave together
_FILES, _REST = 25, 0.05  # so many files, then so many seconds of rest while jobs run
_PAGE = 500
_NEVER = "~"  # behind each time, as a text

Asked = Callable[["InstanceRow"], bool]  # whether a dependant can still ask for the outcome of an instance
AskedNow = Callable[["Store", ZoneInfo, datetime], Asked]


class RetentionChoice(NamedTuple):
    row: InstanceRow
    why: str
    size: int
    outcome_kept: bool = False  # others may still wait for it: its row stays

    def document(self) -> dict[str, Any]:
        """For people."""
        row = self.row
        return {"instance": row.id, "task": row.task, "status": str(row.status), "ended_at": row.ended_at,
                "size": self.size, "reason": self.why, "outcome_kept": self.outcome_kept}  # fmt: skip


class Chooser:
    """Looks what is no longer kept; changes nothing."""

    def __init__(
        self, store: Store, workspace: Workspace, now: Callable[[], datetime], asked: AskedNow
    ) -> None:
        self._store = store
        self._asked = asked
        self._workspace = workspace
        self._rules = workspace.settings.retention
        self._trash = Trash(workspace.instances)
        self._folder = workspace.instances
        self._now = now
        self._sizes: dict[tuple[int, int], int] = {}  # by instance and run: what has ended does not grow

    @property
    def anything(self) -> bool:
        return self._rules.limited or any(rule.limited for rule in self._rules.tasks.values())

    def choose(
        self, rest: Callable[[], None] = lambda: None, *, measured: bool = False
    ) -> list[RetentionChoice]:
        """What goes now, the oldest first; ``rest`` is called after each page.

        The sizes are 0 where no rule asks for them, unless they are to be ``measured``.
        """
        if not self.anything:
            return []
        asked = self._asked(self._store, self._workspace.zone, self._now())
        to_come = self._to_come()
        rows = {row.id: row for row in self._ended(rest) if not (self._is_needed(row) or to_come(row))}
        rows = {id: row for id, row in rows.items() if not (row.is_outcome_alone and asked(row))}
        ended = [self._described(row) for row in rows.values()]
        found: Sequence[Leaving] = leaving(ended, self._rules, self._rules.tasks, self._now())
        chosen = [(rows[each.id], each.why) for each in found]
        return [
            RetentionChoice(row, why, self._known_size(row, measured), row.run > 0 and asked(row))
            for row, why in chosen
        ]

    def backfills(self) -> list[BackfillRow]:
        """Those that go: they have ended, and none of what they ran is there any more."""
        rules, now = self._rules, self._now()
        return [
            row
            for row in (self._store.spent_backfills() if self.anything else ())
            if rules.tasks.get(row.task, rules).is_over(datetime.fromisoformat(row.ended_at or ""), now)
        ]

    def _known_size(self, row: InstanceRow, measured: bool) -> int:
        return self._size(row) if measured else self._sizes.get((row.id, row.run), 0)

    def _ended(self, rest: Callable[[], None]) -> Iterator[InstanceRow]:
        after = None
        wanted = InstanceFilter(statuses=_ENDED, offline_until=time_text(self._now()))
        while page := self._store.instances(wanted, after=after, limit=_PAGE, newest_first=False):
            yield from page
            rest()
            if len(page) < _PAGE:
                return
            after = InstanceCursor.after(page[-1])

    def _is_needed(self, row: InstanceRow) -> bool:
        """Whether it is a sub-task of something that has not ended."""
        job = None if row.parent is None else self._store.job(row.parent)
        above = None if job is None else self._store.instance(job.instance)
        return above is not None and not InstanceState(above.status).ended

    def _to_come(self) -> Callable[[InstanceRow], bool]:
        """Whether a schedule has not come to the time of an instance yet, and would fire it once more.

        A person cancelled it ahead, or backfilled it while the schedule was held because the clock was wrong.
        """
        held = ((row.task, row.next_at) for row in self._store.schedules())
        coming = {task: time_text(datetime.fromisoformat(at)) for task, at in held if at is not None}
        return lambda row: row.trigger in BY_TIME and row.scheduled_time >= coming.get(row.task, _NEVER)

    def _described(self, row: InstanceRow) -> Ended:
        rule = self._rules.tasks.get(row.task, self._rules)
        exported = row.status in _FAILED and (self._folder / name_of(row) / EXPORTED).exists()
        ended = datetime.fromisoformat(row.ended_at or row.created_at)
        size = self._size(row) if rule.size is not None else 0
        return Ended(row.id, row.task, ended, row.status in _FAILED, exported, size, row.run > 0)

    def _size(self, row: InstanceRow) -> int:
        key = row.id, row.run
        if key not in self._sizes:
            self._sizes[key] = self._trash.size(name_of(row))
        return self._sizes[key]


class Cleaner:
    """Takes away what the chooser found; on any thread but the engine's."""

    def __init__(self, services: EngineServices, stop: Event, asked: AskedNow) -> None:
        self._services = services
        self._trash = Trash(services.workspace.instances)
        self._chooser = Chooser(services.store, services.workspace, services.clock.now, asked)
        self._stop = stop
        self._busy = services.threads.lock()
        self._files = 0

    def clean(self, dry_run: bool = False) -> dict[str, Any]:
        """See ``engine.api.service.Service``."""
        with self._busy:
            if not dry_run:
                self._sweep()
            choices = self._chooser.choose(measured=True)
            problems = [] if dry_run else self._remove(choices)
            backfills = self._chooser.backfills() if dry_run else self._forget_backfills()
        kept = {problem["instance"] for problem in problems}
        removed = [each.document() for each in choices if each.row.id not in kept]
        size = sum(int(each["size"]) for each in removed)
        found = {"removed": removed, "size": size, "problems": problems, "dry_run": dry_run}
        return {**found, "backfills": [row.id for row in backfills]}

    def work(self) -> None:
        """One look, with rests while jobs run; Stopping when the engine ends."""
        with self._busy:
            self._sweep()
            self._remove(self._chooser.choose(self._rest))
            self._forget_backfills()

    def _sweep(self) -> None:
        """What an earlier engine threw away and did not delete any more."""
        for name in self._trash.thrown():
            self._delete(name)

    def _remove(self, choices: Sequence[RetentionChoice]) -> list[dict[str, Any]]:
        problems: list[dict[str, Any]] = []
        for start in range(0, len(choices), _AT_ONCE):
            batch = choices[start : start + _AT_ONCE]
            gone, refused = self._services.loop.ask(partial(self._throw, batch))
            problems += refused
            try:
                self._forget(gone)
            finally:
                self._services.leaving.difference_update(each.row.id for each in gone)
        return problems

    def _throw(self, batch: Sequence[RetentionChoice]) -> tuple[list[RetentionChoice], list[dict[str, Any]]]:
        """Out of sight, so that nothing begins with them (loop thread)."""
        gone: list[RetentionChoice] = []
        problems: list[dict[str, Any]] = []
        for each in batch:
            problem = self._thrown(each.row)
            if problem is None:
                self._services.leaving.add(each.row.id)
                gone.append(each)
            else:
                problems.append({"instance": each.row.id, "message": problem})
        return gone, problems

    def _thrown(self, row: InstanceRow) -> str | None:
        """Why it stays, or None."""
        if row.id in self._services.runs:
            return "it runs again"
        name = name_of(row)
        if not os.path.lexists(self._services.workspace.instances / name):
            return None  # only its rows are left
        if not self._trash.is_ours(name):
            return f"{name} does not bear the marker of an instance's directory: left alone"
        try:
            self._trash.throw(name)
        except OSError as error:
            return f"{error.strerror}: {name}"
        return None

    def _forget(self, gone: Sequence[RetentionChoice]) -> None:
        """The rows, then the files; the other way round on a disk without room for the rows' removal."""
        ids = [each.row.id for each in gone]
        outcomes = [each.row.id for each in gone if each.outcome_kept]
        try:
            self._services.store.remove_instances(ids, outcomes)
            ids = []
        except SkerryError as error:
            if not error.entry.retryable:
                raise
        for each in gone:
            message = f"retention ({each.why}): instance {each.row.id} ({each.row.task}) removed"
            self._services.say(message)
            self._delete(f".leaving-{name_of(each.row)}")
        if ids:
            self._services.store.remove_instances(ids, outcomes)

    def _forget_backfills(self) -> list[BackfillRow]:
        """With their times; what their instances were is gone already."""
        gone = self._chooser.backfills()
        if gone:
            changes = Changes()
            for row in gone:
                changes.remove("backfill", row.id, row.status)
            changes.act(ENGINE, "remove", "backfills", count=len(gone))
            self._services.store.commit(changes)
            self._services.say(f"retention: {len(gone)} backfills removed, of which nothing is left")
        return gone

    def _delete(self, name: str) -> None:
        try:
            self._trash.empty(name, self._pace)
        except FileNotFoundError:
            return
        except OSError as error:
            self._services.say(f"retention: {name} could not be deleted: {wording(error)}", logging.WARNING)

    def _pace(self) -> None:
        """While jobs run, deleting thousands of files must not slow down the making of theirs."""
        self._files += 1
        if self._files % _FILES == 0:
            self._rest()

    def _rest(self) -> None:
        if self._stop.wait(_REST if self._services.queue.taken else 0.0):
            raise Stopping


class Stopping(Exception):
    """The engine ends."""


def name_of(row: InstanceRow) -> str:
    """The name that an instance's directory must have."""
    return f"task-{row.task}-{row.id}"
