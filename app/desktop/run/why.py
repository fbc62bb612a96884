"""Why a job or an instance does not run, with the thing that blocks it; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.desktop.kernel.console import Target
from app.desktop.kernel.reasons import reason_of
from app.desktop.run.reading import RunLook
from engine.api.documents import Document, JobDocument
from engine.model.pausing import PAUSES, holder
from engine.model.reason import HOLDS_UP, Kind, Reason
from engine.model.states import INSTANCE_UNFINISHED

_UNKNOWN_THERE = (Kind.STILL_RUNS_THERE, Kind.EXCLUSIVE_THERE)


@dataclass(frozen=True, slots=True)
class Why:
    """``blocker`` is what to look at; ``link`` is an English source text for ``tr`` that says, with
    ``values``, where that leads.
    """

    reason: Reason
    values: Mapping[str, object] = field(default_factory=dict)
    blocker: Target | None = None
    link: str = ""


def why_job(job: JobDocument, look: RunLook) -> Why | None:
    """Why this job does not run now; None for one that has run, or runs and nothing holds it up."""
    answer = _ANSWERS.get(job["status"])
    return answer(job, look) if answer else None


def why_instance(look: RunLook) -> Why | None:
    """Why nothing of an unfinished instance runs; None when something does, or when it has ended."""
    status = look.run["status"]
    if status == "planned":
        return Why(Reason.of(Kind.PLANNED, at=look.run["scheduled_time"]))
    if status not in INSTANCE_UNFINISHED:
        return None
    reason = reason_of(look.run)
    if status == "paused":
        return _paused(look, reason or Reason(Kind.PAUSED))
    if reason is not None and reason.kind is Kind.RUNS_AGAIN:
        return Why(reason, {}, Target("instance", str(reason.facts["instances"][0])), "Show it")
    if reason is not None and reason.kind is Kind.TASK_RETRY:
        return Why(reason)
    if status == "waiting" and reason is not None and reason.kind in _BEFORE:
        return Why(reason)
    if any(job["status"] == "running" for job in look.run["jobs"]):
        return None
    held = [job for job in look.run["jobs"] if job["status"] in _ANSWERS and job["status"] not in _LATER]
    reasons = [found for job in held if (found := why_job(job, look)) is not None]
    return reasons[0] if reasons else _WHOLE[status]


_BEFORE = frozenset({
    Kind.EARLIER, Kind.UPSTREAMS, Kind.UPSTREAM_UNFINISHED, Kind.UPSTREAM_MISSING, Kind.UPSTREAM_NOT_RUN,
    Kind.UPSTREAM_BAD,
})  # fmt: skip
_LATER = ("pending", "skipped")
_WHOLE = {
    "waiting": Why(Reason(Kind.WAITS)),
    "running": Why(Reason(Kind.ABOUT_TO_START)),
}


def _paused(look: RunLook, reason: Reason) -> Why:
    """A person has paused the instance, or one of which it is a sub-task."""
    above = holder(reason)
    if above is not None:
        return Why(reason, {"n": above}, Target("instance", str(above)), "Show instance {n}")
    place = Target("instance", str(look.run["instance"]), detail="resume")
    return Why(reason, {}, place, "Let it go on…")


# -- by status -------------------------------------------------------------------------------------


def _pending(job: JobDocument, look: RunLook) -> Why:
    reason = reason_of(job) or Reason(Kind.TURN)
    if reason.kind in PAUSES:
        return _paused(look, reason)
    root = reason.facts.get("root") or next(iter(reason.facts.get("nodes", ())), None)
    if root is None:
        return Why(reason)
    return Why(
        reason, {"root": root}, Target("instance", str(look.run["instance"]), str(root)), "Show {root}"
    )


def _known(job: JobDocument, by_node: Mapping[str, JobDocument]) -> list[JobDocument]:
    """The jobs because of which this one was skipped."""
    reason = reason_of(job)
    nodes = reason.facts.get("nodes", ()) if reason is not None else ()
    return [by_node[each] for each in nodes if each in by_node]


def _root(by_node: Mapping[str, JobDocument], job: JobDocument) -> JobDocument:
    """The job at the beginning of a row of jobs of which each was skipped because of the one before it."""
    seen: set[str] = set()
    while job["status"] in _LATER and job["node"] not in seen:
        seen.add(job["node"])
        job = next(iter(_known(job, by_node)), job)
    return job


def _waiting(job: JobDocument, look: RunLook) -> Why:
    asked = _exception(job, look)
    if asked is not None:
        reason = reason_of(job) or Reason(Kind.ANSWER)
        return Why(
            reason, {"id": asked["id"]}, Target("exception", str(asked["id"])), "Answer exception {id}"
        )
    reason = reason_of(job) or Reason(Kind.WAIT_CONDITION)
    rule = reason.facts.get("rule")
    if rule is not None:
        return Why(reason, {"rule": rule}, Target("rule", str(rule)), "Show rule {rule}")
    if reason.kind is Kind.SUB_TASK:
        child = reason.facts["instance"]
        return Why(reason, {"child": child}, Target("instance", str(child)), "Show instance {child}")
    return Why(reason, {}, Target("task", look.run["task"], job["node"], "definition"), "Show its definition")


def _queued(job: JobDocument, look: RunLook) -> Why:
    reason = reason_of(job) or Reason(Kind.SLOT)
    if reason.kind in PAUSES:
        return _paused(look, reason)
    return Why(reason, {}, Target("queue", str(job["instance"])), "Show the queue")


def _busy(job: JobDocument, look: RunLook) -> Why:
    reason = reason_of(job) or Reason(Kind.BUSY)
    if reason.kind in _UNKNOWN_THERE:
        worker = str(reason.facts.get("worker"))
        return Why(reason, {"worker": worker}, Target("worker", worker), "Show worker {worker}")
    number = reason.facts.get("job_instance")
    running = look.queue.get("running", ())
    holder = next((each for each in running if each["job_instance"] == number), None)
    if holder is None and reason.kind is not Kind.EXCLUSIVE_NEXT:
        holder = next((each for each in running if each["job"] == job["job"]), None)
    if holder is None:
        return Why(reason, {}, Target("queue", str(job["instance"])), "Show the queue")
    place = Target("instance", str(holder["instance"]), holder["node"])
    values = {"instance": holder["instance"], "node": holder["node"]}
    return Why(reason, values, place, "Show {node} of instance {instance}")


def _no_worker(job: JobDocument, look: RunLook) -> Why:
    reason = reason_of(job) or Reason(Kind.NO_WORKER)
    return Why(reason, {}, Target("worker"), "Show the workers")


def _retrying(job: JobDocument, look: RunLook) -> Why:
    reason = reason_of(job) or Reason(Kind.TRIED_AGAIN)
    if job["error_code"] is None:
        return Why(reason)
    return Why(
        reason, {"code": job["error_code"]}, Target("code", str(job["error_code"])), "Show error {code}"
    )


def _running(job: JobDocument, look: RunLook) -> Why | None:
    """Its worker is not reached, or its files wait for room."""
    reason = reason_of(job)
    if reason is None or reason.kind not in HOLDS_UP:
        return None
    worker = job["worker"]
    if worker is None:  # of an event that came before it was known
        return Why(reason, {}, Target("worker"), "Show the workers")
    return Why(reason, {"worker": worker}, Target("worker", worker), "Show worker {worker}")


def _checking(job: JobDocument, look: RunLook) -> Why:
    reason, worker = reason_of(job) or Reason(Kind.CHECK), job["worker"]
    if worker is not None and "since" in reason.facts:
        return Why(reason, {"worker": worker}, Target("worker", worker), "Show worker {worker}")
    place = Target("task", look.run["task"], job["node"], "definition")
    return Why(reason, {}, place, "Show its definition")


def _skipped(job: JobDocument, look: RunLook) -> Why:
    reason = reason_of(job) or Reason(Kind.TEXT, {"text": job["status"]})
    by_node = {each["node"]: each for each in look.run["jobs"]}
    first = next(iter(_known(job, by_node)), None)
    if first is None:
        return Why(reason)
    root = _root(by_node, first)
    return Why(reason, {"root": root["node"]}, _node(look, root), "Show {root}")


_ANSWERS: Mapping[str, Any] = {
    "pending": _pending,
    "waiting": _waiting,
    "queued": _queued,
    "busy": _busy,
    "no_worker": _no_worker,
    "retrying": _retrying,
    "running": _running,
    "checking": _checking,
    "skipped": _skipped,
}


def _exception(job: JobDocument, look: RunLook) -> Document | None:
    """The open exception to which this job waits for an answer."""
    own = (each for each in look.exceptions if each.get("job_instance") == job["instance"])
    return next((each for each in own if each.get("asks")), None)


def _node(look: RunLook, job: JobDocument) -> Target:
    return Target("instance", str(look.run["instance"]), job["node"])
