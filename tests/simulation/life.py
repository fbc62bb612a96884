"""One life: an engine after another on a simulated machine, people, faults, and what became durable of it.

Requests of people are carried out by tasks of the engine, as its socket's threads do, and die with it; who
asked then asks the next engine again, with the same key, as the command line does.
"""

from __future__ import annotations

import errno
import os
import secrets
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from app import wiring
from engine.definitions.writer import dump
from engine.model.codes.store import BUSY, DISK_FULL, FAILED
from engine.model.errors import SkerryError
from engine.runtime.engine import Engine
from engine.runtime.monitoring import output_guard
from engine.runtime.upkeep import file_sync
from engine.runtime.upkeep.database_opening import open_sound
from engine.store.changes import Changes
from engine.store.filters import InstanceFilter
from engine.store.reading import StoreReading
from engine.store.sql_store import Store
from resources.clients import checking
from tests.simulation.invariants import idle_moments
from tests.simulation.invariants.durations import Timing, Trouble
from tests.simulation.invariants.history import History
from tests.simulation.invariants.starts import Starts
from tests.simulation.machine.clock import SimulatedClock
from tests.simulation.machine.disk import Disk
from tests.simulation.machine.processes import Machine, SimulatedProcesses
from tests.simulation.machine.threads import Descriptors, SimulatedThreads
from tests.simulation.machine.virtual_time import Hub, Task
from tests.simulation.workload import operators
from tests.simulation.workload.actions import Action
from tests.simulation.workload.random_streams import chance
from tests.simulation.workload.stories import Story, line

_PID = 1_000_000  # that of the first engine is one more; engines write it into files, which are cut off
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/anna", "LANG": "C.UTF-8"}  # as well
_TRY_AGAIN = 0.5  # seconds until who asked asks the next engine
_LOOK = 1.0  # seconds until it is noticed that an engine has stopped
_REST = 60.0  # seconds after the end until everything must be in its place
_SELDOM = 30.0  # seconds between two looks at how much jobs write: 0.01 s would be steps without end
_LONGEST = 90 * 86_400.0  # seconds after which everything must have ended
_CHUNKS = (10.0, 100.0, 1000.0, 4000.0)  # seconds between two looks whether it has


