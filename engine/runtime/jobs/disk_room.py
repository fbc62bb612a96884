"""Work with files that waits until the disk has room for it."""

from __future__ import annotations

from collections.abc import Callable

from engine.execution.ssh.refusals import is_of_disk_there
from engine.model.disk import no_room
from engine.model.errors import SkerryError
from engine.runtime.fibers import Coroutine, Sleep
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.run_state.run_context import RunContext


def with_room(run: RunContext, work: Callable[[], None]) -> Coroutine[None]:
    """Do something with files as soon as the disk has room for it."""
    while True:
        try:
            work()
        except (OSError, SkerryError) as error:
            yield from _wait_for_room(run, error)
        else:
            return run.services.writes.has_room()


def _wait_for_room(run: RunContext, error: SkerryError | OSError) -> Coroutine[None]:
    """A moment, if the disk is full; any other error is raised again."""
    if not no_room(error):
        raise error
    run.files.behind += 1
    try:
        run.services.writes.disk_is_full(error)
        yield Sleep(run.services.writes.retry_seconds)
    finally:
        run.files.behind -= 1


def room_to_start(attempt: Attempt, error: SkerryError) -> Coroutine[None]:
    """A moment, if a disk is full: on another machine it holds up this job alone, and the job says so."""
    run = attempt.entry.run
    if not is_of_disk_there(error):
        return (yield from _wait_for_room(run, error))
    attempt.waits_for_room(error)
    yield Sleep(run.services.writes.retry_seconds)
    return None
