"""The processes of a simulated machine: they outlive engines, write the files that real ones write, obey or not.

Starting and adopting run through the engine's own code (``engine.execution.spawn``, ``adopt``); what these ask
of the kernel is answered here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar
from unittest.mock import patch

from engine.execution import adopt, child, spawn, stage_file, supervised
from engine.execution.child import Child, Exit
from engine.execution.host import (
    LOCAL,
    Attempts,
    Found,
    GivenSecrets,
    Growth,
    HostFacts,
    LivingStage,
    Turns,
)
from engine.execution.kill import _KILL_SECONDS
from engine.execution.launch import Launch
from engine.execution.outcomes import Left, Lost
from engine.execution.output_size import log_sizes, written
from engine.execution.remains import LocalRemains
from engine.execution.stage_file import StageRecord
from engine.execution.strangers import Stranger
from engine.model.job import StageName
from engine.plugins.resource_type import FileFacts
from tests.simulation.machine.clock import SimulatedClock
from tests.simulation.machine.threads import Descriptors
from tests.simulation.machine.virtual_time import Hub
from tests.simulation.workload.behaviours import Behaviour, behaviour
from tests.simulation.workload.random_streams import chance

_CLEAN, _EXIT = 96, 106  # where the supervisor writes into the stage file
_TERM, _KILL = 143, 137
_LOOK = 0.1  # seconds between two looks of a stop
_BEGINNING = 0.003  # seconds within which the shell says that it began
_SLOWLY = 0.5  # the same on a machine that has much to do
_WHERE = re.compile(r".*/task-(.+)-(\d+)/jobs/job-(.+)-(\d+)")


class Process:
    """One stage of an attempt, with its supervisor."""

    def __init__(self, machine: Machine, pid: int, launch: Launch, behaviour: Behaviour, lock: int) -> None:
        self.machine = machine
        self.pid = pid
        self.mark = launch.mark
        self.directory = os.fspath(launch.directory)
        self.stage = launch.stage
        self.alone = launch.alone  # whether its job is exclusive
        self.record = f"{self.directory}/.skerry/{launch.stage}"
        self.behaviour = behaviour
        self.fd = machine.descriptors.new()  # readable when the supervisor has ended
        self.report: Callable[[int, int], None] | None = None  # to the engine that started it
        self.status: int | None = None  # of its program, once that has ended
        self.daemon = False  # whether a child of its program lives on
        self.gone = False
        self.worker = LOCAL
        self.has_begun = False  # its shell, and with it the program
        self.vouched = False  # a person said that it does not live, for its worker is gone
        self._lock = lock

    @property
    def program_lives(self) -> bool:
        return self.status is None and not self.gone

    @property
    def job_lives(self) -> bool:
        """Whether anything below the supervisor lives."""
        return not self.gone and (self.status is None or self.daemon)

    def begin(self) -> None:
        """The shell writes that it began; the rest follows."""
        if self.program_lives:
            self.has_begun = True
            self._write(0, b"begun %d" % (self.pid + 1))
            done = self.behaviour
            for seconds, line in done.progress:
                self._later(seconds, lambda line=line: self._say_progress(line))
            self._later(done.seconds, self._end_by_itself)
            self.machine.when_begun()

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        self.machine.hub.after(seconds, call, ("process", self.pid))

    def _say_progress(self, line: str) -> None:
        if self.program_lives:
            with suppress(OSError):  # no room
                self._append(".skerry/progress", f"{line}\n")

    def _end_by_itself(self) -> None:
        if not self.program_lives:
            return
        done = self.behaviour
        status = 128 + done.signal if done.signal is not None else done.exit or 0
        try:
            self._leave_files()
        except OSError:  # no room, or its directory is gone: a shell under `set -e`
            status = 1
        self.daemon = done.daemon > 0
        self.end(status)
        if self.daemon:
            self._later(done.daemon, self.bury)
        if done.outputs:
            self.machine.when_left()

    def end(self, status: int) -> None:
        """Its program has ended; the supervisor notes that, reports it, and goes if nothing is left."""
        self.status = status
        self.machine.trace(f"process {self.pid} of {self.mark.rpartition('.')[0]} ends with {status}")
        self._write(_EXIT, b"exit %3d %3d\n" % (status, status))
        if not self.daemon:
            self.bury()
        elif self.report is not None:
            self.report(self.pid, status)
        self.machine.when_ended()

    def bury(self) -> None:
        """Nothing is left below the supervisor."""
        if self.gone:
            return
        self.daemon = False
        self._write(_CLEAN, b"clean yes\n")
        self.vanish()
        self.machine.descriptors[self.fd].become_readable()

    def vanish(self) -> None:
        """Its record is not locked any more."""
        self.gone = True
        os.close(self._lock)

    def ask_to_end(self) -> None:
        """TERM."""
        if self.behaviour.term is not None and not self.behaviour.stuck:
            self._later(self.behaviour.term, lambda: self._killed(_TERM))

    def kill(self) -> None:
        """KILL."""
        if not self.behaviour.stuck:
            self._later(0.0, lambda: self._killed(_KILL))

    def _killed(self, status: int) -> None:
        if self.program_lives:
            self.end(status)
        elif self.daemon:
            self.bury()

    def _leave_files(self) -> None:
        done = self.behaviour
        for name, text in (("job.log", done.log), ("job-error.log", done.error_log)):
            if text:
                self._append(name, text)
        for name, text in done.outputs.items():
            self._append(f"outputs/{name}", text)
        if done.status is not None:
            self._append("status", done.status)

    def _append(self, name: str, text: str) -> None:
        fd = os.open(f"{self.directory}/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            data = text.encode()
            while data:
                data = data[os.write(fd, data) :]
        finally:
            os.close(fd)

    def _write(self, offset: int, data: bytes) -> None:
        """Into the stage file, laid out beforehand."""
        with suppress(OSError):
            fd = os.open(self.record, os.O_RDWR)
            try:
                os.pwrite(fd, data, offset)
            finally:
                os.close(fd)


Elsewhere = TypeVar("Elsewhere", bound=Process)


class SimulatedChild(Child):
    """What an engine holds of a process."""

    __slots__ = ("_process", "_seen")

    def attach(self, process: Process) -> SimulatedChild:
        self._process = process
        self._seen: Exit | Lost | None = None
        return self

    @property
    def start_ticks(self) -> int | None:
        return 1

    def reap(self, *, drained: bool = False) -> Exit | Lost | None:
        if self._seen is None:
            self._seen = self._look()
        return self._seen

    def _look(self) -> Exit | Lost | None:
        if self._status is not None:
            return child._looked_up(self.stage_file, self._status)
        if not self._process.gone:
            return None
        if not self._own:
            return child.recorded(self.stage_file)
        status = self._process.status
        return Exit(0) if status == 0 else child._looked_up(self.stage_file, status or 0)

    def close(self) -> None:
        """Nothing of the system's is held."""


