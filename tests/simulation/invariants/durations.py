"""What lasts as long as it says, whatever happens to the engines meanwhile: attempts, runs, pauses, waits.

Measured in the time that really passes, without what nobody can use: while no engine is at work, while the
disk is full or slow, while the database is locked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.model.codes.runtime import LOST
from engine.model.names import is_handler
from engine.planning.uses import definition_of, sub_task
from engine.store.changes import Changes

if TYPE_CHECKING:
    from engine.model.job import Job
    from engine.planning.shape import Plan
    from engine.runtime.engine import Engine
    from tests.simulation.machine.virtual_time import Hub

_STOPPING = 90.0  # seconds: trees that ignore TERM, some after the others
_EARLY = 0.05  # the moments of attempts are kept in hundredths of a second
_LATE = 5.0  # a turn, a look
_RECENT = 10.0  # a commit that failed is tried again within that time
_ENDED = frozenset({"succeeded", "failed", "timed_out", "cancelled", "lost", "discarded", "skipped"})
_GOES_ON = frozenset({"queued", "busy", "running"})


class Trouble:
    """When nothing could be done."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._times: list[tuple[float, float]] = []
        self._down_since: float | None = 0.0

    @property
    def now(self) -> float:
        """In seconds since the life began."""
        return self._hub.now

    def lasts(self, seconds: float) -> None:
        """From now on, for so long."""
        self._times.append((self._hub.now, self._hub.now + seconds))

    def down(self, down: bool) -> None:
        """An engine goes, or is at work again."""
        if down and self._down_since is None:
            self._down_since = self._hub.now
        elif not down and self._down_since is not None:
            if self._hub.now > self._down_since:  # else there was nothing before that it could have decided
                self._times.append((self._down_since, self._hub.now))
            self._down_since = None

    @property
    def is_recent(self) -> bool:
        """Whether what becomes durable now may have been decided long before."""
        return self._down_since is not None or any(end > self._hub.now - _RECENT for _, end in self._times)

    @property
    def is_over(self) -> bool:
        """Whether disk and database are as they should be."""
        return all(end <= self._hub.now for _, end in self._times)

    def usable(self, since: float) -> float:
        """The seconds from then to now without trouble."""
        now = self._hub.now
        free, at = 0.0, since
        down = () if self._down_since is None else ((self._down_since, now),)
        for begin, end in sorted((max(begin, since), min(end, now)) for begin, end in (*self._times, *down)):
            if end > at:
                free += max(begin - at, 0.0)
                at = end
        return free + max(now - at, 0.0)


