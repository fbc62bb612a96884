"""The ``approve`` job: asks people, and waits for an answer or for the end of its deadline."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from engine.context.line import ENGINE
from engine.model.codes.jobs import REJECTED
from engine.model.codes.processes import TIMED_OUT
from engine.model.control import ApproveKeys
from engine.model.errors import Failure, SkerryError
from engine.model.expression import as_text
from engine.model.job import JobKeys
from engine.model.plain_words import quoted
from engine.model.question import Answer, Question
from engine.model.states import JobState
from engine.runtime.elapsed import iso
from engine.runtime.fibers import Coroutine, Signal
from engine.runtime.jobs.job_failures import JobFailures

_LOOK = 60.0  # seconds: the wall clock may jump


class AskedAttempt(NamedTuple):
    """The number of the attempt, and when an earlier engine began it (ISO 8601); None: this one does."""

    attempt: int
    began: str | None


def asked(failures: JobFailures, keys: ApproveKeys, asking: AskedAttempt) -> Coroutine[dict[str, Any]]:
    """The results of the answer; SkerryError when the deadline passes and nothing counts otherwise.

    An answer that was given under an earlier engine, or while none ran, is followed at once.
    """
    kept = _asked_before(failures, asking)
    due = _due(keys, kept["asked"])
    until = None if due is None else failures.services.local(due)
    question = Question(as_text(keys.question), keys.choices, keys.fails_on, keys.note, keys.value, until)
    if kept.get("answer") is None:
        failures.row.to(JobState.WAITING, question.reason())
        yield from _answered(failures, due)
    answer = (failures.handling.question or {}).get("answer")
    if answer is None:
        answer = _otherwise(failures, keys).results()
    return Answer.read(answer).results()


def _asked_before(failures: JobFailures, asking: AskedAttempt) -> Mapping[str, Any]:
    """What is kept of this attempt's question; a further attempt asks again.

    A database made anew from the directories has lost it: then it was asked when the attempt began.
    """
    kept = failures.handling.question
    if kept is None or kept.get("attempt") != asking.attempt:
        since = asking.began or iso(failures.services.clock.now())
        kept = {"attempt": asking.attempt, "asked": since}
        failures.change(question=kept)
        failures.write()
    return kept


def _due(keys: ApproveKeys, asked_at: str) -> datetime | None:
    if keys.deadline is None:
        return None
    return datetime.fromisoformat(asked_at) + timedelta(seconds=keys.deadline)


def _answered(failures: JobFailures, due: datetime | None) -> Coroutine[None]:
    """Until there is an answer, or the wall clock says ``due``."""
    services, id = failures.services, failures.entry.identity.id
    while "answer" not in (failures.handling.question or {}):
        left = None if due is None else (due - services.clock.now()).total_seconds()
        if left is not None and left <= 0:
            return
        signal = Signal()
        services.questions[id] = partial(_take, failures, signal)
        timer = None if left is None else services.loop.later(min(left, _LOOK), signal.fire)
        try:
            yield signal
        finally:
            services.questions.pop(id, None)
            if timer is not None:
                timer.cancel()


def _take(failures: JobFailures, signal: Signal, answer: Mapping[str, Any]) -> None:
    """Write the answer down with this turn; what follows from it may come later."""
    failures.services.questions.pop(failures.entry.identity.id, None)
    failures.change(question={**(failures.handling.question or {}), "answer": dict(answer)})
    failures.write()
    signal.fire()


def _otherwise(failures: JobFailures, keys: ApproveKeys) -> Answer:
    if keys.otherwise is None:
        raise SkerryError(TIMED_OUT, "nobody answered within {seconds:g} s", seconds=keys.deadline)
    instance, node = failures.run.facts.id, failures.entry.identity.node
    subject = f"instance {instance}"
    failures.services.changes.act(ENGINE, "approve", subject, node=node, choice=keys.otherwise)
    return Answer(keys.otherwise)


def refused(keys: JobKeys, results: Mapping[str, Any]) -> Failure | None:
    """The failure of an answer that fails its job."""
    if not isinstance(keys, ApproveKeys) or results.get("choice") not in keys.fails_on:
        return None
    choice, by, note = (results.get(name) for name in ("choice", "by", "note"))
    if by is None:
        message = "{choice} counts: nobody answered in time"
    else:
        message = "{by} chose {choice}: {note}" if note else "{by} chose {choice}"
    return Failure.new(REJECTED, message, choice=quoted(choice), by=by, note=note)
