"""Lives a story: engines one after another on a simulated machine, people, faults, until nothing is left to do."""

from __future__ import annotations

import os
import secrets
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import yaml

from engine.api.local import LocalService
from engine.execution import supervised
from engine.execution.ssh.settings import HostKey, SshSettings
from engine.execution.strangers import Stranger
from engine.model.clock import Clock
from engine.model.errors import SkerryError
from engine.model.names import RECORD
from engine.model.threads import Threads
from engine.model.worker import Worker
from engine.runtime import environment_record, loop
from engine.runtime.environment_record import EnvironmentRecord
from engine.runtime.interventions import worker_control
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.loop import Loop
from engine.runtime.monitoring import output_guard
from engine.runtime.recovery import confirmation
from engine.runtime.timing import scheduler
from engine.runtime.upkeep import file_sync, worker_hosts
from engine.runtime.upkeep.shown_keys import ShownKey
from engine.store.filters import ExceptionFilter
from resources.clients import checking, file_places
from resources.clients.file_places import FoundFile
from tests.simulation import operators
from tests.simulation.engines import Engines
from tests.simulation.fault_injection import FaultInjection
from tests.simulation.invariants.calls import Calls
from tests.simulation.invariants.life import Life
from tests.simulation.machine.remote import Remote
from tests.simulation.machine.remote_host import SimulatedRemoteHost
from tests.simulation.machine.virtual_time import FOREVER
from tests.simulation.people import People
from tests.simulation.workload.action import Action
from tests.simulation.workload.fleet import EVERYWHERE
from tests.simulation.workload.random_streams import chance
from tests.simulation.workload.stories import line
from tests.simulation.workload.timetable import BEGIN

_DISK = SimpleNamespace(total=1 << 40, used=1 << 39, free=1 << 39)  # what the real one has changes in length
_PID = 1_000_000  # that of the first engine is one more; engines write it into files, which are cut off
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/anna", "LANG": "C.UTF-8"}  # as well
_VERSIONS = {"skerry": "1.0", "python": "3.11.2", "kernel": "6.1.0", "libc": "glibc 2.36"}
_HOST = {"name": "harbour", "system": "Debian", "machine": "x86_64", "cores": 4, "memory": 1 << 33}
_REST = 60.0  # seconds after the end until everything must be in its place
_SELDOM = 30.0  # seconds between two looks at jobs and clocks: each would be a step, for days of virtual time
_CONFIRMED = 600.0  # the same between two confirmations of what runs
_LONGEST = 90 * 86_400.0  # seconds after which everything must have ended
_CONNECTING = 120.0  # seconds until what was not reached is, and what waits for that has given up
_LATER = 5.0  # seconds from what people ask to what happens then
_UNBEGUN = "pending", "queued", "no_worker", "busy"
_CHUNKS = (10.0, 100.0, 1000.0, 4000.0)  # seconds between two looks whether it has
Facts = Mapping[str, Any]
NoteCall = Callable[[AttemptFiles, str, str], None]


