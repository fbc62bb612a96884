"""Pauses an instance with all its sub-tasks, and resumes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.model import pausing
from engine.model.codes.recovery import NOT_PAUSED
from engine.model.codes.runtime import NOT_RUNNING
from engine.model.errors import Refused
from engine.model.reason_words import brief, said
from engine.model.states import InstanceState, JobState
from engine.runtime.fibers import Stopped
from engine.runtime.interventions.commands import live
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.run_state.pause import PAUSED
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.ending import below
from engine.runtime.runs.run import Run
from engine.runtime.services import EngineServices


def pause(control: RunControl, instance: int, reason: str, actor: str) -> dict[str, Any]:
    """Let no further attempt of its jobs and of its sub-tasks' begin; Refused when it does not run."""
    return in_turn(control.services, (), lambda: _pause(control, instance, reason.strip(), actor))


def _pause(control: RunControl, instance: int, reason: str, actor: str) -> dict[str, Any]:
    run, services = live(control, instance), control.services
    if run.phase.stopped or run.phase.handling or run.pause.is_late:
        raise Refused.at(NOT_RUNNING, "instance {where} is about to end", instance)
    moment = services.clock.now().astimezone(services.workspace.zone)
    services.pauses[instance] = pausing.own(services.mask(actor), moment, services.mask(reason))
    answer = _recorded(run, str(InstanceState.PAUSED), "pause", actor, reason)
    for job in _queued(services):
        job.interrupt(Stopped(PAUSED, actor))
    _look_again(control, run, actor)
    return answer


def resume(control: RunControl, instance: int, reason: str, actor: str) -> dict[str, Any]:
    """Let a paused instance and what was paused with it go on; Refused when it was not itself paused."""
    return in_turn(control.services, (), lambda: _resume(control, instance, reason.strip(), actor))


def _resume(control: RunControl, instance: int, reason: str, actor: str) -> dict[str, Any]:
    run = live(control, instance)
    if run.phase.stopped or control.services.pauses.pop(instance, None) is None:
        above = pausing.holder(run.pause.why)
        if above is None:
            raise Refused.at(NOT_PAUSED, "instance {where} is not paused", instance)
        message = "instance {where} is paused with instance {above}: resume that one"
        raise Refused.at(NOT_PAUSED, message, instance, above=above)
    answer = _recorded(run, str(run.outcome.state), "resume", actor, reason)
    _look_again(control, run, actor)
    return answer


def _recorded(run: Run, shown: str, what: str, actor: str, reason: str) -> dict[str, Any]:
    """Written where it counts: the instance's row, its log with who and why, the execution log."""
    services, id = run.services, run.facts.id
    run.pause.show()
    services.changes.act(actor, what, f"instance {id}")
    run.context.set(("TASK", "STATUS"), shown, actor=actor, why=reason or None)
    why = run.pause.why
    services.say(services.mask(f"instance {id} {brief(why) if why else f'goes on ({actor})'}"))
    return {"instance": id, "status": str(run.pause.state), **said(why)}


def _look_again(control: RunControl, paused: Run, actor: str) -> None:
    """A pause has begun or ended: what that means for the instance and for all below it."""
    for run in below(control.runs, paused.facts.id):
        if run.pause.show():
            now = run.pause.why
            why = brief(now) if now else f"instance {paused.facts.id} goes on"
            run.context.note(("TASK", "STATUS"), actor=actor, why=why)
    for run in (paused, *below(control.runs, paused.facts.id)):
        if run.pause.why is None:
            _go_on(control, run)
        else:
            run.pause.look_again()


def _go_on(control: RunControl, run: Run) -> None:
    run.nodes.apply(run.pause.end())
    if run.pause.retry_due:
        run.pause.retry_due = False
        control.ending.try_again(run)


def _queued(services: EngineServices) -> Iterator[JobExecution]:
    """The queued jobs of paused instances; not an attempt that waits for its slot again."""
    for claim in list(services.queue.waiting()):
        if (
            claim.owner.row.state in (JobState.QUEUED, JobState.BUSY)
            and claim.owner.run.pause.why is not None
        ):
            yield claim.owner
