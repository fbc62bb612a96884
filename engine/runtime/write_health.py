"""Whether the engine can write its state down: a full or failing disk, a silent store is waited for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

from engine.model.clock import Clock
from engine.model.disk import full, may_pass
from engine.model.errors import SkerryError
from engine.model.message import Message, facts_of
from engine.model.plain_words import wording
from engine.runtime.elapsed import iso
from engine.runtime.events import Events
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.loop import Loop


@dataclass(frozen=True, slots=True)
class WriteStall:
    """A disk that is full or fails, or a database that does not answer."""

    since: str  # ISO 8601, UTC
    reason: Message  # the error, which names the disk or the server
    instances: int  # that run and whose outcomes or files wait for it

    def to_json(self) -> dict[str, Any]:
        """For ``about`` and events."""
        return {**asdict(self), "reason_facts": facts_of(self.reason)}


class LiveRun(Protocol):
    """What the services need to know of a run."""

    @property
    def files(self) -> InstanceFiles:
        """How far they are behind."""


class WriteHealth:
    """Begins again what found no room, and reports why and since when something waits."""

    retry_seconds: ClassVar[float] = 1.0  # between two attempts while the disk is full
    _longest: ClassVar[int] = 4  # times that: each attempt writes all it can, and there may be many of them

    def __init__(
        self,
        clock: Clock,
        loop: Loop,
        events: Events,
        say: Callable[..., None],
        runs: Mapping[int, LiveRun],
        root: str,
    ) -> None:
        self._clock = clock
        self._loop = loop
        self._events = events
        self._say = say
        self._runs = runs
        self._root = root
        self.full_disk: Message | None = None  # why files cannot be written, as it was reported
        self.trouble: SkerryError | None = None  # what keeps the store from writing
        self._since: str | None = None  # when the first of the two began

    def when_disk_has_room(self, work: Callable[[], None], files: InstanceFiles | None = None) -> None:
        """Do it now, or as soon as the disk has room for it and takes it (loop thread).

        It may be tried many times.

        The instance of the ``files`` does not end before that.
        """
        if files is not None:
            files.behind += 1
        self._try(work, files, self.retry_seconds)

    def _try(self, work: Callable[[], None], files: InstanceFiles | None, pause: float) -> None:
        late = False
        try:
            work()
        except (OSError, SkerryError) as error:
            late = may_pass(error)
            if not late:
                raise
            self.disk_is_full(error)
            longer = min(2 * pause, self._longest * self.retry_seconds)
            self._loop.later(pause, lambda: self._try(work, files, longer))
        finally:
            if files is not None and not late:
                files.behind -= 1
        if not late:
            self.has_room()

    def disk_is_full(self, error: Exception) -> None:
        """Report it, once until there is room again."""
        if self.full_disk is None:
            message = full(error, error.filename or self._root) if isinstance(error, OSError) else error
            self.full_disk = wording(message)
            self._stalled()
            self._say(f"{message}; tried again until it works", logging.ERROR)

    def has_room(self) -> None:
        """A write found room on the disk; it is over when nothing waits any more (loop thread)."""
        if self.full_disk is not None and not self._late():
            self.full_disk = None
            self._goes_on()

    def cannot_write(self, error: SkerryError) -> None:
        """The store takes nothing right now: everything waits for it (any thread)."""
        if self.trouble is None:
            self._say(f"{error.message}; tried again until it works", logging.ERROR)
        self.trouble = error
        self._stalled()

    def has_written(self) -> None:
        """The store takes what is written (any thread)."""
        if self.trouble is not None:
            self.trouble = None
            self._goes_on()

    def _stalled(self) -> None:
        if self._since is None:
            self._since = iso(self._clock.now())
            self._report()

    def _goes_on(self) -> None:
        """Clients read the state again once all that had to wait is written down."""
        if self.reason is None:
            self._since = None
            self._report()
            self._loop.post(lambda: self._loop.after_commit(lambda: self._events.publish({"kind": "resync"})))

    def _report(self) -> None:
        stall = self.stall
        self._events.publish({"kind": "hold_up", "hold_up": stall and stall.to_json()})

    @property
    def reason(self) -> Message | None:
        """What keeps things from being written down, for people; from any thread."""
        return self.full_disk if self.trouble is None else self.trouble.message

    @property
    def stall(self) -> WriteStall | None:
        """The same with how long and how many; from any thread."""
        reason, since = self.reason, self._since
        if reason is None or since is None:
            return None
        return WriteStall(since, reason, len(self._runs) if self.trouble else self._late())

    def _late(self) -> int:
        """Instances of which something waits for room on the disk."""
        return sum(run.files.behind > 0 for run in tuple(self._runs.values()))
