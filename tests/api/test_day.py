"""The instances of a day of the workspace's zone, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.api.documents import DayQuery, Document
from engine.api.read_only import ReadOnlyService
from engine.api.service import Service
from engine.model.codes.commands import TIME_INVALID
from engine.model.errors import Invalid
from engine.runtime.workspace import Workspace
from engine.store.changes import Changes, Placed
from engine.store.opening import open_store
from engine.store.rows import time_text
from engine.store.sql_store import Store
from tests.store.conftest import StillClock

BACK = datetime(2026, 10, 24, 22, tzinfo=UTC)  # midnight in Berlin, before a day of 25 hours
STATES = ("succeeded", "planned", "skipped", "waiting", "offline", "failed")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "workspace.yaml").write_text("timezone: Europe/Berlin\n")
    return Workspace.open(tmp_path)


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    store = open_store(workspace.database_url, clock=StillClock())
    yield store
    store.close()


@pytest.fixture
def service(store: Store, workspace: Workspace) -> Service:
    return ReadOnlyService(store, workspace)  # type: ignore[return-value]


def hourly(store: Store, first: datetime, count: int) -> None:
    """An instance each hour, of every state in turn."""
    changes = Changes()
    for hour in range(count):
        row = {"id": hour + 1, "task": "t", "trigger": "schedule", "status": STATES[hour % len(STATES)]}
        time = first + timedelta(hours=hour)
        changes.insert("instance", row | {"scheduled_time": time, "created_at": first})
    store.commit(changes)


def pages(service: Service, query: DayQuery) -> list[Document]:
    found = [service.day(query)]
    while found[-1]["next"]:
        found.append(service.day(replace(query, **found[-1]["next"])))
    return found


def test_a_day_on_which_the_clocks_go_back_has_25_hours_of_instances(store: Store, service: Service) -> None:
    hourly(store, BACK - timedelta(hours=2), 30)

    found = service.day(DayQuery("2026-10-25"))

    assert [each["instance"] for each in found["instances"]] == list(range(3, 28))
    assert (found["zone"], found["begin"], found["end"]) == (
        "Europe/Berlin", "2026-10-25T00:00:00.000000+02:00", "2026-10-26T00:00:00.000000+01:00",
    )  # fmt: skip


def test_pages_come_in_the_order_of_time_whatever_the_states_and_none_is_lost(
    store: Store, service: Service
) -> None:
    hourly(store, BACK, 25)

    found = pages(service, DayQuery("2026-10-25", limit=4))

    assert [len(page["instances"]) for page in found] == [4, 4, 4, 4, 4, 4, 1]
    numbers = [each["instance"] for page in found for each in page["instances"]]
    assert numbers == list(range(1, 26))
    assert {each["status"] for each in found[1]["instances"]} == {"offline", "failed", "succeeded", "planned"}


def test_without_a_date_it_is_today_in_the_zone_of_the_workspace(
    store: Store, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReadOnlyService, "_now", lambda self: BACK + timedelta(minutes=1))

    assert service.day(DayQuery())["day"] == "2026-10-25"


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "9999-12-31", "0001-01-01"])
def test_what_is_no_date_is_refused(store: Store, service: Service, day: str) -> None:
    with pytest.raises(Invalid) as refused:
        service.day(DayQuery(day))

    assert refused.value.entry is TIME_INVALID


def test_an_instance_names_what_it_waits_for_and_what_waits_for_it(store: Store, service: Service) -> None:
    changes = Changes()
    for number, task in ((1, "tides"), (2, "forecast"), (3, "report")):
        changes.insert("instance", {"id": number, "task": task, "trigger": "schedule", "status": "planned",
                                    "scheduled_time": BACK, "created_at": BACK})  # fmt: skip
    for waiting, upstream in ((2, "tides"), (3, "forecast")):
        changes.insert("link", {"instance": waiting, "upstream": upstream, "window": "same_time",
                                "first_at": time_text(BACK), "last_at": time_text(BACK)})  # fmt: skip
    store.commit(changes)

    found = service.links(2)

    assert [(each["task"], each["first"]) for each in found["upstream"]] == [("tides", time_text(BACK))]
    assert [(each["task"], each["last"]) for each in found["downstream"]] == [("report", time_text(BACK))]


def test_the_map_of_tasks_says_what_each_waits_for_its_latest_run_and_its_next_time(
    store: Store, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReadOnlyService, "_now", lambda self: BACK + timedelta(hours=1, minutes=30))
    changes = Changes()
    changes.insert("instance", {"id": 1, "task": "t", "trigger": "schedule", "status": "succeeded", "run": 1,
                                "scheduled_time": BACK, "created_at": BACK})  # fmt: skip
    nodes = {"one": {"type": "shell", "process": "true"}}
    for task, upstream in (("t", []), ("u", [{"task": "t"}, {"self": True}])):
        changes.define(Placed("task", task, {"depends_on": upstream, "nodes": nodes}, None))
    store.commit(changes)

    found = service.task_map()

    assert [(each["task"], each["upstream"]) for each in found] == [("t", []), ("u", ["t", "u"])]
    assert [(each["status"], each["instance"]) for each in found] == [("succeeded", 1), (None, None)]
