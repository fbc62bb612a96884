"""From a job that failed to the handler of the end that ran because of it, and back; pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.desktop.kernel.console import Target
from app.desktop.run.reading import RunLook
from app.desktop.run.remedies import Remedy
from engine.api.documents import JobDocument
from engine.api.trouble_views import node_of
from engine.model.names import HANDLER, is_handler
from engine.model.states import JOB_BAD

_OF_FAILURES = (f"{HANDLER}failed", f"{HANDLER}always", f"{HANDLER}cancelled")  # the likeliest first


def other_end(job: JobDocument, look: RunLook) -> Remedy | None:
    """The way from a handler to the job that failed first, or from a failed one to the handler that began."""
    if is_handler(job["node"]):
        failed = _first_failed(look)
        return _way("It ran because {node} failed: show that", failed, look) if failed else None
    if job["status"] not in JOB_BAD:
        return None
    handler = handler_that_ran(look.run["jobs"])
    return _way("Handled by {node}: show that", handler, look) if handler else None


def handler_that_ran(jobs: Sequence[JobDocument]) -> str | None:
    """The handler of the end that began because of a failure; ``jobs``: those of the run."""
    began = {each["node"] for each in jobs if each["started_at"]}
    return next((node for node in _OF_FAILURES if node in began), None)


def _first_failed(look: RunLook) -> str | None:
    """The node to blame: that of the first exception, as everywhere; else the first that ended badly."""
    raised = sorted(look.exceptions, key=lambda each: int(each["id"]))
    nodes = [str(each["node"]) for each in raised if each.get("node") and not is_handler(str(each["node"]))]
    bad = [each for each in look.run["jobs"] if each["status"] in JOB_BAD and not is_handler(each["node"])]
    nodes += [each["node"] for each in sorted(bad, key=lambda each: each["ended_at"] or "")]
    return next((node_of(node) for node in nodes if look.jobs_of(node)), None)


def _way(text: str, node: str, look: RunLook) -> Remedy:
    return Remedy(text, target=Target("instance", str(look.run["instance"]), node), values={"node": node})
