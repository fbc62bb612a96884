"""Fibers: a job written as one generator that yields what it waits for.

A generator reads from top to bottom like the contract does (ready, process, results, end, judge),
costs nothing while it waits, and can be interrupted at any wait: a cancel or a timeout ends what
it waits for first (a process tree, a call, a nap), then is raised inside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

from engine.context.line import ENGINE
from engine.execution.outcomes import Left
from engine.model.errors import Failure
from engine.runtime.loop import CALLS, Loop

T = TypeVar("T")
Coroutine: TypeAlias = Generator["Awaited", Any, T]  # yields what it waits for, returns a T


class Stopped(Exception):
    """An operator or a limit ended this; ``left`` is what lives of it all the same (None: nobody has looked).

    With a ``failure`` only the attempt is ended: it failed with that, and may be tried again.
    """

    def __init__(
        self, kind: str, actor: str = ENGINE, why: str | None = None, failure: Failure | None = None
    ) -> None:
        super().__init__(kind)
        self.kind = kind  # "cancelled", "timed_out", "queue_timeout" …
        self.actor = actor
        self.why = why
        self.failure = failure
        self.left: Left | None = None

    @property
    def _rank(self) -> int:
        """A cancel goes before a limit of the task, that before what ends an attempt or a wait alone."""
        if self.kind == "cancelled":
            return 2
        return int(self.kind == "timed_out" and self.failure is None)

    def outranked_by(self, other: Stopped) -> bool:
        """Whether the other one counts, which comes while this one is under way: of two cancels the later."""
        return other._rank > self._rank or other.kind == "cancelled"

    def become(self, other: Stopped) -> None:
        """Take over another reason; what is being ended stays the same."""
        self.kind, self.actor, self.why, self.failure = other.kind, other.actor, other.why, other.failure


class Awaited(ABC):
    """One thing a fiber waits for. A shielded one is finished even while stopping."""

    shielded = False
    _stopped: Stopped | None = None  # what it was interrupted by

    @abstractmethod
    def begin(self, fiber: Fiber) -> None:
        """Start waiting; later ``fiber.resume(value)`` or ``fiber.fail(error)``."""

    @abstractmethod
    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        """End what is waited for, then ``fiber.fail(stopped)``."""

    def _over(self, fiber: Fiber, value: Any = None, error: BaseException | None = None) -> None:
        """What was waited for has ended, by itself or because of an interrupt."""
        problem = self._stopped or error
        if problem is not None:
            fiber.fail(problem)
        else:
            fiber.resume(value)


class Fiber:
    """Drives one generator on the loop's thread."""

    def __init__(
        self, loop: Loop, body: Coroutine[Any], done: Callable[[Any, BaseException | None], None]
    ) -> None:
        self.loop = loop
        self._body = body
        self._done = done
        self._wait: Awaited | None = None
        self._stopped: Stopped | None = None
        self.ended = False

    @property
    def waits_for(self) -> Awaited | None:
        """What it waits for now."""
        return self._wait

    def start(self) -> None:
        """Run up to the first wait."""
        self.resume(None)

    def resume(self, value: Any = None) -> None:
        """What was waited for has come."""
        self._step(lambda: self._body.send(value))

    def fail(self, error: BaseException) -> None:
        """What was waited for went wrong, or was ended by an interrupt."""
        if error is self._stopped:
            self._stopped = None
        self._step(lambda: self._body.throw(error))

    def interrupt(self, stopped: Stopped) -> bool:
        """End what it waits for and raise ``stopped`` inside, unless one is under way that goes before it.

        Gives whether it is this stop that counts now.
        """
        if self.ended:
            return False
        if self._stopped is not None:
            counts = self._stopped.outranked_by(stopped)
            if counts:
                self._stopped.become(stopped)
            return counts
        self._stopped = stopped
        if self._wait is not None:
            self._wait.interrupt(self, stopped)
        return True

    def _step(self, move: Callable[[], Awaited]) -> None:
        self._wait = None
        while True:
            try:
                wait = move()
            except StopIteration as end:
                return self._finish(end.value, None)
            except BaseException as error:
                return self._finish(None, error)
            if self._stopped is None or wait.shielded:
                return self._begin(wait)
            stopped, self._stopped = self._stopped, None
            move = _thrower(self._body, stopped)

    def _begin(self, wait: Awaited) -> None:
        self._wait = wait
        try:
            wait.begin(self)
        except Exception as error:
            problem = error
            self.loop.soon(lambda: self.fail(problem))

    def _finish(self, value: Any, error: BaseException | None) -> None:
        self.ended = True
        self._done(value, error)