class Simulation:
    """What goes on in a life."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._faults = FaultInjection(life)
        self._engines = Engines(life, self._faults)
        self._people = People(life, self._engines)

    def live(self) -> None:
        """From the first action until nothing goes on any more; then ``engine`` is the last one."""
        life = self._life
        with self._world():
            (life.root / "workspace.yaml").write_text(yaml.safe_dump(dict(life.story.settings)))
            life.disk.sync()
            self._engines.begin()
            self._set_up("load", self._load)
            if life.remotes:
                self._set_up("workers", self._register)
            begin = life.hub.now
            for index, action in enumerate(life.story.actions):
                if action.what not in operators.LEFT_OUT:
                    life.hub.at(begin + action.at, lambda index=index, action=action: self._do(index, action))
            last = max((each.at for each in life.story.actions), default=0.0)
            self._run(begin + max(last, life.story.timetable.span) + 1.0)
            self._settle()

    def _set_up(self, what: str, call: Callable[[], Any]) -> None:
        """What is asked for before anything goes wrong."""
        self._run(done=lambda: not self._life.down)
        self._people.ask("setup", what, call)
        self._run(done=lambda: not self._people.asking)

    def _run(self, until: float = FOREVER, done: Callable[[], bool] = lambda: False) -> None:
        """A life is over when a promise is broken: what comes of that would often go round in a circle."""
        self._life.hub.run(until, lambda: bool(self._life.history.wrongs) or done())

    def look_at(self, broken: Callable[[Life], list[str]]) -> None:
        """Look at what was left, as a task of the engine that is at work at the end."""
        life = self._life

        def look() -> None:
            life.history.wrongs += broken(life)

        with self._world():
            life.hub.run(life.hub.now + _REST)
            task = life.hub.start(("engine", life.number), "promises", look)
            life.hub.run(done=lambda: task.ended)

    @contextmanager
    def _world(self) -> Iterator[None]:
        life = self._life
        tokens = chance(life.story.seed, "tokens")
        with ExitStack() as stack:
            stack.enter_context(life.disk)
            stack.enter_context(life.machine.as_kernel())
            life.disk.before = self._faults.before_operation
            life.machine.when_started = self._faults.started
            life.machine.when_begun = lambda: self._faults.due("begun")
            life.machine.when_ended = lambda: self._faults.due("ended")
            life.machine.when_left = lambda: self._faults.due("left")
            life.disk.owner = lambda: life.hub.owner
            for module, name, answer in (
                (os, "getpid", lambda: _PID + life.number),
                (os, "environ", _ENVIRONMENT),
                (environment_record, "shutil", SimpleNamespace(disk_usage=lambda root: _DISK)),
                (EnvironmentRecord, "_versions", _VERSIONS),  # these are each machine's own
                (
                    EnvironmentRecord,
                    "_host",
                    property(lambda record: {**_HOST, "boot_id": life.clock.boot()}),
                ),
                (EnvironmentRecord, "_process", lambda record: {"pid": os.getpid(), "user": 1000}),
                (sys, "executable", "/bin/sh"),  # that of the simulator lies elsewhere on each machine
                (checking, "perf_counter", lambda: life.hub.now),  # what a check took goes into files, too
                (file_places, "_found", _found),
                (file_sync, "syncfs", lambda: self._syncfs),
                (secrets, "token_hex", lambda count=8: tokens.randbytes(count).hex()),
                (loop, "_LOOK", _SELDOM),
                (output_guard, "_LOOK", _SELDOM),
                (supervised, "_LOOK", _SELDOM),
                (confirmation, "_EACH", _CONFIRMED),
                (scheduler, "_LONGEST_NAP", _SELDOM),
                (time, "sleep", _outside),
                (threading.Thread, "start", _outside),
                (worker_hosts, "SshHost", self._remote_host),
                (worker_control, "shown_keys", _shown_keys),
                (AttemptFiles, "note_call", _noted(life.calls)),
                (uuid, "uuid4", lambda: uuid.UUID(int=tokens.getrandbits(128), version=4)),
            ):
                stack.enter_context(patch.object(module, name, answer))
            yield

    def _syncfs(self, fd: int) -> int:
        self._life.disk.sync()
        return 0

    def _remote_host(
        self, settings: SshSettings, clock: Clock, loop: Loop, threads: Threads, **calls: Any
    ) -> SimulatedRemoteHost:
        remote, owner = self._life.remotes[settings.name], ("engine", self._life.number)
        return SimulatedRemoteHost(remote, owner, settings, loop, threads, **calls)

    def _register(self) -> str:
        return operators.register(self._life, LocalService(self._life.engine, "setup"))

    def _load(self) -> Any:
        story = self._life.story
        tasks = {**story.definitions["tasks"], **story.timetable.tasks}
        sources = operators.source("tasks.json", {**story.definitions, "tasks": tasks})
        return LocalService(self._life.engine, "setup").load(sources)

    # -- what happens ----------------------------------------------------------------------------

    def _do(self, index: int, action: Action) -> None:
        life = self._life
        life.note(line(action))
        fault = _FAULTS.get(action.what)
        if fault is None:
            return self._people.do(index, action)
        life.history.struck(action.what)
        return fault(self, action.facts)

    def kill(self, facts: Facts) -> None:
        self._strike(facts, self._engines.kill)

    def cut_power(self, facts: Facts) -> None:
        self._strike(facts, self._engines.cut_power)

    def _strike(self, facts: Facts, blow: Callable[[float], None]) -> None:
        down = float(facts["down"])
        if not self._life.down:
            self._faults.strike(facts, lambda: blow(down))

    def end_orderly(self, facts: Facts) -> None:
        """The engine is asked to end; the next one begins later."""
        if not self._life.down:
            self._engines.close(float(facts["down"]))

    def set_clock(self, facts: Facts) -> None:
        """The wall clock is set."""
        self._life.clock.wrong += timedelta(seconds=float(facts["by"]))
        self._life.timing.is_exact = self._life.schedules.is_exact = False

    def cut_link(self, facts: Facts) -> None:
        """Nobody reaches a worker, on which everything goes on."""
        self._life.trouble.lasts(float(facts["seconds"]) + _CONNECTING)
        self._life.remotes[facts["worker"]].cut(float(facts["seconds"]))

    def fall_silent(self, facts: Facts, then: Callable[[], None] = lambda: None) -> None:
        """The same, soon after the next process has begun there, which takes longer than others."""
        life, remote = self._life, self._life.remotes[facts["worker"]]

        def begins() -> float:
            life.hub.after(float(facts["after"]), lambda: self.cut_link(facts))
            then()
            return float(facts["takes"])

        remote.when_next_begins(begins)

    def regroup(self, facts: Facts) -> None:
        """It leaves its group while a job has a record of it, and then the engine ends."""
        life, leave = self._life, lambda: operators.leave_group(life, facts["worker"])

        def begins() -> float:
            after, down = float(facts["after"]), {"down": facts["down"]}
            life.hub.after(after, lambda: self._people.ask("dana", "regroup", leave))
            life.hub.after(after + _LATER, lambda: self.kill(down))
            return float(facts["takes"])

        life.remotes[facts["worker"]].when_next_begins(begins, f"job-{EVERYWHERE}-")

    def be_slow(self, facts: Facts) -> None:
        """What is sent to a worker takes long, and so do its answers."""
        self._life.trouble.lasts(float(facts["seconds"]) + _CONNECTING)
        self._life.remotes[facts["worker"]].slow(float(facts["delay"]), float(facts["seconds"]))

    def be_skewed(self, facts: Facts) -> None:
        """The clock of a worker is off for a while."""
        life, remote = self._life, self._life.remotes[facts["worker"]]
        life.trouble.lasts(float(facts["seconds"]) + _CONNECTING)
        self._set_skew(remote, float(facts["by"]))
        life.hub.after(float(facts["seconds"]), lambda: self._set_skew(remote, 0.0))

    def _set_skew(self, remote: Remote, skew: float) -> None:
        remote.skew = skew
        remote.is_otherwise()

    def bring_stranger(self, facts: Facts) -> None:
        """Something runs on a worker that no engine began."""
        life, remote = self._life, self._life.remotes[facts["worker"]]
        unbegun = self._unbegun() if facts["next"] else []
        job = unbegun[facts["job"] % len(unbegun)] if unbegun else facts["job"]
        stranger = Stranger(f"{job}.1.{len(remote.strangers)}", job, facts["alone"])
        life.trouble.lasts(float(facts["seconds"]) + _CONNECTING)
        self._let_live(remote, (*remote.strangers, stranger))
        others = lambda: tuple(each for each in remote.strangers if each is not stranger)  # noqa: E731
        life.hub.after(float(facts["seconds"]), lambda: self._let_live(remote, others()))

    def _unbegun(self) -> list[int]:
        """The jobs that may begin on workers."""
        known, tasks = self._life.starts.known, self._life.story.definitions["tasks"]
        meant = {
            (task, node) for task in tasks for node, keys in tasks[task]["nodes"].items() if "on" in keys
        }
        rows = known.tables["job_instance"].items()
        left = [(id, row) for id, row in rows if str(row["status"]) in _UNBEGUN]
        return [
            id
            for id, row in left
            if (known.instance(row["instance"])["task"], row["node"].partition(RECORD)[0]) in meant
        ]

    def _let_live(self, remote: Remote, strangers: tuple[Stranger, ...]) -> None:
        remote.strangers = strangers
        remote.is_otherwise()

    def fall_silent_and(self, facts: Facts) -> None:
        """More goes wrong just before a silence, or in the middle of it."""
        life, more = self._life, _FAULTS[facts["what"]]
        moment = max(facts["after"] + facts["then"], 0.0)
        self.fall_silent(facts, lambda: life.hub.after(moment, lambda: more(self, facts)))

    def flap(self, facts: Facts) -> None:
        """Again and again, each time for half of the time."""
        life, each = self._life, float(facts["seconds"]) / int(facts["times"])
        life.trouble.lasts(float(facts["seconds"]) + _CONNECTING)
        for number in range(int(facts["times"])):
            life.hub.after(number * each, lambda: life.remotes[facts["worker"]].cut(each / 2))

    def reboot_worker(self, facts: Facts) -> None:
        """Nothing on it lives any more."""
        self._life.trouble.lasts(float(facts["seconds"]) + _CONNECTING)
        self._life.remotes[facts["worker"]].reboot(float(facts["seconds"]))

    # -- the end ---------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Whatever is held back may go on, questions are answered, until nothing is left to do."""
        life = self._life
        life.clock.wrong = timedelta()  # what waits for a day need not wait for years
        begin = life.hub.now
        chunks = iter(_CHUNKS)
        chunk = next(chunks)
        while life.hub.now < begin + _LONGEST and not life.history.wrongs:
            if not life.down and not self._people.asking and self._finished():
                self._faults.forget()
                return
            is_late = chunk == _CHUNKS[-1]  # who still asks may wait for what going on lets go
            if not life.down and (is_late or not self._people.asking):
                self._people.ask("settling", "go on", self._go_on)
            if not life.down and is_late:  # what was set aside is tried again by the next engine
                self._engines.close(1.0)
            self._run(life.hub.now + chunk)
            chunk = next(chunks, chunk)
        if not life.history.wrongs:
            life.history.wrong(f"it does not come to an end: {self._unfinished()}")

    def _finished(self) -> bool:
        assert self._life.store is not None
        is_over, engine = self._life.trouble.is_over, self._life.engine
        is_idle = engine.idle() or (engine.scheduler.fires and not len(engine.scheduler.kept))
        store = self._life.store
        return is_over and is_idle and not store.unfinished() and not store.backfills(under_way=True)

    def _unfinished(self) -> Any:
        store = self._life.store
        if store is None:
            return "no engine"
        return [
            (row.id, row.instance, row.node, str(row.status), row.reason) for row in store.unfinished_jobs()
        ] or [(row.id, row.task, str(row.status), row.reason) for row in store.unfinished()]

    def _go_on(self) -> str:
        engine = self._life.engine
        if engine.services.queue.paused:
            engine.queue.pause(False, "settling")
        service, tasks = LocalService(engine, "settling"), list(self._life.story.timetable.tasks)
        for call in (service.accept_clock, lambda: service.move_tasks(tasks, "offline")) if tasks else ():
            with suppress(SkerryError):
                call()
        for instance in engine.store.unfinished():
            with suppress(SkerryError):
                engine.resume(instance.id)
        for each in engine.store.exceptions(ExceptionFilter()):
            with suppress(SkerryError):  # closed without an answer its job still waits for one
                engine.handle(each.id, "discard", "settled")
        operators.settle_questions(engine.store, service)
        operators.settle_workers(self._life, service)
        operators.settle_backfills(engine.store, service)
        return "done"


