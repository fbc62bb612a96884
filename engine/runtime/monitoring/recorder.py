"""Monitoring records: each second of work, this machine, the engine and the jobs' processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from engine.execution.files import open_log
from engine.execution.progress import ProgressLine, ProgressReader
from engine.execution.tree_usage import TreeUsage
from engine.execution.wrapper import NO_LIMITS
from engine.model.clock import Clock
from engine.model.errors import Failure
from engine.model.job import Limits
from engine.runtime.monitoring.job_samples import JobSample, JobsSampler, WatchedJob, passed_limit, sample
from engine.runtime.monitoring.machine_samples import EngineLoad, MachineSample, MachineSampler
from engine.runtime.threads import SystemThreads, Thread, Threads

EVERY = 1.0  # seconds
IDLE = EngineLoad(0, 0, 0.0)


class Recorder:
    """Samples on a thread of its own; jobs are added and removed from any thread at next to no cost.

    ``folder`` is the workspace's ``monitor``; ``load`` tells what the engine knows of itself. Nothing is
    written while neither a job is watched nor the engine says that something is queued or running.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        load: Callable[[], EngineLoad] = lambda: IDLE,
        on_error: Callable[[Exception], None] = lambda error: None,
        threads: Threads | None = None,
    ) -> None:
        self._threads = threads or SystemThreads()
        self._clock = clock
        self._load = load
        self._jobs: dict[str, WatchedJob] = {}
        self._gone: deque[WatchedJob] = deque()
        self._lock = self._threads.lock()  # of whose attempt a file is that is made
        self._sampler = JobsSampler()
        self._machine = MachineSampler(folder, clock.monotonic())
        self._days = _DayFile(folder)
        self._stop = self._threads.event()
        self._thread: Thread | None = None
        self._on_error = on_error

    def start(self) -> None:
        self._thread = self._threads.start(self._run, "skerry-monitor")

    def stop(self) -> None:
        """End, and give every descriptor back."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for mark in tuple(self._jobs):
            self.remove(mark)
        self._close_gone()
        self._days.close()
        self._machine.close()

    def add(
        self,
        mark: str,
        leader: int,
        csv: str | None = None,
        *,
        directory: str | None = None,
        limits: Limits = NO_LIMITS,
        over: Callable[[Failure], None] | None = None,
        on_progress: Callable[[list[ProgressLine], int], None] | None = None,
        progress_from: int = 0,
        elsewhere: Callable[[], TreeUsage | None] | None = None,
    ) -> None:
        """Watch the tree of an attempt; ``csv`` is made at its first sample (None: no samples).

        ``over`` is called once when the tree passes one of ``limits`` (``output`` needs ``directory``),
        ``on_progress`` for new lines of progress in ``directory``, with the bytes of that file which were
        read by then, the first ones ``progress_from``; both on the recorder's thread.
        ``elsewhere`` gives what it uses on another machine.
        """
        reader = None
        if on_progress and directory:
            reader = ProgressReader(f"{directory}/.skerry/progress", progress_from)
        self._jobs[mark] = job = WatchedJob(mark, leader, csv, directory, limits, over, on_progress, reader)
        job.elsewhere, job.at = elsewhere, None if elsewhere is None else self._clock.monotonic()
        self._sampler.news()

    def remove(self, mark: str) -> None:
        """The attempt has ended; unknown marks are fine. From now on no file is made for it."""
        job = self._jobs.pop(mark, None)
        if job is not None:
            with self._lock:
                job.gone = True
            self._gone.append(job)

    def tick(self) -> None:
        """Take one sample of everything (the thread does it each second)."""
        now, load = self._clock.monotonic(), self._load()
        jobs = tuple(self._jobs.values())
        working = bool(jobs or load.queued or load.running)
        time = self._clock.now()
        machine = self._machine.sample(load, now)
        if working:
            self._days.append(time, machine)
        if jobs:
            self._sampler.look([job for job in jobs if job.elsewhere is None])
        for job in jobs:
            self._record(job, time, now)
        self._close_gone()

    def _record(self, job: WatchedJob, time: datetime, now: float) -> None:
        if job.elsewhere is not None:
            now = job.take(job.elsewhere()) or now
        made = sample(job, now)
        if made is not None and job.csv is not None:
            with suppress(OSError):  # a full disk, or a directory that is gone: the job does not suffer
                self._write(job, job.csv, time, made)
        if job.progress is not None and job.on_progress is not None and (lines := job.progress.news()):
            job.on_progress(lines, job.progress.offset)
        if job.over is not None and (failure := passed_limit(job)) is not None:
            over, job.over = job.over, None
            over(failure)

    def _write(self, job: WatchedJob, path: str, time: datetime, made: JobSample) -> None:
        if job.fd is None:
            with self._lock:
                if job.gone:  # the next attempt has its files there by now
                    return
                job.fd = _opened(path, JobSample._fields)
        os.write(job.fd, _line(time, made))

    def _close_gone(self) -> None:
        while self._gone:
            job = self._gone.popleft()
            if job.fd is not None:
                os.close(job.fd)
                job.fd = None

    def _run(self) -> None:
        due = self._clock.monotonic() + EVERY
        while not self._stop.wait(max(due - self._clock.monotonic(), 0.0)):
            try:
                self.tick()
            except Exception as error:
                self._on_error(error)
            due = max(due + EVERY, self._clock.monotonic())  # late ones are left out


class _DayFile:
    """``monitor/YYYY-MM-DD.csv`` of the present day (UTC)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._day = ""
        self._fd: int | None = None

    def append(self, time: datetime, made: MachineSample) -> None:
        """One line; the first of a file is its header."""
        day = time.date().isoformat()
        if self._fd is None or day != self._day:
            self.close()
            self._fd, self._day = _opened(f"{self._folder}/{day}.csv", MachineSample._fields), day
        os.write(self._fd, _line(time, made))

    def close(self) -> None:
        """Give the descriptor back."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _opened(path: str, fields: Sequence[str]) -> int:
    fd = open_log(path)
    if os.fstat(fd).st_size == 0:
        os.write(fd, f"time,{','.join(fields)}\n".encode())
    return fd


def _line(time: datetime, made: Sequence[float]) -> bytes:
    return f"{time.isoformat(timespec='milliseconds')},{','.join(map(str, made))}\n".encode()
