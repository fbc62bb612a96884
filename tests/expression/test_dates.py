"""``{path}:DATE:-1d:%Y%m%d``: shifts, formats, zones, clock changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.expressions import BAD_TIME
from engine.model.errors import Invalid, SkerryError
from engine.model.expression import compile_value
from tests.expression.scopes import value_of

NOON = "2026-11-21T12:00:00.000000+08:00"


@pytest.mark.parametrize(
    ("shift", "form", "expected"),
    [
        ("-1d", "%Y%m%d", "20261120"),
        ("0d", "%Y-%m-%dT%H:%M", "2026-11-21T12:00"),
        ("0", "%H", "12"),
        ("", "%H", "12"),
        ("+1w", "%d", "28"),
        ("2h30m", "%H:%M:%S", "14:30:00"),
        ("-90s", "%H:%M:%S", "11:58:30"),
        ("1mo", "%Y%m%d", "20261221"),
        ("-1y", "%Y%m%d", "20251121"),
        ("-1y2mo", "%Y%m", "202509"),
        ("0d", "%Y年%m月%d日", "2026年11月21日"),
        ("0d", "100%%:%j", "100%:325"),
        ("0d", "%-d/%-m", "21/11"),
        ("0d", "%z", "+0800"),
        ("0d", "", ""),
        ("0d", "%s", "1795233600"),
        ("0d", "a:b:%f", "a:b:000000"),
    ],
)
def test_a_time_is_shifted_and_formatted(shift: str, form: str, expected: str) -> None:
    assert value_of(f"{{$.ITEM.t}}:DATE:{shift}:{form}", zone="Asia/Shanghai", t=NOON) == expected


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2026-11-21T23:30:00Z", "20261122 0730"),
        ("2026-11-21T23:30:00+00:00", "20261122 0730"),
        ("2026-11-21T23:30:00", "20261121 2330"),
        ("2026-11-21 23:30", "20261121 2330"),
        ("2026-11-21", "20261121 0000"),
        (" 2026-11-21T23:30:00.123456-05:00\n", "20261122 1230"),
    ],
)
def test_the_schedules_time_zone_counts(time: str, expected: str) -> None:
    assert value_of("{$.ITEM.t}:DATE:0d:%Y%m%d %H%M", zone="Asia/Shanghai", t=time) == expected


def test_days_keep_the_time_on_the_wall_and_hours_the_distance() -> None:
    before = "2026-03-28T12:00:00+01:00"  # the day before the clocks go forward in Berlin
    assert value_of("{$.ITEM.t}:DATE:1d:%d %H", zone="Europe/Berlin", t=before) == "29 12"
    assert value_of("{$.ITEM.t}:DATE:24h:%d %H", zone="Europe/Berlin", t=before) == "29 13"


def test_a_time_that_the_clocks_skip_becomes_the_one_after_the_gap() -> None:
    assert (
        value_of("{$.ITEM.t}:DATE:1d:%H:%M", zone="Europe/Berlin", t="2026-03-28T02:30:00+01:00") == "03:30"
    )


def test_the_end_of_a_month_stays_in_the_month() -> None:
    assert value_of("{$.ITEM.t}:DATE:1mo:%m-%d", t="2026-01-31") == "02-28"
    assert value_of("{$.ITEM.t}:DATE:1y:%Y-%m-%d", t="2028-02-29") == "2029-02-28"


@pytest.mark.parametrize("text", ["x", "2026-13-01", "", "12:00", 20261121, None, True, ["2026-11-21"]])
def test_what_is_not_a_time_is_an_error(text: object) -> None:
    with pytest.raises(SkerryError) as caught:
        value_of("{$.ITEM.t}:DATE:0d:%Y", t=text)
    assert caught.value.entry is BAD_TIME


@pytest.mark.parametrize("shift", ["999999y", "-999999w", "-9999y", "999999mo"])
def test_a_time_outside_the_calendar_is_an_error(shift: str) -> None:
    with pytest.raises(SkerryError) as caught:
        value_of(f"{{$.ITEM.t}}:DATE:{shift}:%Y", t=NOON)
    assert caught.value.entry is BAD_TIME


@pytest.mark.parametrize(
    "rest",
    [
        "-1x:%Y",
        "d:%Y",
        "1 d:%Y",
        "--1d:%Y",
        "1.5d:%Y",
        "1:%Y",
        "1d",
        "1d:%",
        "1d:%Q",
        "1d:%10Y",
        "1d:%999999999d",
        "1d:%(a)s",
    ],
)
def test_a_wrong_shift_or_format_is_found_before_anything_runs(rest: str) -> None:
    with pytest.raises(Invalid):
        compile_value(f"{{$.ITEM.t}}:DATE:{rest}")


@given(st.integers(-5000, 5000), st.sampled_from("smhdw"))
def test_a_shift_and_its_opposite_cancel_out(number: int, unit: str) -> None:
    there = value_of(f"{{$.ITEM.t}}:DATE:{number}{unit}:%Y-%m-%dT%H:%M:%S%z", t="2026-06-15T12:34:56+00:00")
    back = value_of(f"{{$.ITEM.t}}:DATE:{-number}{unit}:%Y-%m-%dT%H:%M:%S", t=there)
    assert back == "2026-06-15T12:34:56"
