"""A workbench with real directories and real processes; nothing may be left behind."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.execution.child import DRAIN_SECONDS, Child
from engine.execution.code import code
from engine.execution.directories import InstanceDirectory, JobDirectories, JobDirectory
from engine.execution.environment import environment, inherited
from engine.execution.host import LOOK_AGAIN
from engine.execution.kill import stop_tree, tree
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Lost
from engine.execution.spawn import inheritable, spawn
from engine.execution.supervisor import Supervisor
from engine.runtime.clock import SystemClock

PATIENCE = 30.0  # seconds; a test that needs them has failed


class Ended(NamedTuple):
    """What a stage left behind."""

    end: Exit | Lost
    out: str
    err: str
    job: JobDirectory


class Running(NamedTuple):
    """A stage that was started."""

    child: Child
    job: JobDirectory
    mark: str

    def line(self) -> str:
        """The first line of its log, as soon as it is there."""
        return wait_for_line(f"{self.job.path}/job.log")


class Workbench:
    """Makes jobs and runs them."""

    def __init__(self, root: Path) -> None:
        self.clock = SystemClock()
        self.instance: InstanceDirectory = JobDirectories(root / "instances").instance("t", 1)
        (root / "instances").mkdir(mode=0o700)
        self.instance.make()
        self.marks: list[str] = []
        self.directories: dict[str, str] = {}  # of each mark
        self.supervisor = Supervisor()
        self.gate = Path(self.instance.path, "go")
        os.mkfifo(self.gate)

    def open_gate(self) -> None:
        """Let a script go on that waits with ``read -r x < ../../go``."""
        with self.gate.open("w") as gate:
            gate.write("\n")

    def job(self, text: str | bytes = "", params: bytes = b"{}\n", stage: str = "process") -> JobDirectory:
        """A job's directory with one stage."""
        job = self.instance.job("j", len(self.marks) + 1)
        job.make(params, {stage: code(text)})
        self.marks.append(f"{os.getpid()}.{len(self.marks)}.{os.urandom(4).hex()}")
        self.directories[self.marks[-1]] = job.path
        return job

    def start(
        self,
        text: str | bytes = "",
        argv: tuple[str, ...] | None = None,
        params: Mapping[str, Any] | None = None,
        **launch: Any,
    ) -> Running:
        """Start a stage as the engine does."""
        job = self.job(text)
        mark = self.marks[-1]
        env = environment(inherited(os.environ), params or {}, job.path, mark)
        argv = argv or code(text).argv("executeCode/process")
        wanted = Launch(argv, "executeCode/process", job.path, "process", mark, env, **launch)
        return Running(spawn(wanted, inheritable(), self.supervisor), job, mark)

    def run(self, text: str | bytes = "", argv: tuple[str, ...] | None = None, **more: Any) -> Ended:
        """Start a stage and wait for its end."""
        running = self.start(text, argv, **more)
        end = wait(running.child)
        return Ended(end, read(running.job, "job.log"), read(running.job, "job-error.log"), running.job)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """A workbench; at the end no process of it may live."""
    bench = Workbench(tmp_path)

    yield bench

    left = {mark: tree(bench.directories[mark], mark) for mark in bench.marks}
    for mark, pids in left.items():
        if pids:
            stop_tree(bench.directories[mark], mark, 0, bench.clock)
    bench.supervisor.close()
    assert {mark: pids for mark, pids in left.items() if pids} == {}


def wait(child: Child, supervisor: Supervisor | None = None) -> Exit | Lost:
    """Wait for a stage as the engine's loop does; with ``supervisor`` for one that leaves processes behind."""
    end = None
    seconds = PATIENCE
    if supervisor is not None:
        assert readable(supervisor.news_fd, PATIENCE)
        [(pid, status)] = supervisor.news()
        assert pid == child.pid
        os.close(child.outlived(status))
        end, seconds = child.reap(), DRAIN_SECONDS
    while end is None:
        came = readable(child.pidfd, seconds)
        assert came or seconds == DRAIN_SECONDS, "it did not end"
        while came and not child.is_settled():
            select.select((), (), (), LOOK_AGAIN)
        end = child.reap(drained=not came)
        seconds = DRAIN_SECONDS
    return end


def put_in_place(path: Path, what: str, target: str = "/etc/passwd") -> None:
    """What a program could leave where a plain file is expected."""
    if what == "link":
        path.symlink_to(target)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()


def readable(fd: int, seconds: float) -> bool:
    """Whether ``fd`` becomes readable within ``seconds``."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def read(job: JobDirectory, name: str) -> str:
    """One file of a job."""
    return Path(job.path, name).read_text("utf-8")


def wait_for_line(path: str) -> str:
    """The first line of a file as soon as it is complete."""
    with Path("/proc/uptime").open() as uptime:
        end = float(uptime.read().split()[0]) + PATIENCE
        while not (text := Path(path).read_text("utf-8")).endswith("\n"):
            select.select([], [], [], 0.01)
            uptime.seek(0)
            assert float(uptime.read().split()[0]) < end, f"no line in {path}"
    return text.splitlines()[0]
