"""The states of a run between two readings: events are laid over the document, cheaply; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.desktop.run.node_states import NodeState, by_node
from engine.api.documents import JobDocument, RunDocument
from engine.context.timeline import JobKey

_OF_EVENTS = ("status", "error_code", "error_message", "error_facts", "reason", "why")


def concerns(events: Iterable[Mapping[str, Any]], instance: int | None) -> bool:
    """Whether any of them may have changed what is shown of that instance."""
    return any(event.get("kind") == "resync" or event.get("instance") == instance for event in events)


class LiveStates:
    """The jobs of an instance as the last events left them."""

    def __init__(self, run: RunDocument) -> None:
        self.run = run
        self._jobs: dict[int, JobDocument] = {
            job["instance"]: job for job in run["jobs"] if job["instance"] is not None
        }
        self._of_node: dict[str, dict[JobKey, str]] = {}
        for job in run["jobs"]:
            self._note(job)
        self.stale = False  # something came that only a new reading can show

    def _note(self, job: JobDocument) -> None:
        key = JobKey(job["node"], job["round"], job["index"])
        self._of_node.setdefault(job["node"], {})[key] = job["status"]

    def apply(self, events: Iterable[Mapping[str, Any]]) -> set[str]:
        """Take events in; gives the nodes whose state may have changed."""
        changed: set[str] = set()
        for event in events:
            if event.get("kind") == "resync":
                self.stale = True
            elif event.get("instance") == self.run["instance"]:
                changed |= self._take(event)
        return changed

    def _take(self, event: Mapping[str, Any]) -> set[str]:
        if event["kind"] != "job":
            self.stale |= event["kind"] in ("instance", "alert")
            return set()
        job = self._jobs.get(event.get("job_instance", 0))
        self.stale = True  # times, results and attempts are only in the document
        if job is None:
            return set()
        job.update({name: event[name] for name in _OF_EVENTS if name in event})  # type: ignore[typeddict-item]
        self._note(job)
        return {job["node"]}

    def states(self, nodes: Iterable[str] | None = None) -> dict[str, NodeState]:
        """The states of these nodes, or of all."""
        wanted = self._of_node if nodes is None else nodes
        statuses = {key: status for node in wanted for key, status in self._of_node.get(node, {}).items()}
        return by_node(statuses)
