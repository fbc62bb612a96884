"""What is said of a worker, in words."""

from __future__ import annotations

from app.desktop.workers.words import facts
from tests.api.fake_service import LOCAL_WORKER

REST = {
    "ssh": None, "size": "auto", "application": None, "handlers": [], "labels": {}, "groups": [],
}  # fmt: skip


def test_the_slots_of_this_machine_are_those_of_the_queue_whatever_is_registered() -> None:
    assert dict(facts({**LOCAL_WORKER, **REST, "slots": 2}))["Slots"] == "2"
    assert dict(facts({**LOCAL_WORKER, **REST, "name": "build", "slots": 2}))["Slots"] == "by its cores"