def _shown_keys(worker: Worker, *given: Any) -> list[ShownKey]:
    assert worker.address is not None
    return [ShownKey(worker.address.place, HostKey("ssh-ed25519", "AAAA"), None)]


def _found(path: Path, status: os.stat_result, now: float) -> FoundFile:
    """As if it had just been written when the life began: the kernel has another clock, and ages differ in length."""
    return FoundFile(path, status.st_size, BEGIN.timestamp(), 0.0)


def _noted(calls: Calls, real: NoteCall = AttemptFiles.note_call) -> NoteCall:
    def note(files: AttemptFiles, record: str, mark: str) -> None:
        calls.is_noted(files.entry.identity.id, files._number)
        real(files, record, mark)

    return note


def _outside(*given: Any) -> Any:
    """The linter sees most of what waits outside of the ports; this sees the rest."""
    raise AssertionError(f"a real thread or a real sleep in virtual time: {given}")


_FAULTS: Mapping[str, Callable[[Simulation, Facts], None]] = {
    "kill": Simulation.kill,
    "power": Simulation.cut_power,
    "reboot": Simulation.cut_power,
    "restart": Simulation.end_orderly,
    "disk full": lambda simulation, facts: simulation._faults.fill(facts),
    "locked": lambda simulation, facts: simulation._faults.lock(facts),
    "commit fails": lambda simulation, facts: simulation._faults.refuse(facts),
    "clock": Simulation.set_clock,
    "link cut": Simulation.cut_link,
    "link flaps": Simulation.flap,
    "silence": Simulation.fall_silent,
    "silence and": Simulation.fall_silent_and,
    "slow link": Simulation.be_slow,
    "worker clock": Simulation.be_skewed,
    "stranger": Simulation.bring_stranger,
    "regroup": Simulation.regroup,
    "worker reboots": Simulation.reboot_worker,
    "slow disk": lambda simulation, facts: simulation._faults.slow(facts),
    "io error": lambda simulation, facts: simulation._faults.io_error(facts),
}
