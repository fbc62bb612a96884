"""What became durable in a life, and what of it broke a promise at once."""

from __future__ import annotations

import json
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from engine.model.states import (
    ATTEMPT_MOVES,
    INSTANCE_MOVES,
    JOB_MOVES,
    RUN_MOVES,
    AttemptState,
    InstanceState,
    JobState,
    RunState,
)
from engine.runtime.queue.job_queue import Claim, Queue
from engine.runtime.queue.workers import LiveWorker
from engine.store.changes import Changes
from tests.simulation.workload.action import Action
from tests.simulation.workload.answers import Answer

_TABLES: Mapping[str, tuple[type[Any], Mapping[Any, frozenset[Any]]]] = {
    "job_instance": (JobState, JOB_MOVES),
    "job_run": (AttemptState, ATTEMPT_MOVES),
    "instance": (InstanceState, INSTANCE_MOVES),
    "run": (RunState, RUN_MOVES),
}
_WAITS = frozenset({"queued", "busy", "no_worker", "waiting", "retrying", "checking"})
_NOT_UNDERSTOOD = "it is not as it was written"
Note = Callable[[str], None]


@dataclass
class Job:
    """A JobInstance as far as it is durable."""

    instance: int = 0
    parent: int | None = None
    node: str = ""
    status: str = "pending"
    why: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        return JobState(self.status).ended

    def change(self, row: Mapping[str, Any]) -> None:
        """As a commit says."""
        for name in ("instance", "parent", "node"):
            if name in row:
                setattr(self, name, row[name])
        if "status" in row:
            self.status = str(row["status"])
        if "why" in row:
            self.why = json.loads(row["why"] or "{}")  # as it is stored


def described(error: Exception) -> str:
    """With the calls that it came from."""
    return f"{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error))}"


def nothing_sound_is_set_aside(id: int, row: Mapping[str, Any]) -> Iterator[str]:
    """No row is damaged in a life: an engine takes up every instance, unless the disk or the database fails."""
    message = str(row.get("error_message"))
    if message.startswith("set aside: ") and message.endswith(_NOT_UNDERSTOOD):
        yield f"instance {id} is {message}"


