"""Dependencies with real clocks and processes, seconds for minutes: each row waits, fails or begins as it is to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.client import Client
from engine.api.documents import Source
from engine.model.codes.runtime import TASK_TIMED_OUT
from engine.model.codes.timing import DEPENDENCY_FAILED
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.store.rows import InstanceRow
from tests.timing.test_killed import Served
from tests.waiting import until

FAILS = {"type": "condition", "value": "1 / 0"}


def takes(seconds: float) -> dict[str, Any]:
    """A job that takes so long."""
    return {"type": "wait", "for": f"{seconds:g}s"}


def tasks(at: datetime) -> dict[str, dict[str, Any]]:
    """A row each: its name, and the letter of the task. All are due at one moment."""
    once = {"schedule": {"once": at.isoformat()}}
    both = [{"task": "{row}_b"}, {"task": "{row}_c"}]
    late = {"b": (takes(2), {}), "c": (takes(3.05), {})}
    rows: dict[str, dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
        "late_run": {**late, "a": (takes(2), {"depends_on": both, "timeout": "5s"})},
        "late_wait": {**late, "a": (takes(2), {"depends_on": both, "timeout": "2.5s"})},
        "failing": {
            "b": (takes(2), {}),
            "c": (takes(3.05), {"success": "1 == 2"}),
            "a": (takes(2), {"depends_on": both, "timeout": "1m"}),
        },
        "same_time": {
            "b": (takes(2), {}),
            "a": (takes(2), {"depends_on": [{"task": "{row}_b"}], "timeout": "1m"}),
        },
        "backfilled": {
            "b": (takes(0.1), {}),
            "a": (takes(0.1), {"depends_on": [{"task": "{row}_b"}], "timeout": "4m"}),
        },
    }
    found = {
        f"{row}_{letter}": {**once, "nodes": {"n": node}, **_named(keys, row)}
        for row, of_row in rows.items()
        for letter, (node, keys) in of_row.items()
    }
    each = {"schedule": {"interval": "6s", "overlap": "wait"}, "depends_on": [{"self": True}]}
    return {**found, "itself_a": {**each, "nodes": {"n": FAILS}}}


def _named(keys: dict[str, Any], row: str) -> dict[str, Any]:
    waits = [{**each, "task": each["task"].format(row=row)} for each in keys.get("depends_on", ())]
    return {**keys, "depends_on": waits} if waits else keys


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "workspace")
    yield served
    served.kill()


def ended(served: Served, task: str, count: int = 1) -> list[InstanceRow]:
    """The first ones of a task, once they have ended."""

    def enough() -> list[InstanceRow]:
        found = [row for row in served.instances(task) if row.ended_at is not None]
        return found[:count] if len(found) >= count else []

    rows: list[InstanceRow] = until(enough, f"{count} of {task}")
    return rows


def test_each_row_of_the_table_in_seconds(served: Served) -> None:
    served.start()
    with Client(served.root / "engine.sock") as client:
        at = served.clock.now() + timedelta(seconds=15)  # later than a busy machine brings them online
        made = tasks(at)
        client.load([Source(name="rows.json", text=json.dumps({"skerry": 1, "tasks": made}))])
        client.move_tasks(list(made), "online")
        client.set_state("backfilled_b", "offline")
        assert served.clock.now() < at
        until(
            lambda: [row for row in served.instances("backfilled_a") if row.status == "waiting"], "the wait"
        )
        number = client.start_backfill(BackfillRequest("backfilled_b", at.isoformat(), at.isoformat()))
        until(lambda: client.backfill(number)["status"] == "succeeded", "the backfill")

    first, second = ended(served, "itself_a", 2)
    assert (first.status, first.run) == ("failed", 1)
    assert (second.status, second.run, second.error_code) == ("failed", 0, DEPENDENCY_FAILED.number)

    [late] = ended(served, "late_run_a")
    assert (late.status, late.error_code) == ("timed_out", TASK_TIMED_OUT.number)

    [late] = ended(served, "late_wait_a")
    assert (late.status, late.run, late.error_code) == ("timed_out", 0, TASK_TIMED_OUT.number)

    [failed] = ended(served, "failing_a")
    assert (failed.status, failed.run, failed.error_code) == ("failed", 0, DEPENDENCY_FAILED.number)

    [other], [same] = ended(served, "same_time_b"), ended(served, "same_time_a")
    assert (other.status, same.status) == ("succeeded", "succeeded")
    assert str(other.ended_at) <= str(same.started_at)
    assert datetime.fromisoformat(str(same.ended_at)) - at >= timedelta(seconds=4)

    [other], [mine] = ended(served, "backfilled_b"), ended(served, "backfilled_a")
    assert (other.trigger, mine.trigger) == ("backfill", "schedule")
    assert (other.status, mine.status) == ("succeeded", "succeeded")
    assert str(other.ended_at) <= str(mine.started_at)


def last_look(served: Served, task: str) -> bool | None:
    """What a condition was when it was looked at last."""
    store = wiring.open_reader(served.root)
    try:
        rows = store.schedules_of(task)
    finally:
        store.close()
    return rows[-1].was_true if rows else None


def test_a_condition_on_a_file_fires_once_each_time_it_becomes_true(served: Served, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    schedule = {"level": "condition", "condition": {"resource": "flag"}, "every": "1s"}
    nodes = {"n": {"type": "condition", "value": "1 == 1"}}
    engine = wiring.open_engine(served.root)
    resource = {"type": "file", "uri": str(flag), "check": {"exists": True}}
    tasks = {"t": {"schedule": schedule, "nodes": nodes, "state": "online"}}
    engine.store.save_definitions({"resources": {"flag": resource}, "tasks": tasks})
    engine.store.close()
    served.start()

    for often in (1, 2, 3):
        until(lambda: last_look(served, "t") is False, "it is seen that there is no file")
        flag.touch()
        until(lambda often=often: len(served.instances("t")) == often, "it fires")
        later = served.clock.now() + timedelta(seconds=2.5)
        until(lambda later=later: served.clock.now() > later, "it is looked at twice more, and true")
        flag.unlink()

    assert [row.trigger for row in served.instances("t")] == ["condition"] * 3
