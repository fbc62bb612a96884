"""Waits for a process: started when the turn is durable, stopped as a whole tree."""

from __future__ import annotations

from collections.abc import Callable

from engine.execution.host import Host, LivingStage
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Left, Lost
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import wording
from engine.runtime.fibers import Awaited, Coroutine, Fiber, ShieldedOffload, Stopped
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.services import EngineServices


class Process(Awaited):
    """Until the process that ``start`` gives has ended; gives Exit or Lost."""

    def __init__(
        self,
        services: EngineServices,
        host: Host,
        start: Callable[[], LivingStage],
        on_start: Callable[[LivingStage], None],
    ) -> None:
        self._services = services
        self.host = host
        self._start = start
        self._on_start = on_start
        self._begun = self._known = False  # whether it was started, and whether its end is known

    @classmethod
    def launch(cls, entry: JobEntry, launch: Launch, on_start: Callable[[LivingStage], None]) -> Process:
        host = entry.host
        return cls(entry.services, host, lambda: host.start(launch), on_start)

    @classmethod
    def adopted(cls, entry: JobEntry, stage: LivingStage) -> Process:
        """A process that an earlier engine started."""
        return cls(entry.services, entry.host, lambda: stage, lambda stage: None)

    def begin(self, fiber: Fiber) -> None:
        self._fiber = fiber
        try:
            self.stage = self._start()
        except SkerryError as error:
            problem = error
            return fiber.loop.soon(lambda: fiber.fail(problem))
        self._begun = True
        self._on_start(self.stage)
        self.host.wake(self.stage, self._ended)

    @property
    def is_watched(self) -> bool:
        """Whether its end is waited for, and nobody stops it."""
        return self._begun and not self._known and self._stopped is None

    def is_over(self, end: Exit | Lost) -> None:
        """It ended so, which its host has not reported; what it may still report comes too late."""
        self._ended(end)

    def _ended(self, end: Exit | Lost | SkerryError) -> None:
        if self._stopped is not None or self._known:
            return
        self._known = True
        if isinstance(end, SkerryError):
            self._fiber.fail(end)
        else:
            self._fiber.resume(end)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        stage, host = self.stage, self.host
        grace = self._services.workspace.settings.grace
        fiber.loop.offload(
            lambda: host.stop(stage.directory, stage.mark, grace), self._gone, lane=host.facts.name
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
    host, folder = entry.host, entry.directory_text
    grace = entry.services.workspace.settings.grace
    left: Left = yield ShieldedOffload(lambda: host.stop(folder, mark, grace), lane=host.facts.name)
    return left
