"""What a host says has become of a stage that an earlier engine began."""

from __future__ import annotations

from engine.execution.host import LOOK_AGAIN, Found, LivingStage
from engine.execution.outcomes import Exit, Lost, Unreachable
from engine.model.job import StageName
from engine.model.reason import Kind, Reason
from engine.runtime.fibers import Coroutine, Sleep
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.upkeep.worker_rows import away_since

_ASK_AGAIN = 1.0  # seconds between two questions to a host that was not reachable
_MORE_PATIENCE = 1.1  # times as long until the next look: an answer is seen a tenth later at most


def found_out(attempt: Attempt, stage: StageName) -> Coroutine[LivingStage | Exit | Lost]:
    """What became of its process, once that can be known: a host that cannot be asked is asked again."""
    looks, pause, execution = 0, LOOK_AGAIN, attempt.execution
    waits = False
    while True:
        found = looked_at(attempt, stage, looks)
        if found is None:
            looks += 1
            yield Sleep(pause)
            if not attempt.entry.is_here:
                pause = min(pause * _MORE_PATIENCE, _ASK_AGAIN)
        elif isinstance(found, Unreachable):
            if not waits:
                waits = True
                execution.held_up(_out_of_reach(attempt, found))
            yield Sleep(_ASK_AGAIN)
        else:
            if waits:
                execution.held_up(None)
            return found


def _out_of_reach(attempt: Attempt, found: Unreachable) -> Reason:
    """As its worker says it, which knows since when."""
    services, worker = attempt.entry.services, attempt.entry.host.facts.name
    live = services.workers.find(worker)
    if live is not None and live.unreached is not None:
        return live.unreached
    at = services.local(services.loop.now()) if live is None else away_since(services, live)
    return Reason.of(Kind.REACHED_NO_MORE, at=at, message=found.reason)


def looked_at(attempt: Attempt, stage: StageName, looks: int = 0, boot: str | None = None) -> Found | None:
    """The word of its host about a stage; ``boot`` is that of the attempt, where it is to be compared."""
    entry, path = attempt.entry, attempt.files.directory.path
    secrets = None if entry.run.typed_secrets.is_forgotten else entry.masked_in_output
    return entry.host.look(path, stage, attempt.row.mark, began_in=boot, looks=looks, secrets=secrets)