class Machine:
    """All processes that live, whichever engine started them."""

    def __init__(
        self,
        hub: Hub,
        clock: SimulatedClock,
        seed: int,
        descriptors: Descriptors,
        trace: Callable[[str], None],
    ) -> None:
        self.hub = hub
        self.clock = clock
        self.descriptors = descriptors
        self.trace = trace
        self.started: list[Process] = []
        self.on_start: Callable[[Process], None] = lambda process: None
        self.when_started: Callable[[str], None] = lambda mark: None  # by the engine, which knows no pid yet
        self.when_begun: Callable[[], None] = lambda: None
        self.when_ended: Callable[[], None] = lambda: None
        self.when_left: Callable[[], None] = lambda: None  # results, by a program that has ended
        self.looked: Callable[[str, float, tuple[Stranger, ...]], None] = lambda worker, skew, strangers: None
        self.begins_slowly = False
        self._seed = seed
        self._by_pid: dict[int, Process] = {}
        self._counts: dict[tuple[str, ...], int] = {}

    def add(self, launch: Launch, lock: int) -> int:
        """A process begins; its pid."""
        pid = 10_000 + 2 * len(self.started)
        process = Process(self, pid, launch, self.behaviour_of(launch), os.dup(lock))
        self.on_start(process)
        self.started.append(process)
        self._by_pid[pid] = process
        self.trace(f"process {pid} starts: {launch.mark.rpartition('.')[0]} {launch.stage}")
        delay = chance(self._seed, "beginning", pid).random()
        delay *= _SLOWLY if self.begins_slowly else _BEGINNING
        self.hub.after(delay, process.begin, ("process", pid))
        return pid

    def add_remote(self, make: Callable[[int], Elsewhere], launch: Launch) -> Elsewhere:
        """One on another machine, of which this one knows nothing."""
        process = make(10_000 + 2 * len(self.started))
        self.on_start(process)
        self.started.append(process)
        what = f"{launch.mark.rpartition('.')[0]} {launch.stage}"
        self.trace(f"process {process.pid} starts on {process.worker}: {what}")
        return process

    def __getitem__(self, pid: int) -> Process:
        return self._by_pid[pid]

    def living(self, mark: str) -> list[Process]:
        """What lives of an attempt, on whatever machine."""
        return [each for each in self.started if each.mark == mark and each.job_lives]

    def living_here(self, mark: str) -> list[Process]:
        """What this machine knows of."""
        return [each for each in self.living(mark) if each.worker == LOCAL]

    def power_off(self) -> None:
        """Nothing lives any more, and nobody writes that down."""
        for each in self.started:
            if not each.gone and each.worker == LOCAL:
                each.vanish()
                self.hub.frozen.add(("process", each.pid))

    def behaviour_of(self, launch: Launch) -> Behaviour:
        """What the program of a stage will do, wherever it runs."""
        found = _WHERE.fullmatch(os.fspath(launch.directory))
        task, node = (found[1], found[3]) if found else ("", "")
        key = (task, node, launch.stage)
        self._counts[key] = number = self._counts.get(key, 0) + 1
        return behaviour(self._seed, task, node, launch.stage, number)

    # -- what the engine's code asks of the kernel ------------------------------------------------

    @contextmanager
    def as_kernel(self) -> Iterator[None]:
        """The engine's code starts and adopts processes of this machine."""
        with ExitStack() as patches:
            for module, name, answer in (
                (stage_file, "boot_id", self.clock.boot),
                (spawn, "_start", self._start),
                (spawn, "_pidfd", lambda pid: self[pid].fd),
                (spawn, "Child", self._child),
                (adopt, "_leader", self._leader),
                (adopt, "_masker", lambda record: None),
                (child, "is_supervisor", lambda pid, mark: pid in self._by_pid and not self[pid].gone),
                (supervised, "bury", lambda fd: None),
                (supervised, "_closed", lambda fd: None),
            ):
                patches.enter_context(patch.object(module, name, answer))
            yield

    def _start(
        self, launch: Launch, argv: Any, directory: str, standard: tuple[int, int, int], *_: Any
    ) -> int:
        pid = self.add(launch, standard[0])
        self.when_started(launch.mark)
        return pid

    def _child(self, pid: int, pidfd: int, record: str, mark: str, **more: Any) -> SimulatedChild:
        return SimulatedChild(pid, pidfd, record, mark, **more).attach(self[pid])

    def _leader(self, path: str, record: StageRecord) -> SimulatedChild | None:
        """The process whose record that is, once its shell has begun."""
        if record.leader is None:
            return None
        process = self._by_pid.get(record.leader - 1)
        if process is None or process.gone or process.record != path:
            return None
        if record.pid != process.pid:
            stage_file.note_pid_in(path, process.pid)
        return self._child(process.pid, process.fd, path, record.mark, own=False)


