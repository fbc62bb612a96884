"""Backfills in memory: what was asked for, and answers that the test sets."""

from __future__ import annotations

from typing import Any

from engine.api.documents import Document
from engine.runtime.timing.backfill_request import BackfillRequest

FIRST, SECOND = "2026-11-20T01:00:00.000000+00:00", "2026-11-20T02:00:00.000000+00:00"
TIMES: list[Document] = [
    {
        "task": "tides", "time": FIRST, "decision": "run_again", "instance": 7,
        "why": "instance 7 is failed",
        "because": {"kind": "has_state", "instance": 7, "status": "failed"},
    },
    {
        "task": "tides", "time": SECOND, "decision": "make", "instance": None,
        "why": "there was no instance of that time", "because": {"kind": "no_instance"},
    },
]  # fmt: skip
COUNTS = {"succeeded": 1, "failed": 0, "under_way": 1, "pending": 0, "left": 0, "dropped": 0}


def backfill(number: int = 3, status: str = "running", **changes: Any) -> Document:
    """A document of one."""
    states = [{**each, "status": "succeeded", "instance": 7 + n} for n, each in enumerate(TIMES)]
    return {
        "backfill": number, "task": "tides", "status": status, "from": FIRST, "to": SECOND,
        "order": "oldest", "parallel": 2, "reprocess": "failed", "downstream": False,
        "ignore_dependencies": False, "params": {}, "reason": "a lost night", "by": "anna",
        "paused_by": None, "created_at": SECOND, "ended_at": None, "counts": COUNTS, "instances": states,
        **changes,
    }  # fmt: skip


class FakeBackfills:
    """The part of a fake service that knows backfills."""

    asked: list[tuple[Any, ...]]
    answers: dict[str, Any]

    def start_backfill(self, request: BackfillRequest) -> int:
        self.asked.append(("backfill", request))
        return 3

    def preview_backfill(self, request: BackfillRequest) -> list[Document]:
        self.asked.append(("preview", request))
        return list(self.answers.get("times", TIMES))

    def backfills(self, limit: int = 100) -> list[Document]:
        self.asked.append(("backfills", limit))
        found = self.backfill(3)
        del found["instances"]
        return [found]

    def backfill(self, id: int) -> Document:
        return {**backfill(id), **self.answers.get("backfill", {})}

    def pause_backfill(self, id: int) -> Document:
        self.asked.append(("pause backfill", id))
        return {"backfill": id, "status": "paused"}

    def resume_backfill(self, id: int) -> Document:
        self.asked.append(("resume backfill", id))
        return {"backfill": id, "status": "running"}

    def cancel_backfill(self, id: int) -> Document:
        self.asked.append(("cancel backfill", id))
        return {"backfill": id, "status": "cancelled"}
