"""Jobs that an operator holds: they wait outside of the line until they are released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.model.reason import Kind, Reason
from engine.runtime.fibers import Signal


class JobHolds:
    """By JobInstance; changed on the loop's thread, read from any."""

    def __init__(self) -> None:
        self._why: dict[int, Reason] = {}
        self._waiting: dict[int, tuple[Any, Signal]] = {}  # the job itself, and what lets it go on

    def why(self, job: int) -> Reason | None:
        """Why it is held; None when it is not."""
        return self._why.get(job)

    def hold(self, job: int, why: Reason) -> None:
        """From now on it does not begin."""
        self._why[job] = why

    def release(self, job: int) -> bool:
        """Let it wait in line again; gives whether it was held."""
        held = self._why.pop(job, None) is not None
        _, signal = self._waiting.pop(job, (None, None))
        if signal is not None:
            signal.fire()
        return held

    def wait(self, job: int, owner: Any) -> Signal:
        """What fires when it is released; ``owner`` is the job itself, for lists of those that are held."""
        signal = Signal(on_interrupt=lambda: self._forget(job))
        self._waiting[job] = owner, signal
        return signal

    def _forget(self, job: int) -> None:
        """It was stopped."""
        self._waiting.pop(job, None)
        self._why.pop(job, None)

    def owners(self) -> Iterator[tuple[Any, Reason]]:
        """Those that wait because they are held, with why."""
        for job, (owner, _) in list(self._waiting.items()):
            if (why := self._why.get(job)) is not None:
                yield owner, why

    def to_json(self) -> dict[str, Any]:
        """As the setting keeps it."""
        return {str(job): why.to_json() for job, why in self._why.items()}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """As an earlier engine left it."""
        self._why = {int(job): Reason.read(tree, None) or Reason(Kind.HELD) for job, tree in kept.items()}
