"""A backfill that has not ended: its row, its steps, and which of them are under way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import BackfillState, Reprocess, StepState
from engine.planning.schedules.backfill import BackfillStep
from engine.planning.schedules.step_turns import StepTurns
from engine.runtime.timing.backfill_plan import PlannedBackfill
from engine.store.rows import BackfillRow, BackfillStepRow, time_text


@dataclass(slots=True)
class LiveBackfill:
    """``begun``: the steps that count among those at once, each with its instance; None: it is looked at.

    ``waiting``: those of these instances that have not had their first run.
    """

    row: BackfillRow
    steps: Sequence[BackfillStepRow]
    turns: StepTurns
    begun: dict[int, int | None] = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, row: BackfillRow, steps: Sequence[BackfillStepRow]) -> LiveBackfill:
        """As the store has it, or as it is when it begins."""
        unsettled = (StepState.PENDING, StepState.BEGUN)
        turns = StepTurns({each.position: each.after for each in steps if each.status in unsettled})
        for each in steps:
            if each.status == StepState.BEGUN:
                turns.begun(each.position)
        begun = {each.position: each.instance for each in steps if each.status == StepState.BEGUN}
        return cls(row, steps, turns, dict(begun))

    @property
    def runs(self) -> bool:
        return self.row.status == BackfillState.RUNNING

    def next(self) -> BackfillStepRow | None:
        """The step whose turn it is; None while as many are under way as may be, or none is free."""
        if not self.runs or len(self.begun) >= self.row.parallel:
            return None
        position = self.turns.take()
        return None if position is None else self.steps[position]

    @property
    def is_over(self) -> bool:
        return not self.begun and not self.turns.pending

    def not_begun(self) -> Iterator[int]:
        """The positions whose instance nobody has made or moved."""
        yield from self.turns.pending
        yield from (position for position, instance in self.begun.items() if instance is None)

    @property
    def reprocess(self) -> Reprocess:
        found: Reprocess = self.row.reprocess  # type: ignore[assignment]
        return found

    def reason(self) -> Reason:
        """Why its instances run."""
        return Reason.of(Kind.BACKFILLED, backfill=self.row.id, message=self.row.note or None)

    def paused(self) -> Reason:
        """Why its instances wait while it is paused."""
        return Reason.of(Kind.BACKFILL_PAUSED, backfill=self.row.id, by=self.row.paused_by)


def begun_rows(
    id: int, planned: PlannedBackfill, now: str, actor: str
) -> tuple[BackfillRow, list[BackfillStepRow]]:
    """A backfill as it is written down when it begins."""
    asked = planned.request
    row = BackfillRow(
        id,
        asked.task,
        now,
        time_text(planned.since),
        time_text(planned.until),
        newest_first=asked.order == "newest",
        parallel=asked.parallel,
        reprocess=asked.reprocess,
        downstream=asked.downstream,
        ignores_dependencies=asked.ignore_dependencies,
        params=dict(planned.params),
        actor=actor,
        note=asked.reason or None,
    )
    return row, [_step_row(id, position, step) for position, step in enumerate(planned.steps)]


def _step_row(backfill: int, position: int, step: BackfillStep) -> BackfillStepRow:
    status = StepState.LEFT if step.choice == "leave" else StepState.PENDING
    at, after = time_text(step.at), list(step.after)
    return BackfillStepRow(
        backfill, position, step.task, at, step.choice, str(status), step.instance, after, **said(step.why)
    )
