"""The handlers of a run whose outcome is known: that of the outcome, then ``always`` (contract 2.3)."""

from __future__ import annotations

from collections.abc import Callable

from engine.model.reason_words import said
from engine.model.states import InstanceState
from engine.planning.handlers import at_end
from engine.planning.progress import Progress
from engine.runtime.fibers import Stopped
from engine.runtime.run_state.run_context import RunContext
from engine.runtime.runs.nodes import Nodes


class EndHandlers:
    """Loop thread only. They cannot change the outcome; ``all_ended`` is called once, after the last one."""

    def __init__(self, run: RunContext, all_ended: Callable[[], None]) -> None:
        self.plan = at_end(run.facts.plan, run.outcome.state)
        self.progress = Progress(self.plan)
        self.nodes = Nodes(run, self.progress, self._end_when_done, self.plan)
        self._run = run
        self._all_ended = all_ended
        self._over = False
        run.phase.handling = True

    def begin(self) -> None:
        """Make their JobInstances and start the first; the instance shows as running until the last ends."""
        run = self._run
        if run.row.state != InstanceState.RUNNING:
            run.row.move(InstanceState.RUNNING, said(None))
            run.row.publish(InstanceState.RUNNING)
        self.nodes.insert(self.plan.nodes.values())
        self.nodes.apply(self.progress.begin())

    def stop(self, stopped: Stopped) -> None:
        """End the one that runs; the next does not begin."""
        steps = self.progress.stop()
        for execution in list(self.nodes.executions.values()):
            for job in execution.jobs:
                job.interrupt(Stopped(stopped.kind, stopped.actor, stopped.why))
        self.nodes.apply(steps)

    def _end_when_done(self) -> None:
        if self.progress.finished and not self.nodes.any_open() and not self._over:
            self._over = True
            self._all_ended()
