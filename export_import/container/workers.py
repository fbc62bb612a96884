"""A few threads for what takes time; without memory for them there is an error, never a wait without end."""

from __future__ import annotations

import _thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import ref

from engine.model.closing import Closing
from engine.model.codes.bundles import NO_MEMORY
from engine.model.errors import SkerryError

T = TypeVar("T")
_AGAIN = 1.0  # seconds after which a thread that does not answer is looked at


def no_memory() -> SkerryError:
    """The system gives no more memory, for data or for a thread."""
    return SkerryError(NO_MEMORY, "there is not enough memory for it")


@contextmanager
def memory_reported() -> Iterator[None]:
    """SkerryError (NO_MEMORY) instead of a MemoryError; for a function it is a decorator."""
    try:
        yield
    except MemoryError as error:
        raise no_memory() from error


def start(run: Callable[..., object], *given: Any) -> None:
    """Have ``run(*given)`` done by a detached thread; SkerryError (NO_MEMORY) without one.

    ``threading.Thread.start``, and with it every pool of the standard library, waits for ever when a thread
    finds no memory for its first call (github.com/python/cpython/issues/140746).
    """
    begun, sign = _held(), _Sign()
    living = ref(sign)
    try:
        _thread.start_new_thread(_begin, (begun, sign, run, given))
    except (RuntimeError, MemoryError) as error:
        raise no_memory() from error
    del sign  # from here on only the thread has it
    while not begun.acquire(timeout=_AGAIN / 20):
        if living() is None and not begun.acquire(blocking=False):
            raise no_memory()


def _begin(begun: Any, sign: _Sign, run: Callable[..., object], given: tuple[Any, ...]) -> None:
    begun.release()
    run(*given)


class PoolTask(Generic[T]):
    """One piece of work under way."""

    def __init__(self, workers: Workers, work: Callable[[], T]) -> None:
        self._workers = workers
        self._work: Callable[[], T] | None = work
        self._done = _held()
        self._value: T
        self._error: BaseException | None = None

    def run(self) -> None:
        """In one of the threads; what it raises is raised by ``result``."""
        try:
            assert self._work is not None
            self._value = self._work()
        except BaseException as error:
            self._error = error
        finally:
            self._work = None
            self._done.release()

    def result(self) -> T:
        """What the work returned, or raises what it raised; SkerryError (NO_MEMORY) when it could not run."""
        while not self._done.acquire(timeout=_AGAIN):
            if self._workers.broken:
                raise no_memory()
        self._done.release()
        if isinstance(self._error, MemoryError):
            raise no_memory() from self._error
        if self._error is not None:
            raise self._error
        return self._value


class Workers(Closing):
    """So many threads, which take tasks in turn; closing waits for all of them."""

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue[PoolTask[Any] | None] = SimpleQueue()
        self._ended: list[Any] = []  # a lock of each thread, held as long as it works
        self.broken = False
        try:
            for _ in range(count):
                ended = _held()
                start(self._run, ended)
                self._ended.append(ended)
        except BaseException:
            self.close()
            raise

    def submit(self, work: Callable[..., T], *given: Any) -> PoolTask[T]:
        """Have ``work(*given)`` done by the first thread that is free."""
        task = PoolTask(self, lambda: work(*given))
        self._tasks.put(task)
        return task

    def close(self, *, drop: bool = False) -> None:
        """Let the threads end when all is done; ``drop``: what none has begun is not done any more."""
        with suppress(Empty):
            while drop:
                self._tasks.get_nowait()
        for _ in self._ended:
            self._tasks.put(None)
        for each in self._ended:
            each.acquire()
        self._ended.clear()

    def _run(self, ended: Any) -> None:
        try:
            while (task := self._tasks.get()) is not None:
                task.run()
                del task
        except BaseException:
            self.broken = True  # there was no memory to call a task
        finally:
            ended.release()


class _Sign:
    """Goes with the thread that holds it, whatever that dies of."""


def _held() -> Any:
    lock = _thread.allocate_lock()
    lock.acquire()
    return lock
