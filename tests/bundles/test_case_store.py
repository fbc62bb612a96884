"""The database of a case: an instance is there whole, or not at all."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engine.store.opening import open_store
from engine.store.rows import InstanceRow, JobRow, LinkRow, RunRow
from engine.store.sql_store import Store
from export_import.case_store import fill
from tests.bundles.conftest import CLOCK

NOON = "2026-11-21T12:00:00.000000+00:00"
MANY = 5_500  # rows: more than are in memory at once


def rows(instance: int, jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """The rows of an instance with one run and these jobs."""
    whole = InstanceRow(
        instance, "night", "succeeded", "manual", f"2026-11-21T12:00:0{instance}+00:00", NOON, 1
    )
    run = {**asdict(RunRow(instance, 1, "succeeded", "manual", NOON)), "snapshot": None}
    empty: dict[str, Any] = {"attempts": [], "exceptions": [], "alerts": [], "snapshots": {}, "stats": []}
    return {"instance": asdict(whole), "runs": [run], "jobs": jobs, **empty}


def jobs_of(instance: int, first: int, count: int) -> list[dict[str, Any]]:
    return [job(number, instance, f"j{number}") for number in range(first, first + count)]


def job(number: int, instance: int, name: str) -> dict[str, Any]:
    return asdict(JobRow(number, instance, 1, name, "shell", "succeeded", NOON))


@pytest.fixture
def case(tmp_path: Path) -> Path:
    (tmp_path / "rows").mkdir()
    (tmp_path / "definitions").mkdir()
    (tmp_path / "definitions" / "current.json").write_text("{}")
    for instance in (1, 2):
        folder = tmp_path / "instances" / f"task-night-{instance}"
        folder.mkdir(parents=True)
        (folder / "ctx.log").write_bytes(b"")
    return tmp_path


def filled(case: Path, **trees: dict[str, Any]) -> tuple[Store, list[str]]:
    for number, tree in enumerate(trees.values(), start=1):
        (case / "rows" / f"{number}.json").write_text(json.dumps(tree))
    problems = fill(case, list(range(1, len(trees) + 1)), CLOCK)
    return open_store(f"sqlite:///{case / 'skerry.db'}", read_only=True, clock=CLOCK), problems


def test_many_rows_are_there_whole(case: Path) -> None:
    store, problems = filled(case, first=rows(1, jobs_of(1, 1, MANY)))

    assert problems == []
    assert len(store.jobs(1)) == MANY
    store.close()


def test_a_row_that_the_database_refuses_leaves_nothing_of_its_instance(case: Path) -> None:
    twice = [*jobs_of(1, 1, MANY), job(1, 1, "again")]

    store, problems = filled(case, first=rows(1, twice), second=rows(2, jobs_of(2, 9_000, 3)))

    assert any(each.startswith("instance 1 cannot be shown") for each in problems)
    assert store.instance(1) is None
    assert not store.jobs(1)
    assert store.instance(2) is not None
    assert len(store.jobs(2)) == 3
    store.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"states": [[7, NOON, "exploded"]]},
        {"states": [["7", NOON, "failed"]]},
        {"states": [[7, "yesterday", "failed"]]},
        {"states": [[7]]},
        {"states": 7},
        {"partners": "many"},
        {"first_at": "yesterday"},
    ],
)
def test_what_it_waited_for_is_checked_as_all_rows_are(case: Path, wrong: dict[str, Any]) -> None:
    link = {**asdict(LinkRow(1, "tides", "latest", NOON, NOON, 1, NOON)), "states": [[7, NOON, "failed"]]}

    store, problems = filled(case, first={**rows(1, []), "links": [{**link, **wrong}]})

    assert any(each.startswith("instance 1 cannot be shown") for each in problems)
    assert store.instance(1) is None
    store.close()
