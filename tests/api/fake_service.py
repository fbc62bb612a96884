"""A service in memory: one task, instances that the test moves on, events that it tells."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from engine.api.documents import (
    DayQuery,
    Document,
    InstanceQuery,
    Kind,
    Loaded,
    LogFile,
    RunDocument,
    RunRequest,
    Source,
    Summary,
)
from engine.api.operation import Arguments, Operation
from engine.api.service import Service
from engine.api.streams import LocalStream
from engine.model.codes.commands import NO_SUCH_DEFINITION
from engine.model.codes.runtime import NO_SUCH_INSTANCE, NOT_RUNNING
from engine.model.errors import Invalid, Refused
from engine.model.states import INSTANCE_UNFINISHED
from engine.runtime.events import Events
from tests.api.fake_amending import FakeAmending
from tests.api.fake_backfills import FakeBackfills
from tests.api.fake_queue import FakeQueue
from tests.api.fake_troubles import FakeTroubles

TIME = "2026-11-21T08:00:00.000000+08:00"
LATER = "2026-11-21T08:00:01.500000+08:00"


def job(node: str, status: str, **changes: Any) -> Any:
    """A job's document."""
    began = status not in ("pending", "queued", "skipped")
    return {
        "node": node,
        "job": node,
        "instance": 1,
        "run": 1,
        "round": 1,
        "index": None,
        "status": status,
        "attempt": 1 if began else 0,
        "worker": "local",
        "pid": None,
        "exit_code": None,
        "error_code": None,
        "error_message": None,
        "created_at": TIME,
        "started_at": TIME if began else None,
        "ended_at": LATER if status in ("succeeded", "failed") else None,
        "params": {},
        "results": {},
        "based_on_edit": False,
        "directory": None,
        "reason": None,
        **changes,
    }


LOCAL_WORKER: Document = {
    "name": "local", "kind": "local", "state": "online", "reason": None, "why": None, "since": TIME, "slots": 4,
    "running": 0, "load": 0.5, "memory": 8 << 30, "disk": 100 << 30, "skew": 0.0, "groups": [], "labels": {},
}  # fmt: skip


def instance(number: int, status: str = "running", **changes: Any) -> Any:
    """An instance's document."""
    return {
        "instance": number,
        "task": "nightly",
        "run": 1,
        "trigger": "manual",
        "status": status,
        "error_code": None,
        "error_message": None,
        "reason": None,
        "created_at": TIME,
        "scheduled_time": TIME,
        "started_at": TIME,
        "ended_at": None if status == "running" else LATER,
        "params": {},
        "results": {},
        "definition": 1,
        "edited": [],
        "upstream": [],
        "directory": None,
        "jobs": [],
        **changes,
    }


def on_the_day(number: int, task: str, time: str, status: str = "succeeded", **changes: Any) -> Document:
    """An instance on the time axis; it took a minute if it began."""
    begun = time if status not in ("planned", "skipped", "offline", "waiting") else None
    ended = time[:17] + "40" + time[19:] if status in ("succeeded", "failed") else None
    return {
        "instance": number, "task": task, "status": status, "trigger": "schedule", "run": int(begun is not None),
        "scheduled_time": time, "started_at": begun, "ended_at": ended, **changes,
    }  # fmt: skip


def a_day(day: str, *instances: Document, **changes: Any) -> Document:
    """A page with all of a day in UTC."""
    after = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    return {
        "day": day, "zone": "UTC", "begin": f"{day}T00:00:00.000000+00:00",
        "end": f"{after}T00:00:00.000000+00:00", "instances": list(instances), "next": None, **changes,
    }  # fmt: skip


