"""Retention takes directories away, and keeps the outcomes that other tasks can still ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.api.documents import Rerun
from engine.model.codes.planning import RERUN_OUTCOME_ALONE
from engine.model.errors import Refused
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.runtime.upkeep.retention import Cleaner
from tests.timing.conftest import AN_HOUR, AT_ONCE, SETTINGS, TimedSite
from tests.timing.test_backfills import settle

HOURLY = {"level": "hour", "every": 1}
DAILY = {"level": "day", "every": 1, "at": "12:00"}
NOTHING = SETTINGS + "retention: {count: 0, failed: true}\n"


@pytest.fixture(autouse=True)
def cleaned_by_hand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours pass here: the engine would clean by itself a second later, perhaps before a test asks for it."""
    monkeypatch.setattr(Cleaner, "work", lambda self: None)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[TimedSite]:
    site = TimedSite(tmp_path / "workspace", NOTHING).start()
    yield site
    for instance in list(site.engine.services.runs):
        with suppress(Refused):
            site.engine.cancel(instance)
    site.engine.close()


def cleaned(site: TimedSite) -> dict[str, list[str]]:
    """``08:00`` of each instance that went, by task; with ``*`` where its outcome is kept."""
    found: dict[str, list[str]] = {}
    rows = {row.id: row for row in site.engine.store.instances(limit=10_000)}
    for each in site.service.clean()["removed"]:
        mark = "*" if each["outcome_kept"] else ""
        at = rows[each["instance"]].scheduled_time[11:16]
        found.setdefault(each["task"], []).append(at + mark)
    return found


def test_what_nobody_asks_for_goes_as_a_whole(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.forward(hours=1)
    site.forward(hours=1)

    assert cleaned(site) == {"b": ["09:00", "10:00"]}
    assert site.instances("b") == []


def test_the_newest_stays_while_a_later_time_may_ask_for_it(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    for _ in range(3):
        site.forward(hours=1)

    assert cleaned(site) == {"b": ["09:00", "10:00", "11:00*"], "a": ["09:00", "10:00", "11:00"]}
    assert [row.scheduled_time[11:16] for row in site.instances("b")] == ["11:00"]
    assert not list((site.root / "instances").iterdir())


def test_a_period_has_all_of_its_outcomes_until_it_was_asked_for(site: TimedSite) -> None:
    reads = {"type": "condition", "value": "{$.UPSTREAM['b'][0].SCHEDULED_TIME} # '09:00'"}
    site.online("b", HOURLY)
    site.online(
        "a", DAILY, reads, depends_on=[{"task": "b", "window": "all_in_period", "period": "same_day"}]
    )
    for _ in range(3):
        site.forward(hours=1)
    assert cleaned(site) == {"b": ["09:00*", "10:00*", "11:00*"]}
    assert cleaned(site) == {}

    for _ in range(14):
        site.forward(hours=1)

    assert site.states("a") == ["succeeded"]
    assert "09:00" not in [row.scheduled_time[11:16] for row in _after_cleaning(site, "b")]


def _after_cleaning(site: TimedSite, task: str) -> list[Any]:
    cleaned(site)
    return site.instances(task)


def test_a_time_that_a_schedule_has_not_come_to_stays_and_is_not_fired_again(site: TimedSite) -> None:
    """The clock is years ahead, which holds schedules; a person backfills what these will catch up."""
    site.online("t", {**HOURLY, "catchup": "all"})
    site.set_clock(days=1095)
    site.forward(hours=2)
    site.engine.backfill(BackfillRequest("t", "2026-11-21T09:00", "2026-11-21T09:30"), "anna")
    settle(site)
    [backfilled] = site.instances("t")

    assert cleaned(site) == {}
    site.set_clock(days=-1095)
    settle(site)

    assert site.times("t") == ["21 09:00", "21 10:00"]
    assert site.instances("t")[0].id == backfilled.id
    assert sorted(cleaned(site)["t"]) == ["09:00", "10:00"]


def test_a_time_that_was_cancelled_ahead_stays_until_its_schedule_has_come_to_it(site: TimedSite) -> None:
    site.online("t", HOURLY)
    settle(site)
    first = site.coming("t")[0]
    site.engine.cancel(first.id)
    settle(site)

    assert cleaned(site) == {}
    site.forward(hours=1)

    assert site.states("t") == ["cancelled"]
    assert cleaned(site) == {"t": ["09:00"]}


def test_what_waits_still_asks_for_what_was_before_it(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("c", HOURLY, {"type": "wait", "for": "40h"})
    site.online("a", HOURLY, depends_on=[{"task": "b"}, {"task": "c"}])
    site.forward(hours=1)
    site.forward(hours=1)
    assert site.states("a")[0] == "waiting"

    assert cleaned(site)["b"] == ["09:00*", "10:00*"]


def test_an_outcome_alone_is_shown_and_cannot_run_again(site: TimedSite) -> None:
    site.online("b", HOURLY, params={"n": 7}, results={"r": "$.TASK.PARAMS['n']"})
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    cleaned(site)
    [row] = site.instances("b")

    shown = site.service.instance(row.id)

    assert (shown["status"], shown["results"], shown["directory"]) == ("succeeded", {"r": 7}, None)
    assert shown["jobs"] == []
    for mode in ("all", "failed"):
        with pytest.raises(Refused) as refused:
            site.service.rerun([Rerun(row.id, mode)])
        assert refused.value.code == RERUN_OUTCOME_ALONE.number


def test_the_next_engine_has_it_too(site: TimedSite) -> None:
    site.online("b", HOURLY)
    site.online("a", HOURLY, AT_ONCE, depends_on=[{"self": True}, {"task": "b"}])
    site.forward(hours=1)
    cleaned(site)

    site.again().settle()

    assert [row.is_outcome_alone for task in "ab" for row in site.instances(task)] == [True, True]
    site.forward(hours=1)
    assert site.states("a") == ["succeeded", "succeeded"]


def test_a_backfill_goes_after_all_that_it_ran(site: TimedSite) -> None:
    site.online("b", HOURLY)
    past = BackfillRequest("b", "2026-11-20T10:00", "2026-11-20T12:00", parallel=3)
    first = site.engine.backfill(past, "anna")
    site.settle()
    site.define("c", {"level": "hour", "every": 1}, AN_HOUR)
    second = site.engine.backfill(replace(past, task="c"), "anna")
    site.settle()
    assert [row.id for row in site.engine.store.backfills(under_way=True)] == [second]

    before = site.service.clean(dry_run=True)
    after = site.service.clean()

    assert before["backfills"] == []  # its instances are there still
    assert (len(after["removed"]), after["backfills"]) == (3, [first])
    assert [row.id for row in site.engine.store.backfills()] == [second]
    assert site.engine.store.backfill_steps(first) == []
    assert len(site.engine.store.backfill_steps(second)) == 3


def test_a_backfill_stays_until_its_days_are_over(tmp_path: Path) -> None:
    settings = SETTINGS + "retention: {count: 0, days: 2, failed: true}\n"
    site = TimedSite(tmp_path / "workspace", settings).start()
    site.online("b", HOURLY)
    past = BackfillRequest("b", "2026-11-20T10:00", "2026-11-20T10:00")
    backfill = site.engine.backfill(past, "anna")
    site.settle()

    assert site.service.clean()["backfills"] == []
    site.clock.forward(days=2)

    assert site.service.clean()["backfills"] == [backfill]
    site.engine.close()
