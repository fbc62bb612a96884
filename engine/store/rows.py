"""What the store keeps, one frozen class per table; their fields are the columns (docs/tables.md).

Times are ISO 8601 texts in UTC with microseconds, so they sort as they are; durations are seconds.
A field with a default may be left out when a row is inserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from engine.model.errors import Failure, SkerryError
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import WorkerState
from engine.model.worker import LOCAL, LOCAL_WORKER, Worker


def partners_setting(instance: int, upstream: str) -> str:
    """The setting of a case that has the states of what an instance waited for: its database lacks them."""
    return f"partners of {instance} in {upstream}"


def time_text(moment: datetime) -> str:
    """An aware time as the store keeps it: ``2026-11-21T08:00:00.000000+00:00``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def in_workspace(directory: str) -> str:
    """The directory of a row from ``instances/`` on: the workspace may have been moved since then."""
    parts = directory.split("/")
    known = "instances" in parts
    return "/".join(parts[len(parts) - 1 - parts[::-1].index("instances") :]) if known else directory


def seconds_between(begin: str | None, end: str | None) -> float | None:
    """From one stored time to another; None without both."""
    if not begin or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


class FailedRow:
    """What the rows of an instance, a run, a job and an attempt say of a failure."""

    __slots__ = ()
    error_code: int | None
    error_message: str | None
    error_facts: dict[str, Any] | None

    @property
    def error(self) -> Message | None:
        """Its message with its facts."""
        return None if self.error_message is None else Message.read(self.error_facts, self.error_message)

    @property
    def failure(self) -> Failure | None:
        return Failure(self.error_code, self.error or Message.of("")) if self.error_code is not None else None


class MessageRow:
    """What the rows of an exception and of an alert say."""

    __slots__ = ()
    message: str
    message_facts: dict[str, Any] | None

    @property
    def words(self) -> Message:
        """Its message with its facts."""
        return Message.read(self.message_facts, self.message)


@dataclass(frozen=True, slots=True)
class InstanceRow(FailedRow):
    """A TaskInstance: the occurrence of a task at one scheduled time, unique per (task, scheduled time)."""

    id: int
    task: str
    status: str
    trigger: str
    scheduled_time: str
    created_at: str
    run: int = 0  # the number of the latest run; 0: none yet
    started_at: str | None = None
    ended_at: str | None = None
    name: str | None = None
    project: str | None = None
    priority: int = 0
    error_code: int | None = None
    error_message: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    definition: int | None = None  # the task's revision; None: it ran from a file
    edited: list[str] = field(default_factory=list)  # paths that an operator changed
    directory: str | None = None
    worker: str | None = None
    actor: str | None = None
    parent: int | None = None  # the JobInstance that started it as a sub-task
    reason: str | None = None
    why: dict[str, Any] | None = None  # the reason as data; ``reason`` is its words
    due_at: str | None = None  # from when its timeouts count, waiting included; None: nobody waited for it
    error_facts: dict[str, Any] | None = None  # what ``error_message`` is made from

    @property
    def because(self) -> Reason | None:
        """Why it does not run, or how it was settled."""
        return Reason.read(self.why, self.reason)

    @property
    def is_outcome_alone(self) -> bool:
        """Whether it has run, and retention has left nothing but this row."""
        return self.run > 0 and self.directory is None


@dataclass(frozen=True, slots=True)
class RunRow(FailedRow):
    """A TaskRun: one execution of an instance, numbered from 1."""

    instance: int
    run: int
    status: str
    trigger: str
    created_at: str
    started_at: str | None = None
    ended_at: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    error_code: int | None = None
    error_message: str | None = None
    definition: int | None = None
    snapshot: str | None = None  # the hash of the definitions it runs (Changes.snapshot)
    selection: dict[str, Any] = field(default_factory=dict)  # of a rerun: what it runs again, and why so
    actor: str | None = None
    reason: str | None = None
    worker: str | None = None
    pid: int | None = None  # of the engine
    boot_id: str | None = None  # with start_ticks when it began, whatever the wall clock says
    start_ticks: int | None = None
    stop: dict[str, Any] | None = None  # what is ending it: the next engine goes on with that
    follows: dict[str, Any] | None = None  # what it waits for to run again
    error_facts: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class JobRow(FailedRow):
    """A JobInstance: one node once in one run; batches, loops and reruns make further ones."""

    id: int
    instance: int
    run: int
    node: str
    job: str
    status: str
    created_at: str
    type: str = ""
    round: int = 1
    index: int | None = None  # of a batch's member, from 0
    attempt: int = 0  # the number of the latest attempt; 0: none yet
    priority: int = 0
    started_at: str | None = None
    ended_at: str | None = None
    due_at: str | None = None  # when it is tried, checked or looked at again
    worker: str | None = None
    pid: int | None = None
    exit_code: int | None = None
    error_code: int | None = None
    error_message: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    branch: str | None = None  # the key that a condition took
    based_on_edit: bool = False
    directory: str | None = None
    parent: int | None = None  # the JobInstance of the group that it is a member of
    reason: str | None = None
    handling: dict[str, Any] = field(default_factory=dict)  # how often recovery and rules acted, what they do
    stop: dict[str, Any] | None = None  # what is ending it: the next engine goes on with that
    why: dict[str, Any] | None = None  # the reason as data; ``reason`` is its words
    error_facts: dict[str, Any] | None = None

    @property
    def because(self) -> Reason | None:
        """Why it waits or was skipped."""
        return Reason.read(self.why, self.reason)


