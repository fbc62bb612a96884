"""Enforces ``limits.output``: watches closely and kills a writer at once (decision 0035)."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from engine.execution.kill import without_wrapper
from engine.execution.output_size import log_sizes, written
from engine.model.codes.processes import OUTPUT_LIMIT
from engine.model.errors import Failure
from engine.model.job import Limits

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

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, _Guarded] = {}
        self._thread: threading.Thread | None = None

    def add(self, mark: str, directory: str, most: int, over: Callable[[Failure], None]) -> None:
        """Watch an attempt; ``over`` is called once, on a thread of ours, before its processes are killed."""
        with self._lock:
            self._jobs[mark] = _Guarded(mark, directory, most, over)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="skerry-output", daemon=True)
                self._thread.start()

    def remove(self, mark: str) -> None:
        """It has ended; unknown marks are fine."""
        with self._lock:
            self._jobs.pop(mark, None)

    def _run(self) -> None:
        while jobs := self._watched():
            for job in jobs:
                self._look(job)
            time.sleep(_LOOK)

    def _watched(self) -> tuple[_Guarded, ...]:
        with self._lock:
            if not self._jobs:
                self._thread = None
            return tuple(self._jobs.values())

    def _look(self, job: _Guarded) -> None:
        found = 0 if job.reported else _amount(job)
        if not job.reported and found > job.most:
            job.reported = True
            job.over(too_much(found, job.most))
        if job.reported:
            _kill(job)


def too_much(found: int, most: int) -> Failure:
    """The failure of a job that wrote so many bytes."""
    message = f"it wrote {found:,} bytes, {most:,} may be (limits.output)"
    return Failure(OUTPUT_LIMIT.number, message, OUTPUT_LIMIT.retryable)


def wrote_too_much(limits: Limits, directory: str) -> Failure | None:
    """The same for a program that was quicker than the looks."""
    if limits.output is None or (found := written(directory)) <= limits.output:
        return None
    return too_much(found, limits.output)


def _amount(job: _Guarded) -> int:
    """What the logs have; from time to time all files."""
    found = sum(log_sizes(job.directory))
    now = time.monotonic()
    if found <= job.most and now >= job.walk_at:
        found = written(job.directory)
        took = time.monotonic() - now
        job.walk_at = now + max(took * _SHARE, _LOOK)
    return found


def _kill(job: _Guarded) -> None:
    """Everything but the wrapper; the verified end of the attempt is its owner's business."""
    for pid in without_wrapper(job.directory, job.mark):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
