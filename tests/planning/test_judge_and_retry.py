"""How an attempt is judged, when it is made again, and which branch a value takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.planning import NO_BRANCH
from engine.model.control import ConditionKeys
from engine.model.errors import Failure, SkerryError
from engine.model.job import Retry
from engine.planning.judge import JudgedBy, Seen, Verdict, judge
from engine.planning.recovery import LONGEST, next_attempt
from engine.planning.rules import branch_key

FAILED, GOOD = False, True


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (Seen(exit_code=0), Verdict(GOOD, JudgedBy.EXIT)),
        (Seen(exit_code=3), Verdict(FAILED, JudgedBy.EXIT)),
        (Seen(), Verdict(GOOD, JudgedBy.EXIT)),
        (Seen(exit_code=0, status="0\n"), Verdict(FAILED, JudgedBy.STATUS)),
        (Seen(exit_code=3, status=" 1\n"), Verdict(GOOD, JudgedBy.STATUS)),
        (Seen(exit_code=3, status=" \n"), Verdict(FAILED, JudgedBy.EXIT)),
        (Seen(exit_code=3, success=True, status="0"), Verdict(GOOD, JudgedBy.SUCCESS)),
        (Seen(exit_code=0, success=False, status="1"), Verdict(FAILED, JudgedBy.SUCCESS)),
        (Seen(exit_code=0, check=False), Verdict(FAILED, JudgedBy.CHECK)),
        (Seen(check=True), Verdict(GOOD, JudgedBy.CHECK)),
        (Seen(check=True, status="0"), Verdict(FAILED, JudgedBy.STATUS)),
        (Seen(signal=9, success=True, status="1"), Verdict(FAILED, JudgedBy.SIGNAL)),
    ],
)
def test_the_first_that_has_something_to_say_decides(seen, expected):
    assert judge(seen) == expected


def failure(code: int = -1_10_00_001_003, retryable: bool = True) -> Failure:
    return Failure(code, "no", retryable)


def test_times_one_means_two_attempts():
    retry = Retry(times=1, interval=2)

    assert next_attempt(retry, 1, failure()) == 2
    assert next_attempt(retry, 2, failure()) is None
    assert next_attempt(Retry(), 1, failure()) is None


def test_the_pause_grows_up_to_its_limit():
    retry = Retry(times=5, interval=1, backoff=3, max_interval=20)

    assert [next_attempt(retry, n, failure()) for n in range(1, 6)] == [1, 3, 9, 20, 20]


def test_what_is_pointless_is_not_tried_again():
    retry = Retry(times=3)

    assert next_attempt(retry, 1, failure(retryable=False)) is None


@pytest.mark.parametrize(
    ("on", "again"),
    [
        ([-1_10_00_001_003], True),
        ([-1_10_00_001_000], True),
        ([-1_10_00_000_000], True),
        ([-1_10_00_001_004], False),
        ([-1_20_00_000_000, -1_10_00_001_000], True),
        ([-1_20_00_000_000], False),
        ([], False),
    ],
)
def test_on_names_the_codes_that_are_tried_again(on, again):
    retry = Retry(times=1, on=on)

    assert (next_attempt(retry, 1, failure(retryable=False)) is not None) is again


@given(
    interval=st.floats(0, 1e6),
    backoff=st.floats(1, 1e6),
    attempt=st.integers(1, 10_000),
    limit=st.floats(0, 1e6),
)
def test_a_pause_is_always_a_time_one_can_wait(interval, backoff, attempt, limit):
    pause = next_attempt(Retry(times=10_000, interval=interval, backoff=backoff), attempt, failure())
    limited = next_attempt(
        Retry(times=10_000, interval=interval, backoff=backoff, max_interval=limit), attempt, failure()
    )

    assert pause is not None
    assert limited is not None
    assert min(interval, LONGEST) <= pause <= LONGEST
    assert limited <= limit


def keys(*branches: str) -> ConditionKeys:
    return ConditionKeys(value="x", branches={branch: [] for branch in branches})


@pytest.mark.parametrize(
    ("value", "branches", "taken"),
    [
        (4, ["4", "default"], "4"),
        (4.0, ["4"], "4"),
        ("4", ["4"], "4"),
        (True, ["true"], "true"),
        (False, ["true"], None),
        (True, [], None),
        ("false", ["x"], None),
        (False, ["true", "default"], "default"),
        (7, ["4", "default"], "default"),
        (None, ["default"], "default"),
        ([1], ["[1]"], "[1]"),
    ],
)
def test_a_value_takes_the_branch_with_its_text(value, branches, taken):
    assert branch_key(keys(*branches), value) == taken


@pytest.mark.parametrize("value", [7, "x", None])
def test_any_other_value_without_a_branch_is_an_error(value):
    with pytest.raises(SkerryError) as caught:
        branch_key(keys("4", "true"), value)

    assert caught.value.entry is NO_BRANCH
    assert "'4', 'true'" in caught.value.message
