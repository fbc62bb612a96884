"""Why jobs wait in line, with what the queue knows of it: the same facts for window and command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from engine.api.documents import Document, JobDocument, RunDocument
from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import JOB_ENDED, JOB_IN_LINE, JobState
from engine.model.worker import LOCAL

_NAMED = 3  # of those that have a slot
_HERE = [LOCAL]
_PENDING = str(JobState.PENDING)
_Entry = Mapping[str, Any]


def behind(nodes: Sequence[str], parents: Mapping[str, Sequence[str]], states: Mapping[str, str]) -> Reason:
    """It comes after these nodes, at least one: the first with its state, or what holds that up with its own.

    ``states``: of every node that has one; without one it is pending.
    """
    root, seen = nodes[0], set[str]()
    while states.get(root, _PENDING) == _PENDING:
        seen.add(root)
        before = (each for each in parents.get(root, ()) if states.get(each) not in JOB_ENDED)
        further = next((each for each in before if each not in seen), None)
        if further is None:
            break
        root = further
    state = states.get(root, _PENDING)
    if list(nodes) == [root]:
        return Reason.of(Kind.PARENTS, nodes=list(nodes), status=state)
    return Reason.of(Kind.PARENTS, nodes=list(nodes), root=root, state=state)


def waits_in_line(run: RunDocument) -> bool:
    """Whether the queue knows more of any of its jobs."""
    return any(job["status"] in JOB_IN_LINE for job in run["jobs"])


def with_queue(run: RunDocument, queue: Document) -> RunDocument:
    """The document with the reasons of its jobs as ``in_line`` has them; ``queue`` as ``Service.queue``."""
    jobs = [cast(JobDocument, {**job, **_said(job, queue)}) for job in run["jobs"]]
    return cast(RunDocument, {**run, "jobs": jobs})


def _said(job: JobDocument, queue: Document) -> Mapping[str, Any]:
    if job["status"] not in JOB_IN_LINE or job["instance"] is None:
        return {}
    reason = Reason.read(job.get("why"), job.get("reason"))
    if reason is None:
        return {}
    return said(in_line(reason, job["instance"], queue))


def in_line(reason: Reason, job_instance: int, queue: Document) -> Reason:
    """A reason with its place in the queue, or with who holds the worker since when."""
    if reason.kind in (Kind.EXCLUSIVE, Kind.STILL_RUNS):
        holder = int(reason.facts.get("job_instance", job_instance))
        return _held(reason, holder, queue.get("running", ()))
    if reason.kind not in (Kind.SLOT, Kind.EXCLUSIVE_NEXT):
        return reason
    if reason.kind is Kind.SLOT and queue.get("paused"):
        return Reason(Kind.QUEUE_PAUSED)
    return _for_a_slot(reason, job_instance, queue)


def _for_a_slot(reason: Reason, job_instance: int, queue: Document) -> Reason:
    line: Sequence[_Entry] = queue.get("waiting", ())
    own = next((each for each in line if each["job_instance"] == job_instance), None)
    if own and (why := Reason.read(own.get("why"), None)) and why.kind is Kind.CONNECTS:
        return why
    workers = _workers(own or {})
    if not workers:
        return reason
    rivals = [each["job_instance"] for each in line if not workers.isdisjoint(_workers(each))]
    running = [each for each in queue.get("running", ()) if (each.get("worker") or LOCAL) in workers]
    holders = [*map(_name, running[:_NAMED]), *(["…"] if running[_NAMED:] else [])]
    return Reason.of(
        reason.kind,
        on=elsewhere(own or {}),
        number=rivals.index(job_instance) + 1 if own else None,
        count=len(rivals) if own else None,
        holders=holders or reason.facts.get("holders"),
        next=_next(workers, line) if reason.kind is Kind.SLOT else None,
    )


def _next(workers: set[str], line: Sequence[_Entry]) -> str | None:
    """The exclusive one whose turn has come at all of these workers: nothing passes it there."""
    kept = [each for each in line if (each.get("why") or {}).get("kind") == Kind.EXCLUSIVE_NEXT]
    if not kept or not workers <= set().union(*map(_workers, kept)):
        return None
    return next(_name(each) for each in kept if not workers.isdisjoint(_workers(each)))


def _name(entry: _Entry) -> str:
    member = "" if entry.get("index") is None else f"[{entry['index']}]"
    return f"#{entry['instance']} {entry['node']}{member}"


def elsewhere(entry: _Entry) -> list[str] | None:
    """The workers that a line of the queue waits for; None where that is this machine, or nobody knows."""
    workers = list(entry.get("workers") or _HERE)
    return None if workers == _HERE else workers


def on_other_workers(queue: Mapping[str, Any]) -> int:
    """How many jobs run elsewhere than on this machine, where the queue counts its slots."""
    return sum((each.get("worker") or LOCAL) != LOCAL for each in queue.get("running", ()))


def _workers(entry: _Entry) -> set[str]:
    """Empty where nobody knows which: no engine runs, or it has only begun."""
    return set(entry.get("workers", _HERE) or ())


def _held(reason: Reason, holder: int, running: Sequence[_Entry]) -> Reason:
    entry = next((each for each in running if each["job_instance"] == holder), None)
    if entry is None:
        return reason
    known = {name: entry.get(name) for name in ("instance", "node", "since")}
    return Reason.of(reason.kind, **{**reason.facts, **known})