@dataclass(frozen=True, slots=True)
class AttemptRow(FailedRow):
    """A JobRun: one attempt of a JobInstance on one worker, numbered from 1."""

    job_instance: int
    attempt: int
    status: str
    created_at: str
    started_at: str | None = None
    ended_at: str | None = None
    stage: str | None = None  # ready, process or end: the one that was reached
    worker: str | None = None
    pid: int | None = None
    start_ticks: int | None = None  # with pid and boot_id the identity of the process
    boot_id: str | None = None
    mark: str | None = None  # SKERRY_ATTEMPT
    exit_code: int | None = None
    signal: int | None = None
    error_code: int | None = None
    error_message: str | None = None
    results: dict[str, Any] = field(default_factory=dict)
    directory: str | None = None
    log_size: int | None = None  # bytes of job.log when it ended
    error_log_size: int | None = None  # the same of job-error.log
    error_facts: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A schedule of a task for as long as it holds: since the task went online, until it goes offline."""

    id: int
    task: str
    since: str
    level: str
    zone: str
    until: str | None = None  # None: it holds
    cron: str | None = None  # None: of interval, once and condition
    content: dict[str, Any] = field(default_factory=dict)  # the schedule as its definition says it
    last_at: str | None = None  # the fire time up to which all were dealt with
    next_at: str | None = None  # the fire time that follows from that; None: none is to come
    was_true: bool | None = None  # its condition at the latest look; None: nobody has looked yet


def held_at(schedules: Sequence[ScheduleRow], time: str) -> ScheduleRow | None:
    """The schedule of a task that held at a time, of those that it has had, the first one first.

    Before the first of them that one; None where there is none.
    """
    held = [row for row in schedules if row.since <= time]
    return held[-1] if held else next(iter(schedules), None)


@dataclass(frozen=True, slots=True)
class LinkRow:
    """What an instance waits for of one task: its instances between two scheduled times, both included.

    A forecast until it is decided. Without times there is nothing to wait for.
    """

    instance: int
    upstream: str  # a task; of ``self`` the instance's own
    window: str  # of the dependency
    first_at: str | None = None
    last_at: str | None = None
    partners: int = 0  # how many instances that are
    decided_at: str | None = None  # when these had decided that it begins, or that it does not
    released: str | None = None  # why it need not wait for them any more

    @property
    def is_list(self) -> bool:
        """Whether every instance of a period counts, however many there are."""
        return self.window == "all_in_period"

    def columns(self, instance: int) -> dict[str, Any]:
        """What is inserted for it, as one of that instance: 100,000 times in a row."""
        return {name: getattr(self, name) for name in _LINK_COLUMNS} | {"instance": instance}


_LINK_COLUMNS = tuple(each.name for each in fields(LinkRow))


class ComingRow(NamedTuple):
    """An instance of a later time."""

    id: int
    task: str
    scheduled_time: str
    status: str
    run: int


class TimelineRow(NamedTuple):
    """An instance on a time axis."""

    instance: int
    task: str
    status: str
    trigger: str
    run: int
    scheduled_time: str
    started_at: str | None
    ended_at: str | None


class PartnerRow(NamedTuple):
    """An instance that a link names."""

    instance: int
    scheduled_time: str
    status: str


@dataclass(frozen=True, slots=True)
class BackfillRow:
    """Past times of a task, and perhaps of its dependants, that are run."""

    id: int
    task: str
    created_at: str
    since: str
    until: str  # both included
    status: str = "running"
    newest_first: bool = False
    parallel: int = 1
    reprocess: str = "missing"
    downstream: bool = False
    ignores_dependencies: bool = False
    params: dict[str, Any] = field(default_factory=dict)
    actor: str | None = None
    note: str | None = None  # why, as the operator gave it
    ended_at: str | None = None
    paused_by: str | None = None


@dataclass(frozen=True, slots=True)
class BackfillStepRow:
    """One time of a backfill, what was decided about it, and what became of that."""

    backfill: int
    position: int
    task: str
    at: str
    choice: str  # make, run_again or leave
    status: str = "pending"
    instance: int | None = None
    after: list[int] = field(default_factory=list)  # the positions that come before it
    reason: str | None = None
    why: dict[str, Any] | None = None  # the reason as data; ``reason`` is its words

    @property
    def because(self) -> Reason | None:
        """Why it was decided so, or left after all."""
        return Reason.read(self.why, self.reason)


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker: where jobs run. This machine has a row once something was set about it."""

    name: str
    kind: str  # local or ssh
    created_at: str
    since: str | None  # of its state; None: nobody knows
    state: str = "untrusted"
    wanted: str = "online"  # by people: online, draining or paused
    content: dict[str, Any] = field(default_factory=dict)  # ``Worker.to_json``
    host_keys: dict[str, str] = field(default_factory=dict)  # by address: ``ssh-ed25519 AAAA…``, as trusted
    reason: str | None = None
    why: dict[str, Any] | None = None  # the reason as data; ``reason`` is its words

    @property
    def worker(self) -> Worker:
        """What is registered."""
        return Worker.from_json(self.name, "local" if self.kind == "local" else "ssh", self.content)

    @property
    def because(self) -> Reason | None:
        """Why it is in that state."""
        return Reason.read(self.why, self.reason)

    def unreached(self) -> WorkerRow:
        """While no engine is connected to it, whatever an earlier one saw; nobody knows since when."""
        if self.state not in (WorkerState.ONLINE, WorkerState.OFFLINE):
            return self
        return replace(self, state=str(WorkerState.OFFLINE), since=None, **said(Reason(Kind.NOT_REACHED)))


