"""The outcome of a run: the results of the task, its success condition, the first failure (contract 2.3)."""

from __future__ import annotations

from functools import partial
from typing import Any

from engine.model.codes.runtime import JOBS_FAILED, TASK_NOT_SUCCESSFUL, TASK_TIMED_OUT
from engine.model.errors import Failure, SkerryError
from engine.model.expression import AT_FIRST, as_kind, compile_condition, decide
from engine.model.job import ResultSpec
from engine.model.states import InstanceState
from engine.plugins.resource_type import CheckResult
from engine.runtime.fibers import Coroutine, Stopped
from engine.runtime.jobs import resource_checks
from engine.runtime.jobs.results import evaluated
from engine.runtime.jobs.stop_outcome import failure_of
from engine.runtime.run_state.expression_scopes import is_reference, reference_id, worked_out
from engine.runtime.run_state.run_context import RunContext


def judged(
    run: RunContext, failure: Failure | None, stopped: Stopped | None, job_failed: bool
) -> Coroutine[tuple[InstanceState, Failure | None]]:
    """Gives the state that the run ends in and why it is not ``succeeded``; computes results on the way."""
    if stopped is not None and stopped.kind == "cancelled":
        return InstanceState.CANCELLED, failure_of(stopped)
    if stopped is not None:
        return InstanceState.TIMED_OUT, failure or Failure.new(TASK_TIMED_OUT, "the task's time is up")
    failed = failure is not None or job_failed
    if failed and run.facts.plan.task.success is None:
        yield from _compute(run, failed=True)
        return _bad(run, failure), failure or Failure.new(JOBS_FAILED, "a job failed")
    return (yield from _by_results(run, failure))


def _by_results(run: RunContext, failure: Failure | None) -> Coroutine[tuple[InstanceState, Failure | None]]:
    try:
        yield from _compute(run, failed=False)
        for condition in run.facts.plan.task.success or ():
            if not (yield from _holds(run, condition)):
                message = "the task's success condition does not hold"
                return _bad(run, failure), failure or Failure.new(TASK_NOT_SUCCESSFUL, message)
    except SkerryError as error:
        return _bad(run, failure), failure or Failure.of(error)
    return InstanceState.SUCCEEDED, None


def _bad(run: RunContext, failure: Failure | None) -> InstanceState:
    return InstanceState.LOST if run.outcome.is_lost(failure) else InstanceState.FAILED


def _compute(run: RunContext, *, failed: bool) -> Coroutine[None]:
    """Evaluate the task's results; of a failed run only those that can be had."""
    for name, spec in run.facts.plan.task.results.items():
        try:
            run.outcome.results[name] = yield from _result(run, name, spec)
        except SkerryError:
            if not failed:
                raise


def _result(run: RunContext, name: str, spec: ResultSpec) -> Coroutine[Any]:
    value, uses = yield from worked_out(run.scopes.of_task(AT_FIRST), partial(evaluated, spec))
    value = as_kind(value, spec.kind) if spec.kind is not None and value is not None else value
    more = {"expression": uses[0].expression, "inputs": uses[0].inputs} if len(uses) == 1 else {}
    run.context.set(("TASK", "RESULT", name), value, **more)
    return value


def _holds(run: RunContext, condition: Any) -> Coroutine[bool]:
    if isinstance(condition, bool):
        return condition
    if is_reference(condition):
        scope = run.scopes.of_task(AT_FIRST)
        resource = yield from resource_checks.resolve(run, scope, reference_id(condition), ("TASK",))
        answer: CheckResult = yield from resource_checks.checked(run.services, resource)
        return answer.ok
    work = partial(decide, compile_condition(condition))
    answer_, use = yield from worked_out(run.scopes.of_task(AT_FIRST), work)
    run.context.note(("TASK",), expression=use.expression, inputs=use.inputs, why="success", value=answer_)
    return answer_
