"""Which keys each level of a schedule takes, and what a dependency may be."""

from __future__ import annotations

import pytest

from engine.definitions.schedules import LEVELS
from engine.model.codes import definitions as codes
from engine.model.codes import schedules
from engine.model.cron import cron_problem
from engine.model.errors import ErrorCode
from engine.model.schedule import Schedule
from tests.definitions.fakes import findings_of, marked, read_text

VALID = [
    "{level: minute, every: 5}",
    "{level: hour, every: 3}",
    '{level: hour, every: 1, from: "08:00", to: "18:00"}',
    '{level: day, every: 1, at: "02:00"}',
    '{level: week, day: mon, at: "00:00:30"}',
    "{level: month, day: 5}",
    '{level: year, month: 2, day: 28, at: "00:00"}',
    "{level: custom_hour, hours: [0, 23]}",
    "{level: custom_day, days: [1, 28]}",
    "{level: custom_week, days: [mon, sun]}",
    '{level: custom_month, months: [1, 12], at: "06:00"}',
    '{level: crontab, cron: "0 0 10-18 * * ?"}',
    '{cron: "0 0 0 L-3 * ? 2026"}',
    '{cron: "0 0 0 ? * 6#3"}',
    "{level: interval, interval: 90s, first: 2026-11-21T08:00:00+08:00}",
    "{interval: 90}",
    "{level: once, once: 2026-11-21T08:00:00+08:00}",
    "{level: once, time: 2026-11-21T08:00:00+08:00}",
    "{once: 2026-11-21}",
    "{level: condition, condition: '{$.TASK.ID} == 1', every: 30s}",
    "{level: day, every: 1, timezone: Europe/Berlin, start: 2026-01-01, end: 2027-01-01}",
    "{level: day, every: 1, start: 2026-01-01, end: 2026-01-01}",
    '{cron: "*/5 8-18 * * 1-5"}',
    "{level: day, every: 1, catchup: all, max: 3, overlap: wait, dst: {gap: skip, overlap: both}}",
    "manual",
]


@pytest.mark.parametrize("schedule", VALID)
def test_what_the_table_of_levels_allows(schedule: str) -> None:
    reading = read_text(f"skerry: 1\ntasks: {{t: {{schedule: {schedule}}}}}")

    assert findings_of(reading) == []
    made = reading.definitions.tasks["t"].schedule
    assert made == "manual" or (isinstance(made, Schedule) and made.level in LEVELS)


def test_the_moment_of_a_single_start_has_one_name() -> None:
    reading = read_text("skerry: 1\ntasks: {t: {schedule: {level: once, time: 2026-11-21}}}")

    made = reading.definitions.tasks["t"].schedule
    assert isinstance(made, Schedule)
    assert (made.once, made.time) == ("2026-11-21", None)


