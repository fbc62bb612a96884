"""Enforces ``limits.output``: watches closely and kills a writer at once (decision 0035)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.execution.host import Host
from engine.execution.output_size import written
from engine.model.clock import Clock
from engine.model.codes.processes import OUTPUT_LIMIT
from engine.model.errors import Failure
from engine.model.job import Limits
from engine.runtime.threads import Threads

_LOOK = 0.01  # seconds between two looks at the logs
_SHARE = 20  # a walk through the directory is followed by so many times its own duration without one


@dataclass
class _Guarded:
    mark: str
    directory: str
    most: int
    over: Callable[[Failure], None]
    walk_at: float = 0.0
    reported: bool = False


class OutputGuard:
    """A thread that lives while a job with such a limit runs; any thread adds and removes."""

    def __init__(self, clock: Clock, threads: Threads, host: Host) -> None:
        self._clock = clock
        self._threads = threads
        self._host = host
        self._lock = threads.lock()
        self._jobs: dict[str, _Guarded] = {}
        self._lives = False

    def add(self, mark: str, directory: str, most: int, over: Callable[[Failure], None]) -> None:
        """Watch an attempt; ``over`` is called once, on a thread of ours, before its processes are killed."""
        with self._lock:
            self._jobs[mark] = _Guarded(mark, directory, most, over)
            if not self._lives:
                self._lives = True
                self._threads.start(self._run, "skerry-output")

    def remove(self, mark: str) -> None:
        """It has ended; unknown marks are fine."""
        with self._lock:
            self._jobs.pop(mark, None)

    def _run(self) -> None:
        while jobs := self._watched():
            for job in jobs:
                self._look(job)
            self._threads.sleep(_LOOK)

    def _watched(self) -> tuple[_Guarded, ...]:
        with self._lock:
            self._lives = bool(self._jobs)
            return tuple(self._jobs.values())

    def _look(self, job: _Guarded) -> None:
        found = 0 if job.reported else self._amount(job)
        if not job.reported and found > job.most:
            job.reported = True
            job.over(too_much(found, job.most))
        if job.reported:
            self._host.kill_now(job.directory, job.mark)  # that it is gone is its owner's business

    def _amount(self, job: _Guarded) -> int:
        """What the logs have; from time to time all files."""
        found = self._host.growth(job.directory).logs
        now = self._clock.monotonic()
        if found <= job.most and now >= job.walk_at:
            found = self._host.growth(job.directory, files=True).files or 0
            took = self._clock.monotonic() - now
            job.walk_at = now + max(took * _SHARE, _LOOK)
        return found


def too_much(found: int, most: int) -> Failure:
    """The failure of a job that wrote so many bytes."""
    template = "it wrote {found:,} bytes, {most:,} may be (limits.output)"
    return Failure.new(OUTPUT_LIMIT, template, found=found, most=most)


def wrote_too_much(limits: Limits, directory: str) -> Failure | None:
    """The same for a program that was quicker than the looks."""
    if limits.output is None or (found := written(directory)) <= limits.output:
        return None
    return too_much(found, limits.output)