class History:
    """The states of all rows so far, and every wrong that was seen."""

    def __init__(self) -> None:
        self.wrongs: list[str] = []
        self.jobs: dict[int, Job] = {}  # by id
        self.open: dict[int, Job] = {}  # those of them that have not ended
        self.doubts: dict[str, float] = {}  # reasons that were untrue at the latest look, and since when
        self.joined: dict[Claim, float] = {}  # when each began to wait in the queue
        self._most_slots: dict[str, int] = {}  # by worker
        self.states: dict[tuple[str, Any], Any] = {}
        self.moves: set[tuple[str, str, str]] = set()  # table, from, to: for the coverage
        self.answered: list[tuple[Action, Answer]] = []  # what people got
        self.planned: dict[tuple[int, int], list[str]] = {}  # instance and run: what a preview said would run
        self.removed: set[int] = set()  # instances, by retention
        self.outcomes: set[int] = set()  # those of them whose row is kept
        self.failed_files: list[str] = []  # where an operation failed, though the disk had room
        self.faults: set[tuple[str, str]] = set()  # kind, the state of some job then

    def wrong(self, text: str) -> None:
        """A promise that was broken."""
        self.wrongs.append(text)

    def answers(self, what: str) -> Iterator[tuple[Action, Any]]:
        """What people got whose request of that kind was not refused, about instances that were not removed."""
        for action, answer in self.answered:
            if (
                action.what == what
                and answer.refusal is None
                and self.removed.isdisjoint(_named(answer.value))
            ):
                yield action, answer.value

    def leave(self, ids: Collection[int], outcomes: Collection[int]) -> None:
        """Retention takes them; of some the outcome is kept."""
        self.removed.update(ids)
        self.outcomes.difference_update(ids)
        self.outcomes.update(outcomes)

    def struck(self, kind: str) -> None:
        """A fault comes, while jobs are in these states."""
        found = {str(state) for (table, _), state in self.states.items() if table == "job_instance"}
        self.faults |= {(kind, state) for state in found or {"nothing"}}

    def committed(self, changes: Changes, note: Note) -> None:
        """Every state that was made durable must be one that the tables of moves lead to."""
        for rows in (changes.inserts, changes.updates):
            for table, found in rows.items():
                for key, row in found.items() if table in _TABLES else ():
                    if "status" in row:
                        self._moved(table, key, row["status"], note)
                    if table == "instance":
                        self._tell(nothing_sound_is_set_aside(key, row))
                    if table == "job_instance":
                        self._explained(key, row)
                        self._changed(key, row)

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self.wrong(f"{promise.__name__}: {each}")

    def _changed(self, key: Any, row: Mapping[str, Any]) -> None:
        job = self.jobs.setdefault(key, Job())
        job.change(row)
        if job.ended:
            self.open.pop(key, None)
        else:
            self.open[key] = job

    def _explained(self, key: Any, row: Mapping[str, Any]) -> None:
        """Whatever waits says for what."""
        if row.get("status") in _WAITS and not row.get("reason"):
            self.wrong(f"job_instance {key} is {row['status']} without a reason")

    def note_joins(self, queue: Queue) -> None:
        """When each job begins to wait: by the time that it has a slot, its claim says since when that is so."""
        join = queue.join

        def noted(claim: Claim) -> None:
            join(claim)
            self.joined[claim] = claim.since

        queue.join = noted  # type: ignore[method-assign]

    def queue_is(self, queue: Queue) -> None:
        """Slots are given to as many as there are, and an exclusive job has its worker for itself."""
        by_worker = defaultdict[str, list[Claim]](list)
        for claim in queue.holders():
            by_worker[claim.worker].append(claim)
        for worker in queue._workers:
            self._worker_is(worker, by_worker[worker.name], queue.paused)
        of_run = Counter((each.key, each.limit) for each in queue._holders.values() if each.limit is not None)
        for (key, limit), count in of_run.items():
            if count > limit:
                self.wrong(f"{count} jobs of instance {key} at once, of {limit}")

    def _worker_is(self, worker: LiveWorker, holders: list[Claim], paused: bool) -> None:
        name, most = worker.name, max(worker.slots, self._most_slots.get(worker.name, 0))
        if worker.taken != len(holders):
            self.wrong(f"{worker.taken} slots of {name} are taken by {len(holders)} jobs")
        if len(holders) > most and not paused:
            self.wrong(f"{len(holders)} jobs have a slot of {worker.slots} of {name}")
        self._most_slots[name] = max(worker.slots, len(holders))  # fewer may be allowed while they run
        running = [*holders, *worker.beside]
        exclusive = [each.job for each in running if each.exclusive]
        if exclusive and len(running) > 1:
            self.wrong(f"{exclusive} are exclusive, and so many run on {name}: {len(running)}")

    def _moved(self, table: str, key: Any, status: Any, note: Note) -> None:
        kind, _ = _TABLES[table]
        state, before = kind(status), self.states.get((table, key))
        self.states[table, key] = state
        if state is before:
            return
        note(f"{table} {key}: {before} -> {state}")
        self.moves.add((table, str(before), str(state)))
        if before is not None and state not in _reached(table, before):
            self.wrong(f"{table} {key}: {before} -> {state}")


def _named(answer: Any) -> set[int]:
    """The instances that an answer is about: a number, or what has one as ``instance``."""
    given = answer if isinstance(answer, list) else [answer]
    return {each["instance"] if isinstance(each, Mapping) else each for each in given}


@cache
def _reached(table: str, state: Any) -> frozenset[Any]:
    return reached(_TABLES[table][1], state)


def reached(moves: Mapping[Any, frozenset[Any]], state: Any) -> frozenset[Any]:
    """What a state may have become by the next commit: a turn may make several moves."""
    ahead, seen = [state], set[Any]()
    while ahead:
        for each in moves.get(ahead.pop(), frozenset()) - seen:
            seen.add(each)
            ahead.append(each)
    return frozenset(seen)
