"""Which instances an instance waits for: by scheduled time alone, whenever anything ran."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.schedule import Dependency
from engine.planning.neighbours import InstanceTime, matching, window

ZONE = ZoneInfo("Asia/Shanghai")
BEGIN = datetime(2026, 11, 18, tzinfo=ZONE)
HOURS = [InstanceTime(number, BEGIN + timedelta(hours=number)) for number in range(24 * 5)]


def found(time: datetime, level: str | None = "day", **keys: str) -> list[int]:
    """The numbers of the hourly instances that an instance at ``time`` waits for."""
    dependency = Dependency.model_validate({"task": "t", **keys})
    return [slot.instance for slot in matching(HOURS, window(dependency, time, level, ZONE))]


NOON = BEGIN + timedelta(days=2, hours=12)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, [60]),
        ({"window": "same_period"}, [71]),
        ({"window": "previous_period"}, [47]),
        ({"window": "all_in_period"}, list(range(24, 48))),
        ({"window": "all_in_period", "period": "same_day"}, list(range(48, 72))),
        ({"window": "all_in_period", "period": "previous_hour"}, [59]),
        ({"window": "all_in_period", "period": "same_month"}, list(range(120))),
        ({"window": "all_in_period", "period": "previous_year"}, []),
        ({"window": "all_in_period", "period": "same_week"}, list(range(120))),
    ],
    ids=str,
)
def test_the_windows(keys: dict[str, str], expected: list[int]) -> None:
    assert found(NOON, **keys) == expected


def test_the_period_is_that_of_the_dependants_own_level_if_none_is_named() -> None:
    assert found(NOON, "custom_hour", window="all_in_period") == [59]


@given(st.integers(0, 24 * 6), st.sampled_from(["latest", "same_period", "previous_period"]))
def test_at_most_one_is_waited_for_unless_all_are_asked(hours: int, which: str) -> None:
    assert len(found(BEGIN + timedelta(hours=hours), window=which)) <= 1


@given(st.integers(1, 24 * 5 - 1))
def test_the_latest_is_never_later(hours: int) -> None:
    assert found(BEGIN + timedelta(hours=hours)) == [hours]