class Life:
    """The world of one story."""

    def __init__(self, story: Story, root: Path, trace: Callable[[str], None] = lambda line: None) -> None:
        self.story = story
        self.root = root
        self.hub = Hub(chance(story.seed, "hub"))
        self.clock = SimulatedClock(self.hub)
        self.descriptors = Descriptors()
        self.disk = Disk(root, chance(story.seed, "disk"))
        self.machine = Machine(self.hub, self.clock, story.seed, self.descriptors, self.note)
        self.history = History()
        self.starts = Starts(self.machine, self.history.wrong)
        self.trouble = Trouble(self.hub)
        self.timing = Timing(self.hub, self.trouble, self.history.wrong)
        self.lines: list[str] = []
        self.count = 0  # engines so far
        self.down = True
        self._trace = trace
        self._engine: Engine | None = None
        self._store: Store | None = None
        self._blow: tuple[str, int, Callable[[], None]] | None = (
            None  # at which operation, how many more, what
        )
        self._io_error: tuple[str, int, int] | None = None  # operation, how many until, how many times
        self._refusals: tuple[int, int] | None = None  # of commits: how many until, how many times
        self._locked_until = self._slow_until = self._delay = 0.0
        self.engine_ticks = 0.0  # when the engine began, in seconds since the machine's start
        self._open_actions = 0
        self._awaiting: list[Callable[[], None]] = []  # for the engine to come or to go

    # -- telling -------------------------------------------------------------------------------

    def note(self, text: str) -> None:
        """A line of the trace; where the workspace is, which is elsewhere each time, is left out of it."""
        entry = f"{self.hub.now:.6f} {text.replace(str(self.root), 'workspace')}"
        self.lines.append(entry)
        self._trace(entry)

    @property
    def engine(self) -> Engine:
        """The one that works; only asked by its own tasks and when everything has ended."""
        assert self._engine is not None
        return self._engine

    def instances(self) -> list[int]:
        """All of them, the oldest first."""
        assert self._store is not None
        return sorted(row.id for row in self._store.instances(InstanceFilter(), limit=1000))

    # -- the whole -----------------------------------------------------------------------------

    def live(self) -> None:
        """From the first action until nothing goes on any more; then ``engine`` is the last one."""
        with self._world():
            (self.root / "workspace.yaml").write_text(yaml.safe_dump(dict(self.story.settings)))
            self.disk.sync()
            self._begin_engine()
            self.hub.run(done=lambda: not self.down)
            self._ask("setup", "load", self._load)
            self.hub.run(done=lambda: not self._open_actions)
            begin = self.hub.now
            for index, action in enumerate(self.story.actions):
                if action.what not in operators.LEFT_OUT:
                    self.hub.at(begin + action.at, lambda index=index, action=action: self._do(index, action))
            self.hub.run(begin + max((each.at for each in self.story.actions), default=0.0) + 1.0)
            self._settle()

    def look_at(self, broken: Callable[[Life], list[str]]) -> None:
        """Look at what was left, as a task of the engine that is at work at the end."""

        def look() -> None:
            self.history.wrongs += broken(self)

        with self._world():
            self.hub.run(self.hub.now + _REST)
            task = self.hub.start(("engine", self.count), "promises", look)
            self.hub.run(done=lambda: task.ended)

    @contextmanager
    def _world(self) -> Iterator[None]:
        tokens = chance(self.story.seed, "tokens")
        with ExitStack() as stack:
            stack.enter_context(self.disk)
            stack.enter_context(self.machine.as_kernel())
            self.disk.before = self._before
            self.disk.owner = lambda: self.hub.owner
            for module, name, answer in (
                (os, "getpid", lambda: _PID + self.count),
                (os, "environ", _ENVIRONMENT),
                (checking, "perf_counter", lambda: self.hub.now),  # what a check took goes into files, too
                (file_sync, "syncfs", lambda: self._syncfs),
                (secrets, "token_hex", lambda count=8: tokens.randbytes(count).hex()),
                (output_guard, "_LOOK", _SELDOM),
                (time, "sleep", _outside),
                (threading.Thread, "start", _outside),
                (uuid, "uuid4", lambda: uuid.UUID(int=tokens.getrandbits(128), version=4)),
            ):
                stack.enter_context(patch.object(module, name, answer))
            yield

    def _syncfs(self, fd: int) -> int:
        self.disk.sync()
        return 0

    def _load(self) -> Any:
        sources = [operators.Source(name="tasks.yaml", text=dump({"skerry": 1, **self.story.definitions}))]
        return operators.LocalService(self.engine, "setup").load(sources)

    # -- engines -------------------------------------------------------------------------------

    def _begin_engine(self) -> None:
        self.count += 1
        number = self.count
        self.note(f"engine {number} starts")
        self.hub.start(("engine", number), "main", lambda: self._start(number))

    def _start(self, number: int) -> None:
        try:
            self._open(number)
        except SkerryError as error:
            self.note(f"engine {number} does not start: {error.entry.number}")
            self._end(("engine", number), 1.0 if error.entry.retryable else 60.0)
            if not error.entry.retryable:
                self.history.wrong(f"engine {number} does not start: {error.entry.number} {error.message}")
        except OSError as error:
            self.note(f"engine {number} does not start: {error.strerror}")
            self._end(("engine", number), 1.0)

    def _open(self, number: int) -> None:
        workspace = wiring.open_workspace(self.root)
        self._store = store = open_sound(workspace, self.clock, lambda text: self.note(f"opening: {text}"))
        real, store.commit = store.commit, lambda changes: self._commit(real, changes)  # type: ignore[method-assign]
        forget = store.remove_instances
        store.remove_instances = lambda ids: self._removed(forget, ids)  # type: ignore[method-assign]
        engine = Engine(
            workspace,
            store,
            wiring.job_types(),
            wiring.resource_types(),
            self.clock,
            threads=SimulatedThreads(
                self.hub, ("engine", number), self.descriptors, chance(self.story.seed, "pool", number)
            ),
            processes=SimulatedProcesses(self.machine, number),
        )
        engine.services.loop.on_error = self._unexpected
        self.history.note_joins(engine.services.queue)
        engine.start()
        self._engine = engine
        self.engine_ticks = self.clock.monotonic()
        engine.services.loop._poller.at_rest = self._at_rest  # type: ignore[attr-defined]
        self._is_down(False)
        self.note(f"engine {number} is at work")
        loop = engine.services.loop
        assert isinstance(loop._thread, Task)
        loop._thread.when_ended(lambda: self.hub.after(_LOOK, lambda: self._had_to_stop(number)))

    def _at_rest(self) -> None:
        """The loop of the engine is about to sleep: what was decided is durable."""
        if self._engine is None or self._engine.services.loop._writing or self.history.wrongs:
            return
        try:
            self.history.wrongs += [f"at {self.hub.now:.3f}: {each}" for each in idle_moments.broken(self)]
        except Exception:
            self.history.wrong(f"who looked failed: {traceback.format_exc()}")

    @property
    def was_reordered(self) -> bool:
        """Whether what waits gets another priority."""
        return any(each.what == "queue priority" for each in self.story.actions)

    def _had_to_stop(self, number: int) -> None:
        """An engine that stopped by itself is started again, as ``systemd`` or the window do."""
        if not self.down and number == self.count:
            self.note(f"engine {number} has ended: {self.engine.services.loop.fatal}")
            self._die(1.0)

    def _unexpected(self, error: BaseException) -> None:
        if isinstance(error, SkerryError | OSError):
            self.note(f"the engine says: {error}")
        else:
            self.history.wrong(f"unexpected in the loop: {type(error).__name__}: {error}")

    def _die(self, down: float) -> None:
        """The engine is killed, at this very point of what it does."""
        self._end(("engine", self.count), down)

    def _end(self, owner: tuple[str, int], down: float) -> None:
        self.hub.frozen.add(owner)
        self._close(owner)
        self.hub.after(down, self._begin_engine)
        self.hub.freeze(owner)

    def _close(self, owner: tuple[str, int]) -> None:
        self._engine, self._blow = None, None
        self._is_down(True)
        self.disk.release(owner)
        if self._store is not None:
            store, self._store = self._store, None
            StoreReading.close(store)  # as the kernel does: unused ids are not given back
            store._writer.close()

    def _power(self, down: float) -> None:
        """The mains fail: engine and processes are gone, and what was not on the disk."""
        owner = ("engine", self.count)
        self.note("the power fails")
        self.hub.frozen.add(owner)
        self._close(owner)
        self.machine.power_off()
        for lost in self.disk.power_cut():
            self.note(f"lost: {lost}")
        self.hub.after(down, self._power_on)
        self.hub.freeze(owner)

    def _power_on(self) -> None:
        self.clock.restart()
        self._begin_engine()

    def _is_down(self, down: bool) -> None:
        self.down = down
        self.trouble.down(down)
        awaiting, self._awaiting = self._awaiting, []
        for resume in awaiting:
            resume()

    # -- what people and the world do -------------------------------------------------------------

    def _do(self, index: int, action: Action) -> None:
        self.note(line(action))
        fault = _FAULTS.get(action.what)
        if fault is not None:
            self.history.struck(action.what)
            return fault(self, action)
        return self._ask(
            f"{action.actor}-{index}", action.what, lambda: operators.act(self, action, index), action
        )

    def _ask(self, who: str, what: str, call: Callable[[], Any], action: Action | None = None) -> None:
        """A request, asked again of the next engine until one has answered."""
        self._open_actions += 1
        answered: list[operators.Answer] = []

        def carry_out() -> None:
            answer = operators.answer_of(call) if self._engine is not None else None
            if answer is None:  # the engine ends: the next one is asked
                return
            answered.append(answer)
            if action is not None:
                self.history.answered.append((action, answer))
            self.note(f"{who} {what} {answer}")

        def insist() -> None:
            while not answered:
                while self.down:
                    self.hub.wait(self._awaiting.append)
                number = self.count
                request = self.hub.start(("engine", number), "request", carry_out)
                while request.is_alive() and number == self.count:
                    self._wait_for(request)
                if not answered:
                    self.hub.sleep(_TRY_AGAIN)
            self._open_actions -= 1

        self.hub.start("people", who, insist)

    def _wait_for(self, request: Task) -> None:
        """Until it has ended, or the engine has."""

        def register(resume: Callable[[], None]) -> None:
            request.when_ended(resume)
            self._awaiting.append(resume)

        self.hub.wait(register)

    def _settle(self) -> None:
        """Whatever is held back may go on, questions are answered, until nothing is left to do."""
        self.clock.wrong = timedelta()  # what waits for a day need not wait for years
        until = self.hub.now + _LONGEST
        chunks = iter(_CHUNKS)
        chunk = next(chunks)
        while self.hub.now < until:
            if not self.down and not self._open_actions and self._finished():
                self._blow = self._io_error = self._refusals = None
                return
            if not self.down and not self._open_actions:
                self._ask("settling", "go on", self._go_on)
            if not self.down and chunk == _CHUNKS[-1]:  # what was set aside is tried again by the next engine
                self._close_engine(1.0)
            self.hub.run(self.hub.now + chunk)
            chunk = next(chunks, chunk)
        self.history.wrong(f"it does not come to an end: {self._unfinished()}")

    def _finished(self) -> bool:
        assert self._store is not None
        return not self._store.unfinished() and self.engine.idle()

    def _unfinished(self) -> Any:
        if self._store is None:
            return "no engine"
        return [
            (row.id, row.instance, row.node, str(row.status), row.reason)
            for row in self._store.unfinished_jobs()
        ] or [(row.id, row.task, str(row.status), row.reason) for row in self._store.unfinished()]

    def _go_on(self) -> str:
        engine = self.engine
        if engine.services.queue.paused:
            engine.queue.pause(False, "settling")
        for row in engine.store.unfinished():
            with suppress(SkerryError):
                engine.resume(row.id)
        for each in engine.store.exceptions(operators.ExceptionFilter()):
            with suppress(SkerryError):  # closed without an answer its job still waits for one
                engine.handle(each.id, "discard", "settled")
        return "done"

    # -- the database ----------------------------------------------------------------------------

    def _commit(self, real: Callable[[Changes], None], changes: Changes) -> None:
        self._due("before commit")
        if self.hub.current is not None and self.hub.now < self._slow_until:
            self.hub.sleep(self._delay)
        if self.hub.now < self._locked_until:
            if self.hub.current is not None:
                self.hub.sleep(5.0)
            raise SkerryError(BUSY, "the database is locked")
        if self._refuses():
            raise SkerryError(FAILED, "the database failed")
        if self.disk.full or self.disk.room is not None:
            raise SkerryError(DISK_FULL, "no room for the database")
        real(changes)
        self.history.committed(changes, self.note)
        self.starts.committed(changes, self._engine)
        self.timing.committed(changes, self._engine)
        if self._engine is not None:
            self.history.queue_is(self._engine.services.queue)
        self._due("after commit")

    def _removed(self, real: Callable[[Collection[int]], int], ids: Collection[int]) -> int:
        self.starts.leave(ids)
        self.history.removed.update(ids)
        self.note(f"removed: {sorted(ids)}")
        return real(ids)

    def _refuses(self) -> bool:
        if self._refusals is None:
            return False
        until, times = self._refusals
        if until > 1:
            self._refusals = until - 1, times
            return False
        self._refusals = (1, times - 1) if times > 1 else None
        return True

    # -- the disk --------------------------------------------------------------------------------

    def _before(self, operation: str, path: str) -> None:
        if not self._by_the_engine():
            return
        if self.hub.now < self._slow_until and operation in ("fsync", "fdatasync", "sync"):
            self.hub.sleep(self._delay)
        if self._io_error is not None and operation in _FAILING[self._io_error[0]]:
            self._fail_sometimes(operation, path)
        self._due("file")

    def _by_the_engine(self) -> bool:
        owner = self.hub.owner
        return isinstance(owner, tuple) and owner[0] == "engine"

    def _fail_sometimes(self, operation: str, path: str) -> None:
        assert self._io_error is not None
        kind, until, times = self._io_error
        if until > 1:
            self._io_error = kind, until - 1, times
            return
        self._io_error = (kind, 1, times - 1) if times > 1 else None
        self.note(f"{operation} {path} fails")
        self.history.failed_files.append(path)
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    def _due(self, moment: str) -> None:
        """Count down to a blow at such a moment; from the one that it falls on there is no way back."""
        if self._blow is None or self._blow[0] != moment or not self._by_the_engine():
            return
        _, left, strike = self._blow
        self._blow = (moment, left - 1, strike)
        if left <= 1:
            self._blow = None
            self.note(f"it happens at a {moment}")
            strike()

    # -- faults ----------------------------------------------------------------------------------

    def strike(self, action: Action, blow: Callable[[float], None]) -> None:
        """Now, or at one of the next operations of the engine."""
        down = float(action.facts["down"])
        if self.down:
            return
        if action.facts.get("when", "now") == "now":
            blow(down)
        else:
            self._blow = action.facts["when"], int(action.facts["after"]), lambda: blow(down)

    def end_orderly(self, action: Action) -> None:
        """The engine is asked to end; the next one begins later."""
        if not self.down:
            self._close_engine(float(action.facts["down"]))

    def _close_engine(self, down: float) -> None:
        engine, number = self.engine, self.count

        def close() -> None:
            self._is_down(True)
            engine.close()
            self._engine = self._store = None
            self.hub.after(down, self._begin_engine)

        self.hub.start(("engine", number), "close", close)

    def fill(self, action: Action) -> None:
        """The disk is full for a while."""
        self.disk.full, self.disk.room = not action.facts["left"], int(action.facts["left"])
        self.trouble.lasts(float(action.facts["seconds"]))
        self.hub.after(float(action.facts["seconds"]), self._free)

    def _free(self) -> None:
        self.disk.full, self.disk.room = False, None

    def lock(self, action: Action) -> None:
        """Another program has the database."""
        self._locked_until = self.hub.now + float(action.facts["seconds"])
        self.trouble.lasts(float(action.facts["seconds"]))

    def slow(self, action: Action) -> None:
        """Each commit and sync takes long."""
        self._slow_until = self.hub.now + float(action.facts["seconds"])
        self.trouble.lasts(float(action.facts["seconds"]))
        self._delay = float(action.facts["delay"])

    def refuse(self, action: Action) -> None:
        """Commits fail for good."""
        self._refusals = int(action.facts["after"]), int(action.facts["times"])

    def io_error(self, action: Action) -> None:
        """An operation with files fails."""
        facts = action.facts
        self._io_error = str(facts["operation"]), int(facts["after"]), int(facts["times"])

    def set_clock(self, action: Action) -> None:
        """The wall clock is set."""
        self.clock.wrong += timedelta(seconds=float(action.facts["by"]))
        self.timing.is_exact = False


def _outside(*given: Any) -> Any:
    """The linter sees most of what waits outside of the ports; this sees the rest."""
    raise AssertionError(f"a real thread or a real sleep in virtual time: {given}")


_FAILING = {  # what of the disk's operations a fault means
    "write": ("write", "pwrite"), "sync": ("fsync", "sync"), "rename": ("rename",), "open": ("create",),
    "mkdir": ("mkdir",), "read": (),
}  # fmt: skip
_FAULTS: dict[str, Callable[[Life, Action], None]] = {
    "kill": lambda life, action: life.strike(action, life._die),
    "power": lambda life, action: life.strike(action, life._power),
    "reboot": lambda life, action: life.strike(action, life._power),
    "restart": Life.end_orderly,
    "disk full": Life.fill,
    "locked": Life.lock,
    "commit fails": Life.refuse,
    "clock": Life.set_clock,
    "slow disk": Life.slow,
    "io error": Life.io_error,
}
