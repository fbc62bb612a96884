"""What a run was about to do is found again from the outcomes in the store, in one order."""

from __future__ import annotations

from engine.model.reason import Kind, Reason
from engine.model.states import JobState
from engine.planning.progress import Progress
from engine.planning.rules import Start
from engine.runtime.recovery.outcome_replay import OutcomeReplay
from engine.store.rows import JobRow
from tests.planning.helpers import planned, shell


def _settled(id: int, node: str) -> JobRow:
    by_hand = Reason.of(Kind.BY_HAND, note="because", by="bo").to_json()
    return JobRow(id, 1, 1, node, node, JobState.SUCCEEDED, "", ended_at="2026-03-02T08:00:00", why=by_hand)


def test_what_was_settled_by_hand_in_the_same_moment_is_replayed_in_one_order() -> None:
    letters = "abcdefgh"
    held = [shell(f"held-{each}", "runs") for each in letters]
    then = [shell(f"then-{each}", f"held-{each}") for each in letters]
    plan = planned(shell("runs"), *held, *then)
    rows = [_settled(id, each.id) for id, each in enumerate(held, 1)]

    steps = OutcomeReplay(plan, Progress(plan), rows, lambda: ()).next_steps()

    assert steps == [Start("runs", 1), *(Start(each.id, 1) for each in then)]
