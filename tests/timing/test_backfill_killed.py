"""A real engine is killed in the middle of a backfill: nothing is doubled or lost, and the next one goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from app import wiring
from tests.timing.test_killed import Served
from tests.waiting import until

HOURS = 12


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "workspace")
    yield served
    served.kill()


def define(served: Served, ran: Path) -> None:
    """A task whose program writes down for which time it ran, and one that waits for it."""
    hourly = {"level": "hour", "every": 1}
    program = f'echo "$task $at" >> {ran}; sleep 0.2'
    params = {name: f"$.TASK.{path}" for name, path in (("task", "ID"), ("at", "SCHEDULED_TIME"))}
    nodes = {"a": {"type": "shell", "process": program, "params": params}}
    engine = wiring.open_engine(served.root)
    waits = {"depends_on": [{"task": "b"}]}
    engine.store.save_definitions(
        {
            "tasks": {
                "b": {"schedule": hourly, "nodes": nodes},
                "c": {"schedule": hourly, "nodes": nodes, **waits},
            }
        }
    )
    engine.store.close()


def state(served: Served) -> str:
    store = wiring.open_reader(served.root)
    try:
        return store.backfills()[0].status
    finally:
        store.close()


def has_ended(served: Served, enough: int) -> bool:
    return sum(row.ended_at is not None for task in "bc" for row in served.instances(task)) >= enough


def test_a_backfill_goes_on_through_kills_and_runs_each_time_once(served: Served, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    define(served, ran)
    served.start()
    asked = ("backfill", "b", "--from", "2026-03-01T00:00", "--to", f"2026-03-01T{HOURS - 1}:00")
    options = ("--parallel", "3", "--downstream", "--detach")
    command = [sys.executable, "-m", "app.cli.main", "--workspace", str(served.root), *asked, *options]
    subprocess.run(command, check=True, capture_output=True, timeout=60)

    for enough in (2, 7, 13):
        until(partial(has_ended, served, enough), "some of it")
        served.kill()
        served.start()
    until(lambda: state(served) == "succeeded", "the end")

    times = [f"2026-03-01T{hour:02}:00:00.000000+00:00" for hour in range(HOURS)]
    for task in "bc":
        rows = served.instances(task)
        assert [row.scheduled_time for row in rows] == times
        assert {(row.status, row.run, row.trigger) for row in rows} == {("succeeded", 1, "backfill")}
    assert Counter(ran.read_text().splitlines()) == Counter(f"{task} {at}" for task in "bc" for at in times)


def test_who_waits_for_a_backfill_is_its_engine_when_the_one_that_ran_it_is_killed(
    served: Served, tmp_path: Path
) -> None:
    # given a backfill that a command waits for, and no other engine will come
    define(served, tmp_path / "ran")
    served.start()
    asked = ("backfill", "b", "--from", "2026-03-01T00:00", "--to", "2026-03-01T04:00", "--json")
    command = [sys.executable, "-m", "app.cli.main", "--workspace", str(served.root), *asked]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waits:
        until(partial(has_ended, served, 1), "one of it")

        # when the engine is killed
        served.kill()
        said, _ = waits.communicate(timeout=120)

    # then it ends as if nothing had been
    document = json.loads(said)
    assert (waits.returncode, document["status"]) == (0, "succeeded")
    assert [each["status"] for each in document["instances"]] == ["succeeded"] * 5
    assert [row.run for row in served.instances("b")] == [1] * 5
