"""Adjusts the number of slots to the load while it is sized automatically; idle engines are left alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from engine.execution.proc import core_ticks, read
from engine.execution.vitals import cores
from engine.planning.places import Load, next_places
from engine.runtime.loop import Loop
from engine.runtime.queue.job_queue import Queue
from engine.runtime.timers import Timer

SETTING = "queue"  # in the store: {"size", "paused"}, so that it outlives the engine
HELD_JOBS = "held jobs"  # by JobInstance why each is held, as a reason is kept
LOOK_SECONDS = 5.0


class LoadProbe:
    """The load of this machine since it was last asked for, from ``/proc``."""

    def __init__(self) -> None:
        self.cores = cores()
        self._before = _ticks()

    def __call__(self) -> Load:
        before, self._before = self._before, _ticks()
        busy, total = self._before[0] - before[0], self._before[1] - before[1]
        return Load(self.cores, busy / total if total > 0 else 0.0, _memory_free())


class Sizing:
    """Sizes a queue by load while that is switched on; loop thread only."""

    def __init__(self, loop: Loop, queue: Queue, look: Callable[[], Load]) -> None:
        self._loop = loop
        self._queue = queue
        self._look = look
        self._timer: Timer | None = None
        self.auto = False

    def follow(self, auto: bool) -> None:
        """Begin, or leave the slots as they are from now on."""
        self.auto = auto
        if not auto and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.arm()

    def arm(self) -> None:
        """Begin to measure the load, if something waits or runs."""
        if self.auto and self._timer is None and (self._queue.taken or self._queue.length):
            self._look()  # what counts is the load from now on
            self._timer = self._loop.later(LOOK_SECONDS, self._adjust)

    def _adjust(self) -> None:
        self._timer = None
        queue = self._queue
        queue.slots = next_places(queue.slots, queue.taken, self._look())
        queue.wake()
        self._arm_again()

    def _arm_again(self) -> None:
        if self._queue.taken or self._queue.length:
            self._timer = self._loop.later(LOOK_SECONDS, self._adjust)


def _ticks() -> tuple[int, int]:
    return core_ticks(read("/proc/stat") or b"")


def _memory_free() -> float:
    """The part of the memory that programs can still get; all of it where that is not known."""
    found: dict[bytes, int] = {}
    with suppress(OSError), open("/proc/meminfo", "rb") as file:
        for line in file:
            words = line.split()
            found[words[0]] = int(words[1])
    total = found.get(b"MemTotal:", 0)
    return found.get(b"MemAvailable:", total) / total if total else 1.0