def _thrower(body: Coroutine[Any], error: BaseException) -> Callable[[], Awaited]:
    return lambda: body.throw(error)


class Sleep(Awaited):
    """Nothing for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def begin(self, fiber: Fiber) -> None:
        self._timer = fiber.loop.later(self._seconds, fiber.resume)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._timer.cancel()
        fiber.loop.soon(lambda: fiber.fail(stopped))


class Offload(Awaited):
    """Blocking work on a thread. ``cancel`` is called to break it; it is waited for all the same.

    ``lane`` is whose threads do it: see :meth:`engine.runtime.loop.Loop.offload`.
    """

    def __init__(
        self, work: Callable[[], Any], cancel: Callable[[], None] | None = None, *, lane: str = CALLS
    ) -> None:
        self._work = work
        self._cancel = cancel
        self._lane = lane

    def begin(self, fiber: Fiber) -> None:
        fiber.loop.offload(self._work, lambda value, error: self._over(fiber, value, error), lane=self._lane)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        if self._cancel is not None:
            self._cancel()


class LongCall(Offload):
    """Work of a job on a thread of its own. It is asked to stop; one that does not is left behind.

    ``patience`` is how many seconds it has for that, ``left`` is called when it did not end.
    """

    def __init__(
        self, work: Callable[[], Any], cancel: Callable[[], None], patience: float, left: Callable[[], None]
    ) -> None:
        super().__init__(work, cancel)
        self._patience = patience
        self._left = left
        self._ended = False

    def begin(self, fiber: Fiber) -> None:
        fiber.loop.offload_long(self._work, lambda value, error: self._once(fiber, value, error))

    def _once(self, fiber: Fiber, value: Any, error: BaseException | None) -> None:
        if not self._ended:
            self._ended = True
            self._over(fiber, value, error)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        super().interrupt(fiber, stopped)
        fiber.loop.later(self._patience, lambda: self._leave(fiber))

    def _leave(self, fiber: Fiber) -> None:
        if not self._ended:
            self._left()
            self._once(fiber, None, None)


class ShieldedOffload(Offload):
    """Blocking work that is finished even while stopping."""

    shielded = True

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        return None


class Durable(Awaited):
    """Until this turn's decisions are on disk; then act, unless it was stopped meanwhile."""

    def begin(self, fiber: Fiber) -> None:
        fiber.loop.after_commit(lambda: self._over(fiber))

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped  # it comes in this very turn


class Signal(Awaited):
    """Until :meth:`fire` is called with a value."""

    def __init__(self, on_interrupt: Callable[[], None] | None = None) -> None:
        self._fiber: Fiber | None = None
        self._fired = False
        self._value: Any = None
        self._on_interrupt = on_interrupt

    def fire(self, value: Any = None) -> None:
        """Let the fiber go on; before it waits is fine too."""
        if self._fired:
            return
        self._fired, self._value = True, value
        if self._fiber is not None:
            fiber = self._fiber
            fiber.loop.soon(lambda: fiber.resume(value))

    def begin(self, fiber: Fiber) -> None:
        if self._fired:
            fiber.loop.soon(lambda: fiber.resume(self._value))
        else:
            self._fiber = fiber

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        if self._fired:
            return
        self._fired = True
        if self._on_interrupt is not None:
            self._on_interrupt()
        fiber.loop.soon(lambda: fiber.fail(stopped))