@pytest.mark.parametrize(
    ("schedule", "code", "words"),
    [
        ("^x", codes.WRONG_TYPE, "a map or manual"),
        ("^manul", codes.WRONG_TYPE, "did you mean `manual`?"),
        ("{level: ^weak, day: mon}", codes.WRONG_VALUE, "did you mean `week`?"),
        ("{level: week, day: mon, ^dya: tue}", codes.UNKNOWN_KEY, "did you mean `day`?"),
        (
            "{level: week, day: mon, ^hours: [1]}",
            codes.SCHEDULE_KEYS,
            "has no `hours`; it takes `at` or `day`",
        ),
        ("{level: minute, every: 5, ^at: '08:00'}", codes.SCHEDULE_KEYS, "the level minute has no `at`"),
        ("{level: crontab, cron: 0 0 0 * * ?, ^at: '08:00'}", codes.SCHEDULE_KEYS, "has no `at`"),
        ("{level: interval, interval: 90s, ^once: 2026-11-21}", codes.SCHEDULE_KEYS, "has no `once`"),
        ("{level: minute, every: ^90}", codes.SCHEDULE_TIME, "from 1 to 59, found the number 90"),
        ("{level: minute, every: ^5m}", codes.SCHEDULE_TIME, "from 1 to 59, found the text '5m'"),
        ("{level: hour, every: ^0}", codes.SCHEDULE_TIME, "from 1 to 23"),
        ("{level: minute, every: ^7}", codes.UNEVEN_STEP, "starts again at the full hour"),
        ("{level: hour, every: ^5}", codes.UNEVEN_STEP, "starts again at midnight"),
        ("{level: day, every: ^3}", codes.UNEVEN_STEP, "starts again at the 1st"),
        ("{level: month, day: ^31}", schedules.DAY_LEFT_OUT, "some months lack this day"),
        ("{level: custom_day, days: [1, ^29]}", schedules.DAY_LEFT_OUT, "some months lack this day"),
        ("{level: year, month: 2, day: ^29}", schedules.DAY_LEFT_OUT, "only leap years have this day"),
        ("{interval: ^500ms}", codes.SCHEDULE_TIME, "`interval`: expected 1 s at least"),
        (
            "{level: condition, condition: '1 == 1', every: ^0}",
            codes.SCHEDULE_TIME,
            "`every`: expected 1 s at least",
        ),
        (
            "{level: minute, every: 5, start: 2026-02-01, end: ^2026-01-31}",
            schedules.END_BEFORE_START,
            "is before the start",
        ),
        (
            "{level: minute, every: 5, start: 2026-02-01T10:00:00+08:00, end: ^2026-02-01T01:59, timezone: UTC}",
            schedules.END_BEFORE_START,
            "is before the start",
        ),
        ("{level: day, every: 1, at: ^noon}", codes.SCHEDULE_TIME, "a time of day"),
        ("{level: day, every: 1, at: ^'25:00'}", codes.SCHEDULE_TIME, "a time of day"),
        ("{level: hour, every: 1, from: ^'8'}", codes.SCHEDULE_TIME, "a time of day"),
        ("{level: hour, every: 1, from: ^8}", codes.WRONG_TYPE, "put it in quotes"),
        ("{level: week, day: ^monday}", codes.WRONG_TYPE, "did you mean `mon`?"),
        ("{level: week, day: ^1}", codes.SCHEDULE_TIME, "expected mon, tue"),
        ("{level: month, day: ^32}", codes.SCHEDULE_TIME, "from 1 to 31"),
        ("{level: month, day: ^mon}", codes.SCHEDULE_TIME, "from 1 to 31"),
        ("{level: year, month: 2, day: ^30}", codes.SCHEDULE_TIME, "has 29 days"),
        ("{level: year, month: ^13, day: 1}", codes.WRONG_VALUE, "at most 12"),
        ("{level: custom_hour, hours: [1, ^24]}", codes.SCHEDULE_TIME, "from 0 to 23"),
        ("{level: custom_hour, hours: ^[]}", codes.SCHEDULE_TIME, "the list is empty"),
        ("{level: custom_day, days: [^mon]}", codes.SCHEDULE_TIME, "from 1 to 31"),
        ("{level: custom_week, days: ^[1]}", codes.SCHEDULE_TIME, "expected mon, tue"),
        ("{level: custom_month, months: [^0]}", codes.SCHEDULE_TIME, "from 1 to 12"),
        ("{cron: ^0 0 * * ?}", codes.CRON_SYNTAX, "found 5"),
        ("{cron: ^0 * * * ?}", codes.CRON_SYNTAX, "`?` belongs to Quartz"),
        ("{cron: ^0 24 * * 1}", codes.CRON_SYNTAX, "hours: `24`"),
        ("{cron: ^0 0 0 * * *}", codes.CRON_SYNTAX, "exactly one"),
        ("{cron: ^0 0 0 ? * é}", codes.CRON_SYNTAX, "`é`"),
        ("{level: once, once: ^tomorrow}", codes.SCHEDULE_TIME, "expected a time such as"),
        ("{level: minute, every: 5, timezone: ^Mars/Base}", codes.SCHEDULE_TIME, "a time zone such as"),
        ("{level: minute, every: 5, timezone: ^../etc}", codes.SCHEDULE_TIME, "a time zone such as"),
        ("{level: minute, every: 5, start: ^soon}", codes.SCHEDULE_TIME, "expected a time such as"),
        ("{level: minute, every: 5, overlap: ^skp}", codes.WRONG_VALUE, "did you mean `skip`?"),
    ],
)
def test_what_it_does_not_allow(schedule: str, code: ErrorCode, words: str) -> None:
    _one(f"schedule: {schedule}", code, words)


@pytest.mark.parametrize(
    ("schedule", "missing"),
    [
        ("{level: minute}", "every"),
        ("{level: week}", "day"),
        ("{level: year, day: 3}", "month"),
        ("{level: custom_month}", "months"),
        ("{level: crontab}", "cron"),
        ("{level: interval}", "interval"),
        ("{level: once}", "once"),
        ("{level: condition, condition: x}", "every"),
    ],
)
def test_a_level_says_which_key_it_lacks(schedule: str, missing: str) -> None:
    _one(f"^schedule: {schedule}", codes.SCHEDULE_KEYS, f"needs `{missing}`")


def test_a_schedule_names_its_level() -> None:
    _one("^schedule: {every: 5}", codes.SCHEDULE_KEYS, "`level` is required")


