"""The control job types condition, wait, group and task; each is a coroutine that returns its results."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from engine.model.codes.runtime import MEMBER_FAILED, WAIT_FOREVER
from engine.model.control import ConditionKeys, GroupKeys, SubTaskKeys, WaitKeys
from engine.model.errors import SkerryError
from engine.model.expression import looks_like_condition
from engine.model.job import JobKeys
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, JobState
from engine.planning.progress import branch_key
from engine.runtime.fibers import Coroutine, Sleep
from engine.runtime.jobs import members, resource_checks
from engine.runtime.run_state.expression_scopes import is_reference, job_condition, job_value, reference_id
from engine.runtime.run_state.restart import place

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution


def body(job: JobExecution, settings: JobKeys) -> Coroutine[dict[str, Any]]:
    """The work of a control job; gives its own results by name."""
    return (yield from _BODIES[job.job.type](job, settings))


def truth(job: JobExecution, condition: Any, why: str) -> Coroutine[bool]:
    """Whether a condition (a text, true, or ``{resource: id}``) holds."""
    if is_reference(condition):
        return (yield from resource_checks.holds(job, reference_id(condition)))
    return (yield from job_condition(job, condition, why))


def _condition(job: JobExecution, keys: ConditionKeys) -> Coroutine[dict[str, Any]]:
    value: Any = keys.value
    if is_reference(value) or (isinstance(value, str) and looks_like_condition(value)):
        value = yield from truth(job, value, "value")
    else:
        value = yield from job_value(job, value, "value")
    job.branch = branch_key(keys, value)
    return {"value": value, "branch": job.branch}


def _wait(job: JobExecution, keys: WaitKeys) -> Coroutine[dict[str, Any]]:
    clock = job.services.clock
    began = clock.monotonic() - _already(job)
    if keys.for_ is not None:
        left = max(keys.for_ - (clock.monotonic() - began), 0.0)
        until = job.services.local(clock.now() + timedelta(seconds=left))
        job.to(JobState.WAITING, Reason.of(Kind.WAIT_FOR, seconds=keys.for_, until=until))
        yield Sleep(left)
    elif keys.until is not None:
        moment = _moment((yield from job_value(job, keys.until, "until")))
        job.to(JobState.WAITING, Reason.of(Kind.WAIT_UNTIL, until=moment.isoformat()))
        while (left := (moment - clock.now()).total_seconds()) > 0:
            yield Sleep(min(left, 60.0))  # looked at again each minute: the wall clock may jump
    else:
        job.to(JobState.WAITING, Reason.of(Kind.WAIT_CONDITION, every=keys.every))
        while not (yield from truth(job, keys.until_true, "until_true")):
            yield Sleep(keys.every)
    return {"waited": round(clock.monotonic() - began, 3)}


def _already(job: JobExecution) -> float:
    """Seconds that it has waited before this engine took it up."""
    if job.left is None or job.left.attempt != job.attempt:
        return 0.0
    return job.left.spent(job.services.clock)


def _moment(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as problem:
        raise SkerryError(WAIT_FOREVER, f"{value!r} is not a time") from problem
    if moment.tzinfo is None:
        raise SkerryError(WAIT_FOREVER, f"{value!r} has no offset")
    return moment


def _group(job: JobExecution, keys: GroupKeys) -> Coroutine[dict[str, Any]]:
    return (yield from members.in_order(job, members.of_group(job, keys)))


def _task(job: JobExecution, keys: SubTaskKeys) -> Coroutine[dict[str, Any]]:
    stage = job.job.process
    task = keys.task or (str(stage.value) if stage is not None else "")
    child = job.run.subtasks.subtask(job.run, job.id, task, dict(job.params), _started(job))
    job.set(("RESULT", "instance"), child.id)
    job.services.changes.update("job_instance", job.id, {"results": {"instance": child.id}})
    if not keys.wait:
        return {"instance": child.id}
    state, failure, results = yield members.End(child.on_end, child.stop)
    if state is not InstanceState.SUCCEEDED:
        message = _innermost(failure.message) if failure else str(state)
        raise SkerryError(MEMBER_FAILED, f"task {task!r} (instance {child.id}): {message}", where=task)
    return {**results, "instance": child.id}


def _started(job: JobExecution) -> int | None:
    """The instance that it started under an earlier engine; in a run that follows its rerun, that one."""
    begun: int | None = job.entry["RESULT"].get("instance")
    if begun is None and job.attempt == job.round == 1 and job.run.restart is not None:
        return job.run.restart.takes.get(place(job.node, job.index))
    return begun


def _innermost(message: str) -> str:
    """What failed in the innermost sub-task, without all those that only hand it on."""
    nested = _NESTED.match(message)
    return f"… {message[nested.start(1) :]}" if nested else message


_NESTED = re.compile(r".*(task '[^']*' \(instance \d+\): )", re.DOTALL)
_BODIES: dict[str, Callable[..., Coroutine[dict[str, Any]]]] = {
    "condition": _condition,
    "wait": _wait,
    "group": _group,
    "task": _task,
}
