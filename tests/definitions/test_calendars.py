"""Calendars of a definition file, and the schedules that name them."""

from __future__ import annotations

import pytest

from engine.model.codes import definitions as codes
from engine.model.codes import schedules
from engine.model.errors import ErrorCode
from engine.model.schedule import CalendarUse, Schedule
from tests.definitions.fakes import findings_of, marked, read_text


def test_a_calendar_with_all_that_it_may_have() -> None:
    reading = read_text(
        "skerry: 1\ncalendars: {c: {name: n, weekend: [fri, sat], off: [2026-10-01..2026-10-07, 2026-12-25],"
        " work: [2026-10-10]}, e: {}}"
    )

    assert findings_of(reading) == []
    assert reading.definitions.calendars["c"].off == ("2026-10-01..2026-10-07", "2026-12-25")
    assert reading.definitions.calendars["e"].weekend == ("sat", "sun")


@pytest.mark.parametrize(
    ("calendar", "code", "words"),
    [
        ("^c: x", codes.WRONG_TYPE, "expected a calendar (a map)"),
        ("c: {^ofs: []}", codes.UNKNOWN_KEY, "did you mean `off`?"),
        ("c: {weekend: [^sunday]}", codes.WRONG_VALUE, "sun"),
        ("c: {off: [^2026-13-01]}", schedules.CALENDAR_DATE, "expected a date such as 2026-10-01"),
        ("c: {work: [2026-10-01, ^today]}", schedules.CALENDAR_DATE, "`work`: expected a date"),
        ("c: {off: [^2026-10-07..2026-10-01]}", schedules.CALENDAR_DATE, "the last day is before the first"),
        (
            "^c: {weekend: [mon, tue, wed, thu, fri, sat, sun]}",
            schedules.CALENDAR_WITHOUT_WORK,
            "there is no working day",
        ),
    ],
)
def test_mistakes_of_calendars(calendar: str, code: ErrorCode, words: str) -> None:
    text, [place] = marked(f"skerry: 1\ncalendars: {{{calendar}}}\n")

    reading = read_text(text)

    [finding] = reading.findings
    assert finding.code == code.number, findings_of(reading)
    assert words in finding.message
    assert (finding.line, finding.column) == place


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("c", CalendarUse(id="c")),
        ("{id: c, on: previous}", CalendarUse(id="c", on="previous")),
    ],
)
def test_a_schedule_names_its_calendar(given: str, read: CalendarUse) -> None:
    reading = read_text(
        f"skerry: 1\ntasks: {{t: {{schedule: {{level: minute, every: 5, calendar: {given}}}}}}}"
    )

    assert findings_of(reading) == []
    schedule = reading.definitions.tasks["t"].schedule
    assert isinstance(schedule, Schedule)
    assert schedule.calendar == read


@pytest.mark.parametrize("given", ["{foo: [bar]}", "{id: c, on: later}", "[c]"])
def test_what_is_no_calendar_is_found(given: str) -> None:
    reading = read_text(
        f"skerry: 1\ntasks: {{t: {{schedule: {{level: minute, every: 5, calendar: {given}}}}}}}"
    )

    assert reading.errors
