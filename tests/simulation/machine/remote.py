"""Another machine: its processes, which nobody here sees, its starts, and the link that leads to it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TypeVar

from engine.execution.launch import Launch
from engine.execution.ssh.intents import Terms
from engine.execution.ssh.session import RemotePlace
from engine.execution.strangers import Stranger
from tests.simulation.machine.fencing import Fencing
from tests.simulation.machine.processes import Machine, Process
from tests.simulation.workload.behaviours import Behaviour

_LOGS = ("job.log", "job-error.log")
_BEGINNING = 0.05  # seconds within which a shell there begins
_CUT_IS_NOTICED = 0.1, 20.0  # seconds: by keep-alives at the latest
_CONNECTED = 0.01, 5.0  # seconds after the link is back
_LOOKED_AT = 0.1, 10.0  # seconds until an engine that is connected looks how it is
Answer = TypeVar("Answer")


class RemoteProcess(Process):
    """One stage of an attempt there; nothing of what it writes is here before it is brought."""

    def __init__(self, remote: Remote, pid: int, launch: Launch, behaviour: Behaviour, vouched: int) -> None:
        super().__init__(remote.machine, pid, launch, behaviour, -1)
        self.worker = remote.name
        self.sent_after = vouched  # times that a person had said by then that nothing lives there
        self.fenced = False  # it did not end by itself
        self._remote = remote
        self._sizes: dict[str, int] = {}  # of the files here that it adds to

    def begin(self) -> None:
        if self.program_lives:
            self.has_begun = True
            self._later(self.behaviour.seconds, self._end_by_itself)

    def _end_by_itself(self) -> None:
        if self.program_lives:
            done = self.behaviour
            self.daemon = done.daemon > 0
            self.end(128 + done.signal if done.signal is not None else done.exit or 0)
            if self.daemon:
                self._later(done.daemon, self.bury)

    def end(self, status: int) -> None:
        """The shell that waits for it reports that, if anybody listens."""
        self.status = status
        self.machine.trace(f"process {self.pid} on {self.worker} ends with {status}")
        if not self.daemon:
            self.bury()
        self._remote.ended(self)

    def bury(self) -> None:
        self.daemon = False
        self.gone = True

    def vanish(self) -> None:
        self.gone = True

    def bring(self) -> None:
        """All that it wrote; may be tried many times. OSError."""
        for name in (*_LOGS, "status", *(f"outputs/{each}" for each in self.behaviour.outputs)):
            path = f"{self.directory}/{name}"
            if name not in self._sizes:
                self._sizes[name] = os.path.getsize(path) if os.path.exists(path) else 0
            elif os.path.exists(path):
                os.truncate(path, self._sizes[name])
        self._leave_files()


class Remote:
    """A machine by its worker's name. Whoever is connected is told of ends and of the link."""

    def __init__(self, machine: Machine, name: str, dice: Random) -> None:
        self.machine = machine
        self.name = name
        self.fencing = Fencing(machine.hub)
        self.session = 0  # a number for each connection; it is odd while one stands
        self._boots = 1
        self._uptime = 0.0  # when it answered first over this connection
        self._dice = dice
        self._down_until = 0.0
        self._slow_until = self._delay = 0.0
        self.skew = 0.0  # of its clock
        self.strangers: tuple[Stranger, ...] = ()  # what runs there that no engine began
        self.when_lengthened: Callable[[float, float, float], None] = lambda heard, fence, until: None
        self._there: dict[tuple[str, str], RemoteProcess | None] = {}  # None: it may not begin any more
        self._listener: Callable[[], None] = lambda: None
        self._next_begins: dict[
            str, Callable[[], float]
        ] = {}  # by what the directory of the job has in its name
        self._told_ends: Callable[[RemoteProcess], None] = lambda process: None
        self._told_more: Callable[[], None] = lambda: None

    @property
    def boot(self) -> str:
        return f"00000000-0000-4000-9000-{self._boots:012d}"

    @property
    def place(self) -> RemotePlace | None:
        """While somebody is connected."""
        return RemotePlace(self.boot, "/there", "key", "", self._uptime) if self.session % 2 else None

    @property
    def is_up(self) -> bool:
        """Whether what is sent comes through."""
        return self.machine.hub.now >= self._down_until

    def when_next_begins(self, call: Callable[[], float], of: str = "") -> None:
        """Make ``call`` when a program begins there (of a job whose name has that); it takes so many seconds longer."""
        self._next_begins[of] = call

    def _begins(self, launch: Launch) -> float:
        """How much longer a program takes."""
        name = os.fspath(launch.directory)
        due = [of for of in self._next_begins if of in name] if launch.stage == "process" else []
        return sum(self._next_begins.pop(of)() for of in due)

    def vouch(self) -> None:
        """A person says that nothing on it lives, whether that is so or not."""
        for each in filter(None, self._there.values()):
            each.vouched = True

    # -- the link --------------------------------------------------------------------------------

    def connect(
        self, listener: Callable[[], None], ends: Callable[[RemoteProcess], None], more: Callable[[], None]
    ) -> None:
        """An engine wants to be connected from now on, in place of the one before; ``more``: of how it is."""
        self._listener, self._told_ends, self._told_more = listener, ends, more
        self.session += self.session % 2
        self._connect_soon()

    def slow(self, delay: float, seconds: float) -> None:
        """What is sent takes so long at most, for a while."""
        self._delay, self._slow_until = delay, self.machine.hub.now + seconds

    @property
    def is_slow(self) -> bool:
        """Whether what is sent takes longer than usual."""
        return self.machine.hub.now < self._slow_until

    @property
    def delay(self) -> float:
        """What a request takes now, or its answer."""
        return self._between((0.0005, 0.2)) + (self._delay * self._dice.random() if self.is_slow else 0.0)

    def is_otherwise(self) -> None:
        """Its clock, or what runs there: the engine sees that when it looks again."""
        self.machine.hub.after(self._between(_LOOKED_AT), lambda: self._told_more())

    def cut(self, seconds: float) -> None:
        """Nothing comes through for so long; a short cut nobody notices."""
        hub = self.machine.hub
        self._down_until = max(self._down_until, hub.now + seconds)
        hub.after(self._between(_CUT_IS_NOTICED), self._look)

    def reboot(self, seconds: float) -> None:
        """Nothing on it lives any more; it is back after so long."""
        for each in self._there.values():
            if each is not None and not each.gone:
                each.vanish()
                self.machine.hub.frozen.add(("process", each.pid))
        self._boots += 1
        self.fencing.restart(self.machine.hub.now)
        self._down_until = max(self._down_until, self.machine.hub.now + seconds)
        self._break()

    def _look(self) -> None:
        if not self.is_up:
            self._break()

    def _break(self) -> None:
        if self.session % 2:
            self.session += 1
            self._listener()
        self._connect_soon()

    def _connect_soon(self) -> None:
        wait = max(self._down_until - self.machine.hub.now, 0.0) + self._between(_CONNECTED)
        self.machine.hub.after(wait, self._connected)

    def _connected(self) -> None:
        if not self.session % 2 and self.is_up:
            self.session += 1
            self._uptime = self.fencing.uptime
            self._listener()

    def _between(self, ends: tuple[float, float]) -> float:
        least, most = ends
        return float(least * (most / least) ** self._dice.random())

    def send(self, call: Callable[[], Answer], answered: Callable[[Answer | None], None]) -> None:
        """Have ``call`` made there, and the answer here; None: the connection broke before that was here."""
        session = self.session
        self._deliver(lambda: self._answer(session, call(), answered), session, answered)

    def _answer(self, session: int, answer: Answer, answered: Callable[[Answer | None], None]) -> None:
        self._deliver(lambda: answered(answer), session, answered)

    def _deliver(self, call: Callable[[], None], session: int, lost: Callable[[None], None]) -> None:
        """After a moment; what was under way in a short cut comes late."""

        def arrive() -> None:
            if session != self.session or not session % 2:
                lost(None)
            elif not self.is_up:
                hub.at(self._down_until, arrive)
            else:
                call()

        hub = self.machine.hub
        hub.after(self.delay, arrive)

    # -- what runs there -------------------------------------------------------------------------

    def start(self, launch: Launch, file: str, terms: Terms) -> str:
        """What was begun there, or was given up, does not begin; nor what has a lease that has run out."""
        key = launch.mark, file
        if key in self._there:
            return "again" if self._there[key] is not None else "void"
        if terms.fence is not None and not self.fencing.holds(terms.lease):
            return "unleased"
        behaviour = self.machine.behaviour_of(launch)
        if longer := self._begins(launch):
            behaviour = replace(behaviour, seconds=behaviour.seconds + longer)
        process = self.machine.add_remote(
            lambda pid: RemoteProcess(self, pid, launch, behaviour, terms.vouched), launch
        )
        self._there[key] = process
        self.machine.hub.after(self._dice.random() * _BEGINNING, process.begin, ("process", process.pid))
        if terms.fence is not None:
            self.fencing.guard(process, terms.lease, terms.grace)
        return "started"

    def of(self, mark: str, file: str, *, void: bool = False) -> RemoteProcess | None:
        """A stage there; ``void``: one that has not come will not begin any more."""
        if void:
            self._there.setdefault((mark, file), None)
        return self._there.get((mark, file))

    def living(self, mark: str) -> list[RemoteProcess]:
        """What lives of an attempt."""
        return [each for (of, _), each in self._there.items() if of == mark and each and each.job_lives]

    def ended(self, process: RemoteProcess) -> None:
        """Whoever is connected hears of it."""
        self._told_ends(process)
