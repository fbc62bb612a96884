"""The instances of the coming day are made ahead, upstream first, and put right whenever something changes."""

from __future__ import annotations

from typing import Any

import pytest

from engine.api.documents import InstanceQuery
from engine.model.states import InstanceState
from engine.runtime.timing import task_changes
from engine.store.changes import Changes
from engine.store.rows import LinkRow
from tests.timing.conftest import AN_HOUR, AT_ONCE, TimedSite
from tests.timing.test_dependencies import FAILING, HOURLY

DAILY = {"level": "day", "every": 1}


def ahead(site: TimedSite, task: str = "t") -> list[str]:
    """``21 09:00 planned`` of each that is to come."""
    made(site)
    return [f"{row.scheduled_time[8:16].replace('T', ' ')} {row.status}" for row in site.coming(task)]


def made(site: TimedSite) -> None:
    site.engine.scheduler.wait_until_made()


def forecast(site: TimedSite, task: str) -> list[LinkRow]:
    """What the first one that is to come will wait for."""
    made(site)
    return site.engine.store.links(site.coming(task)[0].id)


def test_those_of_the_coming_day_are_planned(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 6})

    assert ahead(site) == [f"{at} planned" for at in ("21 12:00", "21 18:00", "22 00:00", "22 06:00")]


def test_at_night_those_of_the_next_day_follow(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 8})
    for _ in range(15):
        site.forward(hours=1)
    assert ahead(site) == ["22 00:00 planned", "22 08:00 planned"]

    site.forward(minutes=50)

    assert ahead(site) == ["22 00:00 planned", "22 08:00 planned", "22 16:00 planned"]


def test_one_that_was_planned_runs_when_its_time_comes(site: TimedSite) -> None:
    site.online("t", HOURLY)
    first = site.coming()[0].id

    site.forward(hours=1)

    [row] = site.instances()
    assert (row.id, row.status, row.trigger) == (first, "succeeded", "schedule")
    assert (row.started_at, row.created_at) == (row.scheduled_time, site.coming()[0].created_at)


def test_what_it_will_wait_for_is_foreseen(site: TimedSite) -> None:
    site.online("b", {"level": "hour", "every": 3})
    waits = [{"task": "b"}, {"self": True}]
    site.online("a", {"level": "hour", "every": 1}, depends_on=waits)
    site.online("day", DAILY, depends_on=[{"task": "b", "window": "all_in_period"}])

    self_, latest = forecast(site, "a")
    [period] = forecast(site, "day")

    assert (self_.upstream, self_.partners, self_.decided_at) == ("a", 0, None)
    assert (latest.upstream, latest.first_at, latest.partners) == ("b", "2026-11-21T09:00:00.000000+00:00", 1)
    assert [str(each)[8:13] for each in (period.first_at, period.last_at)] == ["21T09", "21T21"]
    assert period.partners == 5


def test_an_upstream_is_made_before_what_waits_for_it(site: TimedSite) -> None:
    for task, waits in (("c", []), ("b", [{"task": "c"}]), ("a", [{"task": "b"}])):
        site.define(task, DAILY, depends_on=waits)

    site.service.move_tasks(["a", "b", "c"], "online")

    first, second, third = (site.coming(task)[0].id for task in ("c", "b", "a"))
    assert first < second < third


def test_offline_they_are_offline_and_online_again_planned(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 8})
    before = [row.id for row in site.coming()]

    site.service.move_tasks(["t"], "offline")
    assert ahead(site) == ["21 16:00 offline", "22 00:00 offline", "22 08:00 offline"]
    assert site.coming()[0].reason == "its task was taken offline by anna"

    site.service.move_tasks(["t"], "online")
    assert [row.id for row in site.coming()] == before
    assert ahead(site) == ["21 16:00 planned", "22 00:00 planned", "22 08:00 planned"]


