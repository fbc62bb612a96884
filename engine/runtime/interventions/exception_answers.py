"""Operator commands on exceptions and alerts: answer, handle, acknowledge."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from engine.model.codes.recovery import NO_SUCH_ALERT, NO_SUCH_EXCEPTION, NOT_ASKING, REASON_NEEDED
from engine.model.errors import Invalid, Refused
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.jobs.operator_answer import OperatorAnswer, Word
from engine.runtime.run_state import exceptions
from engine.runtime.runs.control import RunControl
from engine.store.changes import UNKNOWN
from engine.store.rows import ExceptionRow

_PAGE = 1000


def handle(
    control: RunControl, exception: int, answer: Word | None, reason: str, actor: str
) -> dict[str, Any]:
    """Close an exception with a reason; with an ``answer`` the job that waits for one goes on.

    Invalid without a reason or for an unknown number, Refused when the job waits for no answer.
    """
    if not reason.strip():
        raise Invalid(REASON_NEEDED, "a reason is needed: --reason TEXT", where=str(exception))
    return in_turn(control.services, (), lambda: _handle(control, exception, answer, reason, actor))


def _handle(
    control: RunControl, exception: int, answer: Word | None, reason: str, actor: str
) -> dict[str, Any]:
    row = found(control, exception)
    if answer is not None:
        signal = control.services.asking.get(row.job_instance or 0)
        if signal is None:
            message = "the job of exception {where} does not wait for an answer"
            raise Refused.at(NOT_ASKING, message, exception)
        signal.fire(OperatorAnswer(answer, reason, actor))
    note = f"{answer}: {reason}" if answer else reason
    control.services.changes.act(actor, "handle", f"exception {exception}", answer=answer)
    exceptions.handled(control.services, exception, actor, note, row.status)
    return {"exception": exception, "status": exceptions.HANDLED, "answer": answer, "note": note}


def found(control: RunControl, exception: int) -> ExceptionRow:
    """One exception; Invalid when there is none of that number."""
    row = control.store.exception(exception)
    if row is None:
        raise Invalid.at(NO_SUCH_EXCEPTION, "there is no exception {where}", exception)
    return row


def acknowledge(control: RunControl, ids: Collection[int] | None, actor: str) -> dict[str, Any]:
    """Mark these alerts (None: all) as seen: ``{"acknowledged": [id, …]}`` of those that were not."""
    return in_turn(control.services, (), lambda: _acknowledge(control, ids, actor))


def _acknowledge(control: RunControl, ids: Collection[int] | None, actor: str) -> dict[str, Any]:
    for id in ids or ():
        if control.store.alert(id) is None:
            raise Invalid.at(NO_SUCH_ALERT, "there is no alert {where}", id)
    turn, now = control.services.turn, control.services.now()
    news = [id for id in _open_alerts(control) if ids is None or id in ids]
    news = [id for id in news if turn.state("alert", id) in (UNKNOWN, None)]  # else it is being written
    for id in news:
        control.services.changes.move("alert", id, None, now, {"acknowledged_by": actor})
    if news:
        control.services.changes.act(actor, "acknowledge", "alerts", ids=sorted(news))
    return {"acknowledged": sorted(news)}


def _open_alerts(control: RunControl) -> list[int]:
    found: list[int] = []
    while page := control.store.alerts(acknowledged=False, before=found[-1] if found else None, limit=_PAGE):
        found += (row.id for row in page)
    return found
