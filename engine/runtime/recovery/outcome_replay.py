"""Feeds the outcomes that are in the store to the rules of a run, to learn how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial

from engine.model.reason import Kind
from engine.model.states import JobState
from engine.planning.progress import Progress
from engine.planning.rules import Outcome, Skip, Start
from engine.planning.shape import Plan
from engine.runtime.recovery.log_entries import ends_of_jobs
from engine.runtime.run_state.restart import outcome_of
from engine.store.rows import JobRow

Step = Start | Skip


class OutcomeReplay:
    """One run with its jobs as rows, as an earlier engine left them; ``lines`` are those of its context."""

    def __init__(
        self, plan: Plan, progress: Progress, jobs: Iterable[JobRow], lines: Callable[[], Iterable[str]]
    ) -> None:
        self._lines = lines
        self._plan = plan
        self._progress = progress
        self._groups: dict[tuple[str, int], list[JobRow]] = {}
        for job in jobs:
            self._groups.setdefault((job.node, job.round), []).append(job)
        self._by_hand = {key[0] for key in self._groups if self._is_by_hand(Start(*key))}

    def next_steps(self) -> list[Step]:
        """The steps that were decided but of which nothing is in the store: what to do next.

        Outcomes come in another order than they came about. One that stops the run comes after all others,
        since it skips what has not begun: else a job that runs would be lost sight of. One that was settled
        by hand before its turn comes before what ended after that, which might skip it.
        """
        open_ = list(self._progress.begin())
        while True:
            done, open_ = _divided(open_, self._is_done)
            last, first = _divided(done, self._stops)
            ahead = self._ahead(every=not done)
            late, soon = _divided(first, partial(self._is_later, ahead))
            if ahead is not None and not soon:
                open_ += [*done, *self._progress.force(ahead.node, *self._outcome(ahead))]
            elif soon or last:
                open_ += [*late, *last] if soon else []
                open_ += [new for step in soon or last for new in self._fed(step)]
            else:
                return open_

    def _stops(self, step: Step) -> bool:
        if self._plan.task.on_failure != "stop" or isinstance(step, Skip):
            return False
        return outcome_of(self._plan, step.node, self._groups[step.node, step.round]) is Outcome.BAD

    def _ahead(self, *, every: bool) -> Start | None:
        """The first node that was settled by hand before its turn.

        Where nothing else is left ``every`` one that has ended counts: a rebuilt database does not say how.
        """
        round = self._progress.round
        pending = self._progress.pending
        nodes = pending if every else pending & self._by_hand  # few: asked often
        steps = (Start(node, round(node) + 1) for node in sorted(nodes))
        found = [step for step in steps if self._is_done(step) and not self._is_skipped(step)]
        if not every:
            found = [step for step in found if self._is_by_hand(step) and not self._stops(step)]
        return min(found, key=self._end, default=None)

    def _is_skipped(self, step: Step) -> bool:
        return any(job.status == JobState.SKIPPED for job in self._groups[step.node, step.round])

    def _is_by_hand(self, step: Step) -> bool:
        group = self._groups[step.node, step.round]
        return all(not job.attempt and job.because and job.because.kind is Kind.BY_HAND for job in group)

    @cached_property
    def _ends(self) -> Mapping[int, int]:
        return ends_of_jobs(self._lines())

    def _end(self, step: Step) -> int:
        """Where the log tells of it."""
        return max(self._ends.get(job.id, 0) for job in self._groups[step.node, step.round])

    def _is_later(self, ahead: Step | None, step: Step) -> bool:
        return ahead is not None and self._end(step) > self._end(ahead)

    def _is_done(self, step: Step) -> bool:
        group = self._groups.get((step.node, step.round), [])
        return bool(group) and all(JobState(job.status).ended for job in group)

    def _fed(self, step: Step) -> list[Step]:
        if isinstance(step, Skip):
            return []
        return self._progress.ended(step.node, *self._outcome(step))

    def _outcome(self, step: Step) -> tuple[Outcome, str | None]:
        """What it came to, and the branch that a condition took."""
        group = self._groups[step.node, step.round]
        outcome = outcome_of(self._plan, step.node, group)
        return outcome, group[0].branch if outcome is Outcome.OK else None


def _divided(steps: Iterable[Step], chosen: Callable[[Step], bool]) -> tuple[list[Step], list[Step]]:
    """Those that are chosen, and the others, each in order."""
    parts: tuple[list[Step], list[Step]] = [], []
    for step in steps:
        parts[not chosen(step)].append(step)
    return parts
