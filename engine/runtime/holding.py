"""Pausing one instance and letting it go on: in its row, in its log with who and why, and at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.model.codes.recovery import NOT_PAUSED
from engine.model.codes.runtime import NOT_RUNNING
from engine.model.errors import Refused
from engine.model.states import InstanceState, JobState
from engine.runtime.fibers import Stopped
from engine.runtime.hold import HELD
from engine.runtime.interventions import live

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from engine.runtime.run import Run

_IN_LINE = (JobState.QUEUED, JobState.BUSY)  # not an attempt that waits for its place again


def pause(engine: Engine, instance: int, reason: str, actor: str) -> dict[str, Any]:
    """Let no further attempt of an instance's jobs begin; Refused when it does not run."""
    return engine.house.loop.ask(lambda: _pause(engine, instance, reason.strip(), actor))


def _pause(engine: Engine, instance: int, reason: str, actor: str) -> dict[str, Any]:
    run = live(engine, instance)
    if run.stopped or (run.finishing and run.retry is None):
        raise Refused(NOT_RUNNING, f"instance {instance} is about to end", where=str(instance))
    run.hold.why = f"paused by {actor}" + (f": {reason}" if reason else "")
    for claim in list(engine.house.queue.waiting()):
        if claim.key == instance and claim.owner.state in _IN_LINE:
            claim.owner.interrupt(Stopped(HELD, actor))
    return _told(run, InstanceState.PAUSED, str(InstanceState.PAUSED), actor, reason)


def resume(engine: Engine, instance: int, reason: str, actor: str) -> dict[str, Any]:
    """Let a paused instance go on; Refused when it is not paused."""
    return engine.house.loop.ask(lambda: _resume(engine, instance, reason.strip(), actor))


def _resume(engine: Engine, instance: int, reason: str, actor: str) -> dict[str, Any]:
    run = live(engine, instance)
    if run.hold.why is None:
        raise Refused(NOT_PAUSED, f"instance {instance} is not paused", where=str(instance))
    steps = run.hold.end()
    state = InstanceState.RUNNING if run.retry is None else InstanceState.WAITING
    told = _told(run, state, str(run.state), actor, reason)
    run.nodes.apply(steps)
    if run.hold.retry_due:
        engine.ending.try_again(run)
    return told


def _told(run: Run, state: InstanceState, shown: str, actor: str, reason: str) -> dict[str, Any]:
    """Written where it counts: the instance's row, its log with who and why, the execution log."""
    house, id = run.house, run.facts.id
    house.changes.update("instance", id, {"status": str(state), "reason": run.hold.why})
    house.changes.act(actor, "pause" if run.hold.why else "resume", f"instance {id}")
    run.set(("TASK", "STATUS"), shown, actor=actor, why=reason or None)
    run.tell_instance(state)
    house.say(house.mask(f"instance {id} {run.hold.why or f'goes on ({actor})'}"))
    return {"instance": id, "status": str(state), "reason": run.hold.why}
