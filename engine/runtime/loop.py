"""The engine's one thread: turns of events, timers and posted calls, each turn ended by a commit.

Everything alive is owned by this thread. Other threads only ``post``. What a turn decided is
written down first (a :class:`Batch`), then acted on (``after_commit``): an attempt is durable before
its process starts, an outcome before anything that depends on it. On a slow disk, while several jobs
run, a batch is written by a thread of its own; what is decided meanwhile gathers for the next one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol, TypeVar

from engine.model.clock import Clock
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.runtime.threads import Event, Pool, SystemThreads, Thread, Threads
from engine.runtime.timers import Timer, Timers

T = TypeVar("T")
CALLS = "call"  # the lane of what waits for no machine in particular
_THREADS = 8  # of a lane
_LONGEST_NAP = 3600.0  # seconds; only bounds the wait of select
_MOMENT = 0.05  # seconds
_LOOK = 0.5  # seconds between two looks whether the loop has ended
_SLOW = 0.005  # seconds for a batch: from here on waiting for the disk costs more than a second thread does


class Batch(Protocol):
    """One transaction's worth of decisions."""

    @property
    def is_big(self) -> bool:
        """Whether writing it takes so long that the loop has other things to do meanwhile."""

    def write(self) -> None:
        """Make it durable; from any thread. An exception means that it can never be."""

    def try_write(self) -> bool:
        """The same, but False when it cannot be done right now: then ``write`` is to be called."""

    def follow(self) -> None:
        """What comes right after, on the loop's thread: files that repeat it."""


