"""What needs a person, what runs, what comes next: decided from a picture of the workspace; no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from app.desktop.kernel.console import Target
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.subject import Subject
from engine.model.codes.store import DAMAGED, ROW_DAMAGED
from engine.model.message import Message, message_in
from engine.model.names import RECORD
from engine.model.pausing import holder
from engine.model.reason import Kind, Reason
from engine.model.states import INSTANCE_BAD, INSTANCE_UNFINISHED, JOB_BAD, JOB_ENDED

Row = Mapping[str, Any]
_IT_WAITS = "it waits: {message}"  # how a job that has no worker says so
_WITH_FAILURES = (*INSTANCE_BAD, *INSTANCE_UNFINISHED, "cancelled")
_NOTES = {"cancelled": "in a run that was cancelled"} | dict.fromkeys(
    INSTANCE_UNFINISHED, "in a run that goes on"
)
_AT_WORK = ("running", "waiting")
_OF_DAMAGE = frozenset({DAMAGED.number, ROW_DAMAGED.number})
_DEFINITIONS = {
    "task": "the definition of a task", "job": "the definition of a job",
    "resource": "the definition of a resource", "rule": "a handling rule", "calendar": "a calendar",
}  # fmt: skip
_LITTLE_ROOM = 0.05  # of the disk
_LITTLE_BYTES = 1 << 30
_LONG_WAIT = timedelta(minutes=30)
_LONG_RUN = timedelta(minutes=10)  # nothing shorter is called unusually long
_UNUSUAL = 3  # times the longest run so far


class Section(IntEnum):
    """The parts of Home, in their order."""

    NEEDS = 0
    RUNNING = 1
    COMING = 2


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: jobs that ended, all, those that ended badly; seconds so far and as a rule."""

    done: int
    all: int
    bad: int
    elapsed: float
    usual: float | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One line of Home. ``note`` is an English source text with ``values``; ``detail`` is data."""

    section: Section
    status: str  # of the table of statuses, or "disk", "engine", "alert", "queue"
    name: str
    detail: str = ""
    note: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    time: str | None = None
    target: Target | None = None
    code: int | None = None
    alert: int | None = None
    rank: int = 0  # smaller: more urgent
    reason: Reason | None = None  # has words of its own, after the note
    asked: Row | None = None  # the entry of ``questions`` that is answered here
    task: str | None = None
    state: str | None = None  # of the instance that it is about, if that is known
    alike: tuple[int, ...] = ()  # the instances that it speaks for, the latest first
    progress: RunProgress | None = None
    line: str = ""  # the last one that the job wrote
    page: str = ""  # of PAGES: of a condition that lasts until it is over
    worker: Row | None = None  # that it is about

    @property
    def subject(self) -> Subject | None:
        """What actions act upon; the message is the detail."""
        if self.worker is not None:
            return Subject(worker=self.worker)
        of_instance = self.target is not None and self.target.kind == "instance"
        if self.task is None and not of_instance:
            return None
        place = self.target if of_instance else None
        return Subject(
            self.task, int(place.id) if place else None, place.node if place else None, self.state, None,
            self.code, str(self.detail),
        )  # fmt: skip

    @property
    def key(self) -> tuple[str, str]:
        """What it is about, however its texts change."""
        if self.alike:
            return "failures", f"{self.task}/{self.code}"
        return self.status, f"{self.name}/{self.target}/{self.alert}"


def items(
    snapshot: Snapshot, now: datetime, no_engine: str | None = None, *, silent: bool = False
) -> list[Item]:
    """Everything for Home, in order; ``no_engine`` says why none runs, or (``silent``) none answers."""
    found = [
        *_engine(no_engine, silent),
        *_needs(snapshot if no_engine is None else _without_links(snapshot), now),
        *_running(snapshot, now),
        *_coming(snapshot),
    ]
    newest_first = sorted(found, key=lambda each: each.time or "", reverse=True)
    return sorted(newest_first, key=lambda each: (each.section, each.rank, _forward(each)))


def _forward(item: Item) -> str:
    """What comes next is in the order of time; everything else the newest first."""
    return item.time or "" if item.section is Section.COMING else ""


def _without_links(snapshot: Snapshot) -> Snapshot:
    """No worker is reached while no engine is there, which has a line of its own."""
    left = tuple(each for each in snapshot.workers if each["state"] != "offline")
    return replace(snapshot, workers=left)


def _needs(snapshot: Snapshot, now: datetime) -> Iterator[Item]:
    yield from _hold_up(snapshot.hold_up)
    yield from _disk(snapshot)
    yield from _damaged(snapshot)
    yield from _held(snapshot.clock)
    yield from _questions(snapshot.questions)
    yield from _answers(snapshot.exceptions)
    yield from _failures(snapshot)
    yield from _paused(snapshot)
    yield from _workers(snapshot.workers)
    yield from _stuck(snapshot, now)
    yield from _long_waits(snapshot.instances, now)
    yield from _alerts(snapshot)


def _engine(words: str | None, silent: bool) -> Iterator[Item]:
    if words is not None:
        note = (
            "The engine does not answer: nothing starts, and what is shown was written down before."
            if silent
            else "No engine runs: nothing starts. It is tried again."
        )
        yield Item(Section.NEEDS, "engine", "", words, note, page="silent" if silent else "stopped")


def _hold_up(found: Row | None) -> Iterator[Item]:
    if found is not None:
        note = "Nothing can be written down; instances that wait for it: {n}. It goes on by itself."
        why, values = message_in(found, "reason"), {"n": found["instances"]}
        yield Item(Section.NEEDS, "disk", "", why, note, values, found["since"], Target("admin", "room"),
                   rank=-1, page="full")  # fmt: skip


def _disk(snapshot: Snapshot) -> Iterator[Item]:
    free, room = snapshot.free, snapshot.room
    if free is not None and room and (free < _LITTLE_BYTES or free < room * _LITTLE_ROOM):
        note = "Little room on the disk: {free} MiB free. Old instances can be cleaned up."
        yield Item(Section.NEEDS, "disk", "", note=note, values={"free": free >> 20}, rank=0,
                   target=Target("admin", "room"), page="little")  # fmt: skip


def _held(clock: Row) -> Iterator[Item]:
    if clock.get("held"):
        note = "All schedules are held: nothing fires. Set the clock right, or accept it if it is right."
        yield Item(Section.NEEDS, "clock", "", message_in(clock, "reason"), note, time=clock["since"],
                   page="clock")  # fmt: skip


def _damaged(snapshot: Snapshot) -> Iterator[Item]:
    """What is listed in the place of a row that does not fit its checksum, and what else does not."""
    for row in snapshot.instances:
        if row["error_code"] == ROW_DAMAGED.number:
            yield Item(Section.NEEDS, "damaged", _name(row), message_in(row), target=_whole(row),
                       code=row["error_code"], page="damaged")  # fmt: skip
    for row in snapshot.damaged:
        yield Item(Section.NEEDS, "damaged", str(row["id"]), message_in(row), _DEFINITIONS[row["kind"]],
                   target=Target(str(row["kind"]), str(row["id"])), code=row["error_code"],
                   page="damaged")  # fmt: skip
    if (found := snapshot.damage) is not None:
        yield Item(Section.NEEDS, "damaged", "", message_in(found, "reason"), time=found["since"],
                   code=DAMAGED.number, page="damaged")  # fmt: skip


def _questions(questions: Iterable[Row]) -> Iterator[Item]:
    """One line for each, also where members of a batch ask the same."""
    for each in questions:
        name = _name(each) if each["index"] is None else f"{_name(each)}[{each['index']}]"
        reason = Reason.of(Kind.QUESTION, **{fact: each[fact] for fact in ("question", "choices", "until")})
        yield Item(Section.NEEDS, "waiting", name, time=each["since"], target=_place(each, "why"), rank=1,
                   reason=reason, asked=each)  # fmt: skip


def _answers(exceptions: Iterable[Row]) -> Iterator[Item]:
    for each in exceptions:
        if each["asks"]:
            yield Item(
                Section.NEEDS, "waiting", _name(each), _asked_about(each), "waits for an answer",
                time=each["created_at"], target=_place(each), code=each["code"], rank=1, task=each["task"],
            )  # fmt: skip


def _asked_about(exception: Row) -> Message:
    """What is wrong, without that it waits, which the line says."""
    message = message_in(exception, "message")
    inner = message.facts.get("message")
    return inner if message.template == _IT_WAITS and isinstance(inner, Message) else message


def _failures(snapshot: Snapshot) -> Iterator[Item]:
    """Failures that nobody has dealt with: one line for each task and code, of the latest of them.

    Of an instance the exception to blame is the first, records whose job did not fail by them last; it counts
    while the instance goes on, and once it ended badly or was cancelled.
    """
    whole = {(each["instance"], each["node"]) for each in snapshot.exceptions}

    def blame(each: Row) -> tuple[bool, int]:
        node, mark, _ = str(each["node"]).partition(RECORD)
        return bool(mark) and (each["instance"], node) not in whole, each["id"]

    states = {int(row["instance"]): str(row["status"]) for row in snapshot.instances}
    to_blame: dict[int, Row] = {}
    for each in sorted(snapshot.exceptions, key=blame):
        if states.get(each["instance"]) in _WITH_FAILURES and not each["asks"]:
            to_blame.setdefault(int(each["instance"]), each)
    ends = {int(row["instance"]): row["ended_at"] for row in snapshot.instances}
    alike: dict[object, list[Row]] = {}
    for each in to_blame.values():
        alike.setdefault((each["task"], each["code"]), []).append(each)
    for group in alike.values():
        yield _failure(sorted(group, key=lambda each: _ended(each, ends), reverse=True), states, ends)


def _failure(group: Sequence[Row], states: Mapping[int, str], ends: Mapping[int, str | None]) -> Item:
    """``group``: exceptions of one task and code, the latest first."""
    last = group[0]
    state = states[last["instance"]]
    return Item(
        Section.NEEDS, state if state in INSTANCE_BAD else "failed", _name(last), message_in(last, "message"),
        _NOTES.get(state, ""), time=_ended(last, ends), target=_place(last), code=last["code"], rank=2,
        task=last["task"], state=state, alike=tuple(int(each["instance"]) for each in group),
    )  # fmt: skip


def _ended(each: Row, ends: Mapping[int, str | None]) -> str:
    return str(ends.get(each["instance"]) or each["created_at"])


def _paused(snapshot: Snapshot) -> Iterator[Item]:
    """Instances that go on only when a person says so; their sub-tasks go on with them."""
    for row in snapshot.instances:
        if row["status"] == "paused" and holder(Reason.read(row.get("why"), row.get("reason"))) is None:
            yield Item(Section.NEEDS, "paused", _name(row), note="goes on only when it is resumed",
                       time=row["started_at"] or row["created_at"], target=_whole(row), rank=3,
                       task=row["task"], state=row["status"])  # fmt: skip


def _workers(workers: Iterable[Row]) -> Iterator[Item]:
    """Those that take no jobs although nobody wants it so: not trusted, not reached, a clock that is off."""
    for row in workers:
        reason = Reason.read(row.get("why"), row.get("reason"))
        if row["state"] in ("untrusted", "offline") or (row["state"] == "online" and reason is not None):
            note = "jobs there of which nobody knows how they are: {n}" if row["running"] else ""
            state = "offline" if row["state"] == "online" else row["state"]
            yield Item(Section.NEEDS, f"worker_{state}", str(row["name"]), note=note,
                       values={"n": row["running"]}, time=row["since"], reason=reason, rank=3,
                       target=Target("worker", str(row["name"])), worker=row)  # fmt: skip


def _stuck(snapshot: Snapshot, now: datetime) -> Iterator[Item]:
    queue = snapshot.queue
    waiting, running = queue.get("waiting", ()), queue.get("running", ())
    if queue.get("paused") and waiting:
        yield Item(Section.NEEDS, "paused", "", note="The queue is paused; {n} jobs wait in it",
                   values={"n": len(waiting)}, target=Target("mode", "queue"), rank=3)  # fmt: skip
    jobs = [each for each in snapshot.stats if each["kind"] == "job"]
    longest = {str(each["id"]): each["max_seconds"] or 0 for each in jobs}
    for each in waiting:
        if each["status"] == "no_worker" or _age(each["since"], now) > _LONG_WAIT:
            yield _stuck_item(each, "has waited for a slot for a long time")
    for each in running:
        usual = timedelta(seconds=_UNUSUAL * float(longest.get(str(each["job"]), 0)))
        if usual and _age(each["since"], now) > max(usual, _LONG_RUN):
            yield _stuck_item(each, "has been running unusually long")


def _stuck_item(entry: Row, note: str) -> Item:
    note = "no worker is there to run it" if entry["status"] == "no_worker" else note
    return Item(Section.NEEDS, str(entry["status"]), _name(entry), note=note, time=entry["since"],
                target=_place(entry, "why"), rank=3, task=entry["task"])  # fmt: skip


def _long_waits(instances: Iterable[Row], now: datetime) -> Iterator[Item]:
    """Instances whose time came long ago and that still wait to begin, for other tasks or an earlier one."""
    for row in instances:
        since = _reached(row)
        if _waits_to_begin(row) and _age(since, now) > _LONG_WAIT:
            reason = Reason.read(row.get("why"), row.get("reason"))
            yield Item(Section.NEEDS, "waiting", _name(row), note="has waited to begin for a long time",
                       time=since, target=_whole(row), reason=reason, rank=3,
                       task=row["task"], state=row["status"])  # fmt: skip


def _waits_to_begin(row: Row) -> bool:
    return row["status"] == "waiting" and not row["run"]


def _reached(row: Row) -> str:
    """When the time of an instance was reached, which may have been made the night before."""
    times = row["created_at"], row["scheduled_time"] or row["created_at"]
    return str(max(times, key=datetime.fromisoformat))


def _alerts(snapshot: Snapshot) -> Iterator[Item]:
    """Those that nobody has seen; what lasts, and what waits for an answer, has a line of its own."""
    lasting = snapshot.damage["reason"] if snapshot.damage is not None else None
    for each in snapshot.alerts:
        if each.get("kind") == "recovery_ask":
            continue  # its exception is listed until it is answered, and then nothing is left to do
        if each["code"] == DAMAGED.number and each["message"] == lasting:
            continue
        target = None if each["instance"] is None else Target("instance", str(each["instance"]))
        name = "" if each["instance"] is None else f"#{each['instance']}"
        yield Item(Section.NEEDS, "alert", name, message_in(each, "message"), time=each["created_at"],
                   target=target, code=each["code"], alert=each["id"], rank=4,
                   page="damaged" if each["code"] in _OF_DAMAGE else "")  # fmt: skip


def _running(snapshot: Snapshot, now: datetime) -> Iterator[Item]:
    usual = {str(each["id"]): each["mean_seconds"] for each in snapshot.stats if each["kind"] == "task"}
    for row in snapshot.instances:
        if _waits_to_begin(row):
            yield Item(Section.RUNNING, "waiting", _name(row), time=_reached(row), target=_whole(row),
                       task=row["task"], state=row["status"],
                       reason=Reason.read(row.get("why"), row.get("reason")))  # fmt: skip
        elif row["status"] in _AT_WORK:
            began = row["started_at"] or row["created_at"]
            jobs = snapshot.jobs.get(int(row["instance"]), {})
            progress = RunProgress(
                sum(n for status, n in jobs.items() if status in JOB_ENDED), sum(jobs.values()),
                sum(n for status, n in jobs.items() if status in JOB_BAD),
                _age(began, now).total_seconds(), usual.get(str(row["task"])) or None,
            )  # fmt: skip
            yield Item(Section.RUNNING, str(row["status"]), _name(row), time=began, target=_whole(row),
                       task=row["task"], state=row["status"], progress=progress)  # fmt: skip


def _coming(snapshot: Snapshot) -> Iterator[Item]:
    for row in snapshot.coming:
        yield Item(Section.COMING, "planned", _name(row), time=row["scheduled_time"], target=_whole(row),
                   task=row["task"], state=row["status"])  # fmt: skip


def _name(row: Row) -> str:
    """``nightly #12 · load``."""
    name = f"{row['task']} #{row['instance']}" if row.get("instance") is not None else str(row["task"] or "")
    return f"{name} · {row['node']}" if row.get("node") else name


def _place(row: Row, detail: str = "error") -> Target | None:
    if row["instance"] is None:
        return None
    return Target("instance", str(row["instance"]), node=row["node"], detail=detail)


def _whole(row: Row) -> Target:
    return Target("instance", str(row["instance"]))


def _age(since: str | None, now: datetime) -> timedelta:
    return now - datetime.fromisoformat(since) if since else timedelta()
