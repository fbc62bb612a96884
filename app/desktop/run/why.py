"""Why a job or an instance does not run, in words, with the thing that blocks it; pure.

The engine's documents say it in short, stable words; here they become sentences of the window's language
and a place to go to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.desktop.kernel.console import Target
from app.desktop.kernel.pauses import paused
from engine.api.documents import Document, JobDocument, RunDocument
from engine.model.states import INSTANCE_UNFINISHED


@dataclass(frozen=True, slots=True)
class Why:
    """``text`` is an English source text for ``tr``, its values apart; ``blocker`` is what to look at.

    ``link`` says in the same way where the blocker leads.
    """

    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    blocker: Target | None = None
    link: str = ""


class Around(NamedTuple):
    """What is known around a job: its instance, the queue, open exceptions, job instance by node."""

    run: RunDocument
    queue: Document = {}
    exceptions: Sequence[Document] = ()


def why_job(job: JobDocument, around: Around) -> Why | None:
    """Why this job does not run now; None for one that runs or has run."""
    told = _ANSWERS.get(job["status"])
    return told(job, around) if told else None


def why_instance(around: Around) -> Why | None:
    """Why nothing of an unfinished instance runs; None when something does, or when it has ended."""
    status = around.run["status"]
    if status == "planned":
        return Why("Its time has not come: it is planned for {time}.", {"time": around.run["scheduled_time"]})
    if status not in INSTANCE_UNFINISHED:
        return None
    if status == "paused":
        return _paused(around, around.run.get("reason") or "")
    if after := re.fullmatch(r"runs again after instance (\d+)(.*)", around.run.get("reason") or ""):
        place = Target("instance", after[1])
        return Why("It runs again after instance {n}.", {"n": after[1] + after[2]}, place, "Show it")
    if any(job["status"] == "running" for job in around.run["jobs"]):
        return None
    held = [job for job in around.run["jobs"] if job["status"] in _ANSWERS and job["status"] not in _LATER]
    reasons = [found for job in held if (found := why_job(job, around)) is not None]
    return reasons[0] if reasons else _WHOLE[status]


_LATER = ("pending", "skipped")
_WHOLE = {
    "waiting": Why("It waits for its time, for other tasks, or for its next attempt."),
    "running": Why("Its next job is about to start."),
}
_HELD = "the instance is "  # how the engine begins the reason of a job that a pause holds


def _paused(around: Around, reason: str) -> Why:
    """Somebody has paused the instance; ``reason`` is how the engine says so."""
    told = paused(reason)
    if told.holder is not None:
        return Why(told.text, told.values, Target("instance", told.holder), "Show instance {n}")
    place = Target("instance", str(around.run["instance"]), detail="resume")
    return Why(told.text, told.values, place, "Let it go on…")


# -- by status -------------------------------------------------------------------------------------


def _pending(job: JobDocument, around: Around) -> Why:
    reason = job["reason"] or ""
    if reason.startswith(_HELD):
        return _paused(around, reason.removeprefix(_HELD))
    parents = reason.removeprefix("waits for ").split(", ") if reason.startswith("waits for ") else []
    by_node = {each["node"]: each for each in around.run["jobs"]}
    known = [parent for parent in parents if parent in by_node]
    if not known:
        return Why("Its turn has not come yet.")
    root = _root(by_node, known[0])
    nodes = ", ".join(known)
    if root["node"] in known:
        text = "It starts after {nodes}, which has not ended ({status})."
    else:
        text = "It starts after {nodes}; what holds that up is {root} ({status})."
    values = {"nodes": nodes, "root": root["node"], "status": root["status"]}
    return Why(text, values, _node(around, root), "Show {root}")


def _root(by_node: Mapping[str, JobDocument], node: str) -> JobDocument:
    """The job at the beginning of a row of waiting ones."""
    seen: set[str] = set()
    job = by_node[node]
    while job["status"] == "pending" and job["node"] not in seen:
        seen.add(job["node"])
        before = (job["reason"] or "").removeprefix("waits for ").split(", ")
        following = next((each for each in before if each in by_node), None)
        if following is None:
            break
        job = by_node[following]
    return job


def _waiting(job: JobDocument, around: Around) -> Why:
    asked = _exception(job, around)
    if asked is not None:
        text = "It failed and waits for your answer: retry, skip, or settle it by hand."
        place = Target("exception", str(asked["id"]))
        return Why(text, {"id": asked["id"]}, place, "Answer exception {id}")
    rule = re.fullmatch(r"rule (?P<rule>[^:]+): (?P<what>.*)", job["reason"] or "", re.DOTALL)
    if rule:
        text = "Handling rule {rule} holds it: {what}"
        return Why(text, rule.groupdict(), Target("rule", rule["rule"]), "Show rule {rule}")
    child = job["results"].get("instance")
    if isinstance(child, int):
        text = "It waits for the end of the sub-task that it started, instance {child}."
        return Why(text, {"child": child}, Target("instance", str(child)), "Show instance {child}")
    return _wait(job, around)


def _wait(job: JobDocument, around: Around) -> Why:
    reason = job["reason"] or ""
    if reason == "waits until its condition holds":
        told = Why("It waits until its condition holds; it is looked at again and again.")
    elif found := re.fullmatch(r"waits until (.*)", reason, re.DOTALL):
        told = Why("It waits until {time}.", {"time": found[1]})
    elif found := re.fullmatch(r"waits (\S+) s", reason):
        told = Why("It waits {count} seconds since {since}.", {"count": found[1], "since": job["started_at"]})
    else:
        told = Why("It waits: {reason}", {"reason": reason})
    place = Target("task", around.run["task"], job["node"], "definition")
    return Why(told.text, told.values, place, "Show its definition")


def _queued(job: JobDocument, around: Around) -> Why:
    queue, reason = around.queue, job["reason"] or ""
    if reason.startswith(_HELD):
        return _paused(around, reason.removeprefix(_HELD))
    place = Target("queue", str(job["instance"]))
    if queue.get("paused"):
        return Why("The queue is paused: nothing more starts.", {}, place, "Show the queue")
    number = next((at for at, each in enumerate(queue.get("waiting", ()), 1) if _is(each, job)), None)
    if number is None:
        return Why("It waits for a free place.", {}, place, "Show the queue")
    holders = ", ".join(f"#{each['instance']} {each['node']}" for each in queue.get("running", ())[:3])
    values = {"number": number, "count": len(queue["waiting"]), "places": queue.get("places"), "who": holders}
    text = "It is number {number} of {count} in the queue. Places: {places}; taken by {who}."
    if not holders:
        text = "It is number {number} of {count} in the queue."
    return Why(text, values, place, "Show the queue")


def _busy(job: JobDocument, around: Around) -> Why:
    reason = job["reason"] or ""
    found = re.search(r"job instance (\d+)", reason)
    running = around.queue.get("running", ())
    holder = next((each for each in running if found and each["job_instance"] == int(found[1])), None)
    if holder is None:
        holder = next((each for each in running if each["job"] == job["job"]), None)
    if holder is None:
        text = "Its worker is busy: {reason}"
        return Why(text, {"reason": reason}, Target("queue", str(job["instance"])), "Show the queue")
    values = {"instance": holder["instance"], "node": holder["node"]}
    place = Target("instance", str(holder["instance"]), holder["node"])
    if found:
        text = "It waits for the end of {node} in instance {instance}, which is exclusive."
    else:
        text = "Its worker still runs {node} of instance {instance}."
    return Why(text, values, place, "Show {node} of instance {instance}")


def _no_worker(job: JobDocument, around: Around) -> Why:
    return Why("No worker is there to run it. {reason}", {"reason": job["reason"] or ""},
               Target("queue", str(job["instance"])), "Show the workers")  # fmt: skip


def _retrying(job: JobDocument, around: Around) -> Why:
    due = re.search(r" at (\S+)$", job["reason"] or "")
    values = {"code": job["error_code"], "time": due[1] if due else "", "attempt": job["attempt"]}
    text = "Attempt {attempt} failed; it is tried again at {time}." if due else (
        "Attempt {attempt} failed; it is tried again.")  # fmt: skip
    code = Target("code", str(job["error_code"])) if job["error_code"] is not None else None
    return Why(text, values, code, "Show error {code}" if code else "")


def _checking(job: JobDocument, around: Around) -> Why:
    place = Target("task", around.run["task"], job["node"], "definition")
    return Why("It was started; its outcome is looked for later.", {}, place, "Show its definition")


_SKIPPED = {
    "branch": "It was skipped: the condition took another branch.",
    "when": "It was skipped: its “when” did not hold.",
    "parents_skipped": "It was skipped: all that it comes after was skipped.",
    "parent_failed": "It could not run: {nodes} failed.",
    "none_failed": "It was skipped: it only runs when something failed.",
    "stopped": "It was skipped: the run was stopped.",
    "disabled": "It is switched off in the definition.",
    "by hand": "It was skipped by hand: {nodes}",
}


def _skipped(job: JobDocument, around: Around) -> Why:
    word, _, nodes = (job["reason"] or "").partition(": ")
    text = _SKIPPED.get(word)
    if text is None:
        return Why("It was skipped: {reason}", {"reason": job["reason"] or ""})
    by_node = {each["node"]: each for each in around.run["jobs"]}
    first = next((by_node[each] for each in nodes.split(", ") if each in by_node), None)
    if first is None:
        return Why(text, {"nodes": nodes})
    root = _cause_of_skip(by_node, first)
    return Why(text, {"nodes": nodes, "root": root["node"]}, _node(around, root), "Show {root}")


def _cause_of_skip(by_node: Mapping[str, JobDocument], job: JobDocument) -> JobDocument:
    seen: set[str] = set()
    while job["status"] == "skipped" and job["node"] not in seen:
        seen.add(job["node"])
        nodes = (job["reason"] or "").partition(": ")[2].split(", ")
        job = next((by_node[each] for each in nodes if each in by_node), job)
    return job


_ANSWERS: Mapping[str, Any] = {
    "pending": _pending,
    "waiting": _waiting,
    "queued": _queued,
    "busy": _busy,
    "no_worker": _no_worker,
    "retrying": _retrying,
    "checking": _checking,
    "skipped": _skipped,
}


def _exception(job: JobDocument, around: Around) -> Document | None:
    """The open exception to which this job waits for an answer."""
    own = (each for each in around.exceptions if each.get("job_instance") == job["instance"])
    return next((each for each in own if each.get("asks")), None)


def _is(entry: Document, job: JobDocument) -> bool:
    return bool(entry["job_instance"] == job["instance"])


def _node(around: Around, job: JobDocument) -> Target:
    return Target("instance", str(around.run["instance"]), job["node"])


def unfinished(run: RunDocument) -> Iterator[JobDocument]:
    """The jobs that have not ended, in the order of the task."""
    return (job for job in run["jobs"] if job["status"] in _ANSWERS and job["status"] != "skipped")