def test_who_took_the_task_offline_is_said_where_the_pass_comes_first_too(
    site: TimedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.online("t", {"level": "hour", "every": 8})
    monkeypatch.setattr(task_changes, "take_offline", lambda *_: None)  # not before the pass

    site.service.move_tasks(["t"], "offline")

    assert ahead(site) == ["21 16:00 offline", "22 00:00 offline", "22 08:00 offline"]
    assert {row.reason for row in site.coming()} == {"its task was taken offline by anna"}


def test_with_other_times_those_that_are_none_any_more_go(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 8})
    site.service.move_tasks(["t"], "offline")

    site.online("t", {"level": "day", "every": 1, "at": "16:00"})

    assert ahead(site) == ["21 16:00 planned"]
    assert site.instances() == []


def test_of_a_task_that_is_offline_they_are_made_offline(site: TimedSite) -> None:
    site.online("t", {"level": "hour", "every": 12})
    site.service.move_tasks(["t"], "offline")

    site.forward(days=1)
    site.online("other", DAILY)

    assert ahead(site)[-2:] == ["22 12:00 offline", "23 00:00 offline"]
    site.service.move_tasks(["t"], "online")
    assert ahead(site)[-2:] == ["22 12:00 planned", "23 00:00 planned"]


def test_of_a_task_that_was_deleted_they_are_made_while_another_one_depends_on_it(site: TimedSite) -> None:
    site.online("b", {"level": "hour", "every": 12})
    site.online("a", DAILY, depends_on=[{"task": "b"}])
    site.service.move_tasks(["a", "b"], "offline")
    site.service.move_tasks(["b"], "deleted")

    site.forward(days=1)
    site.online("other", DAILY)

    assert ahead(site, "b")[-2:] == ["22 12:00 offline", "23 00:00 offline"]


def test_links_of_dependants_follow_an_upstream_with_other_times(site: TimedSite) -> None:
    site.online("b", {"level": "day", "every": 1, "at": "09:00"})
    site.online("a", {"level": "day", "every": 1, "at": "12:00"}, depends_on=[{"task": "b"}])
    [before] = forecast(site, "a")
    site.service.move_tasks(["b"], "offline")

    site.online("b", {"level": "day", "every": 1, "at": "10:00"})

    [after] = forecast(site, "a")
    assert [str(each.first_at)[11:16] for each in (before, after)] == ["09:00", "10:00"]


def test_a_task_that_fires_more_often_than_each_minute_has_its_next_one_ahead(site: TimedSite) -> None:
    site.online("t", {"interval": "10s"})
    first = ahead(site)

    site.clock.forward(seconds=10)
    site.settle()

    assert first == ["21 08:00 planned"]
    assert [row.scheduled_time[17:19] for row in site.coming()] == ["20"]
    assert site.states() == ["succeeded"] * 2


def test_what_such_a_task_passes_over_leaves_no_rows(site: TimedSite) -> None:
    site.online("t", {"interval": "10s"}, AN_HOUR)
    for _ in range(3):
        site.clock.forward(seconds=10)
        site.settle()

    assert site.states() == ["running"]
    assert [row.scheduled_time[17:19] for row in site.coming()] == ["40"]


def test_a_turn_that_took_longer_than_the_interval_passes_over_what_it_made_ahead_itself(
    site: TimedSite,
) -> None:
    """On a busy machine; the schedule was then silent until the next start."""
    site.online("t", {"interval": "10s"}, AN_HOUR)

    def slow_turn() -> None:
        for _ in range(3):
            site.clock.forward(seconds=10)
            site.engine.scheduler.look()

    site.engine.services.loop.ask(slow_turn)

    assert site.alerts("schedule") == []
    assert [row.scheduled_time[17:19] for row in site.coming()] == ["40"]
    site.forward(seconds=10)
    assert [row.scheduled_time[17:19] for row in site.coming()] == ["50"]


def test_an_earlier_one_at_work_skips_one_that_was_planned(site: TimedSite) -> None:
    site.online("t", HOURLY, {"type": "wait", "for": "3h"})
    site.forward(hours=1)

    site.forward(hours=1)

    assert site.states() == ["running", "skipped"]


def test_what_was_missed_goes(site: TimedSite) -> None:
    site.online("t", {**HOURLY, "catchup": "none"})
    site.engine.close()
    site.clock.forward(hours=5, minutes=30)
    site.engine = site._made()
    site.start().settle()

    assert site.instances() == []
    assert ahead(site)[0] == "21 14:00 planned"


