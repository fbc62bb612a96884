"""Schedules that never fire, unknown calendars, and dependencies that cannot be decided."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from engine.model.calendar import Calendar
from engine.model.codes import expressions, planning, schedules
from engine.model.errors import ErrorCode
from engine.model.findings import Finding
from engine.model.job import ParamSpec
from engine.model.resource import Resource
from engine.planning.plan import check
from tests.planning.helpers import TYPES, definitions, shell, task

NOW = datetime(2026, 11, 24, 8, tzinfo=UTC)


def found(*tasks: Any, now: datetime | None = NOW, **keys: Any) -> list[Finding]:
    return list(check(definitions(*tasks, **keys), TYPES, now))


def scheduled(id: str = "t", /, schedule: Any = "manual", **keys: Any) -> Any:
    return task(shell("a"), id=id, schedule=schedule, **keys)


@pytest.mark.parametrize(
    ("schedule", "key"),
    [
        ({"level": "crontab", "cron": "0 0 0 30 2 ?"}, "cron"),
        ({"level": "crontab", "cron": "0 0 0 31 4,6,9,11 ?"}, "cron"),
        ({"level": "crontab", "cron": "0 0 30 2 *"}, "cron"),
        ({"level": "crontab", "cron": "0 0 0 1 1 ? 2020"}, "cron"),
        ({"level": "crontab", "cron": "0 0 0 L-30 2 ?"}, "cron"),
        ({"level": "crontab", "cron": "0 0 31 2,4 *"}, "cron"),
        ({"level": "once", "once": "2026-11-24T08:00:00+00:00"}, "once"),
        ({"level": "day", "every": 1, "end": "2026-11-23"}, "schedule"),
        ({"level": "interval", "interval": 60, "end": "2026-11-24T08:00:00+00:00"}, "schedule"),
        ({"level": "year", "month": 6, "day": 6, "start": "2027-01-01", "end": "2027-02-01"}, "schedule"),
        ({"level": "once", "once": "9999-12-31T23:59:59-23:00"}, "once"),
        ({"level": "once", "once": "0001-01-01T00:00:00+23:00"}, "once"),
        ({"level": "interval", "interval": 60, "first": "9999-12-31T23:59:59-23:00"}, "schedule"),
        ({"level": "day", "every": 1, "start": "9999-12-31T23:59:59-23:00"}, "schedule"),
    ],
)
def test_a_schedule_that_never_fires(schedule: dict[str, Any], key: str) -> None:
    [finding] = found(scheduled(schedule=schedule))

    assert (finding.code, finding.severity) == (schedules.NEVER_FIRES.number, "error")
    assert finding.path[-1] == key


@pytest.mark.parametrize(
    "schedule",
    [
        {"level": "crontab", "cron": "0 0 0 29 2 ?"},
        {"level": "crontab", "cron": "0 0 0 ? 2 2#5"},
        {"level": "crontab", "cron": "0 0 0 L-30 * ?"},
        {"level": "crontab", "cron": "0 0 0 1 1 ? 2099"},
        {"level": "once", "once": "2026-11-24T08:00:00.000001+00:00"},
        {"level": "day", "every": 1, "at": "09:00", "end": "2026-11-24"},
        {"level": "condition", "condition": "1 == 1", "every": 60},
        {"level": "interval", "interval": 1e30, "first": "2026-11-25"},
        {"level": "interval", "interval": 0.0},  # too short, which the reader reports
        {"level": "day", "every": 1, "start": "0001-01-01", "end": "9999-12-31T23:59:59-23:00"},
    ],
)
def test_a_schedule_that_still_fires(schedule: dict[str, Any]) -> None:
    assert found(scheduled(schedule=schedule)) == []


def test_what_was_long_ago_is_asked_only_where_the_present_is_known() -> None:
    past = scheduled(schedule={"level": "once", "once": "2020-01-01"})

    assert found(past, now=None) == []
    assert [each.message for each in found(past)] == ["the schedule never fires: 2020-01-01 is in the past"]


@pytest.mark.parametrize(
    ("calendar", "words"),
    [("harbor", "there is no calendar 'harbor', did you mean"), ("x", "there is no calendar 'x'")],
)
def test_a_calendar_that_nobody_defines(calendar: str, words: str) -> None:
    given = scheduled(schedule={"level": "day", "every": 1, "calendar": calendar})

    [finding] = found(given, calendars={"harbour": Calendar()})

    assert (finding.code, finding.path) == (
        schedules.CALENDAR_UNKNOWN.number,
        ("tasks", "t", "schedule", "calendar"),
    )
    assert finding.message.startswith(words.partition(",")[0])


@pytest.mark.parametrize(
    ("condition", "code", "words"),
    [
        ("1 ==", expressions.SYNTAX, "1 =="),
        ("(((", expressions.SYNTAX, "((("),
        ("hello", expressions.SYNTAX, "hello"),
        ("$.TASKS.ID == 1", expressions.UNKNOWN_NAME, "there is no $.TASKS"),
        (
            "$.TASK.PARAMS['gaol'] > 1",
            planning.UNKNOWN_FIELD,
            "has no parameter 'gaol'; did you mean 'goal'?",
        ),
        ("$.TASK.STATUS == 'x'", planning.UNKNOWN_FIELD, "$.TASK.PARAMS and $.RESOURCE['id'] alone"),
        ("$.JOB['a'].STATUS == 'x'", planning.UNKNOWN_FIELD, "$.TASK.PARAMS and $.RESOURCE['id'] alone"),
        ("$.RESOURCE[*].ok == true", planning.UNKNOWN_FIELD, "$.TASK.PARAMS and $.RESOURCE['id'] alone"),
        (
            "$.RESOURCE['fiel'].ok == true",
            planning.UNKNOWN_RESOURCE,
            "no resource 'fiel'; did you mean 'file'?",
        ),
        ("$.RESOURCE['file'].okay == true", planning.UNKNOWN_FIELD, "gives no 'okay'; did you mean 'ok'?"),
        ({"resource": "fiel"}, planning.UNKNOWN_RESOURCE, "no resource 'fiel'; did you mean 'file'?"),
    ],
)
def test_a_condition_that_can_never_be_answered(condition: Any, code: ErrorCode, words: str) -> None:
    waits = scheduled(
        schedule={"level": "condition", "condition": condition, "every": 5},
        params={"goal": ParamSpec(value=1)},
    )

    [finding] = found(waits, resources={"file": Resource(id="file", type="file", uri="/tmp/x")})

    assert (finding.code, finding.severity) == (code.number, "error")
    assert finding.path == ("tasks", "t", "schedule", "condition")
    assert words in finding.message


@pytest.mark.parametrize(
    "condition",
    [
        {"resource": "file"},
        "$.RESOURCE['file'].ok == true and $.RESOURCE['file'].details.size > 3",
        "{$.RESOURCE['file'].ok}",
        "$.TASK.PARAMS['goal'] > 1 or $.TASK.ID == 't'",
    ],
)
def test_a_condition_that_can_be_answered(condition: Any) -> None:
    waits = scheduled(
        schedule={"level": "condition", "condition": condition, "every": 5},
        params={"goal": ParamSpec(value=1)},
    )

    assert found(waits, resources={"file": Resource(id="file", type="file", uri="/tmp/x")}) == []


def test_a_schedule_that_fires_on_days_off_only_never_fires() -> None:
    sundays = scheduled(schedule={"level": "week", "day": "sun", "calendar": "c"})

    assert [each.code for each in found(sundays, calendars={"c": Calendar()})] == [
        schedules.NEVER_FIRES.number
    ]


def test_a_dependency_with_a_wrong_period_says_what_would_do() -> None:
    up = scheduled("up", {"level": "day", "every": 1})
    down = scheduled(
        schedule={"level": "day", "every": 1},
        depends_on=[{"task": "up", "window": "same_period", "period": "same_week"}],
    )

    [finding] = found(up, down)

    assert (finding.code, finding.path) == (planning.DEPENDS_ON.number, ("tasks", "t", "depends_on", 0))
    assert finding.message.startswith(
        "task 'up': of an upstream that fires by the day the period is same_day; possible: "
    )


@pytest.mark.parametrize(
    ("state", "codes"), [("init", [schedules.UPSTREAM_NOT_READY.number]), ("offline", [])]
)
def test_an_online_task_waits_only_for_what_is_online_or_offline(state: str, codes: list[int]) -> None:
    up = scheduled("up", {"level": "day", "every": 1}, state=state)
    down = scheduled(schedule={"level": "day", "every": 1}, state="online", depends_on=[{"task": "up"}])

    assert [each.code for each in found(up, down)] == codes


@pytest.mark.parametrize(
    ("own", "dependency", "warned"),
    [({}, {}, True), ({"timeout": "1h"}, {}, False), ({}, {"timeout": "1h"}, False)],
)
def test_a_wait_without_any_timeout_is_a_warning(
    own: dict[str, str], dependency: dict[str, str], warned: bool
) -> None:
    up = scheduled("up", {"level": "day", "every": 1})
    waits = {"task": "up", "on_failure": "wait", **dependency}
    down = scheduled(schedule={"level": "day", "every": 1}, depends_on=[waits], **own)

    expected = [("warning", schedules.WAITS_WITHOUT_TIMEOUT.number)] if warned else []
    assert [(each.severity, each.code) for each in found(up, down)] == expected
