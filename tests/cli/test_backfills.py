"""Past times of a task on the command line: dry run, progress, the end; list, show, pause, resume, cancel."""

from __future__ import annotations

import os
import threading

import pytest

from engine.runtime.timing.backfill_request import BackfillRequest
from tests.api.fake_backfills import TIMES, backfill
from tests.api.fake_service import FakeService
from tests.cli.conftest import Skerry

RANGE = ("--from", "2026-11-20T01:00", "--to", "2026-11-20T02:00")
DONE = {"status": "succeeded", "counts": {**backfill()["counts"], "succeeded": 2, "under_way": 0}}


def test_a_dry_run_lists_each_time_with_its_decision_and_why(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("backfill", "tides", *RANGE, "--reprocess", "failed", "--dry-run")

    assert answer.status == 0
    assert answer.out.splitlines() == [
        "time                        task   decision   instance  why",
        "2026-11-20 01:00:00 +00:00  tides  run again  7         instance 7 is failed",
        "2026-11-20 02:00:00 +00:00  tides  make                 there was no instance of that time",
    ]
    assert skerry("backfill", "tides", *RANGE, "--dry-run", "--json").document == TIMES


def test_a_dry_run_is_chinese_where_chinese_is_spoken(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    answer = skerry("backfill", "tides", *RANGE, "--dry-run")

    assert "重新执行" in answer.out
    assert "该时间没有实例" in answer.out


def test_a_range_without_any_time_says_so(skerry: Skerry, service: FakeService) -> None:
    service.answers["times"] = []

    assert (
        skerry("backfill", "tides", *RANGE, "--dry-run").out == "there is no scheduled time in that range\n"
    )


def test_one_without_any_time_says_so_at_its_end(skerry: Skerry, service: FakeService) -> None:
    nothing = dict.fromkeys(backfill()["counts"], 0)
    service.answers["backfill"] = {"status": "succeeded", "counts": nothing, "instances": []}

    answer = skerry("backfill", "tides", *RANGE)

    assert answer.status == 0
    assert answer.out.splitlines()[-1] == ("backfill 3: succeeded (there is no scheduled time in that range)")


def test_every_option_reaches_the_engine(skerry: Skerry, service: FakeService) -> None:
    service.answers["backfill"] = DONE

    answer = skerry(
        *("backfill", "tides", *RANGE, "--order", "newest", "--parallel", "3", "--reprocess", "all"),
        *("--downstream", "--ignore-dependencies", "-p", "x=1", "--reason", "a lost night"),
    )

    assert answer.status == 0
    assert service.asked[0] == (
        "backfill",
        BackfillRequest(
            "tides", "2026-11-20T01:00", "2026-11-20T02:00", "newest", 3, "all", True, True,
            texts={"x": "1"}, folder=os.getcwd(), reason="a lost night",
        ),
    )  # fmt: skip


def test_it_waits_for_the_end_and_prints_each_time_that_has_ended(
    skerry: Skerry, service: FakeService
) -> None:
    def ends() -> None:
        service.listening.wait(10)
        step = {"task": "tides", "time": "2026-11-20T02:00:00+00:00", "of": 8, "outcome": "succeeded"}
        service.published.publish({"kind": "backfill", "backfill": 4, "status": "succeeded"})
        service.published.publish({"kind": "backfill", "backfill": 3, "status": "running", **step})
        service.answers["backfill"] = DONE
        service.published.publish({"kind": "backfill", "backfill": 3, "status": "succeeded"})

    threading.Thread(target=ends).start()
    answer = skerry("backfill", "tides", *RANGE)

    assert answer.status == 0
    *times, end = answer.out.splitlines()
    assert sorted(times) == [
        "2026-11-20 01:00:00 +00:00 tides: instance 7 succeeded",
        "2026-11-20 02:00:00 +00:00 tides: instance 8 succeeded",
    ]
    assert end == "backfill 3: succeeded (succeeded 2)"


def test_an_interrupt_cancels_what_runs_of_it_and_nothing_that_it_left(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a time that it runs, and one that it has left since the schedule runs it
    own, other = backfill()["instances"]
    left = {**other, "decision": "leave", "status": "running"}
    service.answers["backfill"] = {"instances": [{**own, "status": "running"}, left]}

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.cli.backfilling.follow_through", interrupted)

    # when it is interrupted
    skerry("backfill", "tides", *RANGE)

    # then only what it runs is cancelled
    assert service.asked[1:] == [("cancel backfill", 3), ("cancel", 7, None)]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_one_that_does_not_succeed_exits_with_1(skerry: Skerry, service: FakeService, status: str) -> None:
    service.answers["backfill"] = {**DONE, "status": status}

    answer = skerry("backfill", "tides", *RANGE, "--json")

    assert answer.status == 1
    assert answer.document == {**backfill(), **service.answers["backfill"]}


def test_detached_it_answers_at_once(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("backfill", "tides", *RANGE, "--detach")

    assert answer.status == 0
    assert answer.out == "backfill 3 of 2 times is started: skerry backfills show 3\n"
    assert skerry("backfill", "tides", *RANGE, "--detach", "--json").document == backfill()


@pytest.mark.parametrize(
    "wrong",
    [
        ("backfill", "tides", "--from", "2026-11-20"),
        ("backfill", "tides", *RANGE, "--order", "upwards"),
        ("backfill", "tides", *RANGE, "--parallel", "0"),
        ("backfill", "tides", *RANGE, "--reprocess", "none"),
        ("backfill", "tides", *RANGE, "-p", "x"),
        ("backfills", "show", "x"),
        ("backfills", "pause"),
    ],
    ids=["no end", "order", "none at once", "reprocess", "parameter", "number", "none"],
)
def test_wrong_use_exits_with_2(skerry: Skerry, service: FakeService, wrong: tuple[str, ...]) -> None:
    assert skerry(*wrong).status == 2
    assert service.asked == []


def test_the_list_has_their_progress(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("backfills")

    assert [line.split() for line in answer.out.splitlines()][1][-6:] == [
        "running", "1/2", "anna", "a", "lost", "night",
    ]  # fmt: skip
    listed = skerry("backfills", "list", "--json").document
    assert [each["backfill"] for each in listed["backfills"]] == [3]


def test_one_is_shown_with_each_of_its_times(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("backfills", "show", "3")

    lines = answer.out.splitlines()
    assert lines[0] == "backfill 3: running (succeeded 1, under way 1)"
    assert "  what runs   also what ended badly" in lines
    assert lines[-3].split() == ["time", "task", "decision", "instance", "status", "why"]
    assert lines[-1].endswith("make       8         succeeded  there was no instance of that time")
    assert skerry("backfills", "show", "3", "--json").document == backfill()


def test_it_is_paused_resumed_and_cancelled(skerry: Skerry, service: FakeService) -> None:
    assert skerry("backfills", "pause", "3").out == "backfill 3 is paused\n"
    assert skerry("backfills", "resume", "3").out == "backfill 3 goes on\n"
    assert skerry("backfills", "cancel", "3").out == "backfill 3 is cancelled\n"
    assert service.asked == [(f"{act} backfill", 3) for act in ("pause", "resume", "cancel")]
    assert skerry("backfills", "pause", "3", "--json").document == {"backfill": 3, "status": "paused"}
