"""The control job types condition, wait, approve, group and task; each a coroutine that gives its results."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from engine.model.codes.runtime import MEMBER_FAILED, WAIT_FOREVER
from engine.model.control import ApproveKeys, ConditionKeys, GroupKeys, SubTaskKeys, WaitKeys
from engine.model.errors import SkerryError
from engine.model.expression import looks_like_condition
from engine.model.job import JobKeys
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, JobState
from engine.model.times import moment_in
from engine.planning.rules import branch_key
from engine.runtime.fibers import Coroutine, Sleep
from engine.runtime.jobs import members, questions, resource_checks
from engine.runtime.jobs.attempt import Attempt
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.run_state.expression_scopes import is_reference, job_condition, job_value, reference_id

_FAILED = "task {task!r} (instance {instance}): {message}"
_FAILED_WITHIN = "task {task!r} (instance {instance}): … {message}"


def body(attempt: Attempt, settings: JobKeys) -> Coroutine[dict[str, Any]]:
    """The work of a control job; gives its own results by name."""
    entry, job_row, own = attempt.entry, attempt.execution.row, attempt.row
    match settings:
        case ConditionKeys():
            return (yield from _condition(entry, job_row, settings))
        case WaitKeys():
            began = own.began if own.taken_up else entry.services.clock.monotonic()
            return (yield from _wait(entry, job_row, settings, began))
        case ApproveKeys():
            asking = questions.AskedAttempt(own.number, entry.tree["START_TIME"] if own.taken_up else None)
            return (yield from questions.asked(attempt.execution.failures, settings, asking))
        case GroupKeys():
            return (yield from members.in_order(attempt.execution, members.of_group(entry, settings)))
    assert isinstance(settings, SubTaskKeys)
    return (yield from _task(entry, settings, own.number))


def recorded(entry: JobEntry, row: LiveJobRow) -> dict[str, Any]:
    """The results of a body that came to its end under an earlier engine."""
    results = dict(entry.tree["RESULT"])
    row.branch = results.get("branch") if entry.job.type == "condition" else row.branch
    return results


def truth(entry: JobEntry, condition: Any, why: str) -> Coroutine[bool]:
    """Whether a condition (a text, true, or ``{resource: id}``) holds."""
    if is_reference(condition):
        return (yield from resource_checks.holds(entry, reference_id(condition)))
    return (yield from job_condition(entry, condition, why))


def _condition(entry: JobEntry, row: LiveJobRow, keys: ConditionKeys) -> Coroutine[dict[str, Any]]:
    value: Any = keys.value
    if is_reference(value) or (isinstance(value, str) and looks_like_condition(value)):
        value = yield from truth(entry, value, "value")
    else:
        value = yield from job_value(entry, value, "value")
    row.branch = branch = branch_key(keys, value)
    return {"value": value, "branch": branch}


def _wait(entry: JobEntry, row: LiveJobRow, keys: WaitKeys, began: float) -> Coroutine[dict[str, Any]]:
    clock = entry.services.clock
    if keys.for_ is not None:
        left = max(keys.for_ - (clock.monotonic() - began), 0.0)
        until = entry.services.local(clock.now() + timedelta(seconds=left))
        row.to(JobState.WAITING, Reason.of(Kind.WAIT_FOR, seconds=keys.for_, until=until))
        yield Sleep(left)
    elif keys.until is not None:
        moment = _moment((yield from job_value(entry, keys.until, "until")))
        row.to(JobState.WAITING, Reason.of(Kind.WAIT_UNTIL, until=moment.isoformat()))
        while (left := (moment - clock.now()).total_seconds()) > 0:
            yield Sleep(min(left, 60.0))  # looked at again each minute: the wall clock may jump
    else:
        row.to(JobState.WAITING, Reason.of(Kind.WAIT_CONDITION, every=keys.every))
        while not (yield from truth(entry, keys.until_true, "until_true")):
            yield Sleep(keys.every)
    return {"waited": round(clock.monotonic() - began, 3)}


def _moment(value: Any) -> datetime:
    if (moment := moment_in(value)) is None:
        raise SkerryError(WAIT_FOREVER, "{value} is not a time", value=quoted(value))
    if moment.tzinfo is None:
        raise SkerryError(WAIT_FOREVER, "{value} has no offset", value=quoted(value))
    return moment


def _task(entry: JobEntry, keys: SubTaskKeys, attempt: int) -> Coroutine[dict[str, Any]]:
    stage, run = entry.job.process, entry.run
    task = keys.task or (str(stage.value) if stage is not None else "")
    params, begun = dict(entry.params), _started(entry, attempt)
    child = run.subtasks.subtask(run.facts, entry.identity.id, task, params, begun)
    entry.set(("RESULT", "instance"), child.id)
    entry.update(results={"instance": child.id})
    if not keys.wait:
        return {"instance": child.id}
    state, failure, results = yield members.End(child.on_end, child.stop)
    if state is not InstanceState.SUCCEEDED:
        said = failure.message if failure else Message.of(str(state))
        message = Message.of(_FAILED, task=task, instance=child.id, message=said)
        origin = failure and failure.origin  # what failed in the innermost, without all that pass it on
        text = Message.of(_FAILED_WITHIN, task=task, instance=child.id, message=origin) if origin else message
        raise SkerryError(MEMBER_FAILED, text, where=task, origin=origin or message)
    return {**results, "instance": child.id}


def _started(entry: JobEntry, attempt: int) -> int | None:
    """The instance that it started under an earlier engine; in a run that follows its rerun, that one."""
    begun: int | None = entry.tree["RESULT"].get("instance")
    identity, restart = entry.identity, entry.run.facts.restart
    if begun is None and attempt == identity.round == 1 and restart is not None:
        return restart.takes.get(identity.name)
    return begun
