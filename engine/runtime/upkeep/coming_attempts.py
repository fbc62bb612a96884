"""Which attempts are likely to begin on a worker next: their directories there are made before."""

from __future__ import annotations

from engine.runtime.services import EngineServices

_AHEAD = 16


class ComingAttempts:
    """Of one worker; loop thread only."""

    def __init__(self, services: EngineServices, worker: str) -> None:
        self._services = services
        self._worker = worker

    def marks(self) -> list[str]:
        """Those of the first that wait for it, each reserved for its attempt; of ``all`` workers none."""
        claims = self._services.queue.next_at(self._worker, _AHEAD)
        waiting = [(each.job, each.owner) for each in claims if each.owner is not None and not each.part]
        return [self._services.marks.reserve(job, owner.attempt.number) for job, owner in waiting]

    def release(self, mark: str) -> bool:
        """Whether no attempt can have this one any more."""
        return self._services.marks.release(mark)