class Loop:
    """Turns of work on one thread."""

    def __init__(
        self,
        clock: Clock,
        prepare: Callable[[], Batch | None],
        *,
        threads: Threads | None = None,
        crowded: Callable[[], bool] = lambda: False,
        on_error: Callable[[BaseException], None] = lambda error: None,
    ) -> None:
        self.clock = clock
        self.threads = threads or SystemThreads()
        self._prepare = prepare
        self._crowded = crowded  # whether more may come while a batch is written
        self.on_error = on_error
        self.fatal: BaseException | None = None  # what the engine had to stop for
        self._writing = False
        self._pace = 0.0  # seconds that the latest batches took
        self._writer = self.threads.pool(1, "skerry-commit")
        self._poller = self.threads.poller()
        self._watched: dict[int, Callable[[], None]] = {}
        self._posted: deque[Callable[[], None]] = deque()
        self._soon: deque[Callable[[], None]] = deque()
        self._after: list[Callable[[], None]] = []
        self.timers = Timers(clock)
        self._lanes: dict[str, Pool] = {}
        self._thread: Thread | None = None
        self._own: object = None  # what its thread is
        self._stopping = False
        self._told_to_stop = False
        self._ended = False
        self._asked: dict[Future[Any], None] = {}  # whose askers wait, the first ones first
        self._moment: datetime | None = None
        self._began: float | None = None  # when this turn did
        self._idle_turn: Timer | None = None

    def now(self) -> datetime:
        """The moment of this turn: what is decided together has one time (loop thread only)."""
        if self._moment is None:
            self._moment = self.clock.now()
        return self._moment

    def monotonic(self) -> float:
        """Seconds since the machine booted."""
        return self.clock.monotonic()

    @property
    def turn_lasts(self) -> float:
        """Seconds that it has been at this turn; 0 while it sleeps. From any thread."""
        began = self._began
        return 0.0 if began is None else self.clock.monotonic() - began

    def start(self) -> None:
        self._thread = self.threads.start(self._run, "skerry-engine")

    def stop(self) -> None:
        """End after this turn and wait for it; what runs on threads is not waited for."""
        self._told_to_stop = True
        self.post(self._stop)
        if self._thread is not None and self.threads.current() != self._own:
            self._thread.join()
        for lane in tuple(self._lanes.values()):
            lane.shutdown(wait=False, cancel_futures=True)
        self._writer.shutdown(wait=False)

    @property
    def ending(self) -> bool:
        return self._stopping or self._told_to_stop

    def abandon(self, error: SkerryError) -> None:
        """End now: nothing of what was decided in this turn becomes durable (loop thread only)."""
        self.fatal, self._stopping = error, True

    @property
    def alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def post(self, call: Callable[[], None]) -> None:
        """Have ``call`` made in the next turn; from any thread."""
        self._posted.append(call)
        self._poller.wake()

    def ask(self, call: Callable[[], T], *, durable: bool = True) -> T:
        """Make ``call`` on the loop's thread and give its answer once the turn is durable, or at once.

        When the loop ends first: what it had to end for, or NO_ANSWER. Nothing of ``call`` is durable then.
        """
        answer: Future[T] = Future()
        done = self.threads.event()
        answer.add_done_callback(lambda _: done.set())

        def made() -> None:
            try:
                result = call()
            except BaseException as error:
                answer.set_exception(error)
            else:
                (self.after_commit if durable else self.soon)(lambda: answer.set_result(result))

        self._asked[answer] = None
        try:
            self.post(made)
            if self._ended:
                self._give_up(answer)
            done.wait()
            return answer.result()
        finally:
            del self._asked[answer]

    def wait_for(self, event: Event) -> None:
        """Wait for an event that this loop sets; when it ends before: the same errors as ``ask``."""
        while not event.wait(_LOOK):
            if self._ended:
                raise self.fatal or SkerryError(NO_ANSWER, "the engine ends")

    def _give_up(self, answer: Future[Any]) -> None:
        with suppress(InvalidStateError):
            answer.set_exception(self.fatal or SkerryError(NO_ANSWER, "the engine ends"))

    def soon(self, call: Callable[[], None]) -> None:
        """Make ``call`` later in this turn (loop thread only)."""
        self._soon.append(call)

    def after_commit(self, call: Callable[[], None]) -> None:
        """Make ``call`` when this turn is durable (loop thread only)."""
        self._after.append(call)

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Make ``call`` in ``seconds`` (loop thread only)."""
        return self.timers.add(seconds, call)

    def soon_enough(self) -> None:
        """Have a turn within a moment, so that what was decided after a commit gets durable too."""
        if self._idle_turn is None or self._idle_turn.call is None:
            self._idle_turn = self.later(_MOMENT, self._had_turn)

    def _had_turn(self) -> None:
        self._idle_turn = None

    def watch(self, fd: int, call: Callable[[], None]) -> None:
        """Make ``call`` once when ``fd`` becomes readable; it is no longer watched then."""
        self._poller.add(fd)
        self._watched[fd] = call

    def watches(self, fd: int) -> bool:
        """Whether ``fd`` is still watched: not once its call is due in this turn."""
        return fd in self._watched

    def unwatch(self, fd: int) -> None:
        """Stop watching ``fd``, which is watched."""
        del self._watched[fd]
        self._poller.remove(fd)

    def offload(
        self,
        work: Callable[[], T],
        done: Callable[[T | None, BaseException | None], None],
        *,
        lane: str = CALLS,
    ) -> None:
        """Do blocking ``work`` on a thread, then call ``done(result, error)`` on the loop's.

        Loop thread only. Each ``lane`` has a few threads: what waits for one machine holds up nobody else.
        """
        if lane not in self._lanes:
            self._lanes[lane] = self.threads.pool(_THREADS, f"skerry-{lane}")
        self._lanes[lane].submit(self._answered, work, done)

    def offload_long(
        self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]
    ) -> None:
        """The same on a thread of its own: it may last, and is not waited for at the engine's end."""
        self.threads.start(lambda: self._answered(work, done), "skerry-long-call")

    def _answered(
        self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]
    ) -> None:
        try:
            result = work()
        except BaseException as error:
            caught = error
            self.post(lambda: done(None, caught))
        else:
            self.post(lambda: done(result, None))

    def _stop(self) -> None:
        self._stopping = True

    def _run(self) -> None:
        self._own = self.threads.current()
        while not self._stopping or self._writing:
            try:
                self._turn()
            except Exception as error:
                self.on_error(error)
        self._ended = True
        for answer in tuple(self._asked):
            self._give_up(answer)

    def _turn(self) -> None:
        self._began = None
        ready = self._poller.wait(self._nap())
        self._began = self.clock.monotonic()
        self._moment = None
        for fd in ready:
            self._soon.append(self._watched[fd])
            self.unwatch(fd)
        self._soon.extend(timer.fire for timer in self.timers.due())
        self._drain(self._posted)
        while self._soon:
            self._drain(self._soon)
        if not self._writing:
            self._write_down()

    def _write_down(self) -> None:
        """End the turn: its batch, then what waits for that."""
        if self.fatal is not None:
            return
        batch = self._prepare()
        acting, self._after = self._after, []
        if batch is None:
            self._act(acting)
        elif not self._stopping and (batch.is_big or (self._pace > _SLOW and self._crowded())):
            self._hand_over(batch, acting)
        else:
            self._write_here(batch, acting)

    def _hand_over(self, batch: Batch, acting: list[Callable[[], None]]) -> None:
        self._writing = True
        self._writer.submit(self._write_apart, batch, acting)

    def _write_here(self, batch: Batch, acting: list[Callable[[], None]]) -> None:
        """At once; on a disk that is full apart, so that what fills it can still be stopped."""
        began = self.clock.monotonic()
        try:
            done = batch.try_write()
        except BaseException as error:
            return self._written(batch, acting, error)
        if not done:
            return self._hand_over(batch, acting)
        self._took(began)
        return self._written(batch, acting, None)

    def _took(self, began: float) -> None:
        """Follow the pace of the disk; one batch alone, however big, says little of it."""
        seconds = min(self.clock.monotonic() - began, 2 * _SLOW)
        self._pace += (seconds - self._pace) / 8

    def _write_apart(self, batch: Batch, acting: list[Callable[[], None]]) -> None:
        began = self.clock.monotonic()
        problem = _problem(batch.write)
        self._took(began)
        self.post(lambda: self._written(batch, acting, problem))

    def _written(self, batch: Batch, acting: list[Callable[[], None]], problem: BaseException | None) -> None:
        self._writing = False
        if problem is not None:  # nothing that was decided may happen: jobs go on, a new engine adopts them
            self.fatal, self._stopping = problem, True
            return self.on_error(problem)
        self._guarded(batch.follow)
        return self._act(acting)

    def _act(self, acting: list[Callable[[], None]]) -> None:
        for act in acting:
            self._guarded(act)

    def _nap(self) -> float:
        if self._posted or self._soon or (self._after and not self._writing):
            return 0.0
        return self.timers.until_next(_LONGEST_NAP)

    def _drain(self, calls: deque[Callable[[], None]]) -> None:
        for _ in range(len(calls)):
            self._guarded(calls.popleft())

    def _guarded(self, call: Callable[[], Any]) -> None:
        try:
            call()
        except Exception as error:
            self.on_error(error)


def _problem(work: Callable[[], None]) -> BaseException | None:
    try:
        work()
    except BaseException as error:
        return error
    return None
