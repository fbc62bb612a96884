"""What is recorded of a failure for people: its exception, how it was handled, and alerts."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from engine.model.errors import Failure, SkerryError
from engine.model.states import JobState
from engine.planning.names import is_within
from engine.runtime.alerts import raised_alert
from engine.runtime.run_state.job_identity import JobIdentity
from engine.runtime.run_state.run_context import RunContext
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.services import EngineServices
from engine.store.changes import UNKNOWN
from engine.store.filters import ExceptionFilter

OPEN, HANDLED = "open", "handled"
_PAGE = 1000


def of_job(
    services: EngineServices,
    facts: RunFacts,
    job: JobIdentity,
    attempt: int,
    worker: str,
    failure: Failure,
) -> int:
    """The exception of an attempt on ``worker``, or of a job that was not begun (attempt 0); its number."""
    _say(services, f"instance {facts.id} job {job.node} ({job.id})", failure)
    place = {"job": job.job.id, "node": job.node, "job_instance": job.id, "attempt": attempt or None}
    return _insert(services, facts, failure, {**place, "worker": worker if attempt else None})


def of_run(services: EngineServices, facts: RunFacts, failure: Failure) -> int:
    """The exception of a run that failed by itself, not by one of its jobs."""
    return _insert(services, facts, failure, {})


def _insert(services: EngineServices, facts: RunFacts, failure: Failure, place: Mapping[str, Any]) -> int:
    id = services.next_id("exception")
    services.changes.insert(
        "exception",
        {
            "id": id,
            "code": failure.code,
            "message": services.mask(failure.message),
            "created_at": services.now(),
            "task": facts.plan.task.id,
            "instance": facts.id,
            "run": facts.number,
            "details": services.mask(dict(failure.details)),
            **place,
        },
    )
    return id


def _say(services: EngineServices, what: str, failure: Failure) -> None:
    services.say(services.mask(f"{what}: error {failure.code}: {failure.message}"), logging.WARNING)


def asks(services: EngineServices, exception: int | None, failure: Failure) -> None:
    """A person shall decide: the exception stays open and says so."""
    if exception is not None:
        details = {**failure.details, "asks": True}
        services.changes.update("exception", exception, {"details": services.mask(details)})


def handled(
    services: EngineServices, exception: int | None, by: str, note: str, stored: str | None = None
) -> None:
    """What was done about an exception, and by whom; ``stored`` is its state as it was just read."""
    if exception is not None:
        before = _state(services, exception, stored, OPEN)
        done = {"handled_at": services.now(), "handled_by": by, "note": services.mask(note)}
        services.changes.move("exception", exception, before, HANDLED, done)


def settle_open(services: EngineServices, instance: int, nodes: Collection[str], by: str, note: str) -> None:
    """What is done now about an instance closes the open exceptions of these nodes and of its runs."""
    wanted, before = ExceptionFilter(instance=instance, status=OPEN), None
    while page := services.store.exceptions(wanted, before=before, limit=_PAGE):
        before = page[-1].id
        for row in page:
            if row.node is None or is_within(row.node, nodes):
                handled(services, row.id, by, note, row.status)
        if len(page) < _PAGE:
            return


def reopened(services: EngineServices, exception: int | None, note: str) -> None:
    """What was done about an exception has not helped: it is open."""
    if exception is not None:
        before = _state(services, exception, None, HANDLED)
        undone = {"handled_at": None, "handled_by": None, "note": services.mask(note)}
        services.changes.move("exception", exception, before, OPEN, undone)


def continues(services: EngineServices, exception: int | None, failure: Failure) -> None:
    """It is as it was: what was done about it has not helped, and no further exception is made of it."""
    if exception is not None:
        before = _state(services, exception, None, HANDLED)
        said = {
            "message": services.mask(failure.message),
            "handled_at": None,
            "handled_by": None,
            "note": None,
        }
        if before == HANDLED:
            services.changes.move("exception", exception, before, OPEN, said)
        else:
            services.changes.update("exception", exception, said)


def _state(services: EngineServices, exception: int, stored: str | None, usual: str) -> str:
    """The state of an exception that people change too, at any time."""
    known = services.turn.state("exception", exception)
    if known is not UNKNOWN:
        return str(known)
    if stored is None:
        with suppress(SkerryError):  # a damaged row, a server that is away: the transaction decides
            row = services.store.exception(exception)
            stored = row.status if row else None
    return stored or usual


def alert(
    run: RunContext, job: JobIdentity, state: JobState, kind: str, level: str, failure: Failure, message: str
) -> None:
    """A row that an operator acknowledges, an event, and a line of the execution log."""
    of = {"instance": run.facts.id, "run": run.facts.number, "job_instance": job.id}
    raised = raised_alert(run.services, kind, level, failure.code, message, **of)
    run.publish(job.node, job.id, state, kind="alert", index=job.index, **raised)
