"""Applies handling rules: the first that matches a failure acts, and its actions are recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.model.codes.recovery import REMEDY_FAILED
from engine.model.errors import Failure, SkerryError
from engine.model.expression import parse_path
from engine.model.reason import Kind, Reason
from engine.model.rules import AlertStep, Rule, RunStep, SetStep
from engine.model.states import InstanceState, JobState
from engine.planning.handling import Trouble, chosen
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.members import End
from engine.runtime.jobs.operator_answer import asked
from engine.runtime.jobs.retry_delay import guarded, pause, until_gone
from engine.runtime.jobs.stop_outcome import RETRY_NOW, RetryNow, Settled
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.expression_scopes import job_value
from engine.runtime.run_state.restart import Edit

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution


_ENDS = {"skip": JobState.SKIPPED, "succeed": JobState.SUCCEEDED}


def applied(job: JobExecution, failure: Failure) -> Coroutine[RetryNow | Settled | None]:
    """What the first rule that can do something makes of it; None when none decides."""
    for rule in chosen(
        job.services.rules.of(job.run.plan.definitions), _trouble(job, failure), job.handling.rules
    ):
        try:
            step = yield from _acted(job, failure, rule)
        except SkerryError as error:
            _could_not(job, rule.id, error)
            continue
        if step is not None:
            return step
    return None


def _acted(job: JobExecution, failure: Failure, rule: Rule) -> Coroutine[RetryNow | Settled | None]:
    if rule.does in _ENDS:
        state = _ENDS[rule.does]
        _note(job, rule, f"marked as {state}")
        return Settled(state, None, Reason.of(Kind.BY_RULE, rule=rule.id))
    if rule.does == "alert":
        _alert(job, failure, rule)
        return None
    return (yield from _ACTIONS[rule.does](job, failure, rule))


def _trouble(job: JobExecution, failure: Failure) -> Trouble:
    message = job.services.mask(failure.message)
    return Trouble(failure.code, message, job.run.plan.task.id, job.job.id, job.node, str(job.run.origin))


# -- the actions -----------------------------------------------------------------------------------


def _retry(job: JobExecution, failure: Failure, rule: Rule) -> Coroutine[RetryNow]:
    after: float = getattr(rule.step, "after", 0.0)
    _note(job, rule, f"tried again in {after:g} s")
    return (yield from pause(job, failure, after, Kind.RETRY_BY_RULE, rule=rule.id))


def _set(job: JobExecution, failure: Failure, rule: Rule) -> Coroutine[RetryNow]:
    step = rule.step
    assert isinstance(step, SetStep)
    actor = f"rule {rule.id}"
    job.run.edit(Edit(step.path, parse_path(step.path), step.value, f"error {failure.code}", actor))
    _note(job, rule, f"{step.path} is set, tried again in {step.after:g} s")
    return (yield from pause(job, failure, step.after, Kind.RETRY_AFTER_SET, rule=rule.id, path=step.path))


def _run(job: JobExecution, failure: Failure, rule: Rule) -> Coroutine[RetryNow | None]:
    step = rule.step
    assert isinstance(step, RunStep)
    params = yield from job_value(job, dict(step.params), f"rule {rule.id}")
    child = job.run.subtasks.remedy(job.run, job.id, step.task, params)
    what = f"task {step.task!r} repairs (instance {child.id})"
    job.handling = replace(job.handling, remedy=child.id, rule=rule.id)
    _note(job, rule, what)
    why = Reason.of(Kind.REMEDY, rule=rule.id, task=step.task, instance=child.id)
    job.between(JobState.WAITING, failure, why)
    return (yield from _remedied(job, failure, rule.id, child))


def _remedied(job: JobExecution, failure: Failure, rule: str, child: Any) -> Coroutine[RetryNow | None]:
    """Wait for the remedy's end; a new attempt when it has helped."""
    state, problem, _ = yield from guarded(job, failure, End(child.on_end, child.stop))
    job.handling = replace(job.handling, remedy=None, rule=None)
    if state is InstanceState.SUCCEEDED:
        yield from until_gone(job, failure)
        job.between(job.state, None)
        return RETRY_NOW
    job.between(job.state, failure)
    why = problem.message if problem else str(state)
    _could_not(job, rule, SkerryError(REMEDY_FAILED, f"its remedy (instance {child.id}) {state}: {why}"))
    return None


def rest_of_remedy(job: JobExecution, failure: Failure) -> Coroutine[RetryNow | Settled | None]:
    """The same after a restart of the engine; the rules that come after it when it has not helped."""
    child = job.run.subtasks.subtask(job.run, job.id, "", {}, job.handling.remedy)
    step = yield from _remedied(job, failure, job.handling.rule or "", child)
    return step or (yield from applied(job, failure))


def _pause(job: JobExecution, failure: Failure, rule: Rule) -> Coroutine[RetryNow | Settled]:
    _note(job, rule, "paused", is_handled=False)
    exceptions.asks(job.services, job.exception, failure)
    why = Reason.of(Kind.RULE_ASKS, rule=rule.id, message=failure.message)
    return (yield from asked(job, failure, JobState.WAITING, why))


_ACTIONS: dict[str, Callable[[JobExecution, Failure, Rule], Coroutine[RetryNow | Settled | None]]] = {
    "retry": _retry,
    "set": _set,
    "run": _run,
    "pause": _pause,
}


def _alert(job: JobExecution, failure: Failure, rule: Rule) -> None:
    step = rule.step
    assert isinstance(step, AlertStep)
    _note(job, rule, "alert", is_handled=False)
    text = step.text or f"job {job.node!r} of instance {job.run.facts.id}: {failure.message}"
    exceptions.alert(job, "rule", step.level, failure, f"{text} (rule {rule.id})")


# -- what stays of it ------------------------------------------------------------------------------


def _note(job: JobExecution, rule: Rule, what: str, *, is_handled: bool = True) -> None:
    """Count it, and write it into the context, the exception and the execution log."""
    used = job.handling.rules
    job.handling = replace(job.handling, rules={**used, rule.id: used.get(rule.id, 0) + 1})
    value = {"rule": rule.id, "action": rule.does}
    line = job.run.note(job.path, actor=f"rule {rule.id}", why=f"rule {rule.id}: {what}", value=value)
    job.lines.append(line)
    job.services.say(f"instance {job.run.facts.id} job {job.node} ({job.id}): rule {rule.id}: {what}")
    if is_handled:
        exceptions.handled(job.services, job.exception, f"rule {rule.id}", what)


def _could_not(job: JobExecution, rule: str, error: SkerryError) -> None:
    """A rule that fails helps nobody: the next one has its turn, the exception is open (again)."""
    why = f"rule {rule} could not: {error.message}"
    job.lines.append(job.run.note(job.path, actor=f"rule {rule}", why=why))
    job.services.say(f"instance {job.run.facts.id} job {job.node} ({job.id}): {why}", 30)
    exceptions.reopened(job.services, job.exception, why)