class Timing:
    """Hears of every commit of a life."""

    def __init__(self, hub: Hub, trouble: Trouble, wrong: Callable[[str], None]) -> None:
        self._hub = hub
        self._trouble = trouble
        self._wrong = wrong
        self._jobs: dict[int, dict[str, Any]] = {}
        self._since: dict[Any, float] = {}  # attempts, runs, pauses
        self._parents: dict[int, int | None] = {}  # the job that waits for an instance
        self.is_exact = True  # no clock was set

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what begins and ends."""
        for rows in (changes.inserts, changes.updates):
            for id, row in rows.get("job_instance", {}).items():
                before = self._jobs.setdefault(id, {}).get("status")
                self._jobs[id].update(row)
                self._tell(self.a_pause_before_a_retry_is_kept(id, before, row))
        for id, row in changes.inserts.get("instance", {}).items():
            self._parents[id] = row.get("parent")
        for key in (
            *changes.inserts.get("job_run", ()),
            *(("run", *key) for key in changes.inserts.get("run", ())),
        ):
            self._begins(key)
        for row in changes.inserts.get("job_instance", {}).values():
            if is_handler(row["node"]):
                self._handled((row["instance"], row["run"]), engine)
        for key, row in changes.updates.get("job_run", {}).items():
            if row.get("status") in _ENDED:
                self._tell(self.an_attempt_takes_no_longer_than_it_may(key, row, engine))
        for key, row in changes.updates.get("run", {}).items():
            if row.get("status") in _ENDED:
                self._tell(self.a_run_takes_no_longer_than_it_may(key, engine))

    def _handled(self, run: tuple[int, int], engine: Engine | None) -> None:
        """Its time is over: that of its handlers does not count, neither for what waits for it."""
        self._tell(self.a_run_takes_no_longer_than_it_may(run, engine))
        self._since.pop(("run", *run), None)
        instance = run[0]
        while (parent := self._parents.get(instance)) is not None:
            job = self._jobs[parent]
            self._waits_for_handlers(parent)
            self._since.pop(("run", job["instance"], job["run"]), None)
            instance = job["instance"]

    def _waits_for_handlers(self, id: int | None) -> None:
        """A job, and those that it is a part of (a group, a stage)."""
        while id is not None:
            job = self._jobs.get(id, {})
            self._since.pop((id, job.get("attempt")), None)
            id = job.get("parent")

    def _begins(self, key: Any) -> None:
        if not self._trouble.is_recent:
            self._since.setdefault(key, self._hub.now)

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    def a_pause_before_a_retry_is_kept(
        self, id: int, before: str | None, row: Mapping[str, Any]
    ) -> Iterator[str]:
        """A further attempt is made after the pause that was written down; not earlier, not much later."""
        job = self._jobs[id]
        if job["status"] == "retrying":
            if row.get("due_at") and before == "retrying":  # an attempt that failed within the turn
                self._since.pop(("pause", id), None)
            if "pause" in (handling := json.loads(job.get("handling") or "{}")) and job.get("due_at"):
                self._begins(("pause", id))
                job["pause"] = handling["pause"]
            if "processes_live" in str(job.get("why")) or job.get("error_code") == LOST.number:
                job["pause"] = None  # it waits for those processes
            return
        since = self._since.pop(("pause", id), None)
        if before != "retrying" or since is None or job["status"] not in _GOES_ON or job["pause"] is None:
            return
        passed, free = self._hub.now - since, self._trouble.usable(since)
        if free > job["pause"] + _LATE or (self.is_exact and passed < job["pause"] - _EARLY):
            yield f"{job['node']} ({id}) goes on after {passed:.2f} s, {free:.2f} s of them usable: {job['pause']} s"

    def an_attempt_takes_no_longer_than_it_may(
        self, key: Any, row: dict[str, Any], engine: Engine | None
    ) -> Iterator[str]:
        """The time limit of a job; a wait is over after its time, a sub-task when its handlers have ended."""
        job, since = self._jobs[key[0]], self._since.get(key)
        definition = _definition(engine, job)
        if definition is None or since is None or not self.is_exact:
            return
        free = self._trouble.usable(since)
        limit = None if _has_handlers(engine, job, definition) else definition.timeout
        if limit is not None and free > limit + _STOPPING:
            yield f"attempt {key[1]} of {job['node']} ({key[0]}) took {free:.2f} usable s, of {limit} s"
        wait = getattr(definition.settings, "for_", None)
        if wait is None or row["status"] != "succeeded" or definition.ready or definition.end:
            return
        if free > wait + _LATE or self._hub.now - since < wait - _EARLY:
            yield f"{job['node']} ({key[0]}) waited {free:.2f} usable s, not {wait} s"

    def a_run_takes_no_longer_than_it_may(self, key: Any, engine: Engine | None) -> Iterator[str]:
        """The time limit of a task."""
        plan, since = _plan(engine, key[0]), self._since.get(("run", *key))
        limit = plan.task.timeout if plan is not None else None
        if limit is None or since is None or not self.is_exact:
            return
        if (free := self._trouble.usable(since)) > limit + _STOPPING:
            yield f"run {key[1]} of instance {key[0]} took {free:.2f} usable s, of {limit} s"


def _plan(engine: Engine | None, instance: int) -> Plan | None:
    run = engine.services.runs.get(instance) if engine is not None else None
    return run.facts.plan if run is not None else None  # type: ignore[attr-defined, no-any-return]


def _has_handlers(engine: Engine | None, job: dict[str, Any], definition: Job) -> bool:
    """Whether it is a sub-task which, or below which another one, may have handlers."""
    plan = _plan(engine, job["instance"])
    found = plan.definitions.tasks.values() if plan is not None and sub_task(definition) else ()
    return any(each.on_end for each in found)


def _definition(engine: Engine | None, job: dict[str, Any]) -> Job | None:
    plan = _plan(engine, job["instance"])
    return definition_of(plan, job["node"]) if plan is not None else None
