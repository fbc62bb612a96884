"""``skerry next`` and ``skerry calendars``, without an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Skerry

DEFINITIONS = """
skerry: 1
calendars:
  harbour: {name: Days of the harbour, off: ["2026-10-01..2026-10-07"], work: ["2026-10-10"]}
tasks:
  nightly:
    schedule: {level: day, every: 1, at: "02:00", timezone: Asia/Shanghai}
    depends_on: [{task: hourly, window: all_in_period}, {self: true}]
    nodes: {a: {type: shell, process: "true"}}
  hourly:
    schedule: {level: hour, every: 1, timezone: Asia/Shanghai}
    nodes: {a: {type: shell, process: "true"}}
  closing:
    schedule: {level: day, every: 1, at: "18:00", timezone: Asia/Shanghai, calendar: {id: harbour, on: next}}
    nodes: {a: {type: shell, process: "true"}}
  working:
    schedule: {level: day, every: 1, at: "08:00", timezone: Asia/Shanghai, calendar: harbour}
    nodes: {a: {type: shell, process: "true"}}
  anchored:
    schedule: {interval: 90s, first: "0001-01-01T00:00:00+14:00", timezone: Asia/Shanghai}
    nodes: {a: {type: shell, process: "true"}}
  flagged:
    schedule: {condition: "1 == 1", every: 1m}
    nodes: {a: {type: shell, process: "true"}}
  bare:
    nodes: {a: {type: shell, process: "true"}}
  by_hand:
    schedule: manual
    nodes: {a: {type: shell, process: "true"}}
