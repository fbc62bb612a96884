"""A few threads for what takes time; without memory for them there is an error, never a wait without end."""

from __future__ import annotations

import _thread
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import ref

from engine.model.codes.bundles import NO_MEMORY
from engine.model.errors import SkerryError

T = TypeVar("T")
_AGAIN = 1.0  # seconds after which a thread that does not answer is looked at


def no_memory() -> SkerryError:
    """The system gives no more memory, for data or for a thread."""
    return SkerryError(NO_MEMORY, "there is not enough memory for it")


class Task(Generic[T]):
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


class Workers:
    """So many threads, which take tasks in turn; leaving the context waits for all of them.

    ``threading.Thread.start``, and with it every pool of the standard library, waits for ever when a thread
    finds no memory for its first call (github.com/python/cpython/issues/140746).
    """

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue[Task[Any] | None] = SimpleQueue()
        self._ended: list[Any] = []  # a lock of each thread, held as long as it works
        self.broken = False
        try:
            for _ in range(count):
                self._start()
        except BaseException:
            self._end()
            raise

    def submit(self, work: Callable[..., T], *given: Any) -> Task[T]:
        """Have ``work(*given)`` done by the first thread that is free."""
        task = Task(self, lambda: work(*given))
        self._tasks.put(task)
        return task

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def _start(self) -> None:
        begun, ended, sign = _held(), _held(), _Sign()
        living = ref(sign)
        try:
            _thread.start_new_thread(self._run, (begun, ended, sign))
        except (RuntimeError, MemoryError) as error:
            raise no_memory() from error
        del sign  # from here on only the thread has it
        while not begun.acquire(timeout=_AGAIN / 20):
            if living() is None and not begun.acquire(blocking=False):
                raise no_memory()
        self._ended.append(ended)

    def _run(self, begun: Any, ended: Any, sign: _Sign) -> None:
        begun.release()
        try:
            while (task := self._tasks.get()) is not None:
                task.run()
                del task
        except BaseException:
            self.broken = True  # there was no memory to call a task
        finally:
            ended.release()

    def _end(self) -> None:
        for _ in self._ended:
            self._tasks.put(None)
        for each in self._ended:
            each.acquire()
        self._ended.clear()


class _Sign:
    """Goes with the thread that holds it, whatever that dies of."""


def _held() -> Any:
    lock = _thread.allocate_lock()
    lock.acquire()
    return lock
