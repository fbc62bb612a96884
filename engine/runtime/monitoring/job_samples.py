"""Samples of the process trees of jobs, all taken in one pass over /proc."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.execution.output_size import log_sizes
from engine.execution.proc import TICKS, Proc, mark_of, pids, stat
from engine.execution.proc import read as read_proc
from engine.execution.progress import ProgressLine, ProgressReader
from engine.execution.tree_usage import TreeUsage
from engine.execution.wrapper import NO_LIMITS
from engine.model.codes.processes import CPU_LIMIT, MEMORY_LIMIT
from engine.model.errors import Failure
from engine.model.job import Limits
from engine.runtime.monitoring.output_guard import too_much

_FORGET_STRANGERS = 5  # looks; a pid may be given away again


class JobSample(NamedTuple):
    """One line of a job's ``monitor.csv``, without its time.

    ``cpu`` in percent of one core, ``memory`` resident bytes of all processes, ``read`` and ``written``
    in bytes per second from and to disks; ``output`` and ``errors`` how long its two logs are: they
    say what was printed when, and in which order.
    """

    cpu: float
    memory: int
    read: int
    written: int
    threads: int
    processes: int
    output: int
    errors: int


@dataclass
class WatchedJob:
    """One attempt that runs. ``over`` and ``on_progress`` are called from the recorder's thread."""

    mark: str
    leader: int
    csv: str | None  # where its samples go
    directory: str | None = None
    limits: Limits = NO_LIMITS
    over: Callable[[Failure], None] | None = None  # called once, when a limit is passed
    on_progress: Callable[[list[ProgressLine], int], None] | None = None  # new lines, bytes read
    progress: ProgressReader | None = None
    gone: bool = False
    fd: int | None = None
    cpu: int = 0  # clock ticks, as of the last sample
    io: tuple[int, int] = (0, 0)
    at: float | None = None
    members: list[Proc] = field(default_factory=list)
    elsewhere: Callable[[], TreeUsage | None] | None = None  # on another machine: what it uses there
    seen: TreeUsage | None = None

    def take(self, usage: TreeUsage | None) -> float | None:
        """What its machine saw, if that is new; gives when that was."""
        is_new = usage is not None and usage != self.seen
        self.members = list(usage.members) if usage is not None and is_new else []
        self.seen = usage
        return usage.at if usage is not None and is_new else None


class JobsSampler:
    """Knows which process belongs to which job; a process is looked up once and then remembered."""

    def __init__(self) -> None:
        self._owners: dict[int, tuple[int, WatchedJob]] = {}  # pid -> start ticks, job
        self._strangers: set[int] = set()
        self._looks = 0

    def news(self) -> None:
        """A job was added: processes that belonged to no job may be its."""
        self._strangers.clear()

    def look(self, jobs: Iterable[WatchedJob]) -> None:
        """Find the living processes of every job."""
        self._looks += 1
        if self._looks % _FORGET_STRANGERS == 0:
            self._strangers.clear()
        leaders = {job.leader: job for job in jobs}
        marks = {job.mark.encode(): job for job in leaders.values()}
        for job in leaders.values():
            job.members = []
        before, self._owners = self._owners, {}
        for pid in pids():
            if pid not in self._strangers:
                self._place(pid, before, leaders, marks)

    def _place(
        self,
        pid: int,
        before: dict[int, tuple[int, WatchedJob]],
        leaders: dict[int, WatchedJob],
        marks: dict[bytes, WatchedJob],
    ) -> None:
        found = stat(pid)
        if found is None:
            return
        started, job = before.get(pid, (0, None))
        if job is None or started != found.started or job.gone:
            job = self._relative(found, before, leaders) or marks.get(mark_of(pid) or b"")
        if job is None:
            self._strangers.add(pid)
            return
        self._owners[pid] = (found.started, job)
        job.members.append(found)

    def _relative(
        self, found: Proc, before: dict[int, tuple[int, WatchedJob]], leaders: dict[int, WatchedJob]
    ) -> WatchedJob | None:
        """The job of itself, its parent or its session: an environment may have been cleared."""
        for pid in (found.pid, found.parent, found.session):
            if (job := leaders.get(pid)) is not None:
                return job
            _, job = self._owners.get(pid) or before.get(pid) or (0, None)
            if job is not None and not job.gone:
                return job
        return None


def sample(job: WatchedJob, now: float) -> JobSample | None:
    """What its processes use, since the last sample or since it started; None when none lives.

    The kernel adds what a process used to its parent when that waits for it, so the sums only grow.
    """
    if not job.members:
        return None
    cpu = sum(each.cpu for each in job.members)
    io = _io(job.members) if job.seen is None else (job.seen.read, job.seen.written)
    since = job.at if job.at is not None else min(each.started for each in job.members) / TICKS
    seconds = max(now - since, 0.01)
    output, errors = log_sizes(os.path.dirname(job.csv)) if job.csv else (0, 0)
    made = JobSample(
        cpu=round(max(cpu - job.cpu, 0) * 100.0 / TICKS / seconds, 1),
        memory=sum(each.rss for each in job.members),
        read=int(max(io[0] - job.io[0], 0) / seconds),
        written=int(max(io[1] - job.io[1], 0) / seconds),
        threads=sum(each.threads for each in job.members),
        processes=len(job.members),
        output=output,
        errors=errors,
    )
    job.cpu, job.io, job.at = cpu, io, now
    return made


def passed_limit(job: WatchedJob) -> Failure | None:
    """The limit that its tree has passed; the limits of single processes are the kernel's business."""
    limits = job.limits
    memory = sum(each.rss for each in job.members)
    if limits.memory is not None and memory > limits.memory:
        template = "it uses {used:,} bytes of memory, {limit:,} may be"
        return Failure.new(MEMORY_LIMIT, template, used=memory, limit=limits.memory)
    cpu = sum(each.cpu for each in job.members) / TICKS
    if limits.cpu is not None and cpu > limits.cpu:
        template = "it used {used:g} s of CPU, {limit:g} s may be"
        return Failure.new(CPU_LIMIT, template, used=cpu, limit=limits.cpu)
    files = None if job.seen is None else job.seen.files
    if files is not None and limits.output is not None and files > limits.output:
        return too_much(files, limits.output)
    return None


def _io(members: list[Proc]) -> tuple[int, int]:
    """Bytes read from and written to disks; processes of other users do not tell."""
    read = written = 0
    for each in members:
        for line in (read_proc(f"/proc/{each.pid}/io") or b"").splitlines():
            if line.startswith(b"read_bytes:"):
                read += int(line[11:])
            elif line.startswith(b"write_bytes:"):
                written += int(line[12:])
    return read, written