def test_one_that_cannot_begin_fails_and_says_why(site: TimedSite) -> None:
    site.online("t", HOURLY, params={"p": {"required": True}})

    site.forward(hours=1)

    [row] = site.instances()
    assert (row.status, row.run) == ("failed", 0)
    assert "'p'" in str(row.error_message)


def test_one_that_is_planned_can_be_cancelled(site: TimedSite) -> None:
    site.online("t", HOURLY)
    first = site.coming()[0].id

    site.engine.cancel(first)
    site.forward(hours=1)

    [row] = site.instances()
    assert (row.id, row.status, row.run) == (first, "cancelled", 0)


def test_to_make_them_again_changes_nothing(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    before = [(site.coming(task), site.engine.store.links_of([r.id for r in site.coming(task)]))
              for task in ("a", "b")]  # fmt: skip

    site.again()
    made(site)

    assert [(site.coming(task), site.engine.store.links_of([r.id for r in site.coming(task)]))
            for task in ("a", "b")] == before  # fmt: skip


def test_an_instance_that_is_there_already_is_an_answer(site: TimedSite) -> None:
    site.define("t", HOURLY)
    changes = Changes()
    row = {"id": site.engine.store.next_id("instance"), "task": "t", "trigger": "manual"}
    at = site.clock.now().replace(hour=10)
    changes.insert("instance", {**row, "status": "succeeded", "scheduled_time": at, "created_at": at})
    site.engine.store.commit(changes)

    site.service.move_tasks(["t"], "online")

    assert [row.scheduled_time[11:13] for row in site.coming()][:2] == ["09", "11"]


def test_lists_show_them_only_when_asked(site: TimedSite) -> None:
    site.online("on", {"level": "hour", "every": 8})
    site.online("off", {"level": "hour", "every": 6})
    site.service.move_tasks(["off"], "offline")

    planned = site.service.instances(InstanceQuery(planned=True))

    assert site.service.instances(InstanceQuery()) == []
    assert [(row["task"], str(row["scheduled_time"])[8:13], row["status"]) for row in planned[:3]] == [
        ("off", "21T12", "offline"), ("on", "21T16", "planned"), ("off", "21T18", "offline")]  # fmt: skip
    site.forward(hours=4)
    assert [row["task"] for row in site.service.instances(InstanceQuery())] == ["off"]


def test_a_calendar_with_other_days_off_moves_what_is_to_come(site: TimedSite) -> None:
    calendar: dict[str, Any] = {"harbour": {"off": []}}
    site.engine.store.save_definitions({"calendars": calendar})
    site.online("t", {"level": "day", "every": 1, "at": "12:00", "calendar": {"id": "harbour"}})
    assert ahead(site) == []  # a Saturday

    site.engine.store.save_definitions({"calendars": {"harbour": {"weekend": []}}})
    site.settle()

    assert ahead(site) == ["21 12:00 planned"]


@pytest.mark.parametrize("node", [AT_ONCE, FAILING])
def test_the_state_of_those_that_ran_stays(site: TimedSite, node: dict[str, str]) -> None:
    site.online("t", HOURLY, node)
    site.forward(hours=1)
    before = site.states()

    site.service.move_tasks(["t"], "offline")
    site.service.move_tasks(["t"], "online")

    assert site.states() == before
    assert {row.status for row in site.coming()} == {str(InstanceState.PLANNED)}


def test_of_many_tasks_that_come_at_once_a_turn_takes_some_and_all_have_their_day(site: TimedSite) -> None:
    task = {"schedule": {"level": "hour", "every": 12}, "nodes": {"a": AT_ONCE}, "state": "online"}
    names = [f"t{number}" for number in range(250)]
    site.engine.store.save_definitions({"tasks": dict.fromkeys(names, task)})
    loop, scheduler = site.engine.services.loop, site.engine.scheduler

    taken = loop.ask(lambda: (scheduler.look(), len(scheduler.kept))[1])
    made(site)

    assert 0 < taken < len(names)
    assert len(scheduler.kept) == len(names)
    assert [len(site.coming(name)) for name in names] == [2] * len(names)
