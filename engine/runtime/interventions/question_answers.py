"""The answer of a person to an ``approve`` job; without its run it is kept for the next engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from engine.model.codes.recovery import ANSWER_UNFIT, NO_QUESTION
from engine.model.codes.runtime import NO_SUCH_INSTANCE, NO_SUCH_NODE
from engine.model.errors import Invalid, Refused
from engine.model.question import Answer, Question, fitting
from engine.model.states import JobState
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.interventions.settled_outcomes import latest
from engine.runtime.recovery.rebuilt_run import captured
from engine.runtime.runs.control import RunControl
from engine.store.rows import JobRow


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered, and where; a relative path of a file starts at ``folder``."""

    node: str
    choice: str
    index: int | None = None
    note: str | None = None
    value: str | None = None
    folder: str | None = None


def approve(control: RunControl, instance: int, reply: Reply, actor: str) -> dict[str, Any]:
    """``{"instance", "node", "choice", "note", "value", "by"}`` once that is durable.

    Invalid for what is not there and for an answer that does not fit, Refused when nothing is asked there.
    """
    return in_turn(control.services, (instance,), partial(_approve, control, instance, reply, actor))


def _approve(control: RunControl, instance: int, reply: Reply, actor: str) -> dict[str, Any]:
    services = control.services
    row = _asked(control, instance, reply)
    question = Question.of(row.because)
    if row.status != JobState.WAITING or question is None or question.is_over(services.clock.now()):
        _nothing_asked(instance, reply)
    masked = None if reply.note is None else str(services.mask(reply.note))
    answer = fitting(question, reply.choice, masked, reply.value, actor, reply.folder)
    _follow(control, row, reply, answer)
    details = {"node": reply.node, "index": row.index, "choice": answer.choice, "note": answer.note}
    value = services.mask(answer.value)
    services.changes.act(actor, "approve", f"instance {instance}", **details, value=value)
    services.say(f"instance {instance} job {reply.node} ({row.id}): {actor} chose {answer.choice}")
    return {"instance": instance, "node": reply.node, **answer.results(), "value": value}


def _asked(control: RunControl, instance: int, reply: Reply) -> JobRow:
    """The JobInstance that is meant: of the latest round, by its index where there are several."""
    of = control.store.instance(instance)
    if of is None:
        raise Invalid.at(NO_SUCH_INSTANCE, "there is no instance {where}", instance)
    rows = latest(control.store.jobs(instance), reply.node)
    if not rows:
        if of.run and reply.node not in captured(control.store, control.services, of).nodes:
            message = "instance {instance} has no node {where!r}"
            raise Invalid.at(NO_SUCH_NODE, message, reply.node, instance=instance)
        _nothing_asked(instance, reply)
    meant = [row for row in rows if reply.index is None or row.index == reply.index]
    if not meant:
        message = "node {where!r} has no member {index}"
        raise Invalid.at(ANSWER_UNFIT, message, reply.node, index=reply.index)
    if len(meant) > 1:
        message = "node {where!r} has {n} members: name one with --index"
        raise Invalid.at(ANSWER_UNFIT, message, reply.node, n=len(meant))
    return meant[0]


def _follow(control: RunControl, row: JobRow, reply: Reply, answer: Answer) -> None:
    """Hand it to the job, or keep it in the job's row where no engine works on its run."""
    services, results = control.services, answer.results()
    if row.instance in services.runs:
        if (take := services.questions.get(row.id)) is None:
            _nothing_asked(row.instance, reply)
        take(results)
        return
    kept = row.handling.get("question") or {}
    if kept.get("attempt") != row.attempt or "answer" in kept or row.id in services.answered:
        _nothing_asked(row.instance, reply)
    services.answered.add(row.id)
    handling = {**row.handling, "question": {**kept, "answer": results}}
    services.changes.update("job_instance", row.id, {"handling": handling})


def _nothing_asked(instance: int, reply: Reply) -> NoReturn:
    message = "node {where!r} of instance {instance} does not wait for an answer"
    raise Refused.at(NO_QUESTION, message, reply.node, instance=instance)
