"""What the parts of an engine share: clock, store, loop, queue, secrets, and the turn in progress."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Protocol

from engine.context import Line, TaskContext
from engine.execution.directories import JobDirectories
from engine.model.clock import Clock
from engine.model.disk import full, no_room
from engine.model.errors import SkerryError
from engine.model.reason import Reason
from engine.plugins.registry import JobTypes, ResourceTypes
from engine.runtime.environment_record import EnvironmentRecord
from engine.runtime.events import Events
from engine.runtime.fibers import Signal
from engine.runtime.handling_rules import Rulebook
from engine.runtime.instance_facts import Facts
from engine.runtime.loop import Loop, Timer
from engine.runtime.monitoring.output_guard import OutputGuard
from engine.runtime.monitoring.recorder import Recorder
from engine.runtime.queue.job_queue import Queue
from engine.runtime.request_keys import RequestKeys
from engine.runtime.supervised import Supervised
from engine.runtime.workspace import Workspace
from engine.runtime.write_stall import WriteStall
from engine.store.changes import Changes
from engine.store.port import Store


class LiveRun(Protocol):
    """What the services need to know of a run: how far its files are behind."""

    facts: Facts
    context: TaskContext
    behind: int
    unfiled: list[Line]
    has_directory: bool
    snapshot_due: Timer | None

    def file_lines(self) -> None:
        """Bring ``ctx.log`` up to the store; OSError when the disk is full."""

    def write_files(self) -> None:
        """Bring all files of the context up to date."""


@dataclass
class EngineServices:
    """The parts of one engine; ``changes`` is this turn's transaction."""

    workspace: Workspace
    clock: Clock
    store: Store
    loop: Loop
    queue: Queue
    events: Events
    job_types: JobTypes
    resource_types: ResourceTypes
    secret: Callable[[str], str]  # a stored secret by name; SkerryError when locked or unknown
    mask: Callable[[Any], Any]  # known secrets in a value replaced by ******
    remember: Callable[[Iterable[str]], None]  # secrets that somebody typed: masked from now on
    passphrases: Callable[[], tuple[str, ...]]  # what opens the secrets; no job may print them either
    directories: JobDirectories
    environment: EnvironmentRecord
    base_env: Mapping[str, str]  # what jobs get of the engine's environment
    supervised: Supervised  # what keeps together whatever a job starts
    rules: Rulebook
    request_keys: RequestKeys
    say: Callable[..., None]  # (text, level, error) into the execution log
    runs: Mapping[int, LiveRun]  # the live run of each instance
    strays: tuple[int, ...] = ()  # descriptors that no job may inherit
    recorder: Recorder | None = None
    output: OutputGuard = field(default_factory=OutputGuard)
    changes: Changes = field(default_factory=Changes)
    dirty: dict[int, LiveRun] = field(default_factory=dict)  # runs with context lines to write
    pauses: dict[int, Reason] = field(default_factory=dict)  # instances that somebody paused: who, when, why
    changing: set[int] = field(default_factory=set)  # instances at rest, a change not in their files yet
    touched: set[int] = field(default_factory=set)  # ended instances whose files were changed since the sync
    unsynced: bool = False  # whether an instance ended, or was changed, since then
    leaving: set[int] = field(default_factory=set)  # instances that retention takes away right now
    asking: dict[int, Signal] = field(default_factory=dict)  # JobInstances that wait for a person's answer
    _moment: datetime | None = None
    _moment_text: str = ""
    no_room_seconds: ClassVar[float] = 1.0  # between two tries while the disk is full
    full_disk: str | None = None  # where files cannot be written for want of room, as it was told
    trouble: SkerryError | None = None  # what keeps the store from writing, if anything
    stalled_since: str | None = None  # when the first of the two began

    def being_changed(self, instances: Iterable[int]) -> bool:
        """Whether one of them does not run but a change of it is still on its way into store and files."""
        return any(id in self.changing and id not in self.runs for id in instances)

    def now(self) -> str:
        """The moment of this turn as it stands in the store: UTC, ISO 8601, microseconds."""
        moment = self.loop.now()
        if moment is not self._moment:
            self._moment, self._moment_text = moment, iso(moment)
        return self._moment_text

    def local(self, moment: datetime) -> str:
        """A moment as people read it in a reason: to the second, in the workspace's zone."""
        return moment.astimezone(self.workspace.zone).isoformat(timespec="seconds")

    def when_disk_has_room(self, work: Callable[[], None], run: LiveRun | None = None) -> None:
        """Do it now, or as soon as the disk has room for it (loop thread). It may be tried many times.

        A ``run`` does not end before that.
        """
        if run is not None:
            run.behind += 1
        self._try(work, run)

    def _try(self, work: Callable[[], None], run: LiveRun | None) -> None:
        late = False
        try:
            work()
        except (OSError, SkerryError) as error:
            late = no_room(error)
            if not late:
                raise
            self.disk_is_full(error)
            self.loop.later(self.no_room_seconds, lambda: self._try(work, run))
        finally:
            if run is not None and not late:
                run.behind -= 1
        if not late:
            self.has_room()

    def disk_is_full(self, error: Exception) -> None:
        """Say so, once until there is room again."""
        if self.full_disk is None:
            message = (
                full(error, error.filename or str(self.workspace.root))
                if isinstance(error, OSError)
                else error
            )
            self.full_disk = str(message)
            self._has_stalled()
            self.say(f"{message}; tried again until there is room", logging.ERROR)

    def has_room(self) -> None:
        """Something found room on the disk; it is over when nothing waits any more (loop thread)."""
        if self.full_disk is not None and not self._late():
            self.full_disk = None
            self._goes_on()

    def cannot_write(self, error: SkerryError) -> None:
        """The store takes nothing right now: everything waits for it (any thread)."""
        if self.trouble is None:
            self.say(f"{error.message}; tried again until it works", logging.ERROR)
        self.trouble = error
        self._has_stalled()

    def has_written(self) -> None:
        """The store takes what is written (any thread)."""
        if self.trouble is not None:
            self.trouble = None
            self._goes_on()

    def _has_stalled(self) -> None:
        if self.stalled_since is None:
            self.stalled_since = iso(self.clock.now())
            self._tell_write_stall()

    def _goes_on(self) -> None:
        """Whoever watches looks again once all that had to wait is written down."""
        if self.stall_reason is None:
            self.stalled_since = None
            self._tell_write_stall()
            self.loop.post(lambda: self.loop.after_commit(lambda: self.events.tell({"kind": "resync"})))

    def _tell_write_stall(self) -> None:
        found = self.write_stall
        self.events.tell({"kind": "hold_up", "hold_up": found and found.to_json()})

    @property
    def stall_reason(self) -> str | None:
        """What keeps things from being written down, for people; from any thread."""
        return self.full_disk if self.trouble is None else str(self.trouble)

    @property
    def write_stall(self) -> WriteStall | None:
        """The same with how long and how many; from any thread."""
        reason, since = self.stall_reason, self.stalled_since
        if reason is None or since is None:
            return None
        return WriteStall(since, reason, len(self.runs) if self.trouble else self._late())

    def _late(self) -> int:
        """Instances of which something waits for room on the disk."""
        return sum(run.behind > 0 for run in tuple(self.runs.values()))

    def next_id(self, table: str, count: int = 1) -> int:
        """The first of ``count`` ids that nobody else gets; a full disk is no reason to wait for them.

        A database that does not even answer is waited for: what happens now must be written.
        """
        while True:
            try:
                return self.store.next_id(table, count, owe=True)
            except SkerryError as error:
                if not error.entry.retryable:
                    raise
                self.disk_is_full(error)
                if self.loop.ending:
                    self.loop.abandon(error)  # the next engine decides it anew
                    raise
                time.sleep(self.no_room_seconds)

    def mark(self, job: int, attempt: int) -> str:
        """A mark for one attempt that nothing else in the world has."""
        return f"{job}.{attempt}.{secrets.token_hex(8)}"


def iso(moment: datetime) -> str:
    """ISO 8601 with offset and always six digits of microseconds."""
    return moment.isoformat(timespec="microseconds")
