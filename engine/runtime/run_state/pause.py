"""The pause of an instance, its own or one inherited from above: nothing new begins, running jobs go on."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model import pausing
from engine.model.reason import Reason
from engine.model.reason_words import said
from engine.model.states import InstanceState
from engine.planning.rules import Start
from engine.runtime.fibers import Signal
from engine.runtime.run_state.instance_row import LiveInstanceRow
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.run_state.run_outcome import RunPhase

PAUSED = "held"  # the kind of the stop that takes a job out of the queue


class InstancePause:
    """What of a run waits for the end of a pause; loop thread only.

    Only the instance that was paused itself is remembered (``EngineServices.pauses``): whether a sub-task
    is paused follows from those above it, so nothing has to be kept in step.
    """

    def __init__(
        self, pauses: Mapping[int, Reason], facts: RunFacts, phase: RunPhase, row: LiveInstanceRow
    ) -> None:
        self._pauses = pauses
        self._facts = facts
        self._phase = phase
        self._row = row
        self.shown: Reason | None = None  # why it is paused, as its row tells
        self.retry_due = False  # the run's own retry came meanwhile
        self._signals: list[Signal] = []
        self._steps: list[Start] = []

    @property
    def why(self) -> Reason | None:
        """Why nothing begins: its own pause, else that of the nearest above it. None: it is not paused.

        From any thread.
        """
        pauses, facts = self._pauses, self._facts
        if not pauses or self._phase.handling:
            return None
        own = pauses.get(facts.id)
        if own is not None:
            return own
        above = ((id, pauses.get(id)) for id in reversed(facts.above))
        return next((pausing.with_instance(id, why) for id, why in above if why is not None), None)

    @property
    def state(self) -> InstanceState:
        """The state of the instance while it has not ended."""
        if self.why is not None:
            return InstanceState.PAUSED
        return InstanceState.RUNNING if self._phase.retry is None else InstanceState.WAITING

    @property
    def is_late(self) -> bool:
        """Whether its run is about to end, and reports by itself how."""
        return self._phase.finishing and self._phase.retry is None

    def keeps(self, step: Start) -> bool:
        """Whether a node must not begin now; it is remembered."""
        held = self.why is not None
        if held:
            self._steps.append(step)
        return held

    def drop(self, node: str) -> bool:
        """Forget a node that was kept; whether it was."""
        kept = [step for step in self._steps if step.node != node]
        dropped = len(kept) < len(self._steps)
        self._steps = kept
        return dropped

    def signal(self) -> Signal:
        """What fires when a job should check again whether it is paused."""
        signal = Signal()
        self._signals.append(signal)
        return signal

    def look_again(self) -> None:
        """Let every job that waits here find out whether, and why, it still has to."""
        signals, self._signals = self._signals, []
        for signal in signals:
            signal.fire()

    def end(self) -> list[Start]:
        """It is over: gives the nodes that were kept."""
        self.look_again()
        steps, self._steps = self._steps, []
        return steps

    def show(self) -> bool:
        """Bring the instance's row and the listeners up to date; gives whether anything changed."""
        why = self.why
        if why == self.shown or self.is_late:
            return False
        self.shown = why
        self._row.move(self.state, said(why))
        self._row.publish(self.state)
        return True