class FakeService(FakeAmending, FakeBackfills, FakeQueue, FakeTroubles, Service):
    """See ``engine.api.service.Service``."""

    def __init__(self, quiet: float = 5.0) -> None:
        super().__init__()
        self.quiet = quiet
        self.published = Events()
        self.found: dict[int, RunDocument] = {}
        self.asked: list[tuple[Any, ...]] = []
        self.answers: dict[str, Any] = {}
        self.files: list[LogFile] = []
        self.warned: list[Document] = []
        self.listening = threading.Event()
        self.locked = False
        self.days: dict[str | None, Document] = {}

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        return getattr(self, operation.name)(**arguments)

    def about(self) -> Document:
        return {"version": "test", "pid": os.getpid(), "workspace": "/nowhere"}

    def secrets(self) -> Document:
        return {"stored": 1, "locked": self.locked}

    def unlock(self, passphrase: str) -> Document:
        self.asked.append(("unlock", passphrase))
        self.locked = False
        return self.secrets()

    def load(self, sources: Sequence[Source]) -> list[Loaded]:
        self.asked.append(("load", list(sources)))
        return [{"kind": "task", "id": "nightly", "revision": 2, "changed": True}]

    def warnings(self, sources: Sequence[Source]) -> list[Document]:
        return self.warned

    def dump(self, id: Sequence[str] = ()) -> str:
        self.asked.append(("dump", list(id)))
        return "skerry: 1\n"

    def definitions(self, kind: Kind) -> list[Document]:
        return [{"id": "nightly", "name": "Nightly load", "revision": 2, "state": "init", "created_at": TIME}]

    def definition(self, kind: Kind, id: str, revision: int | None = None) -> Document:
        if id != "nightly":
            raise Invalid(NO_SUCH_DEFINITION, f"no {kind} {id!r}", where=id)
        return {"kind": kind, "id": id, "revision": revision or 2, "definition": {"nodes": {}}}

    def day(self, query: DayQuery) -> Document:
        self.asked.append(("day", query))
        return self.days.get(query.day) or a_day(query.day or "2026-11-21")

    def task_map(self) -> list[Document]:
        answer: list[Document] = self.answers.get("task_map") or []
        return answer

    def links(self, instance: int) -> Document:
        self.asked.append(("links", instance))
        answer: Document = self.answers.get(f"links {instance}") or {"upstream": [], "downstream": []}
        return answer

    def history(self, kind: Kind, id: str) -> list[Document]:
        return [{"revision": 2, "created_at": TIME, "actor": "me"}]

    def delete(self, kind: Kind, id: str) -> Document:
        self.asked.append(("delete", kind, id))
        return {"kind": kind, "id": id}

    def set_state(self, task: str, state: str) -> Document:
        self.asked.append(("state", task, state))
        return {"id": task, "state": state}

    def move_tasks(self, tasks: Sequence[str], state: str, dry_run: bool = False) -> Document:
        self.asked.append(("states", list(tasks), state, dry_run))
        answer: Document = self.answers.get("move_tasks") or {"tasks": []}
        return answer

    def approve(
        self,
        instance: int,
        node: str,
        choice: str,
        index: int | None = None,
        note: str | None = None,
        value: str | None = None,
        folder: str | None = None,
    ) -> Document:
        self.asked.append(("approve", instance, node, choice, index, note, value, folder))
        answer: Document = self.answers["approve"]
        return answer

    def release(self, instance: int, tasks: Sequence[str], reason: str) -> Document:
        self.asked.append(("release", instance, list(tasks), reason))
        return {"instance": instance, "released": list(tasks) or ["tides"]}

    def clock(self) -> Document:
        self.asked.append(("clock",))
        fresh = {"wall": TIME, "uptime": 3600.0, "ahead": 0.0, "held": False, "since": None, "reason": None}
        return {**fresh, "fires": True, "online": 2, "next": TIME, **self.answers.get("clock", {})}

    def accept_clock(self) -> Document:
        self.asked.append(("accept",))
        return self.clock()

    def fire_schedules(self) -> Document:
        return self.clock()

    def run(self, request: RunRequest) -> int:
        self.asked.append(("run", request))
        number = len(self.found) + 1
        self.found[number] = self.answers.get("run") or instance(number)
        return number

    def instances(self, query: InstanceQuery) -> list[Summary]:
        self.asked.append(("instances", query))
        return list(self.found.values())

    def instance(self, instance: int) -> RunDocument:
        if instance not in self.found:
            raise Invalid(NO_SUCH_INSTANCE, f"no instance {instance}")
        return self.found[instance]

    def captured(self, instance: int, run: int | None = None) -> Document:
        self.asked.append(("captured", instance, run))
        return {}

    def logs(self, instance: int, node: str | None = None, attempt: int | None = None) -> list[LogFile]:
        self.asked.append(("logs", instance, node, attempt))
        return [file for file in self.files if node in (None, file["node"])]

    def context(self, instance: int, at: int | None = None) -> Document:
        self.asked.append(("context", instance, at))
        return {"TASK": {"ID": "nightly"}}

    def set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        self.asked.append(("set", instance, path, text, reason))
        return {"instance": instance, "path": path, "old": 1, "new": text}

    def cancel(self, instance: int, node: str | None = None) -> Document:
        self.asked.append(("cancel", instance, node))
        if self.answers.get("cancel") == "refused":
            raise Refused(NOT_RUNNING, f"instance {instance} is not running")
        doubt = self.answers.get("cancel")
        certain = {"verified": doubt is None, "reason": doubt, "pids": []}
        return {"instance": instance, "node": node, "cancelled": True, **certain}

    def try_resource(self, id: str, resource: Document) -> Document:
        return self.check_resource(id, {})

    def check_resource(self, id: str, params: Mapping[str, str]) -> Document:
        if id == "broken":
            raise ZeroDivisionError("a mistake")
        ok = id == "ledger"
        return {
            "ok": ok,
            "message": "it answers" if ok else "no answer",
            "details": {},
            "took": 0.1,
            "code": 0,
        }

    def workers(self) -> list[Document]:
        return [LOCAL_WORKER]

    def worker(self, name: str) -> Document:
        return {**LOCAL_WORKER, "ssh": None, "size": 4, "application": None, "handlers": [], "attempts": []}

    def stats(self, task: str | None = None, job: str | None = None) -> list[Document]:
        self.asked.append(("stats", task, job))
        return []

    def counts(self, whole: bool = True) -> Document:
        every = [each["status"] for each in self.found.values()]
        statuses = [each for each in every if whole or each in INSTANCE_UNFINISHED]
        return {"instances": dict(Counter(statuses)), "jobs": [], **self.answers.get("counts", {})}

    def own_errors(self) -> Document:
        return dict(self.answers.get("errors", {}))

    def events(self, instance: int | None = None) -> LocalStream:
        stream = LocalStream(self.published.subscribe(), instance, self.quiet)
        self.listening.set()
        return stream

    def log(self, path: Path, node: str = "load", ended: bool = True) -> None:
        """A log file that the service knows of."""
        self.files.append({"node": node, "instance": 1, "attempt": 1, "path": str(path), "ended": ended})
