"""Exceptions, alerts, rules and reruns of an engine that is played: what was asked is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.api.documents import Document, ExceptionQuery, Rerun
from engine.model.codes.recovery import NO_SUCH_EXCEPTION
from engine.model.errors import Invalid

TIME = "2026-11-21T08:00:00.000000+08:00"


def exception(id: int, **changes: Any) -> Document:
    """An exception's document."""
    return {
        "id": id,
        "code": -11000001003,
        "message": "exit status 3",
        "message_facts": {"template": "exit status {n}", "facts": {"n": 3}},
        "status": "open",
        "asks": False,
        "created_at": TIME,
        "task": "nightly",
        "job": "load",
        "node": "load",
        "instance": 1,
        "run": 1,
        "job_instance": 3,
        "attempt": 2,
        "worker": "local",
        "details": {},
        "handled_at": None,
        "handled_by": None,
        "note": None,
        **changes,
    }


def question(instance: int = 7, **changes: Any) -> Document:
    """The document of an open question."""
    return {
        "instance": instance,
        "task": "nightly",
        "node": "ask",
        "index": None,
        "attempt": 1,
        "job_instance": 4,
        "since": TIME,
        "question": "Load the figures?",
        "choices": ["approve", "reject"],
        "fails_on": ["reject"],
        "note": "optional",
        "value": None,
        "until": "2026-11-21T12:00:00.000000+08:00",
        **changes,
    }


class FakeTroubles:
    """See ``engine.api.service.Service``."""

    asked: list[tuple[Any, ...]]
    open_questions: Sequence[Document] = ()

    def questions(self) -> list[Document]:
        """Those of the test."""
        return list(self.open_questions)

    def rerun(self, reruns: Sequence[Rerun]) -> list[Document]:
        """Each as run 2; with downstream instance 2 after it."""
        self.asked.append(("rerun", list(reruns)))
        begun: list[Document] = [{"instance": each.instance, "run": 2} for each in reruns]
        behind = {"instance": 2, "run": 4, "after": [reruns[0].instance]}
        return [*begun, behind] if reruns[0].downstream else begun

    def preview(self, rerun: Rerun) -> Document:
        """Load again."""
        self.asked.append(("preview", rerun))
        answer: Document = {"run": ["load"], "keep": ["extract"], "skip": []}
        if rerun.downstream:
            behind = {
                "instance": 2,
                "task": "report",
                "after": [rerun.instance],
                "run": ["a"],
                "keep": [],
                "skip": [],
            }
            answer["downstream"] = [behind]
        return answer | {"diff": ["--- captured", "+++ current", "-a", "+b"]} if rerun.current else answer

    def force(self, instance: int, node: str, state: str, reason: str) -> Document:
        """It is done."""
        self.asked.append(("force", instance, node, state, reason))
        return {"instance": instance, "node": node, "status": state, "instance_status": "succeeded"}

    def pause(self, instance: int, reason: str = "") -> Document:
        """It is."""
        self.asked.append(("pause", instance, reason))
        return {"instance": instance, "status": "paused", "reason": "paused by anna"}

    def resume(self, instance: int, reason: str = "") -> Document:
        """It goes on."""
        self.asked.append(("resume", instance, reason))
        return {"instance": instance, "status": "running", "reason": None}

    def exceptions(self, query: ExceptionQuery) -> list[Document]:
        """One that asks, one that was handled."""
        self.asked.append(("exceptions", query))
        return [exception(8, asks=True), exception(7, status="handled", handled_by="retry", note="again")]

    def exception(self, id: int) -> Document:
        """One with everything around it."""
        if id != 8:
            raise Invalid(NO_SUCH_EXCEPTION, f"there is no exception {id}", where=str(id))
        more = {"index": None, "round": 1, "job_status": "waiting", "instance_status": "running", "reason": "paused",
                "waits": True, "pids": [7], "context": "$.JOB['load']", "directory": "/x"}  # fmt: skip
        commands = {"look": ["skerry show 1 load"], "edit": [], "queue": ["skerry queue"]}
        return {**exception(8, asks=True), **more, "commands": commands}

    def handle(self, id: int, reason: str, answer: str | None = None) -> Document:
        """Handled."""
        self.asked.append(("handle", id, answer, reason))
        return {"exception": id, "status": "handled", "answer": answer, "note": reason}

    def alerts(self, instance: int | None = None, seen: bool = False, limit: int = 100) -> list[Document]:
        """One."""
        self.asked.append(("alerts", instance, seen, limit))
        return [
            {
                "id": 5,
                "created_at": TIME,
                "kind": "recovery_retry",
                "level": "warning",
                "code": -11200001000,
                "message": "job 'load' of instance 1: lost",
                "instance": 1,
                "run": 1,
                "job_instance": 3,
                "acknowledged_at": None,
                "acknowledged_by": None,
            }
        ]

    def acknowledge(self, alerts: Sequence[int] | None) -> Document:
        """All that were asked for."""
        self.asked.append(("acknowledge", alerts))
        return {"acknowledged": [5] if alerts is None else list(alerts)}

    def enable_rule(self, id: str, enabled: bool) -> Document:
        """It is."""
        self.asked.append(("enable", id, enabled))
        return {"rule": id, "enabled": enabled, "revision": 2}

    def test_rule(self, id: str, limit: int = 1000) -> Document:
        """It would have matched one."""
        self.asked.append(("test", id, limit))
        return {"rule": id, "looked_at": 2, "matched": [exception(8)]}

    def try_rule(self, rule: Document, limit: int = 1000) -> Document:
        """It too."""
        self.asked.append(("try", rule, limit))
        return {"rule": rule["id"], "looked_at": 2, "matched": [exception(8)]}
