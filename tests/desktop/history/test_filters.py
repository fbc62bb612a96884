"""Filters of the history: kept and read again, and what they ask of the store."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.history.filters import SPANS, Filter, kept, to_keep
from app.desktop.history.history_rows import _safe

NOW = datetime(2026, 11, 21, 14, 30, tzinfo=timezone(timedelta(hours=8)))
FILTERS = st.builds(
    Filter,
    st.lists(st.sampled_from(["failed", "lost"]), unique=True).map(tuple),
    st.text(),
    st.sampled_from(sorted(SPANS)),
    st.text(),
    st.text(),
    st.text(),
)


@given(st.dictionaries(st.text(), FILTERS))
def test_what_is_kept_is_read_again(filters: dict[str, Filter]) -> None:
    assert kept(to_keep(filters)) == filters


@given(st.text() | st.sampled_from(['{"a": 1}', "[]", '{"a": {"statuses": 5}}', '{"a": {"span": "x"}}']))
def test_whatever_is_in_the_settings_is_no_error(text: str) -> None:
    assert isinstance(kept(text), dict)


def test_times_are_meant_here_and_asked_in_utc() -> None:
    assert Filter(span="today").wanted(NOW).since == "2026-11-20T16:00:00.000000+00:00"
    assert Filter(span="day").wanted(NOW).since == "2026-11-20T06:30:00.000000+00:00"
    assert Filter().wanted(NOW).since is None


def test_a_chosen_interval_is_before_a_span() -> None:
    wanted = Filter(span="day", between="0/60").wanted(NOW)
    assert wanted.since == "1970-01-01T00:00:00.000000+00:00"
    assert wanted.until == "1970-01-01T00:01:00.000000+00:00"


def test_a_code_may_be_typed_without_its_sign() -> None:
    assert Filter(code=" 10 300000000 ").wanted(NOW).code == -10_300_000_000
    with pytest.raises(ValueError, match="abc"):
        Filter(code="abc").wanted(NOW)


@pytest.mark.parametrize("field", ["=1+1", "+1", "@x", "-a", "\tx", "-1-1"])
def test_a_field_that_a_spreadsheet_would_run_is_quoted(field: str) -> None:
    assert _safe(field) == f"'{field}"


@pytest.mark.parametrize("field", ["-10100001007", "text", "", "3.5"])
def test_other_fields_stay(field: str) -> None:
    assert _safe(field) == field
