"""Waits for a process: started when the turn is durable, stopped as a whole tree."""

from __future__ import annotations

from collections.abc import Callable

from engine.execution.child import DRAIN_SECONDS, Child
from engine.execution.kill import Left
from engine.execution.outcomes import Exit, Lost
from engine.execution.spawn import Launch
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import wording
from engine.runtime.fibers import Awaited, Coroutine, Fiber, ShieldedOffload, Stopped
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.services import EngineServices


class Process(Awaited):
    """Until the process that ``start`` gives has ended; gives Exit or Lost."""

    def __init__(
        self, services: EngineServices, start: Callable[[], Child], on_start: Callable[[Child], None]
    ) -> None:
        self._services = services
        self._start = start
        self._on_start = on_start
        self._end: Exit | Lost | None = None

    @classmethod
    def launch(cls, services: EngineServices, launch: Launch, on_start: Callable[[Child], None]) -> Process:
        return cls(services, lambda: services.processes.spawn(launch), on_start)

    @classmethod
    def adopted(cls, services: EngineServices, child: Child) -> Process:
        """A process that an earlier engine started."""
        return cls(services, lambda: child, lambda child: None)

    def begin(self, fiber: Fiber) -> None:
        self._fiber = fiber
        try:
            self._child = self._start()
        except SkerryError as error:
            problem = error
            return fiber.loop.soon(lambda: fiber.fail(problem))
        self._on_start(self._child)
        self._services.supervised.watch(self._child, self._look)

    def _look(self) -> None:
        end = self._child.reap()
        if end is not None:
            return self._ended(end)
        self._fiber.loop.watch(self._child.pidfd, self._look)
        self._fiber.loop.later(DRAIN_SECONDS, self._drained)

    def _drained(self) -> None:
        """The masking process still reads because a daemon keeps the output open: go on without it."""
        if self._end is None:
            self._fiber.loop.unwatch(self._child.pidfd)
            end = self._child.reap(drained=True)
            self._fiber.loop.watch(self._child.pidfd, self._bury)
            self._ended(end if end is not None else Lost("its end was not seen"))

    def _bury(self) -> None:
        """The masking process has ended after all: nothing of it stays behind."""
        self._child.reap()

    def _ended(self, end: Exit | Lost) -> None:
        self._end = end
        if self._stopped is None:
            self._fiber.resume(end)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        child, services = self._child, self._services
        grace = services.workspace.settings.grace
        fiber.loop.offload(
            lambda: services.processes.stop_tree(child.directory, child.mark, grace), self._gone
        )

    def _gone(self, left: Left | None, error: BaseException | None) -> None:
        assert self._stopped is not None
        if error is not None:
            self._fiber.loop.on_error(error)
        # The wrapper's own end is seen in a moment.
        doubt = Message.of("it could not be looked at: {error}", error=wording(error))
        self._stopped.left = left or Left(doubt=doubt)
        self._fiber.fail(self._stopped)


def stop(entry: JobEntry, mark: str) -> Coroutine[Left]:
    """End everything that the attempt started; gives what is left."""
    services, folder = entry.services, entry.directory_text
    grace = services.workspace.settings.grace
    left: Left = yield ShieldedOffload(lambda: services.processes.stop_tree(folder, mark, grace))
    return left
