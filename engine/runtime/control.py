"""The job types that steer: condition, wait, group, task. Each is a life that gives its own results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from engine.model.codes.runtime import MEMBER_FAILED, WAIT_FOREVER
from engine.model.control import ConditionKeys, GroupKeys, Member, SubTaskKeys, WaitKeys
from engine.model.errors import SkerryError
from engine.model.expression import looks_like_condition
from engine.model.job import Job, JobKeys
from engine.model.states import InstanceState, JobState
from engine.planning.progress import branch_key
from engine.runtime import needs
from engine.runtime.binding import bindings
from engine.runtime.fibers import Fiber, Life, Sleep, Stopped, Wait
from engine.runtime.scopes import is_reference, job_condition, job_value, reference_id

if TYPE_CHECKING:
    from engine.runtime.job import JobLife


def body(job: JobLife, settings: JobKeys) -> Life:
    """The work of a control job; gives its own results by name."""
    return (yield from _BODIES[job.job.type](job, settings))


def truth(job: JobLife, condition: Any, why: str) -> Life:
    """Whether a condition (a text, true, or ``{resource: id}``) holds."""
    if is_reference(condition):
        return (yield from needs.holds(job, reference_id(condition)))
    return job_condition(job, condition, why)


def _condition(job: JobLife, keys: ConditionKeys) -> Life:
    value: Any = keys.value
    if is_reference(value) or (isinstance(value, str) and looks_like_condition(value)):
        value = yield from truth(job, value, "value")
    else:
        value = job_value(job, value, "value")
    job.branch = branch_key(keys, value)
    return {"value": value, "branch": job.branch}


def _wait(job: JobLife, keys: WaitKeys) -> Life:
    clock = job.house.clock
    began = clock.monotonic() - _already(job)
    job.to(JobState.WAITING, reason=_what_for(keys))
    if keys.for_ is not None:
        yield Sleep(max(keys.for_ - (clock.monotonic() - began), 0.0))
    elif keys.until is not None:
        moment = _moment(job_value(job, keys.until, "until"))
        while (left := (moment - clock.now()).total_seconds()) > 0:
            yield Sleep(min(left, 60.0))  # looked at again each minute: the wall clock may jump
    else:
        while not (yield from truth(job, keys.until_true, "until_true")):
            yield Sleep(keys.every)
    return {"waited": round(clock.monotonic() - began, 3)}


def _already(job: JobLife) -> float:
    """Seconds that it has waited before this engine took it up."""
    if job.left is None:
        return 0.0
    since = datetime.fromisoformat(job.entry["START_TIME"])
    return max((job.house.clock.now() - since).total_seconds(), 0.0)


def _what_for(keys: WaitKeys) -> str:
    if keys.for_ is not None:
        return f"waits {keys.for_:g} s"
    return f"waits until {keys.until}" if keys.until is not None else "waits until its condition holds"


def _moment(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as problem:
        raise SkerryError(WAIT_FOREVER, f"{value!r} is not a time") from problem
    if moment.tzinfo is None:
        raise SkerryError(WAIT_FOREVER, f"{value!r} has no offset")
    return moment


class End(Wait):
    """Until something that lives by itself has ended; an interrupt is passed on and its end awaited."""

    def __init__(
        self, start: Callable[[Callable[[Any], None]], None], stop: Callable[[Stopped], None]
    ) -> None:
        self._start = start
        self._stop = stop
        self._stopped: Stopped | None = None

    def begin(self, fiber: Fiber) -> None:
        self._start(lambda value: fiber.loop.soon(lambda: self._end(fiber, value)))

    def _end(self, fiber: Fiber, value: Any) -> None:
        if self._stopped is not None:
            fiber.fail(self._stopped)
        else:
            fiber.resume(value)

    def interrupt(self, fiber: Fiber, stopped: Stopped) -> None:
        self._stopped = stopped
        self._stop(stopped)


def _group(job: JobLife, keys: GroupKeys) -> Life:
    results: dict[str, Any] = {}
    before = 0
    for position, member in enumerate(_members(job, keys)):
        life = _member_life(job, member, position, before)
        before = life.id
        if not life.state.ended:
            yield End(
                lambda ended, life=life: life.start(lambda: ended(None)),  # type: ignore[misc]
                lambda stopped, life=life: life.interrupt(_again(stopped)),  # type: ignore[misc]
            )
        results = life.entry.get("RESULT", {})
        if life.state is not JobState.SUCCEEDED:
            message = life.failure.message if life.failure else str(life.state)
            raise SkerryError(MEMBER_FAILED, f"member {life.node!r}: {message}", where=life.node)
    return dict(results)


def _members(job: JobLife, keys: GroupKeys) -> tuple[Member, ...]:
    stage = job.job.process
    if keys.jobs or stage is None or stage.kind != "group":
        return keys.jobs
    return tuple(stage.value)


def _member_life(job: JobLife, member: Member, position: int, before: int) -> JobLife:
    """The next member; one left over from the group's earlier attempt (made before ``before``) is no more."""
    from engine.runtime.job import JobLife

    run = job.run
    node = f"{job.node}.{position}"
    definition = member.job if isinstance(member.job, Job) else run.plan.definitions.jobs[member.job]
    table = job.house.job_types[definition.type].params
    reusable = isinstance(member.job, str)
    rows = bindings(definition, table, run.plan.task, member.params, reusable=reusable)
    id, left = run.nodes.left_over(node, job.index, job.round)
    if id is None or id < before:
        left, id = None, run.nodes.new_row(node, definition, job.index, job.round, parent=job.id)
    return JobLife(
        run, definition, node, id, rows, index=job.index, round=job.round, item=job.item, left=left
    )


def _again(stopped: Stopped) -> Stopped:
    return Stopped(stopped.kind, stopped.actor, stopped.why)


def _task(job: JobLife, keys: SubTaskKeys) -> Life:
    started = job.house.start_subtask
    assert started is not None
    stage = job.job.process
    task = keys.task or (str(stage.value) if stage is not None else "")
    child = started(job, task, dict(job.params), job.entry["RESULT"].get("instance"))
    job.set(("RESULT", "instance"), child.id)
    if not keys.wait:
        return {"instance": child.id}
    state, failure, results = yield End(child.on_end, child.stop)
    if state is not InstanceState.SUCCEEDED:
        message = failure.message if failure else str(state)
        raise SkerryError(MEMBER_FAILED, f"task {task!r} (instance {child.id}): {message}", where=task)
    return {**results, "instance": child.id}


_BODIES: dict[str, Callable[..., Life]] = {
    "condition": _condition,
    "wait": _wait,
    "group": _group,
    "task": _task,
}
