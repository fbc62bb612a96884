"""What backfills promise, at each commit and at the end: which times they run, when, and that all else stays."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from datetime import datetime
from typing import Any

from engine.model.states import BackfillState, InstanceState, StepState
from engine.store.changes import Changes
from tests.simulation.invariants.schedules import Schedules

Step = tuple[int, int]  # a backfill, a position in it
Row = dict[str, Any]
_TIMED = ("schedule", "backfill")
_BAD = ("failed", "timed_out", "lost", "cancelled")
_OPEN = (StepState.PENDING, StepState.BEGUN)


class Backfills:
    """Hears of every commit of a life."""

    def __init__(self, schedules: Schedules, wrong: Callable[[str], None]) -> None:
        self._schedules = schedules
        self._wrong = wrong
        self._instances: dict[int, Row] = {}  # of scheduled times
        self._at: dict[tuple[str, str], int] = {}  # by task and time
        self._ran: Counter[int] = Counter()  # how often a backfill has let an instance run
        self._begun: Counter[int] = Counter()  # of how many steps it was the instance
        self.rows: dict[int, Row] = {}
        self.steps: dict[Step, Row] = {}

    def committed(self, changes: Changes) -> None:
        """Look at what begins, what is paused, and what is dropped."""
        before = {id: BackfillState(row["status"]) for id, row in self.rows.items()}
        begun = self._take(changes)
        for id in changes.inserts.get("backfill", ()):
            self._tell(self.every_time_of_its_range_is_decided(id))
        for key in begun:
            self._tell(self.a_backfill_that_is_paused_or_over_begins_nothing(key, before))
            self._tell(self.no_more_begin_than_may_run_at_once(key[0]))
            self._tell(self.what_comes_before_has_ended(key))
            self._tell(self.times_begin_in_their_order(key))
            self._tell(self.what_is_run_is_what_was_asked_for(key))
        self._tell(self.a_cancel_drops_only_what_has_not_begun(changes, before))
        for key, row in changes.inserts.get("run", {}).items():
            self._tell(self.only_its_own_times_run_for_a_backfill(key, row))
            self._tell(self.what_waits_in_a_pause_waits_on(key, before))
        self._instances_are(changes)

    def leave(self, instances: frozenset[int]) -> None:
        """Retention takes all of them, or their outcome too: their times may have other ones."""
        for id in instances & self._instances.keys():
            row = self._instances.pop(id)
            self._at.pop((row["task"], row["scheduled_time"]), None)

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    # -- what is known ---------------------------------------------------------------------------

    def _take(self, changes: Changes) -> list[Step]:
        """The steps that begin with this commit."""
        for id, row in changes.inserts.get("backfill", {}).items():
            self.rows[id] = {"status": "running", **row}
        for key, row in changes.inserts.get("backfill_step", {}).items():
            self.steps[key] = {"status": "pending", **row}
        for id, row in changes.updates.get("backfill", {}).items():
            self.rows[id].update(row)
        found = changes.updates.get("backfill_step", {})
        for key, row in found.items():
            self.steps[key] |= {"was": self.steps[key]["status"], **row}
        begun = [key for key, row in found.items() if row.get("status") == StepState.BEGUN]
        self._begun.update(self.steps[key]["instance"] for key in begun)
        return begun

    def _instances_are(self, changes: Changes) -> None:
        for id, row in changes.inserts.get("instance", {}).items():
            if str(row["trigger"]) in _TIMED:
                self._tell(self.there_are_never_two_of_one_time(id, row))
                self._instances[id] = {"run": 0, **row}
        for id, row in changes.updates.get("instance", {}).items():
            if id in self._instances:
                self._instances[id].update(row)
        for table, id in changes.removals:
            if table == "instance":
                self.leave(frozenset({id}))  # type: ignore[arg-type]

    def _of(self, backfill: int) -> dict[int, Row]:
        return {position: row for (of, position), row in self.steps.items() if of == backfill}

    # -- promises --------------------------------------------------------------------------------

    def there_are_never_two_of_one_time(self, id: int, row: Mapping[str, Any]) -> Iterator[str]:
        """One instance of a task at a scheduled time, whoever makes it."""
        other = self._at.setdefault((row["task"], row["scheduled_time"]), id)
        if other != id:
            yield f"instances {other} and {id} are both of {row['scheduled_time']} of {row['task']}"

    def every_time_of_its_range_is_decided(self, id: int) -> Iterator[str]:
        """Each time of the schedule that held then, in the order that was asked for."""
        row = self.rows[id]
        since, until = _moment(row["since"]), _moment(row["until"])
        first = self._schedules.first(row["task"]) or until  # before that other times count
        wanted = [each for each in self._schedules.times(row["task"], since, until) if each > first]
        own = [_moment(each["at"]) for each in self._of(id).values() if each["task"] == row["task"]]
        own = [each for each in own if each > first]
        if self._schedules.is_exact and own != (wanted[::-1] if row["newest_first"] else wanted):
            yield f"backfill {id} of {row['task']} has {len(own)} times, and not {len(wanted)}"

    def a_step_is_over_with_its_instance(self, unfiled: Container[int]) -> Iterator[str]:
        """Whichever engine has begun it, once that has its files; asked whenever the engine has nothing to do."""
        for (id, position), step in self.steps.items():
            if step["status"] == StepState.BEGUN and not BackfillState(self.rows[id]["status"]).ended:
                state = self._instances.get(step["instance"], {}).get("status")
                if state is not None and InstanceState(state).ended and step["instance"] not in unfiled:
                    yield f"step {position} of backfill {id} is begun, and instance {step['instance']} {state}"

    def a_backfill_that_is_paused_or_over_begins_nothing(
        self, key: Step, before: Mapping[int, BackfillState]
    ) -> Iterator[str]:
        """Under later engines neither."""
        was = before.get(key[0], BackfillState.RUNNING)
        if was.ended or (was is BackfillState.PAUSED and self.rows[key[0]]["status"] == was):
            yield f"step {key[1]} of backfill {key[0]} begins, which is {was}"

    def no_more_begin_than_may_run_at_once(self, id: int) -> Iterator[str]:
        """``--parallel``."""
        begun = [each for each, row in self._of(id).items() if row["status"] == StepState.BEGUN]
        if len(begun) > self.rows[id]["parallel"]:
            yield f"{begun} of backfill {id} at once, of {self.rows[id]['parallel']}"

    def what_comes_before_has_ended(self, key: Step) -> Iterator[str]:
        """The times that it waits for, and where dependencies count they have succeeded, or were left."""
        steps, row = self._of(key[0]), self.rows[key[0]]
        for position in _list(self.steps[key]["after"]):
            status = StepState(steps[position]["status"])
            good = row["ignores_dependencies"] or status is StepState.SUCCEEDED
            was_left = status is StepState.LEFT and steps[position]["choice"] == "leave"
            if status in _OPEN or not (good or was_left):
                yield f"step {key[1]} of backfill {key[0]} begins, and step {position} is {status}"

    def times_begin_in_their_order(self, key: Step) -> Iterator[str]:
        """One at a time, no other one is passed that could begin."""
        steps = self._of(key[0])
        for position, row in steps.items() if self.rows[key[0]]["parallel"] == 1 else ():
            before = [steps[each]["status"] for each in _list(row["after"])]
            if position < key[1] and row["status"] == StepState.PENDING and not set(before) & set(_OPEN):
                yield f"step {key[1]} of backfill {key[0]} begins before step {position}"

    def what_is_run_is_what_was_asked_for(self, key: Step) -> Iterator[str]:
        """``missing``, ``failed`` or ``all``, by what became of that time until now."""
        there, reprocess = self._instances.get(self.steps[key]["instance"]), self.rows[key[0]]["reprocess"]
        if there is None:
            return
        status = InstanceState(there["status"])
        wanted = {"missing": not there["run"], "failed": not there["run"] or status in _BAD, "all": True}
        is_over = status.ended or status is InstanceState.PLANNED
        if not wanted[reprocess] or not is_over:
            yield f"step {key[1]} of backfill {key[0]} ({reprocess}) begins what is {status}, run {there['run']}"

    def a_cancel_drops_only_what_has_not_begun(
        self, changes: Changes, before: Mapping[int, BackfillState]
    ) -> Iterator[str]:
        """What has its turn behind it is neither dropped nor stopped."""
        for key, row in changes.updates.get("backfill_step", {}).items():
            if row.get("status") == StepState.DROPPED and self.steps[key]["was"] != StepState.PENDING:
                yield f"step {key[1]} of backfill {key[0]} is dropped, which was {self.steps[key]['was']}"
        cancelled = {id for id, row in self.rows.items() if row["status"] == BackfillState.CANCELLED}
        for key, row in self.steps.items():
            if key[0] in cancelled - {id for id, was in before.items() if was.ended}:
                moved = changes.updates.get("instance", {}).get(row["instance"], {}).get("status")
                ran = self._instances.get(row["instance"], {}).get("run")
                if row["status"] == StepState.BEGUN and ran and moved == InstanceState.CANCELLED:
                    yield f"instance {row['instance']} is cancelled with backfill {key[0]}"

    def only_its_own_times_run_for_a_backfill(self, key: Any, row: Mapping[str, Any]) -> Iterator[str]:
        """Each once for every step that has begun with it; a task that tries itself again does that by itself."""
        if str(row["trigger"]) == "backfill":
            self._ran[key[0]] += 1
            if self._ran[key[0]] > self._begun[key[0]]:
                yield f"run {key[1]} of instance {key[0]}: {self._begun[key[0]]} steps have begun with it"

    def what_waits_in_a_pause_waits_on(
        self, run: tuple[int, int], before: Mapping[int, BackfillState]
    ) -> Iterator[str]:
        """Also when what it waits for has come meanwhile."""
        for (id, position), row in self.steps.items():
            waited = row["instance"] == run[0] and row.get("was") == StepState.PENDING
            was_paused = before.get(id) is BackfillState.PAUSED and self.rows[id]["status"] == "paused"
            if waited and was_paused and row["status"] == StepState.BEGUN and run[1] == 1:
                yield f"instance {run[0]} (step {position}) begins, and backfill {id} is paused"

    def every_backfill_ends_with_its_times(self) -> Iterator[str]:
        """When nothing goes on, no time of one is left undecided, and its outcome is theirs."""
        for id, row in self.rows.items():
            states = Counter(str(each["status"]) for each in self._of(id).values())
            was_cancelled = row["status"] == BackfillState.CANCELLED  # what runs then is no longer followed
            open_ = states["pending"] + (0 if was_cancelled else states["begun"])
            if not BackfillState(row["status"]).ended or open_:
                yield f"backfill {id} is {row['status']} with {dict(states)}"
            if row["status"] == BackfillState.SUCCEEDED and any(map(states.get, _BAD)):
                yield f"backfill {id} has succeeded with {dict(states)}"

    def what_was_missing_is_there(self) -> Iterator[str]:
        """A time that was to be made and was neither left for a reason nor dropped has run."""
        for (id, position), row in self.steps.items():
            if row["choice"] == "make" and row["status"] == StepState.LEFT and not _list(row.get("why")):
                yield f"step {position} of backfill {id} is left, and nothing says why"


def _moment(text: Any) -> datetime:
    return datetime.fromisoformat(str(text))


def _list(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value or ()
