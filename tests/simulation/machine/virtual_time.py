"""Virtual time: greenlets that take turns on one thread, in an order that only the seed decides.

Each thread of an engine, each operator and each simulated process is a task of an *owner*. A kill freezes an
owner: its tasks are never resumed, so nothing of it runs any more, neither a ``finally`` nor a handler.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable
from itertools import count
from random import Random

from greenlet import getcurrent, greenlet

FOREVER = float("inf")
_EACH_SECOND = 0.2  # steps: leases are renewed for as long as something is waited for
_TICK = 1e-6  # seconds: less could be nothing beside a large number


class Standstill(Exception):
    """So many steps without an end: the life goes round in a circle."""


class Task:
    """One line of execution."""

    def __init__(self, hub: Hub, owner: Hashable, name: str, body: Callable[[], None]) -> None:
        self.owner = owner
        self.name = name
        self.ended = False
        self.green = greenlet(self._run, hub.green)
        self.turn = 0  # of a wait; what was to end an earlier one comes too late
        self._hub = hub
        self._body = body
        self._joining: list[Callable[[], None]] = []

    def _run(self) -> None:
        try:
            self._body()
        except Exception as error:
            self._hub.failed(self, error)
        self.ended = True
        for resume in self._joining:
            resume()

    def is_alive(self) -> bool:
        """Whether it has not ended; one that was frozen is dead."""
        return not self.ended and self.owner not in self._hub.frozen

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        if not self.ended:
            self._hub.wait(self._joining.append, timeout)

    def when_ended(self, call: Callable[[], None]) -> None:
        """Make ``call`` at its end; at once when that was before."""
        if self.ended:
            call()
        else:
            self._joining.append(call)


class Hub:
    """Who goes on next, and when."""

    def __init__(
        self,
        random: Random,
        most_steps: int = 60_000,
        failed: Callable[[Task, Exception], None] = lambda task, error: None,
    ) -> None:
        self.green = getcurrent()
        self.now = 0.0  # seconds since the life began
        self.frozen: set[Hashable] = set()
        self.failed = failed  # called with each task that an exception ends
        self.steps = 0
        self._most_steps = most_steps
        self._random = random
        self._queue: list[tuple[float, float, int, Hashable, Callable[[], None]]] = []
        self._order = count()
        self._tasks: dict[greenlet, Task] = {}

    # -- what is to happen ---------------------------------------------------------------------

    def at(self, moment: float, call: Callable[[], None], owner: Hashable = None) -> None:
        """Make ``call`` at that moment; what is due at the same one comes in any order."""
        entry = (max(moment, self.now), self._random.random(), next(self._order), owner, call)
        heapq.heappush(self._queue, entry)

    def after(self, seconds: float, call: Callable[[], None], owner: Hashable = None) -> None:
        """The same in so many seconds."""
        self.at(self.now + (max(seconds, _TICK) if seconds > 0 else seconds), call, owner)

    def start(self, owner: Hashable, name: str, body: Callable[[], None], delay: float = 0.0) -> Task:
        """A new task, which begins after ``delay`` seconds."""
        task = Task(self, owner, name, body)
        self._tasks[task.green] = task
        self.after(delay, lambda: self._switch(task), owner)
        return task

    def run(self, until: float = FOREVER, done: Callable[[], bool] = lambda: False) -> None:
        """Let happen what is due up to that moment, or until ``done``. Called from outside of any task."""
        while self._queue and self._queue[0][0] <= until and not done():
            self.now, _, _, owner, call = heapq.heappop(self._queue)
            if owner in self.frozen:
                continue
            self.steps += 1
            if self.steps > self._most_steps + self.now * _EACH_SECOND:
                raise Standstill(f"{self.steps} steps and no end, at {self.now:.1f} s")
            call()
        if until != FOREVER and not done():
            self.now = max(self.now, until)

    # -- within a task -------------------------------------------------------------------------

    @property
    def current(self) -> Task | None:
        """The task that runs; None outside of all."""
        return self._tasks.get(getcurrent())

    @property
    def owner(self) -> Hashable:
        """On whose behalf the code runs."""
        task = self.current
        return task.owner if task is not None else None

    def wait(self, register: Callable[[Callable[[], None]], None], timeout: float | None = None) -> None:
        """Block this task until what ``register`` was given is called, or for ``timeout`` seconds."""
        task = self.current
        assert task is not None, "only a task can wait"
        task.turn += 1
        turn = task.turn

        def resume() -> None:
            if task.turn == turn:
                task.turn += 1
                self.after(0.0, lambda: self._switch(task), task.owner)

        def expire() -> None:
            if task.turn == turn:
                task.turn += 1
                self._switch(task)

        register(resume)
        if timeout is not None:
            self.after(max(timeout, _TICK), expire, task.owner)
        self.green.switch()

    def sleep(self, seconds: float) -> None:
        """Block this task for so long."""
        self.wait(lambda resume: None, seconds)

    def freeze(self, owner: Hashable) -> None:
        """Nothing of this owner happens any more; from within one of its tasks this never returns."""
        self.frozen.add(owner)
        task = self.current
        if task is not None and task.owner == owner:
            while True:
                self.green.switch()

    def _switch(self, task: Task) -> None:
        task.green.switch()
        if task.ended:
            del self._tasks[task.green]
