"""What schedules and dependencies promise, at each commit: by a slow reference that knows intervals and minutes only."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from engine.model.reason import Kind
from engine.model.states import InstanceState
from engine.store.changes import Changes

if TYPE_CHECKING:
    from tests.simulation.invariants.durations import Trouble
    from tests.simulation.machine.clock import SimulatedClock

_FIRED, _BACKFILLED = "schedule", "backfill"
_COMING = (InstanceState.PLANNED, InstanceState.OFFLINE)
_FAR = timedelta(days=2)  # nobody counts the minutes of years
_LATE, _EARLY = 10.0, 0.1  # seconds: a turn, a look
_MOST = 100  # caught up at once where nothing is said


class Schedules:
    """Hears of every commit of a life."""

    def __init__(
        self, tasks: Mapping[str, Any], clock: SimulatedClock, trouble: Trouble, wrong: Callable[[str], None]
    ) -> None:
        self._tasks = tasks
        self._clock = clock
        self._trouble = trouble
        self._wrong = wrong
        self._rows: dict[int, dict[str, Any]] = {}  # of schedules
        self._instances: dict[int, dict[str, Any]] = {}  # what fired, by id
        self._ahead: dict[int, dict[str, Any]] = {}  # made ahead, and not looked at
        self._at: dict[tuple[str, datetime], int] = {}
        self._behind: dict[int, int] = {}  # for which earlier one of its task each waits
        self._released: set[tuple[int, str]] = set()  # by instance and task that it need not wait for
        self._backfilled: set[int] = set()  # by rules of their own: ``backfills``
        self._let_go: set[int] = set()  # those that need not wait for an earlier one of their own task
        self._waiting: set[int] = set()  # for their first run
        self._ran: set[int] = set()
        self._partners: dict[
            tuple[str, datetime], datetime | None
        ] = {}  # while the schedules stay as they are
        self._ended: set[int] = set()  # those that have ended at least once
        self._succeeded: set[int] = set()
        self._since: dict[
            int, float
        ] = {}  # when what waits for other tasks began to, which nothing else held up
        self._begun = clock.now()  # when the engine began to work
        self.is_exact = True  # the clock was never set

    def engine_begins(self) -> None:
        """What was missed while none was at work is decided after that."""
        self._begun = self._clock.now()

    def committed(self, changes: Changes) -> None:
        """Look at what fires and what begins."""
        self._note_backfilled(changes)
        made = self._reached(changes)
        for id, row in made.items():
            self._take(id, row)
            self._tell(self.what_is_passed_over_overlaps(id))  # though the earlier one may end now
        for id, row in changes.updates.get("instance", {}).items():
            if id in self._instances and id not in made and "status" in row:
                self._tell(self.who_waits_in_vain_stops_in_time(id, str(row["status"])))
                self._moved(id, str(row["status"]))
            if id in self._instances and "why" in row:
                self._instances[id]["why"] = json.loads(row["why"] or "{}")
            self._note_behind(id)
        for key, row in changes.updates.get("link", {}).items():
            if row.get("released"):
                self._released.add(key)
        self._ran.update(id for id, _ in changes.inserts.get("run", ()))
        for id, number in changes.inserts.get("run", ()):
            by_hand = id in self._ended  # a person runs again what never began
            if number == 1 and id in self._instances and not by_hand and id not in self._backfilled:
                self._tell(self.nothing_starts_before_its_partners_have_succeeded(id))
                self._tell(self.what_may_not_overlap_does_not(id))
        if changes.inserts.get("schedule") or any(
            map(_is_over, changes.updates.get("schedule", {}).values())
        ):
            self._partners.clear()
        for id, row in changes.inserts.get("schedule", {}).items():
            self._rows[id] = dict(row)
        for id, row in changes.updates.get("schedule", {}).items():
            before = dict(self._rows[id])
            self._rows[id].update(row)
            if row.get("last_at") and "since" not in row:
                self._tell(self.what_is_missed_is_decided_by_catchup(self._rows[id], before, [*made]))

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    # -- what is known ---------------------------------------------------------------------------

    def _reached(self, changes: Changes) -> dict[int, dict[str, Any]]:
        """Those whose time has come with this commit: new ones, and those that were made ahead of it."""
        found: dict[int, dict[str, Any]] = {}
        for id, row in changes.inserts.get("instance", {}).items():
            if row["trigger"] == _FIRED:
                (self._ahead if row["status"] in _COMING else found)[id] = dict(row)
        for id, row in changes.updates.get("instance", {}).items():
            if id in self._ahead and id not in self._backfilled:
                self._ahead[id].update(row)
                if self._ahead[id]["status"] not in _COMING:
                    found[id] = self._ahead.pop(id)
        return found

    def _note_backfilled(self, changes: Changes) -> None:
        """Those of past times: others wait for them, too, but they come when somebody wants them."""
        for rows in (changes.inserts, changes.updates):
            for id, row in rows.get("instance", {}).items():
                if row.get("trigger") == _BACKFILLED and id not in self._backfilled:
                    self._backfilled.add(id)
                    self._waiting.discard(id)
                    if id not in self._instances:
                        self._take_past(id, {**self._ahead.get(id, {}), **row})
                    for known in (self._behind, self._since, self._ahead):
                        known.pop(id, None)

    def _take_past(self, id: int, row: Mapping[str, Any]) -> None:
        at = _moment(row["scheduled_time"])
        self._instances[id] = {"task": row["task"], "at": at, "status": str(row["status"]), "why": {}}
        self._at[row["task"], at] = id
        self._partners.clear()

    def _take(self, id: int, row: Mapping[str, Any]) -> None:
        at = _moment(row["scheduled_time"])
        self._instances[id] = {"task": row["task"], "at": at, "status": str(row["status"])}
        self._instances[id]["why"] = why = json.loads(row.get("why") or "{}")
        if why.get("kind") == Kind.UPSTREAMS and not self._trouble.is_recent:
            self._since[id] = self._trouble.now
        self._tell(self.no_two_instances_have_one_time(id, (row["task"], at)))
        by_hand = row["status"] == InstanceState.CANCELLED  # made ahead, and a person did not want it
        if self.is_exact and at > self._clock.now() and not by_hand:
            self._wrong(f"nothing_fires_early: instance {id} of {at} at {self._clock.now()}")
        self._at[row["task"], at] = id
        self._moved(id, str(row["status"]))
        self._note_behind(id)

    def _moved(self, id: int, status: str) -> None:
        self._instances[id]["status"] = status
        waits = status == InstanceState.WAITING and id not in self._backfilled | self._ran
        self._waiting.add(id) if waits else self._waiting.discard(id)
        if InstanceState(status).ended:
            self._ended.add(id)
        if status == InstanceState.SUCCEEDED:
            self._succeeded.add(id)

    def _note_behind(self, id: int) -> None:
        row = self._instances.get(id, {}) if id not in self._backfilled else {}
        if row and row["why"].get("kind") == Kind.RELEASED:
            self._let_go.add(id)
        if row.get("status") == InstanceState.WAITING and row["why"].get("kind") == Kind.EARLIER:
            self._behind[id] = row["why"]["instance"]
        else:
            self._behind.pop(id, None)

    def _at_work_before(self, id: int) -> list[int]:
        """The same, and those that run again."""
        task, at = self._instances[id]["task"], self._instances[id]["at"]
        found = (each for (of, time), each in self._at.items() if of == task and time < at)
        again = [each for each in found if not InstanceState(self._instances[each]["status"]).ended]
        return [*self._earlier(id), *again]

    def _earlier(self, id: int) -> list[int]:
        """Those of its task with an earlier time that have never ended."""
        task, at = self._instances[id]["task"], self._instances[id]["at"]
        found = (each for (of, time), each in self._at.items() if of == task and time < at)
        return [each for each in found if each not in self._ended | self._backfilled]

    # -- promises --------------------------------------------------------------------------------

    def no_two_instances_have_one_time(self, id: int, key: tuple[str, datetime]) -> Iterator[str]:
        """However often a clock shows it, and whatever an engine did before it was killed."""
        if key in self._at:
            yield f"instances {self._at[key]} and {id} are both of {key[1]} of {key[0]}"

    def what_is_passed_over_overlaps(self, id: int) -> Iterator[str]:
        """An earlier one goes on, and the schedule says so; its end counts once it is durable."""
        if self._instances[id]["status"] != InstanceState.SKIPPED:
            return
        task = self._instances[id]["task"]
        overlaps = self._trouble.is_recent or self._at_work_before(id)
        if self._tasks[task]["schedule"]["overlap"] != "skip" or not overlaps:
            yield f"instance {id} of {task} is skipped"

    def what_may_not_overlap_does_not(self, id: int) -> Iterator[str]:
        """It begins when no earlier one of its task waits, runs or is paused.

        Where the clock was set back one of an earlier time may be made when its turn has come already.
        """
        task = self._instances[id]["task"]
        may_overlap = self._tasks[task]["schedule"]["overlap"] == "parallel" or id in self._let_go
        earlier = [each for each in self._earlier(id) if self.is_exact or each < id]
        if not may_overlap and earlier:
            yield f"instance {id} of {task} begins, and {earlier} of earlier times have not ended"

    def nothing_starts_before_its_partners_have_succeeded(self, id: int) -> Iterator[str]:
        """The newest fire time of what it waits for, not after its own, has an instance that succeeded."""
        task, at = self._instances[id]["task"], self._instances[id]["at"]
        for upstream, wanted in self._awaited(id):
            if self._at.get((upstream, wanted)) not in self._succeeded:
                yield f"instance {id} of {task} of {at} begins, and {upstream} of {wanted} has not succeeded"

    def _awaited(self, id: int) -> Iterator[tuple[str, datetime]]:
        """The tasks and times that it waits for, but for those that it need not."""
        task, at = self._instances[id]["task"], self._instances[id]["at"]
        for each in self._tasks[task].get("depends_on", ()) if self.is_exact else ():
            upstream = task if "self" in each else each["task"]
            key = upstream, at - timedelta(seconds=1) if "self" in each else at
            if key not in self._partners:
                self._partners[key] = self._newest(*key)
            wanted = self._partners[key]
            if wanted is not None and (id, upstream) not in self._released:
                yield upstream, wanted

    def who_has_all_that_it_waits_for_begins(self, unfiled: Container[int]) -> Iterator[str]:
        """All of it has succeeded and has its files, or need not be waited for."""
        for id in self._waiting if self.is_exact else ():
            partners = [self._at.get(each) for each in self._awaited(id)]
            states = [self._instances[each]["status"] if each else None for each in partners]
            waits_for_others = self._instances[id]["why"].get("kind") not in (Kind.EARLIER, Kind.RELEASED)
            filed = not any(each in unfiled for each in partners)
            if waits_for_others and filed and all(state == InstanceState.SUCCEEDED for state in states):
                yield f"instance {id} waits, and {partners} have succeeded"

    def what_is_missed_is_decided_by_catchup(
        self, row: Mapping[str, Any], before: Mapping[str, Any], made: list[int]
    ) -> Iterator[str]:
        """Of the times that were dealt with now those on time have instances, of later ones as many as it says.

        One of those that a person has backfilled meanwhile is caught up already: no earlier one runs instead of it.
        An engine at work that could write nothing down may have decided several times one by one, each on time;
        of those before it began it has decided then.
        """
        task, now = row["task"], self._clock.now()
        first, last = _moment(before["last_at"]), _moment(row["last_at"])
        misfire = timedelta(seconds=self._tasks[task]["misfire"])
        if last - first > _FAR or not self.is_exact:
            return
        times = [each for each in self._fires(row, last) if each > first]
        decided = max(last, self._begun)  # or later, and before this commit
        held_up = self._begun if self._trouble.is_recent else decided
        late = [each for each in times if held_up - each > misfire]
        unclear = [each for each in times if each not in late and now - each > misfire]
        missing = [each for each in times if each not in (*late, *unclear) and (task, each) not in self._at]
        yield from (f"{task} of {each} does not start" for each in missing)
        found = [each for each in late if self._at.get((task, each)) in set(made) - self._backfilled]
        schedule = self._tasks[task]["schedule"]
        most = {"none": 0, "latest": 1, "all": schedule.get("max", _MOST)}[schedule.get("catchup", "latest")]
        wanted = late[-most:] if most else []
        wanted = [each for each in wanted if self._at.get((task, each)) not in self._backfilled]
        if not unclear and found != wanted:
            yield f"of {len(late)} times of {task} that were missed {len(found)} are caught up"

    def who_waits_in_vain_stops_in_time(self, id: int, status: str) -> Iterator[str]:
        """The time limits of its task and of what it depends on, whatever happens to the engines meanwhile."""
        since = self._since.pop(id, None)
        task = self._tasks[self._instances[id]["task"]]
        limits = [each.get("timeout") for each in task.get("depends_on", ())]
        known = [_seconds(each) for each in (*limits, task.get("timeout")) if each]
        if since is None or not self.is_exact or not known:
            return
        longest = _seconds(task["timeout"]) if "timeout" in task else max(known) if all(limits) else None
        free = self._trouble.usable(since)
        if longest is not None and free > longest + _LATE:
            yield f"instance {id} has waited for {free:.2f} usable s, of {longest} s"
        if status == InstanceState.TIMED_OUT and self._trouble.now - since < min(known) - _EARLY:
            yield f"instance {id} has waited for {self._trouble.now - since:.2f} s, of {min(known)} s"

    def who_waits_for_an_earlier_one_begins_after_it(self, unfiled: Container[int]) -> Iterator[str]:
        """When that has ended and its files have found room it waits no longer; one that runs again has not."""
        for id, before in self._behind.items():
            if InstanceState(self._instances[before]["status"]).ended and before not in unfiled:
                yield f"instance {id} waits for {before}, which has ended"

    def who_is_let_go_waits_for_no_earlier_one(self) -> Iterator[str]:
        """A person said that it need not."""
        for id in self._let_go:
            if self._instances[id]["status"] == InstanceState.WAITING:
                kind = self._instances[id]["why"].get("kind")
                if kind in (Kind.EARLIER, Kind.RELEASED):
                    yield f"instance {id} waits all the same ({kind})"

    # -- the slow reference ------------------------------------------------------------------------

    def times(self, task: str, since: datetime, until: datetime) -> list[datetime]:
        """Those of a task, the oldest first; both ends are included."""
        rows = [row for row in self._rows.values() if row["task"] == task]
        return sorted(time for row in rows for time in self._fires(row, until) if time >= since)

    def first(self, task: str) -> datetime | None:
        """When a schedule of it held first."""
        rows = [row for row in self._rows.values() if row["task"] == task]
        return min((_moment(row["since"]) for row in rows), default=None)

    def _newest(self, task: str, until: datetime) -> datetime | None:
        rows = [row for row in self._rows.values() if row["task"] == task]
        fires = [time for row in rows for time in self._fires(row, until)]
        made = (at for (of, at), id in self._at.items() if id in self._backfilled and of == task)
        return max((*fires, *(at for at in made if at <= until)), default=None)  # of before it held, too

    def _fires(self, row: Mapping[str, Any], until: datetime) -> Iterator[datetime]:
        """The times of a schedule while it holds."""
        since = _moment(row["since"])
        schedule = self._tasks[row["task"]]["schedule"]
        end = min([until, *(_moment(each) for each in (row.get("until"), schedule.get("end")) if each)])
        if "interval" in schedule:
            step, at = timedelta(seconds=int(schedule["interval"][:-1])), since
        else:
            step, at = timedelta(minutes=1), since.replace(second=0, microsecond=0) + timedelta(minutes=1)
        zone = ZoneInfo(row["zone"])
        while at <= end:
            if "interval" in schedule or at.astimezone(zone).minute % schedule["every"] == 0:
                yield at
            at += step


def _is_over(row: Mapping[str, Any]) -> bool:
    return "until" in row


def _seconds(text: str) -> float:
    return float(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


def _moment(text: Any) -> datetime:
    return datetime.fromisoformat(str(text))
