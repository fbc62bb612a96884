"""The outcome of a stop or a failure: the state of the job and the failure recorded for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.model.codes.processes import TIMED_OUT
from engine.model.codes.recovery import BUSY
from engine.model.codes.runtime import CANCELLED, LOST, NO_WORKER, QUEUE_TIMEOUT, TASK_TIMED_OUT
from engine.model.errors import Failure
from engine.model.message import Message, facts_of, message_in, with_facts
from engine.model.reason import Reason
from engine.model.states import JobState
from engine.runtime.fibers import Stopped

_SPECIAL = {
    LOST.number: JobState.LOST,
    TIMED_OUT.number: JobState.TIMED_OUT,
    QUEUE_TIMEOUT.number: JobState.TIMED_OUT,
}
WAITING_STATES = {NO_WORKER.number: JobState.NO_WORKER, BUSY.number: JobState.BUSY}
NO_ATTEMPT = frozenset({*WAITING_STATES, QUEUE_TIMEOUT.number})  # nothing was tried: it never had a slot


@dataclass(frozen=True, slots=True)
class RetryNow:
    """A new attempt is to be made now."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How the job ends, other than by its own last attempt."""

    state: JobState
    failure: Failure | None
    reason: Reason | None = None


RETRY_NOW = RetryNow()


def state_for(failure: Failure | None) -> JobState:
    """The state that a job's own end leads to."""
    return JobState.SUCCEEDED if failure is None else _SPECIAL.get(failure.code, JobState.FAILED)


def state_of(stopped: Stopped) -> JobState:
    if stopped.kind == "no_worker":
        return JobState.FAILED
    timed_out = stopped.kind in ("timed_out", "queue_timeout")
    return JobState.TIMED_OUT if timed_out else JobState.CANCELLED


def failure_of(stopped: Stopped) -> Failure:
    if stopped.kind == "no_worker" and stopped.failure is not None:
        return stopped.failure
    if stopped.kind == "queue_timeout":
        return Failure.new(QUEUE_TIMEOUT, "no slot became free within its queue timeout")
    if stopped.kind == "timed_out":
        return Failure.new(TASK_TIMED_OUT, stopped.why or "it took longer than its timeout")
    return cancelled(stopped.actor) if stopped.why is None else Failure.new(CANCELLED, stopped.why)


def cancelled(actor: str) -> Failure:
    return Failure.new(CANCELLED, "cancelled by {who}", who=actor)


def written(stopped: Stopped, mask: Callable[[Any], Any]) -> dict[str, Any]:
    """A stop for the store, so that the next engine goes on with it: a secret may be a word like a key."""
    why = mask(stopped.why)
    payload: dict[str, Any] = {"kind": stopped.kind, "actor": mask(stopped.actor), "why": why}
    payload["why_facts"] = facts_of(why)
    failure = stopped.failure
    if failure is None:
        return payload
    code, retryable = failure.code, failure.retryable
    return {
        **payload,
        "failure": with_facts({"code": code, "message": mask(failure.message), "retryable": retryable}),
    }


def from_json(tree: Mapping[str, Any]) -> Stopped:
    """A stop that an earlier engine wrote down."""
    failure, why = tree.get("failure"), tree["why"]
    return Stopped(
        tree["kind"],
        tree["actor"],
        why and Message.read(tree.get("why_facts"), why),
        failure and Failure(failure["code"], message_in(failure, "message"), failure["retryable"]),
    )
