"""An instance that is paused: no attempt of its jobs begins, what runs goes on; also for later engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.model.states import JobState
from engine.planning.progress import Start
from engine.runtime.fibers import Life, Signal

if TYPE_CHECKING:
    from engine.runtime.job import JobLife

HELD = "held"  # the kind of the stop that takes a job out of the queue


class Hold:
    """What waits for the end of a run's pause; loop thread only."""

    def __init__(self, why: str | None = None) -> None:
        self.why = why  # None: it is not paused
        self.retry_due = False  # the run's own retry came meanwhile
        self._signals: list[Signal] = []
        self._steps: list[Start] = []

    def keeps(self, step: Start) -> bool:
        """Whether a node must not begin now; it is remembered."""
        if self.why is not None:
            self._steps.append(step)
        return self.why is not None

    def drop(self, node: str) -> bool:
        """Forget a node that was kept; whether it was."""
        kept = [step for step in self._steps if step.node != node]
        dropped = len(kept) < len(self._steps)
        self._steps = kept
        return dropped

    def signal(self) -> Signal:
        """What fires at the end of the pause."""
        signal = Signal()
        self._signals.append(signal)
        return signal

    def end(self) -> list[Start]:
        """It is over: gives the nodes that were kept."""
        self.why = None
        signals, self._signals = self._signals, []
        steps, self._steps = self._steps, []
        for signal in signals:
            signal.fire()
        return steps


def passed(job: JobLife) -> Life:
    """Until its instance is not paused."""
    hold = job.run.hold
    while hold.why is not None:
        job.to(JobState.QUEUED, reason=f"the instance is {hold.why}")
        yield hold.signal()