@pytest.mark.parametrize(
    ("task", "code", "words"),
    [
        ("depends_on: ^a", codes.WRONG_TYPE, "expected a list"),
        ("depends_on: [^a]", codes.WRONG_TYPE, "{task: id} or {self: true}"),
        ("depends_on: [^{}]", codes.DEPENDENCY, "exactly one of `task` and `self: true`"),
        ("depends_on: [^{task: a, self: true}]", codes.DEPENDENCY, "exactly one"),
        (
            "depends_on: [{task: a}, ^{task: a, window: all_in_period}]",
            codes.DEPENDENCY,
            "`a` is named twice",
        ),
        (
            "depends_on: [{self: true}, {task: a}, ^{self: true}]",
            codes.DEPENDENCY,
            "`self` is named twice",
        ),
        ("depends_on: [{^tsk: a}]", codes.UNKNOWN_KEY, "did you mean `task`?"),
        ("depends_on: [{task: a, window: ^last}]", codes.WRONG_VALUE, "latest, same_period"),
        ("depends_on: [{task: a, period: ^previous_minute}]", codes.WRONG_VALUE, "has not the form"),
        ("schedule: {cron: 0 0 0 * * ?}, ^depends_on: [{task: a}]", codes.DEPENDENCY, "level crontab"),
        (
            "schedule: {condition: x, every: 3}, ^depends_on: [{self: true}]",
            codes.DEPENDENCY,
            "level condition",
        ),
        (
            "schedule: {interval: 3s}, depends_on: [{task: a, window: ^same_period}]",
            codes.DEPENDENCY,
            "only takes latest",
        ),
    ],
)
def test_mistakes_of_dependencies(task: str, code: ErrorCode, words: str) -> None:
    _one(task, code, words)


def test_dependencies_that_are_fine() -> None:
    reading = read_text(
        "skerry: 1\ntasks: {t: {schedule: {level: day, every: 1},"
        " depends_on: [{task: 12, window: all_in_period, period: previous_day, timeout: 2h},"
        " {self: true, on_failure: wait}]}}"
    )

    assert findings_of(reading) == []
    first, second = reading.definitions.tasks["t"].depends_on
    assert (first.task, first.timeout, second.self_) == ("12", 7200.0, True)


@pytest.mark.parametrize(
    "cron",
    [
        "0 0/5 * * * ?", "0 0 0 LW * ? 2026-2030", "0 0 0 L-3 * ?", "0 0 0 15W * ?", "0 0 0 L * ? *",
        "0 0 0 ? * 6#3", "0 0 0 ? * MON#2", "0 0 0 ? * 6L", "0 0 0 ? * friL", "0 0 0 ? * L", "0 0 0 ? * MON-FRI",
        "0 0 0 L-3W * ?", "0 0 0 ? * 2#5 *", "0 0 0 ? * SAT-MON/2", "/10 0 0 * * ?", "0 0 0 lw jan ? 2027/2",
        "0 0 22-2 * * ?", "0 0 1,3,9,23 * * ?", "0 0 0 1 3,5,9 ?", "0 0 0 1 JAN-MAR/2 ?", "*/10 0 8-18/2 * * ?",
    ],
)  # fmt: skip
def test_cron_that_quartz_takes_is_taken(cron: str) -> None:
    assert cron_problem(cron) is None


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("@daily", "expected six or seven"),
        ("60 0 0 * * ?", "seconds: `60`: expected a number from 0 to 59"),
        ("0 60 0 * * ?", "minutes"),
        ("0 0 24 * * ?", "hours"),
        ("0 0 0 32 * ?", "day of month"),
        ("0 0 0 0 * ?", "day of month"),
        ("0 0 0 L-31 * ?", "from 1 to 30"),
        ("0 0 0 40W * ?", "from 1 to 31"),
        ("0 0 0 1W,2W * ?", "day of month"),
        ("0 0 0 1 13 ?", "month: `13`: expected a number from 1 to 12, or JAN to DEC"),
        ("0 0 0 1 FOO ?", "month"),
        ("0 0 0 ? * 0", "day of week"),
        ("0 0 0 ? * 8L", "from 1 to 7"),
        ("0 0 0 ? * 2#6", "from 1 to 5"),
        ("0 0 0 ? * 9#1", "from 1 to 7"),
        ("0 0/0 0 * * ?", "a step from 1 to 59"),
        ("0 5-70 0 * * ?", "minutes"),
        ("a 0 0 * * ?", "seconds"),
        ("0 0 ? * * ?", "hours"),
        ("0 0 0 1, * ?", "day of month"),
        ("0 0 0 * * ? 1969", "year"),
        ("0 0 0 ? * ?", "exactly one"),
        ("0 0 0 L,5 * ?", "the whole field"),
        ("0 0 0 ? * 2#1,3#2", "the whole field"),
        ("0 0 0 ? * 2#1#2", "from 1 to 5"),
        ("0 0 0 L-0 * ?", "from 1 to 30"),
        ("0 0 0 ?/2 * ?", "day of month"),
        ("0 0 0 * * ? 2030-2020", "year: `2030-2020`: the years end before they begin"),
        ("0 0 */24 * * ?", "a step from 1 to 23"),
        ("0 0 1-2-3 * * ?", "hours: `2-3`"),
        ("0 0 0 ٣ * ?", "day of month"),
    ],
)
def test_cron_that_quartz_refuses_is_found(cron: str, words: str) -> None:
    assert words in (cron_problem(cron) or "")


def _one(task: str, code: ErrorCode, words: str) -> None:
    text, [place] = marked(f"skerry: 1\ntasks:\n  t: {{{task}}}\n")

    reading = read_text(text)

    assert len(reading.findings) == 1, findings_of(reading)
    [finding] = reading.findings
    assert finding.code == code.number, findings_of(reading)
    assert words in finding.message
    assert (finding.line, finding.column) == place
