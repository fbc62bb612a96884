"""The picture of the workspace holds what is not done with, however much came after it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from app.desktop.kernel.overview import NEWEST, Snapshot, look
from engine.api.documents import Document, InstanceQuery
from tests.api.fake_service import instance
from tests.desktop.conftest import PlayedService


class BusySite(PlayedService):
    """Instance 1 runs for ever, 2 failed and is open, 3 failed and was dealt with; then many more succeeded."""

    rows = [
        *(instance(number, "succeeded") for number in range(NEWEST + 3, 3, -1)),
        instance(3, "failed"),
        instance(2, "failed"),
        instance(1, "running"),
    ]

    def instances(self, query: InstanceQuery) -> list[Any]:
        fitting = [row for row in self.rows if query.status in (None, row["status"]) and not query.planned]
        return fitting[: query.limit]

    def counts(self, whole: bool = True) -> Document:
        every = Counter(row["status"] for row in self.rows)
        shown = every if whole else {"running": every["running"]}
        return {"instances": dict(shown), "jobs": [{"instance": 1, "statuses": {"running": 2}}]}

    def exceptions(self, query: Any) -> list[Any]:
        return [{"id": 1, "instance": 2}]


def test_what_still_runs_and_what_nobody_has_dealt_with_is_seen(tmp_path: Path) -> None:
    seen = look(BusySite(), tmp_path)

    assert {1, 2} < {row["instance"] for row in seen.instances}
    assert 3 not in {row["instance"] for row in seen.instances}


def test_all_instances_are_counted_however_many_there_are(tmp_path: Path) -> None:
    seen = look(BusySite(), tmp_path)

    assert seen.counts == {"succeeded": NEWEST, "failed": 2, "running": 1}
    assert seen.jobs == {1: {"running": 2}}


def test_what_ended_is_not_counted_again_as_long_as_that_would_take_too_long(tmp_path: Path) -> None:
    before = Snapshot(counted={"succeeded": 900_000, "running": 7, "paused": 1})

    seen = look(BusySite(), tmp_path, before)

    assert seen.counts == {"succeeded": 900_000, "running": 1}
    assert seen.counted_for == 0