def local_row(began: str) -> WorkerRow:
    """This machine while nothing was set about it."""
    return WorkerRow(LOCAL, "local", began, began, "online", content=LOCAL_WORKER.to_json())


@dataclass(frozen=True, slots=True)
class ExceptionRow(MessageRow):
    """The record of one failure."""

    id: int
    code: int
    message: str
    created_at: str
    task: str | None = None
    job: str | None = None
    node: str | None = None
    instance: int | None = None
    run: int | None = None
    job_instance: int | None = None
    attempt: int | None = None
    worker: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    status: str = "open"
    handled_at: str | None = None
    handled_by: str | None = None
    note: str | None = None
    message_facts: dict[str, Any] | None = None
    note_facts: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AlertRow(MessageRow):
    """Something that an operator should know; ``kind`` is what raised it."""

    id: int
    created_at: str
    kind: str  # recovery_retry, recovery_discard, recovery_ask, out_of_reach, rule, database, confirmation …
    level: str  # info, warning or error
    code: int
    message: str
    instance: int | None = None
    run: int | None = None
    job_instance: int | None = None
    acknowledged_at: str | None = None
    acknowledged_by: str | None = None
    message_facts: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """One revision of a definition; ``content`` is its JSON tree as written, None where it was deleted.

    In a list a damaged one has an ``error`` and nothing but its key and hash.
    """

    kind: str  # resource, job, task, rule or error
    id: str
    revision: int
    created_at: str
    content: Any = None
    hash: str | None = None  # sha256 of the content
    project: str | None = None
    actor: str | None = None
    state: str | None = None  # of a task, now: init, online, offline or deleted
    position: int = 0  # among those of its kind, in the order of their files
    error: SkerryError | None = None


@dataclass(frozen=True, slots=True)
class StatRow:
    """What became of a task's runs or a job's executions so far; times in seconds."""

    kind: str  # task or job
    id: str
    counts: int
    failed: int
    success: int
    total_execute_time: float
    max_execute_time: float
    error_code_counts: dict[int, int] = field(default_factory=dict)

    @property
    def avg_execute_time(self) -> float:
        """Seconds on average; 0 before anything ended."""
        return self.total_execute_time / self.counts if self.counts else 0.0


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One row; ``details`` is JSON text, ``hash`` that of the row before and of all other values."""

    seq: int
    time: str
    actor: str
    action: str
    subject: str
    details: str
    hash: str


class Act(NamedTuple):
    """Something that was done: by whom, what (``define``, ``set`` …), to what; ``details`` is JSON."""

    actor: str
    action: str
    subject: str
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not what was written: a table, the key of its row, what is wrong.

    ``of_content``: a content does not fit the hash beside it, which says nothing of the row's checksum.
    """

    table: str
    key: tuple[int | str, ...]
    message: str
    of_content: bool = False

    def __str__(self) -> str:
        return f"{self.table} {'/'.join(map(str, self.key))}: {self.message}".strip(" :")
