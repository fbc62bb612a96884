"""Programs of asynchronous jobs, for whose end nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.execution.host import LivingStage
from engine.execution.launch import Launch
from engine.execution.outcomes import Exit, Lost
from engine.model.codes.ssh import HOST_UNREACHABLE
from engine.model.disk import may_pass, no_room
from engine.model.errors import Failure, SkerryError
from engine.runtime.fibers import Coroutine, Offload, Sleep, Stopped
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.jobs.results import Done

_ASK_AGAIN = 1.0  # seconds after which a machine that could not be asked, or had no room, is asked again


def brought(attempt: Attempt) -> Coroutine[None]:
    """What an asynchronous program has left by now on another machine; a link that is cut is waited for."""
    host, folder = attempt.entry.host, attempt.files.folder
    while folder is not None and not attempt.entry.is_here:
        attempt.entry.check_worker()
        try:
            bring = partial(host.bring, folder.path, attempt.row.mark)
            return (yield Offload(bring, lane=host.facts.name))  # type: ignore[no-any-return]
        except SkerryError as error:
            if error.entry is not HOST_UNREACHABLE and not may_pass(error):
                raise
            yield Sleep(_ASK_AGAIN)


def start(attempt: Attempt, launch: Launch) -> None:
    """Start an asynchronous job's process; the slot is free again at once."""
    attempt.entry.check_worker()
    living = attempt.entry.host.start(launch)
    attempt.process_started(living)
    attempt.slot.leave()
    _watched(attempt, living, lambda error: _did_not_begin(attempt, launch, error))


def _did_not_begin(attempt: Attempt, launch: Launch, error: SkerryError) -> None:
    """Another machine says only later that it cannot be started there."""
    entry = attempt.entry
    if no_room(error):
        entry.services.loop.later(_ASK_AGAIN, lambda: _start_again(attempt, launch))
    else:
        attempt.slot.ended()
        attempt.execution.interrupt(Stopped("limit", failure=Failure.of(error)))


def _start_again(attempt: Attempt, launch: Launch) -> None:
    if attempt.execution.row.state.ended:
        return
    try:
        start(attempt, launch)
    except SkerryError as error:
        _did_not_begin(attempt, launch, error)


def resumed(attempt: Attempt, found: LivingStage | Exit | Lost) -> Done:
    """An asynchronous job's process that an earlier engine started."""
    attempt.slot.leave()
    if isinstance(found, Exit):
        attempt.row.exit = found
    if isinstance(found, (Exit, Lost)):
        attempt.program_ended()
    else:
        attempt.process_started(found)
        _watched(attempt, found)
    return Done()


def _watched(
    attempt: Attempt,
    living: LivingStage,
    not_begun: Callable[[SkerryError], None] = lambda error: None,
) -> None:
    def ended(end: Exit | Lost | SkerryError) -> None:
        if isinstance(end, SkerryError):
            return not_begun(end)
        attempt.program_ended()
        if isinstance(end, Exit):
            attempt.row.reaped(end)
        return None

    attempt.entry.host.wake(living, ended)


def nothing_goes_on(attempt: Attempt) -> None:
    """Of an asynchronous job while it is checked, but that its end stage is still to come."""
    attempt.slot.leave()
    attempt.program_ended()
