"""Applies handling rules: the first that matches a failure acts, and its actions are recorded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from engine.model.codes.recovery import REMEDY_FAILED
from engine.model.errors import Failure, SkerryError
from engine.model.expression import parse_path
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.rules import AlertStep, Rule, RunStep, SetStep
from engine.model.states import InstanceState, JobState
from engine.planning.handling import Trouble, chosen
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.job_failures import JobFailures
from engine.runtime.jobs.members import End
from engine.runtime.jobs.operator_answer import asked
from engine.runtime.jobs.retry_delay import guarded, pause, until_gone
from engine.runtime.jobs.stop_outcome import RETRY_NOW, RetryNow, Settled
from engine.runtime.run_state.expression_scopes import job_value
from engine.runtime.run_state.restart import Edit

_ENDS = {"skip": JobState.SKIPPED, "succeed": JobState.SUCCEEDED}


def applied(failures: JobFailures, failure: Failure) -> Coroutine[RetryNow | Settled | None]:
    """What the first rule that can do something makes of it; None when none decides."""
    rules = failures.services.rules.of(failures.run.facts.plan.definitions)
    for rule in chosen(rules, _trouble(failures, failure), failures.handling.rules):
        try:
            step = yield from _acted(failures, failure, rule)
        except SkerryError as error:
            _could_not(failures, rule.id, error)
            continue
        if step is not None:
            return step
    return None


def _acted(failures: JobFailures, failure: Failure, rule: Rule) -> Coroutine[RetryNow | Settled | None]:
    if rule.does in _ENDS:
        state = _ENDS[rule.does]
        _note(failures, rule, Message.of("marked as {state}", state=Message.of(str(state))))
        return Settled(state, None, Reason.of(Kind.BY_RULE, rule=rule.id))
    if rule.does == "alert":
        _alert(failures, failure, rule)
        return None
    return (yield from _ACTIONS[rule.does](failures, failure, rule))


def _trouble(failures: JobFailures, failure: Failure) -> Trouble:
    message, run = failures.services.mask(failure.message), failures.run
    of = failures.entry.identity
    return Trouble(failure.code, message, run.facts.plan.task.id, of.job.id, of.node, str(run.facts.origin))


# -- the actions -----------------------------------------------------------------------------------


def _retry(failures: JobFailures, failure: Failure, rule: Rule) -> Coroutine[RetryNow]:
    after: float = getattr(rule.step, "after", 0.0)
    _note(failures, rule, Message.of("tried again in {seconds:g} s", seconds=after))
    return (yield from pause(failures, failure, after, Kind.RETRY_BY_RULE, rule=rule.id))


def _set(failures: JobFailures, failure: Failure, rule: Rule) -> Coroutine[RetryNow]:
    step = rule.step
    assert isinstance(step, SetStep)
    actor = f"rule {rule.id}"
    failures.run.edits.make(
        Edit(step.path, parse_path(step.path), step.value, f"error {failure.code}", actor)
    )
    template = "{path} is set, tried again in {seconds:g} s"
    _note(failures, rule, Message.of(template, path=step.path, seconds=step.after))
    return (
        yield from pause(failures, failure, step.after, Kind.RETRY_AFTER_SET, rule=rule.id, path=step.path)
    )


def _run(failures: JobFailures, failure: Failure, rule: Rule) -> Coroutine[RetryNow | None]:
    step = rule.step
    assert isinstance(step, RunStep)
    params = yield from job_value(failures.entry, dict(step.params), f"rule {rule.id}")
    child = failures.run.subtasks.remedy(failures.run.facts, failures.entry.identity.id, step.task, params)
    failures.change(remedy=child.id, rule=rule.id)
    template = "task {task!r} repairs (instance {instance})"
    _note(failures, rule, Message.of(template, task=step.task, instance=child.id))
    why = Reason.of(Kind.REMEDY, rule=rule.id, task=step.task, instance=child.id)
    failures.between(JobState.WAITING, failure, why)
    return (yield from _remedied(failures, failure, rule.id, child))


def _remedied(failures: JobFailures, failure: Failure, rule: str, child: Any) -> Coroutine[RetryNow | None]:
    """Wait for the remedy's end; a new attempt when it has helped."""
    state, problem, _ = yield from guarded(failures, failure, End(child.on_end, child.stop))
    failures.change(remedy=None, rule=None)
    if state is InstanceState.SUCCEEDED:
        yield from until_gone(failures, failure)
        failures.over()
        return RETRY_NOW
    failures.between(failures.row.state, failure)
    said = Message.of(str(state))
    why = problem.message if problem else said
    template = "its remedy (instance {instance}) {state}: {message}"
    error = SkerryError(REMEDY_FAILED, template, instance=child.id, state=said, message=why)
    _could_not(failures, rule, error)
    return None


def rest_of_remedy(failures: JobFailures, failure: Failure) -> Coroutine[RetryNow | Settled | None]:
    """The same after a restart of the engine; the rules that come after it when it has not helped."""
    run, handling = failures.run, failures.handling
    child = run.subtasks.subtask(run.facts, failures.entry.identity.id, "", {}, handling.remedy)
    step = yield from _remedied(failures, failure, handling.rule or "", child)
    return step or (yield from applied(failures, failure))


def _pause(failures: JobFailures, failure: Failure, rule: Rule) -> Coroutine[RetryNow | Settled]:
    _note(failures, rule, "paused", is_handled=False)
    failures.asks(failure)
    why = Reason.of(Kind.RULE_ASKS, rule=rule.id, message=failure.message)
    return (yield from asked(failures, failure, JobState.WAITING, why))


_ACTIONS: dict[str, Callable[[JobFailures, Failure, Rule], Coroutine[RetryNow | Settled | None]]] = {
    "retry": _retry,
    "set": _set,
    "run": _run,
    "pause": _pause,
}


def _alert(failures: JobFailures, failure: Failure, rule: Rule) -> None:
    step = rule.step
    assert isinstance(step, AlertStep)
    _note(failures, rule, "alert", is_handled=False)
    if step.text:
        failures.alert("rule", step.level, failure, "{text} (rule {rule})", text=step.text, rule=rule.id)
    else:
        failures.alert("rule", step.level, failure, "{job}: {message} (rule {rule})", rule=rule.id)


# -- what stays of it ------------------------------------------------------------------------------


def _note(failures: JobFailures, rule: Rule, what: str, *, is_handled: bool = True) -> None:
    """Count it, and write it into the context, the exception and the execution log."""
    used, actor = failures.handling.rules, f"rule {rule.id}"
    failures.change(rules={**used, rule.id: used.get(rule.id, 0) + 1})
    value = {"rule": rule.id, "action": rule.does}
    failures.entry.remark(f"{actor}: {what}", actor=actor, value=value)
    failures.say(f"{actor}: {what}")
    if is_handled:
        failures.handled(actor, what)


def _could_not(failures: JobFailures, rule: str, error: SkerryError) -> None:
    """After a rule that failed the next one has its turn, and the exception is open again."""
    why = Message.of("rule {rule} could not: {message}", rule=rule, message=error.message)
    failures.entry.remark(why, actor=f"rule {rule}")
    failures.say(why, logging.WARNING)
    failures.reopened(why)
