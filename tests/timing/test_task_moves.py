"""Tasks go online, offline and away by command: the table, several together, and what becomes of instances."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.codes.commands import STATE_REFUSED
from engine.model.errors import Refused
from tests.timing.conftest import AN_HOUR, TimedSite


@pytest.mark.parametrize(
    ("now", "wanted", "schedule", "allowed"),
    [
        ("init", "online", "manual", True),
        ("init", "online", {"level": "day", "every": 1}, True),
        ("offline", "online", "manual", True),
        ("init", "online", None, False),
        ("init", "offline", None, False),
        ("online", "offline", "manual", True),
        ("online", "deleted", "manual", False),
        ("offline", "deleted", "manual", True),
        ("deleted", "online", "manual", False),
        ("online", "init", "manual", False),
    ],
)
def test_the_moves_of_a_task(site: TimedSite, now: str, wanted: str, schedule: Any, allowed: bool) -> None:
    store = site.engine.store
    site.define("t", schedule)
    store.delete_definition("task", "t") if now == "deleted" else store.set_task_state("t", now)

    if allowed:
        [moved] = site.service.move_tasks(["t"], wanted)["tasks"]
        assert (moved["from"], moved["to"], moved["refused"]) == (now, wanted, None)
        return
    with pytest.raises(Refused) as refused:
        site.service.move_tasks(["t"], wanted)
    assert refused.value.entry is STATE_REFUSED


def test_several_tasks_change_together_or_not_at_all(site: TimedSite) -> None:
    site.define("good", {"level": "day", "every": 1})
    site.define("bad", {"cron": "0 0 0 30 2 ?"})

    with pytest.raises(Refused, match="never fires"):
        site.service.move_tasks(["good", "bad"], "online")

    assert {head.state for head in site.engine.store.task_heads()} == {"init"}
    assert site.engine.store.schedules() == []


@pytest.mark.parametrize(
    ("upstream", "window", "allowed"),
    [
        ({"level": "day", "every": 1}, "same_period", True),
        ({"cron": "0 0 2 * * ?"}, "latest", False),
        ({"level": "minute", "every": 5}, "same_period", False),
    ],
)
def test_a_task_goes_online_only_with_dependencies_that_can_be_matched(
    site: TimedSite, upstream: Any, window: str, allowed: bool
) -> None:
    site.define("up", upstream)
    waits_for = [{"task": "up", "window": window}, {"self": True}]
    site.define("t", {"level": "day", "every": 1}, depends_on=waits_for)

    if allowed:
        site.service.move_tasks(["t", "up"], "online")
        assert {head.state for head in site.engine.store.task_heads()} == {"online"}
        return
    with pytest.raises(
        Refused, match=r"task 't': up: (the level crontab takes no part|an upstream of the level minute)"
    ):
        site.service.move_tasks(["t", "up"], "online")
    assert {head.state for head in site.engine.store.task_heads()} == {"init"}


def test_going_online_keeps_level_cron_zone_and_the_next_time(site: TimedSite) -> None:
    site.online("t", {"level": "day", "every": 1, "at": "09:30", "timezone": "Asia/Shanghai"})

    [row] = site.engine.store.schedules()

    assert (row.level, row.cron, row.zone) == ("day", "0 30 9 1/1 * ?", "Asia/Shanghai")
    assert row.since == "2026-11-21T08:00:00.000000+00:00"
    assert row.next_at == "2026-11-22T01:30:00.000000+00:00"


def test_a_past_time_is_asked_of_the_schedule_that_held_then(site: TimedSite) -> None:
    site.online("t", {"level": "day", "every": 1})
    site.forward(hours=1)
    site.service.move_tasks(["t"], "offline")
    site.forward(hours=1)
    site.online("t", {"level": "hour", "every": 1})

    held = [
        (row.cron, row.since[11:16], row.until and row.until[11:16])
        for row in site.engine.store.schedules_of("t")
    ]

    assert held == [("0 0 0 1/1 * ?", "08:00", "09:00"), ("0 0 0/1 * * ?", "10:00", None)]


def test_offline_what_has_not_begun_does_not_begin_and_what_runs_goes_on(site: TimedSite) -> None:
    site.online("t", {"level": "minute", "every": 1, "overlap": "wait"}, AN_HOUR)
    site.forward(minutes=1)
    site.forward(minutes=1)
    assert site.states() == ["running", "waiting"]

    planned = site.service.move_tasks(["t"], "offline", dry_run=True)["tasks"]
    site.service.move_tasks(["t"], "offline")

    assert planned == [
        {"task": "t", "from": "online", "to": "offline", "refused": None,
         "instances": [site.instances()[1].id], "dependants": []}
    ]  # fmt: skip
    assert site.states() == ["running", "offline"]
    site.forward(minutes=5)
    assert len(site.instances()) == 2


def test_a_dry_run_changes_nothing(site: TimedSite) -> None:
    site.define("t", None)

    [told] = site.service.move_tasks(["t"], "online", dry_run=True)["tasks"]

    assert told["refused"] == "task 't' has no schedule (or 'schedule: manual')"
    assert [head.state for head in site.engine.store.task_heads()] == ["init"]


def test_a_task_that_others_wait_for_is_not_deleted(site: TimedSite) -> None:
    site.online("up", {"level": "day", "every": 1})
    site.online("down", {"level": "day", "every": 1}, depends_on=[{"task": "up"}])
    site.service.move_tasks(["up"], "offline")

    with pytest.raises(Refused, match="waited for by tasks that are online: down"):
        site.service.move_tasks(["up"], "deleted")

    [told] = site.service.move_tasks(["up"], "deleted", dry_run=True)["tasks"]
    assert told["dependants"] == ["down"]


def test_a_task_that_is_loaded_online_fires_too(site: TimedSite) -> None:
    site.service.load(
        [{"name": "t.yaml", "text": "skerry: 1\ntasks: {t: {state: online, schedule: {level: hour, every: 1},"
          " nodes: {a: {type: condition, value: '1 == 1'}}}}\n"}]
    )  # fmt: skip
    site.settle()

    site.forward(hours=1)

    assert site.times() == ["21 09:00"]