class SimulatedHost:
    """The port of one engine: see :class:`engine.execution.host.Host`."""

    def __init__(self, machine: Machine, engine: int, turns: Turns) -> None:
        self._machine = machine
        self._engine = ("engine", engine)
        self._reports: list[tuple[int, int]] = []
        self.news_fd = machine.descriptors.new()
        self._supervised = supervised.Supervised(turns, self)

    @property
    def facts(self) -> HostFacts:
        return HostFacts(LOCAL, self._machine.clock.boot())

    def forget(self, directory: str, mark: str) -> None:
        """All of it is in the directory."""

    @property
    def base_env(self) -> dict[str, str]:
        return {}

    def begin(self) -> None:
        self._supervised.start()

    def start(self, launch: Launch) -> Child:
        found = spawn.spawn(launch, (), self)  # type: ignore[arg-type]
        self._machine[found.pid].report = self._report
        return found

    def _report(self, pid: int, status: int) -> None:
        if self._engine not in self._machine.hub.frozen:
            self._reports.append((pid, status))
            self._machine.descriptors[self.news_fd].become_readable()

    def news(self) -> list[tuple[int, int]]:
        """What supervisors report."""
        reports, self._reports = self._reports, []
        self._machine.descriptors[self.news_fd].readable = False
        return reports

    def look(
        self,
        directory: str,
        stage: StageName,
        mark: str,
        *,
        began_in: str | None = None,
        looks: int = 0,
        secrets: GivenSecrets = (),
    ) -> Found | None:
        return adopt.adopt(directory, stage, mark, began_in=began_in, looks=looks)

    def wake(self, stage: LivingStage, ended: Callable[[Exit | Lost], None]) -> None:
        assert isinstance(stage, Child)
        self._supervised.wake(stage, ended)

    def confirm(self, stage: LivingStage) -> Exit | Lost | None:
        assert isinstance(stage, Child)
        return adopt.confirmed(stage.stage_file)

    def remains(self, directory: str | None, mark: str) -> LocalRemains:
        return LocalRemains(directory, mark, self.living)

    def growth(self, directory: str, *, files: bool = False) -> Growth:
        return Growth(sum(log_sizes(directory)), written(directory) if files else None)

    def usage(self, mark: str, most: int | None) -> None:
        """Nothing is sampled."""

    def look_at_file(self, path: str, digest: bool) -> FileFacts:
        raise NotImplementedError("no resource of these lives is looked at there")

    def bring(self, directory: str, mark: str) -> None:
        """All of it is there."""

    def stop(self, directory: str | None, mark: str, grace: float) -> Left:
        machine, hub = self._machine, self._machine.hub
        for each in machine.living_here(mark):
            each.ask_to_end()
        until = hub.now + grace
        while (living := machine.living_here(mark)) and hub.now < until + _KILL_SECONDS:
            if hub.now >= until:
                for each in living:
                    each.kill()
            hub.sleep(_LOOK)
        return Left(tuple(each.pid + 1 for each in living))

    def kill_now(self, directory: str, mark: str) -> None:
        for each in self._machine.living_here(mark):
            each.kill()

    def living(self, attempts: Attempts) -> tuple[int, ...]:
        marks = [mark for _, mark in attempts]
        return tuple(each.pid + 1 for mark in marks for each in self._machine.living_here(mark))

    def load(self) -> float:
        """As that of the machines beside it."""
        return 0.25

    def close(self) -> None:
        """The engine ends; what it started goes on."""