"""


@pytest.fixture
def loaded(skerry: Skerry, tmp_path: Path) -> Skerry:
    (tmp_path / "tasks.yaml").write_text(DEFINITIONS)
    assert skerry("load", str(tmp_path / "tasks.yaml")).status == 0
    return skerry


def test_the_fire_times_strictly_after_a_moment(loaded: Skerry) -> None:
    found = loaded("next", "nightly", "--from", "2026-11-24T02:00", "-n", "2", "--json")

    assert found.status == 0
    assert found.document == {
        "zone": "Asia/Shanghai",
        "cron": "0 0 2 1/1 * ?",
        "times": [
            {"time": f"2026-11-{day}T02:00:00.000000+08:00", "note": None, "why": None, "upstream": None}
            for day in (25, 26)
        ],
    }


@pytest.mark.parametrize(
    ("schedule", "about"),
    [
        ("{interval: 90s}", "every 90s, in UTC"),
        ("{interval: 2h}", "every 2h, in UTC"),
        ("{interval: 1.5s}", "every 1.5s, in UTC"),
        ("{once: 2099-01-01}", "once, in UTC"),
        ("{condition: 1 == 1, every: 5}", "when its condition becomes true, in UTC"),
        ("manual", "by hand, in UTC"),
        ("{cron: 0 0 8 * * ?}", "0 0 8 * * ? in UTC"),
    ],
)
def test_the_first_line_says_what_the_times_come_from(
    skerry: Skerry, workspace: Path, tmp_path: Path, schedule: str, about: str
) -> None:
    (workspace / "workspace.yaml").write_text("timezone: UTC\n")
    file = tmp_path / "t.yaml"
    node = "{type: shell, process: 'true'}"
    file.write_text(f"skerry: 1\ntasks:\n  t:\n    schedule: {schedule}\n    nodes: {{a: {node}}}\n")
    assert skerry("load", str(file)).status == 0

    assert skerry("next", "t", "-n", "1").out.splitlines()[0] == about
    assert set(skerry("next", "t", "-n", "1", "--json").document) == {"zone", "cron", "times"}


def test_what_each_time_waits_for(loaded: Skerry) -> None:
    found = loaded("next", "nightly", "--from", "2026-11-24", "-n", "1", "--dependencies", "--json")

    hours = [{"task": "hourly", "time": f"2026-11-23T{hour:02}:00:00.000000+08:00"} for hour in range(24)]
    [time] = found.document["times"]
    assert time["upstream"] == [*hours, {"task": "nightly", "time": "2026-11-23T02:00:00.000000+08:00"}]


def test_a_fire_that_the_calendar_leaves_out_has_no_time_and_is_not_counted(loaded: Skerry) -> None:
    found = loaded("next", "working", "--from", "2026-10-07", "-n", "2", "--json")

    assert [each["time"] for each in found.document["times"]] == [
        None,
        "2026-10-08T08:00:00.000000+08:00",
        "2026-10-09T08:00:00.000000+08:00",
    ]
    assert found.document["times"][0]["note"] == "left out: harbour has a day off"
    assert found.document["times"][0]["why"] == {"kind": "day_off", "calendar": "harbour"}


def test_a_fire_that_the_calendar_moves_says_from_where(loaded: Skerry) -> None:
    found = loaded("next", "closing", "--from", "2026-10-06T12:00", "-n", "3", "--json")

    assert [(each["time"][:16], each["note"]) for each in found.document["times"]] == [
        (
            "2026-10-08T18:00",
            f"also for days off of harbour: {', '.join(f'2026-10-0{day}' for day in range(1, 8))}",
        ),
        ("2026-10-09T18:00", None),
        ("2026-10-10T18:00", None),
    ]


def test_an_expression_in_a_zone_with_its_clock_change(skerry: Skerry) -> None:
    found = skerry(
        "next", "--cron", "0 30 2 * * ?", "--timezone", "Europe/Berlin", "--from", "2026-03-29", "-n", "1"
    )

    assert found.out.splitlines() == [
        "0 30 2 * * ? in Europe/Berlin",
        "time                        note",
        "2026-03-29 03:00:00 +02:00  clock change: 02:30 does not exist, so it fires at the first moment after it",
    ]


def test_the_note_is_chinese_for_readers_of_chinese(skerry: Skerry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    found = skerry(
        "next", "--cron", "0 30 2 * * ?", "--timezone", "Europe/Berlin", "--from", "2026-10-25", "-n", "1"
    )

    assert found.out.splitlines()[-1] == "2026-10-25 02:30:00 +02:00  时钟调整：02:30 出现两次，这是第一次"


@pytest.mark.parametrize(
    "arguments", [("--cron", "0 0 0 30 2 ?"), ("--cron", "0 0 0 1 1 ? 2020"), ("by_hand",)]
)
def test_what_never_fires_has_no_times_and_is_no_error(loaded: Skerry, arguments: tuple[str, ...]) -> None:
    found = loaded("next", *arguments, "--json")

    assert (found.status, found.document["times"]) == (0, [])


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("by_hand", "it has no fire times: it is started by hand, or as a sub-task"),
        ("flagged", "no time is known ahead: it fires when its condition becomes true"),
        ("bare", "it has no schedule"),
    ],
)
def test_a_task_without_fire_times_says_what_starts_it(loaded: Skerry, task: str, words: str) -> None:
    found = loaded("next", task)

    assert (found.status, found.out.splitlines()[1:]) == (0, [words])


@pytest.mark.parametrize(
    ("begin", "first"),
    [
        ("0001-01-01", "1970-01-01 00:00:00 +08:00"),
        ("0001-01-01T00:00:00+23:59", "1970-01-01 00:00:00 +08:00"),
        ("1900-01-01T00:00:00-23:59", "1970-01-01 00:00:00 +08:00"),
        ("9999-12-31", None),
        ("9999-12-31T23:59:59.999999-23:59", None),
    ],
)
@pytest.mark.parametrize("rule", [("--cron", "0 0 0 * * ?"), ("nightly",), ("anchored",)])
def test_any_time_that_can_be_written_can_be_asked_for(
    loaded: Skerry, begin: str, first: str | None, rule: tuple[str, ...]
) -> None:
    arguments = ("--timezone", "Asia/Shanghai") if "--cron" in rule else ("--dependencies",)

    found = loaded("next", *rule, "--from", begin, "-n", "1", *arguments)

    assert found.status == 0, found.err
    assert (found.out.splitlines()[-1] == "it does not fire") == (first is None)
    assert first is None or "--cron" not in rule or found.out.splitlines()[-1] == first


def test_an_interval_is_chinese_where_chinese_is_spoken(
    loaded: Skerry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    assert loaded("next", "anchored", "-n", "1").out.splitlines()[0] == "每 90 秒，时区 Asia/Shanghai"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a task, or give --cron EXPR"),
        (("nightly", "--cron", "0 * * * *"), "name a task, or give --cron EXPR"),
        (("nobody",), "there is no task 'nobody'"),
        (("--cron", "0 0 0 * * *"), "exactly one of day of month and day of week is `?`"),
        (("--cron", "0 0 0 L-3,5 * ?"), "`L-3,5`: `?`, `L`, `W` and `#` are the whole field"),
        (("--cron", "0 0 0 15W/2 * ?"), "`15W/2`: `?`, `L`, `W` and `#` are the whole field"),
        (("--cron", "0 0 0 ? * 6#1,7#2"), "`6#1,7#2`: `?`, `L`, `W` and `#` are the whole field"),
        (("--cron", "0 0 0 ? * FRIL,2"), "`FRIL,2`: `?`, `L`, `W` and `#` are the whole field"),
        (("--cron", "0 * * * ?"), "belongs to Quartz"),
        (("nightly", "--from", "soon"), "'soon' is not a time"),
        (("nightly", "--timezone", "Mars/Base"), "'Mars/Base' is not a time zone"),
        (("nightly", "--timezone", "right/UTC"), "'right/UTC' is not a time zone"),
        (("nightly", "--timezone", "localtime"), "'localtime' is not a time zone"),
    ],
)
def test_what_cannot_be_answered_is_wrong_use(loaded: Skerry, arguments: tuple[str, ...], words: str) -> None:
    found = loaded("next", *arguments)

    assert found.status == 2
    assert words in found.err


def test_calendars_are_listed_shown_kept_and_deleted(loaded: Skerry) -> None:
    listed = loaded("calendars", "list", "--json").document["calendars"]
    assert [(each["id"], each["name"]) for each in listed] == [("harbour", "Days of the harbour")]

    shown = loaded("calendars", "show", "harbour", "--json").document
    assert shown["definition"]["work"] == ["2026-10-10"]

    used = loaded("calendars", "delete", "harbour")
    assert (used.status, "task closing, task working" in used.err) == (3, True)

    assert "calendars:" in loaded("dump").out
    assert [
        each["revision"] for each in loaded("calendars", "history", "harbour", "--json").document["history"]
    ] == [1]


def test_what_a_calendar_of_a_file_would_change_is_shown_before_it_is_loaded(
    loaded: Skerry, tmp_path: Path
) -> None:
    # given a file in which every day until 2039 is off, so that each coming time moves or goes
    file = tmp_path / "off.yaml"
    file.write_text(
        "skerry: 1\ncalendars:\n  harbour: {off: ['2020-01-01..2039-12-31'], work: ['2039-12-31']}\n"
    )

    found = {
        each["task"]: each for each in loaded("calendars", "effects", str(file), "--json").document["effects"]
    }

    assert sorted(found) == ["closing", "working"]
    assert all(len(each["changes"]) == 100 and each["changes"][0]["gone"] for each in found.values())
    assert loaded("calendars", "show", "harbour", "--json").document["revision"] == 1
    assert "no longer fires" in loaded("calendars", "effects", str(file)).out


def test_a_calendar_with_the_same_days_changes_no_time(loaded: Skerry, tmp_path: Path) -> None:
    file = tmp_path / "same.yaml"
    days = "off: ['2026-10-01..2026-10-03', '2026-10-04..2026-10-07'], work: ['2026-10-10']"
    file.write_text(f"skerry: 1\ncalendars:\n  harbour: {{{days}}}\n")

    assert "no coming time changes" in loaded("calendars", "effects", str(file)).out
