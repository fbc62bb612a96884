"""The queue and the retention of an engine that is played: what was asked is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.api.documents import Document

TIME = "2026-11-21T08:00:00.000000+08:00"


def entry(job_instance: int, status: str, **changes: Any) -> Document:
    """One line of the queue."""
    return {
        "job_instance": job_instance,
        "instance": 7,
        "task": "nightly",
        "node": "load",
        "index": None,
        "job": "load",
        "status": status,
        "priority": 0,
        "exclusive": False,
        "since": TIME,
        "worker": "local" if status == "running" else None,
        **changes,
    }


class FakeQueue:
    """See ``engine.api.service.Service``."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.places: Document = {"size": None, "places": 2, "taken": 1, "paused": False}

    def queue(self) -> Document:
        """One runs, two wait."""
        waiting = [entry(12, "busy", index=0, exclusive=True), entry(13, "queued", priority=-2)]
        return {**self.places, "running": [entry(11, "running")], "waiting": waiting}

    def queue_size(self, size: Any) -> Document:
        """Takes the size."""
        self.places = {**self.places, "size": size, "places": size if isinstance(size, int) else 2}
        return self.places

    def queue_pause(self, paused: bool) -> Document:
        """Takes the pause."""
        self.places = {**self.places, "paused": paused}
        return self.places

    def queue_clear(self) -> Document:
        """Both."""
        self.asked.append(("clear",))
        return {"removed": [12, 13]}

    def queue_clean(self, minutes: float) -> Document:
        """The running one."""
        self.asked.append(("clean", minutes))
        return {"ended": [11]}

    def queue_remove(self, job_instance: int) -> Document:
        """That one."""
        self.asked.append(("remove", job_instance))
        return {"removed": [job_instance]}

    def queue_add(self, job: str, params: Mapping[str, Any], texts: Mapping[str, str]) -> Document:
        """As instance 8."""
        self.asked.append(("add", job, dict(params), dict(texts)))
        return {"instance": 8, "job": job}

    def queue_priority(self, job_instance: int, priority: int) -> Document:
        """That one."""
        self.asked.append(("priority", job_instance, priority))
        return {"job_instance": job_instance, "priority": priority}

    def queue_hold(self, job_instance: int, held: bool, reason: str = "") -> Document:
        """That one."""
        self.asked.append(("hold", job_instance, held, reason))
        return {"job_instance": job_instance, "held": held}

    def clean(self, dry_run: bool = False) -> Document:
        """One goes, one stays."""
        gone = {"instance": 3, "task": "nightly", "status": "succeeded", "ended_at": TIME, "size": 4096,
                "reason": "days"}  # fmt: skip
        problems = [] if dry_run else [{"instance": 4, "message": "it runs again"}]
        return {"removed": [gone], "size": 4096, "problems": problems, "dry_run": dry_run}
