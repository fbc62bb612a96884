"""Why a job did not run at a moment of the past, from the context of then and the task itself; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from app.desktop.kernel.reasons import message_then, reason_of
from app.desktop.run.node_states import by_node
from engine.api.documents import JobDocument
from engine.api.waiting_reason import behind
from engine.context.timeline import JobKey, Moment
from engine.model.catalogue import engine_code
from engine.model.errors import Failure
from engine.model.job import Retry
from engine.model.quantities import seconds
from engine.model.reason import Kind, Reason
from engine.model.states import JOB_ENDED
from engine.planning.recovery import next_attempt

_PENDING = "pending"
Keys = Mapping[str, Any]


def reason_then(
    job: JobDocument, at: Moment, parents: Mapping[str, Sequence[str]], keys: Keys
) -> Reason | None:
    """``parents`` of each node, ``keys`` of the definition of this one.

    A job that was skipped by then was so for the reason that it still has.
    """
    key = JobKey(job["node"], job["round"], job["index"])
    status, entry = at.statuses.get(key, _PENDING), at.entry(key) or {}
    if status == "skipped" and job["status"] == status:
        return reason_of(job)
    if status == "retrying":
        return _next_attempt(job, entry, keys)
    if status == "running":
        return _what_it_waits_for(entry, keys)
    if status != _PENDING:
        return None
    states = {node: state.status for node, state in by_node(at.statuses).items()}
    before = [node for node in parents.get(job["node"], ()) if states.get(node) not in JOB_ENDED]
    return behind(before, parents, states) if before else Reason(Kind.TURN)


def _next_attempt(job: JobDocument, entry: Keys, keys: Keys) -> Reason:
    """By the job's own ``retry``; of another one (a rule, recovery) the log does not keep the time."""
    message, code = message_then(job, entry), entry.get("ERROR_CODE")
    with suppress(ValidationError, TypeError, ValueError, OverflowError):
        retry = Retry.model_validate(keys.get("retry") or {})
        attempt, ended = int(entry["ATTEMPT"]), datetime.fromisoformat(str(entry.get("END_TIME")))
        known = engine_code(int(code or 0))
        failure = Failure(
            int(code or 0), message, known is None or known.retryable, exit_status=entry.get("EXIT_CODE")
        )
        delay = next_attempt(retry, attempt, failure)
        if delay is not None:
            due = (ended + timedelta(seconds=delay)).isoformat()
            which = {"attempt": attempt + 1, "of": retry.times + 1}
            return Reason.of(Kind.RETRY, seconds=delay, message=message, at=due, **which)
    return Reason(Kind.TRIED_AGAIN)


def _what_it_waits_for(entry: Keys, keys: Keys) -> Reason | None:
    """Of what holds no slot; None of a job that works, and of what only an expression says."""
    kind = keys.get("type")
    child = (entry.get("RESULT") or {}).get("instance")
    if kind == "task" and isinstance(child, int):
        return Reason.of(Kind.SUB_TASK, instance=child)
    if kind == "approve" and "{" not in str(keys.get("question")):
        choices = list(keys.get("choices") or ("approve", "reject"))
        return Reason.of(Kind.QUESTION, question=str(keys.get("question")), choices=choices)
    if kind != "wait":
        return None
    if "until_true" in keys:
        return Reason(Kind.WAIT_CONDITION)
    with suppress(TypeError, ValueError, OverflowError):  # an expression, whose value the log does not keep
        began = datetime.fromisoformat(str(entry.get("START_TIME")))
        if "until" in keys:
            return Reason.of(Kind.WAIT_UNTIL, until=datetime.fromisoformat(str(keys["until"])).isoformat())
        lasts = seconds(keys["for"])
        return Reason.of(Kind.WAIT_FOR, seconds=lasts, until=(began + timedelta(seconds=lasts)).isoformat())
    return None
