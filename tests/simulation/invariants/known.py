"""The rows of a life as commits make them durable, as far as promises look at them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.store.changes import Changes

if TYPE_CHECKING:
    from engine.planning.shape import Plan
    from engine.runtime.engine import Engine

Rows = Mapping[str, dict[Any, dict[str, Any]]]


@dataclass
class Known:
    """The rows by their keys, as far as they are looked at."""

    tables: Rows = field(
        default_factory=lambda: {
            "instance": {},
            "run": {},
            "job_instance": {},
            "job_run": {},
            "exception": {},
        }
    )
    queue_paused: bool = False
    paused: set[int] = field(default_factory=set)  # instances
    stopping: set[Any] = field(default_factory=set)  # runs and jobs
    asked: set[int] = field(default_factory=set)  # exceptions that are open and ask a person

    def take(self, changes: Changes) -> None:
        """What has become durable."""
        for rows in (changes.inserts, changes.updates):
            for table, found in rows.items():
                for key, row in found.items() if table in self.tables else ():
                    known = self.tables[table].setdefault(key, {})
                    known.update(row)
                    self._sort(table, key, known)
        if "queue" in changes.settings:
            self.queue_paused = bool(json.loads(changes.settings["queue"])["paused"])

    def _sort(self, table: str, key: Any, row: Mapping[str, Any]) -> None:
        match table:
            case "instance":
                _keep(self.paused, key, row["status"] == "paused")
            case "run" | "job_instance":
                _keep(self.stopping, key, is_set(row.get("stop")))
            case "exception":
                _keep(self.asked, key, _asks(row))

    def job(self, id: int) -> dict[str, Any]:
        return self.tables["job_instance"][id]

    def instance(self, id: int) -> dict[str, Any]:
        return self.tables["instance"][id]

    def above(self, instance: int) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """This instance and those that started it, each with the job through which it started the one below."""
        job = None
        while True:
            yield instance, job
            parent = self.instance(instance).get("parent")
            if parent is None:
                return
            job = self.job(parent)
            instance = job["instance"]


def name_of(job: Mapping[str, Any]) -> str:
    """For people."""
    return f"{job['node']} ({job['id']}) of instance {job['instance']}"


def plan_of(engine: Engine | None, job: Mapping[str, Any]) -> Plan | None:
    """Of its run, while an engine works on that."""
    run = engine.services.runs.get(job["instance"]) if engine is not None else None
    return run.facts.plan if run is not None else None  # type: ignore[attr-defined, no-any-return]


def is_set(tree: Any) -> bool:
    """Whether a column of JSON has something."""
    return tree not in (None, "null", "{}")


def _asks(exception: Mapping[str, Any]) -> bool:
    return exception.get("status", "open") == "open" and '"asks":true' in str(exception.get("details"))


def _keep(among: set[Any], key: Any, belongs: bool) -> None:
    among.add(key) if belongs else among.discard(key)
