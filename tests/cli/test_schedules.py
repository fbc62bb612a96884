"""Several tasks change their state together, and the clock is shown and accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.model.message import facts_of
from engine.model.states import TaskState
from engine.planning.schedules.life_cycle import Refusal, StateMove
from engine.runtime.timing.state_refusals import said_refusal
from tests.api.fake_service import TIME, FakeService, instance
from tests.cli.conftest import Skerry

REFUSED = {
    "task": "b", "from": "init", "to": "init", "refused": "the schedule of task 'b' never fires",
    "instances": [], "dependants": [],
}  # fmt: skip
MOVED = {
    "task": "a", "from": "online", "to": "offline", "refused": None, "instances": [7, 8], "dependants": ["c"],
}  # fmt: skip


def test_several_tasks_are_one_request(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("online", "a", "b")

    assert answer.out == "tasks a, b are online\n"
    assert service.asked == [("states", ["a", "b"], "online", False)]


def test_a_dry_run_tells_what_becomes_of_instances_and_dependants(
    skerry: Skerry, service: FakeService
) -> None:
    service.answers["move_tasks"] = {"tasks": [MOVED]}

    answer = skerry("offline", "a", "--dry-run")

    assert answer.status == 0
    assert answer.out.splitlines() == [
        "a: online -> offline",
        "  instances that will not begin: 7, 8",
        "  tasks that wait for it: c",
    ]
    assert skerry("offline", "a", "--dry-run", "--json").document == {"tasks": [MOVED]}
    assert service.asked[-1] == ("states", ["a"], "offline", True)


def test_a_dry_run_that_would_be_refused_says_so_with_its_status(
    skerry: Skerry, service: FakeService
) -> None:
    service.answers["move_tasks"] = {"tasks": [REFUSED]}

    answer = skerry("online", "b", "--dry-run")

    assert answer.status == 3
    assert answer.out == "b: refused: the schedule of task 'b' never fires\n"


def test_a_refusal_is_chinese_as_a_whole_where_chinese_is_spoken(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = said_refusal(StateMove("b", TaskState.INIT, TaskState.INIT, Refusal("never_online")))
    move = {**REFUSED, "refused": str(why), "refused_facts": facts_of(why)}
    service.answers["move_tasks"] = {"tasks": [move]}
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    answer = skerry("offline", "b", "--dry-run")

    assert answer.out == "b：拒绝：任务 'b' 的状态为“初始”，不能下线\n"
    assert "refused_facts" not in skerry("offline", "b", "--dry-run", "--json").document["tasks"][0]


def test_the_clock_is_shown(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("clock", "show")

    assert answer.status == 0
    assert "tasks online" in answer.out
    assert "held" not in answer.out
    assert skerry("clock", "--json").document["fires"] is True


def test_a_clock_that_holds_schedules_says_since_when_and_why(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {
        "held": True,
        "since": "2026-11-21T08:00:00.000000+08:00",
        "reason": "the clock was set 99 s ahead",
        "reason_facts": {"template": "the clock was set {seconds:.0f} s ahead", "facts": {"seconds": 99.0}},
    }
    service.answers["clock"] = held

    out = skerry("clock").out

    assert "all schedules are held since" in out
    assert "the clock was set 99 s ahead" in out
    assert "skerry clock accept" in out
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "时钟被拨快了 99 秒" in skerry("clock").out


def test_where_no_engine_fires_it_says_so(skerry: Skerry, service: FakeService) -> None:
    service.answers["clock"] = {"fires": False}

    assert "no engine fires schedules right now" in skerry("clock").out


def test_a_clock_is_accepted(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("clock", "accept")

    assert answer.out == "the clock is accepted: schedules go on\n"
    assert ("accept",) in service.asked


def test_without_an_engine_the_clock_is_read_all_the_same(skerry: Skerry) -> None:
    document = skerry("clock", "--json").document

    assert (document["held"], document["fires"], document["online"]) == (False, False, 0)
    assert skerry("clock", "accept").status == 3


def test_without_an_engine_tasks_that_none_has_fired_yet_count_as_well(
    skerry: Skerry, tmp_path: Path
) -> None:
    node = {"a": {"type": "shell", "process": "true"}}
    tasks = {
        "t": {"state": "online", "schedule": {"cron": "0 0 0 1 1 ? 2098", "timezone": "UTC"}, "nodes": node},
        "by_hand": {"state": "online", "schedule": "manual", "nodes": node},
    }
    (tmp_path / "t.json").write_text(json.dumps({"skerry": 1, "tasks": tasks}))
    assert skerry("load", str(tmp_path / "t.json")).status == 0

    document = skerry("clock", "--json").document

    assert (document["online"], document["next"]) == (1, "2098-01-01T00:00:00.000000+00:00")


def test_an_instance_is_let_go_without_what_it_waits_for(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("release", "7", "tides", "--reason", "they are late")

    assert answer.out == "instance 7 no longer waits for tides\n"
    assert service.asked == [("release", 7, ["tides"], "they are late")]
    assert skerry("release", "7").status == 2


def test_show_lists_what_an_instance_waits_for(skerry: Skerry, service: FakeService) -> None:
    one = {"window": "latest", "first": TIME, "last": TIME, "count": 1, "decided": False, "released": None}
    tides = {**one, "task": "tides", "succeeded": 0, "instances": [
        {"instance": 5, "scheduled_time": TIME, "status": "running"}]}  # fmt: skip
    day = {**one, "task": "soundings", "count": 24, "succeeded": 20, "instances": []}
    gone = {**one, "task": "winds", "succeeded": 0, "instances": [], "released": "no wind today"}
    none = {**one, "task": "moon", "first": None, "last": None, "count": 0, "succeeded": 0, "instances": []}
    service.found[7] = instance(7, upstream=[tides, day, gone, none])

    out = skerry("show", "7").out

    assert "waits for" in out
    for word in ("20 of 24 succeeded", "no wind today", "nothing to wait for"):
        assert word in out
    tides_line = next(line for line in out.splitlines() if "tides" in line)
    assert tides_line.split()[-2:] == ["5", "running"]
