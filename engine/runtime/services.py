"""What the parts of an engine share: clock, store, loop, queue, secrets, and the turn in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.execution.directories import JobDirectories
from engine.execution.host import Host
from engine.execution.marks import Marks
from engine.model.errors import Failure, SkerryError
from engine.model.reason import Reason
from engine.planning.known_plans import KnownPlans
from engine.plugins.registry import JobTypes, ResourceTypes
from engine.runtime.clock import MachineClock
from engine.runtime.elapsed import iso
from engine.runtime.environment_record import EnvironmentRecord
from engine.runtime.events import Events
from engine.runtime.fibers import Signal
from engine.runtime.handling_rules import Rulebook
from engine.runtime.hosts import Hosts
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.loop import Loop
from engine.runtime.monitoring.output_guard import OutputGuard
from engine.runtime.monitoring.recorder import Recorder
from engine.runtime.queue.job_queue import Queue
from engine.runtime.queue.workers import WorkerRegistry
from engine.runtime.request_keys import RequestKeys
from engine.runtime.threads import Threads
from engine.runtime.workspace import Workspace
from engine.runtime.write_health import LiveRun, WriteHealth
from engine.store.changes import UNKNOWN, Changes
from engine.store.sql_store import Store
from engine.store.tables import Key

Answering = Callable[[Mapping[str, Any]], None]  # takes the results of an answer


@dataclass
class Turn:
    """What was decided since the last transaction; loop thread only."""

    changes: Changes = field(default_factory=Changes)
    before: Changes = field(default_factory=Changes)  # of the latest transaction, which may be under way
    dirty: dict[int, InstanceFiles] = field(default_factory=dict)  # of contexts with lines to write
    is_writing: bool = False  # the latest transaction is under way still
    moment: datetime | None = None
    moment_text: str = ""

    def take(self) -> tuple[Changes, dict[int, InstanceFiles]]:
        """All of it; what comes now is of the next transaction."""
        taken = self.changes, self.dirty
        self.changes, self.before, self.dirty = Changes(), self.changes, {}
        self.is_writing = True
        return taken

    def state(self, table: str, key: Key) -> Any:
        """The state of a row as decided here and not in the store for certain yet; else UNKNOWN."""
        known = self.changes.state(table, key)
        return self.before.state(table, key) if known is UNKNOWN else known

    @property
    def moves_tasks(self) -> bool:
        """Whether a task has another state or definition that is not in the store yet."""
        undurable = (self.changes, self.before) if self.is_writing else (self.changes,)
        return any(each.task_moves or each.definitions for each in undurable)

    @contextmanager
    def aside(self, changes: Changes, instance: int) -> Iterator[None]:
        """Let what is decided about an instance go into another transaction."""
        kept, self.changes = self.changes, changes
        try:
            yield
        finally:
            self.changes = kept
            self.dirty.pop(instance, None)


@dataclass
class Unsynced:
    """Files that a power cut may still take."""

    any: bool = False  # whether an instance ended, or was changed, since the latest sync
    touched: set[int] = field(default_factory=set)  # those that did
    last: int | None = None  # the highest instance at the latest sync; later ones are not synced
    cut: bool = False  # whether one may have: the machine was restarted since
    tell: Callable[[], None] = lambda: None  # whoever syncs

    def add(self) -> None:
        """There is something to sync; from any thread."""
        if not self.any:
            self.any = True
            self.tell()


@dataclass(frozen=True)
class EngineServices:
    """The parts of one engine, all of them there from the beginning."""

    workspace: Workspace
    clock: MachineClock
    threads: Threads
    host: Host
    store: Store
    loop: Loop
    queue: Queue
    workers: WorkerRegistry
    hosts: Hosts
    events: Events
    job_types: JobTypes
    resource_types: ResourceTypes
    secret: Callable[[str], str]  # a stored secret by name; SkerryError when locked or unknown
    mask: Callable[[Any], Any]  # known secrets in a value replaced by ******
    remember: Callable[[Iterable[str]], None]  # secrets that an operator typed: masked from now on
    passphrases: Callable[[], tuple[str, ...]]  # what opens the secrets; no job may print them either
    directories: JobDirectories
    environment: EnvironmentRecord
    rules: Rulebook
    request_keys: RequestKeys
    say: Callable[..., None]  # (text, level, error) into the execution log
    runs: Mapping[int, LiveRun]  # the live run of each instance
    writes: WriteHealth
    output: OutputGuard
    recorder: Recorder | None = None
    plans: KnownPlans = field(default_factory=KnownPlans)
    turn: Turn = field(default_factory=Turn)
    marks: Marks = field(default_factory=Marks)
    pauses: dict[int, Reason] = field(default_factory=dict)  # of paused instances: who, when, why
    changing: set[int] = field(default_factory=set)  # instances at rest, a change not in their files yet
    filed: list[Callable[[], None]] = field(default_factory=list)  # to be called when one of these is
    unsynced: Unsynced = field(default_factory=Unsynced)
    leaving: set[int] = field(default_factory=set)  # instances that retention takes away right now
    asking: dict[int, Signal] = field(default_factory=dict)  # JobInstances that wait for a person's answer
    questions: dict[int, Answering] = field(default_factory=dict)  # those of type approve: takes the answer
    answered: set[int] = field(default_factory=set)  # those whose runs no engine works on

    @property
    def changes(self) -> Changes:
        return self.turn.changes

    def being_changed(self, instances: Iterable[int]) -> bool:
        """Whether one of them does not run but a change of it is still on its way into store and files."""
        return any(id in self.changing and id not in self.runs for id in instances)

    def after_change(self, instances: Iterable[int], call: Callable[[], None]) -> None:
        """Make ``call`` once it is; with a disk that has no room that takes long. Loop thread only."""
        if self.being_changed(instances):
            self.filed.append(call)
        else:
            self.loop.after_commit(call)

    def is_filed(self, instance: int) -> None:
        """A change of one that does not run is in its files: who waited for that goes on."""
        self.changing.discard(instance)
        waiting = self.filed.copy()
        self.filed.clear()
        for each in waiting:
            each()

    def now(self) -> str:
        """The moment of this turn as the store has it: UTC, ISO 8601, microseconds."""
        moment, turn = self.loop.now(), self.turn
        if moment is not turn.moment:
            turn.moment, turn.moment_text = moment, iso(moment)
        return turn.moment_text

    def local(self, moment: datetime) -> str:
        """A moment as people read it in a reason: to the second, in the workspace's zone."""
        return moment.astimezone(self.workspace.zone).isoformat(timespec="seconds")

    def error_columns(self, failure: Failure | SkerryError | None) -> dict[str, Any]:
        """The code and the message of a failure, without secrets."""
        message = self.mask(failure.message) if failure else None
        return {"error_code": failure.code if failure else None, "error_message": message}

    def next_id(self, table: str, count: int = 1) -> int:
        """The first of ``count`` ids that are used nowhere else; a full disk is no reason to wait for them.

        A database that does not even answer is waited for: what happens now must be written.
        """
        while True:
            try:
                return self.store.next_id(table, count, owe=True)
            except SkerryError as error:
                if not error.entry.retryable:
                    raise
                self.writes.disk_is_full(error)
                if self.loop.ending:
                    self.loop.abandon(error)  # the next engine decides it again
                    raise
                self.threads.sleep(self.writes.retry_seconds)
