"""Recovery: every sentence of the contract's row ``recovery``, and that it always comes to an end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.job import Recovery
from engine.model.states import JobState, Trigger
from engine.planning.recovery import Ask, Discard, RetryAgain, decide, origin

UNKNOWN = [JobState.LOST, JobState.NO_WORKER, JobState.BUSY]
recoveries = st.builds(
    Recovery,
    strategy=st.sampled_from([None, "retry", "discard", "ask"]),
    after=st.floats(0, 1e6),
    times=st.integers(0, 9),
)


@pytest.mark.parametrize("trouble", UNKNOWN)
@pytest.mark.parametrize("trigger", [Trigger.SCHEDULE, Trigger.BACKFILL, Trigger.CONDITION])
def test_runs_that_nobody_watches_try_again_after_two_minutes(trouble: JobState, trigger: Trigger) -> None:
    assert decide(Recovery(), trouble, trigger, 0) == RetryAgain(120.0)


@pytest.mark.parametrize("trouble", UNKNOWN)
def test_a_manual_run_asks(trouble: JobState) -> None:
    assert decide(Recovery(), trouble, Trigger.MANUAL, 0) == Ask()


@pytest.mark.parametrize("trigger", list(Trigger))
def test_what_failed_stays_failed_when_nothing_is_said(trigger: Trigger) -> None:
    assert decide(Recovery(), JobState.FAILED, trigger, 0) is None
    assert decide(Recovery(after=1, times=9), JobState.FAILED, trigger, 0) is None


@pytest.mark.parametrize("trouble", [*UNKNOWN, JobState.FAILED])
@pytest.mark.parametrize("trigger", list(Trigger))
def test_a_strategy_holds_for_all_four_and_whatever_made_the_run(trouble: JobState, trigger: Trigger) -> None:
    assert decide(Recovery(strategy="retry", after=5), trouble, trigger, 2) == RetryAgain(5.0)
    assert decide(Recovery(strategy="discard"), trouble, trigger, 0) == Discard()
    assert decide(Recovery(strategy="ask"), trouble, trigger, 0) == Ask()


@pytest.mark.parametrize("trouble", [*UNKNOWN, JobState.FAILED])
def test_a_person_is_asked_when_the_times_are_used_up(trouble: JobState) -> None:
    recovery = Recovery(strategy="retry", times=2)

    decisions = [decide(recovery, trouble, Trigger.SCHEDULE, so_far) for so_far in range(4)]

    assert decisions == [RetryAgain(120.0), RetryAgain(120.0), Ask(), Ask()]


@given(recoveries, st.sampled_from(list(JobState)), st.sampled_from(list(Trigger)), st.integers(0, 20))
def test_recovery_never_tries_more_often_than_its_times(
    recovery: Recovery, trouble: JobState, trigger: Trigger, so_far: int
) -> None:
    decision = decide(recovery, trouble, trigger, so_far)

    if isinstance(decision, RetryAgain):
        assert so_far < recovery.times
        assert decision.after == recovery.after
    if trouble not in [*UNKNOWN, JobState.FAILED]:
        assert decision is None
    if recovery.strategy == "discard" and trouble in UNKNOWN:
        assert decision == Discard()


def test_a_sub_task_and_a_retry_count_as_what_began_them() -> None:
    assert origin([Trigger.SUBTASK, Trigger.RETRY, Trigger.SCHEDULE, Trigger.MANUAL]) is Trigger.SCHEDULE
    assert origin([Trigger.MANUAL]) is Trigger.MANUAL
    assert origin([Trigger.SUBTASK]) is Trigger.MANUAL
    assert origin([]) is Trigger.MANUAL
