"""Feeds the outcomes that are in the store to the rules of a run, to learn how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.model.states import JobState
from engine.planning.progress import Progress
from engine.planning.rules import Outcome, Skip, Start
from engine.planning.shape import Plan
from engine.runtime.run_state.restart import outcome_of
from engine.store.rows import JobRow

Step = Start | Skip


class OutcomeReplay:
    """One run with its jobs as rows, as an earlier engine left them."""

    def __init__(self, plan: Plan, progress: Progress, jobs: Iterable[JobRow]) -> None:
        self._plan = plan
        self._progress = progress
        self._groups: dict[tuple[str, int], list[JobRow]] = {}
        for job in jobs:
            self._groups.setdefault((job.node, job.round), []).append(job)

    def next_steps(self) -> list[Step]:
        """The steps that were decided but of which nothing is in the store: what to do next.

        Outcomes come in another order than they came about. One that stops the run comes after all others,
        since it skips what has not begun: else a job that runs would be lost sight of.
        """
        open_ = list(self._progress.begin())
        while True:
            done, open_ = _divided(open_, self._is_done)
            last, first = _divided(done, self._stops)
            if first or last:
                open_ += last if first else []
                open_ += [new for step in first or last for new in self._fed(step)]
            elif (forced := self._forced()) is not None:
                open_ += self._progress.force(*forced)
            else:
                return open_

    def _stops(self, step: Step) -> bool:
        if self._plan.task.on_failure != "stop" or isinstance(step, Skip):
            return False
        return outcome_of(self._plan, step.node, self._groups[step.node, step.round]) is Outcome.BAD

    def _forced(self) -> tuple[str, Outcome, str | None] | None:
        """A node whose turn has not come but that was settled by hand."""
        for node in self._progress.pending:
            group = self._groups.get((node, self._progress.round(node) + 1), [])
            states = [JobState(job.status) for job in group]
            if states and all(state.ended and state is not JobState.SKIPPED for state in states):
                return node, outcome_of(self._plan, node, group), group[0].branch
        return None

    def _is_done(self, step: Step) -> bool:
        group = self._groups.get((step.node, step.round), [])
        return bool(group) and all(JobState(job.status).ended for job in group)

    def _fed(self, step: Step) -> list[Step]:
        if isinstance(step, Skip):
            return []
        group = self._groups[step.node, step.round]
        outcome = outcome_of(self._plan, step.node, group)
        branch = group[0].branch if outcome is Outcome.OK else None
        return self._progress.ended(step.node, outcome, branch)


def _divided(steps: Iterable[Step], chosen: Callable[[Step], bool]) -> tuple[list[Step], list[Step]]:
    """Those that are chosen, and the others, each in order."""
    parts: tuple[list[Step], list[Step]] = [], []
    for step in steps:
        parts[not chosen(step)].append(step)
    return parts
