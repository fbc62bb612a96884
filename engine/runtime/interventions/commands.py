"""Operator commands on one instance: cancel, set a value, force an outcome."""

from __future__ import annotations

from typing import Any

from engine.context import Path, format_path, parse_path
from engine.execution.outcomes import Left
from engine.model.codes.planning import HANDLER
from engine.model.codes.recovery import REASON_NEEDED
from engine.model.codes.runtime import (
    EDIT_INVALID,
    NO_SUCH_INSTANCE,
    NO_SUCH_NODE,
    NOT_RUNNING,
    STILL_RUNNING,
)
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import facts_of
from engine.model.names import is_handler
from engine.model.reason import Kind, Reason
from engine.model.states import InstanceState, JobState
from engine.runtime.fibers import Stopped
from engine.runtime.interventions import settled_outcomes
from engine.runtime.interventions.ended_instances import file_after_commit, in_turn
from engine.runtime.recovery.rebuilt_run import ended_run
from engine.runtime.run_state.context_paths import known
from engine.runtime.run_state.restart import Edit
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.ending import below
from engine.runtime.runs.run import Run
from engine.runtime.threads import Event
from engine.store.rows import InstanceRow

# -- stopping --------------------------------------------------------------------------------------


def cancel(control: RunControl, instance: int, node: str | None, actor: str) -> dict[str, Any]:
    """Stop an instance or one node of it; returns when everything it started is gone.

    Where that cannot be verified ``verified`` is False, with the reason and the pids that remain. Refused
    when it does not run.
    """
    done = control.services.threads.event()
    run = control.services.loop.ask(lambda: _stopped(control, instance, node, actor, done))
    control.services.loop.wait_for(done)
    left = run.outcome.left if run is not None else Left()
    return {
        "instance": instance,
        "node": node,
        "cancelled": True,
        "verified": left.verified,
        "reason": left.reason or None,
        "reason_facts": facts_of(left.reason),
        "pids": list(left.pids),
    }


def _stopped(control: RunControl, instance: int, node: str | None, actor: str, done: Event) -> Run | None:
    run = _stop(control, instance, node, actor, done)
    control.services.changes.act(actor, "cancel", f"instance {instance}", node=node)
    return run


def _stop(control: RunControl, instance: int, node: str | None, actor: str, done: Event) -> Run | None:
    if node is None and instance in control.pending.waiting:
        control.pending.drop(instance, Reason.of(Kind.NOT_RUN_CANCELLED, by=actor))
        control.services.loop.after_commit(done.set)
        return None
    if node is None and (coming := not_begun(control, instance)):
        control.coming.cancel(coming, actor)
        control.services.loop.after_commit(done.set)
        return None
    run = live(control, instance)
    stopped = Stopped("cancelled", actor)
    if node is None:
        _stop_run(control, run, stopped, done)
    elif run.facts.plan.node(node) is None:
        raise Invalid.at(NO_SUCH_NODE, "instance {instance} has no node {where!r}", node, instance=instance)
    elif not (run.handlers or run).nodes.stop_node(
        node, stopped, lambda: control.services.loop.after_commit(done.set)
    ):
        message = "node {where!r} of instance {instance} is not running"
        raise Refused.at(NOT_RUNNING, message, node, instance=instance)
    return run


def _stop_run(control: RunControl, run: Run, stopped: Stopped, done: Event) -> None:
    """The first time its jobs, and ``done`` when these are gone; then the handlers, its sub-tasks' too."""
    control.ending.when_ended(run.facts.id, lambda _: done.set())
    stopping = run.phase.stopping
    if stopping is not None and stopping.kind == "cancelled":
        for each in below(control.runs, run.facts.id):
            if each.phase.handling:
                each.stop(stopped)
    if not run.phase.handling:
        run.when_known.append(done.set)
    if run.phase.retry is not None:
        return control.ending.give_up(run, stopped.actor)
    return run.stop(stopped)


def not_begun(control: RunControl, instance: int) -> InstanceRow | None:
    """An instance that is planned or waits for its first run."""
    row = None if instance in control.runs else control.store.instance(instance)
    return row if row is not None and row.run == 0 and not InstanceState(row.status).ended else None


def live(control: RunControl, instance: int) -> Run:
    """The run that an instance is at; Invalid when there is none, Refused when it does not run."""
    run = control.runs.get(instance)
    if run is not None:
        return run
    if control.store.instance(instance) is None:
        raise Invalid.at(NO_SUCH_INSTANCE, "there is no instance {where}", instance)
    raise Refused.at(NOT_RUNNING, "instance {where} is not running", instance)


# -- editing ---------------------------------------------------------------------------------------


def edit_of(path: str, value: Any, reason: str, actor: str) -> Edit:
    """A change of the context; Invalid without a path of a value, or without a reason."""
    if not reason.strip():
        raise Invalid(EDIT_INVALID, "a reason is needed: --reason TEXT", where=path)
    return Edit(path, _steps(path), value, reason, actor)


def _steps(path: str) -> Path:
    try:
        steps = parse_path(path)
    except SkerryError as error:
        raise Invalid(EDIT_INVALID, error.message, where=path) from error
    if not _is_editable(steps):
        message = "{where} cannot be edited: only parameters and results can (PARAMS['x'], RESULT['y'])"
        raise Invalid.at(EDIT_INVALID, message, path)
    return steps


def _is_editable(steps: Path) -> bool:
    """Whether it is a value below PARAMS or RESULT; all else is what the engine saw."""
    match steps:
        case ("TASK", "PARAMS", _, *_):
            return True
        case ("JOB", _, int(), "PARAMS" | "RESULT", _, *_) | ("JOB", _, "PARAMS" | "RESULT", _, *_):
            return True
    return False


def place(control: RunControl, instance: int, path: str) -> str:
    """The one place that a path leads to, by node and by name; Invalid when there is none."""
    steps = _steps(path)
    return control.services.loop.ask(lambda: _place(_awake(control, instance), steps))


def _place(run: Run, steps: Path) -> str:
    return format_path(known(run.facts.plan, run.context.tree, steps, run.services.job_types))


def _awake(control: RunControl, instance: int) -> Run:
    return control.runs.get(instance) or ended_run(control, instance)


def set_value(control: RunControl, instance: int, edit: Edit) -> dict[str, Any]:
    """Change a value of the context; the old one stays in its log."""
    return in_turn(control.services, [instance], lambda: _edit(control, instance, edit))


def _edit(control: RunControl, instance: int, edit: Edit) -> dict[str, Any]:
    run = _awake(control, instance)
    path = _place(run, edit.steps)
    line = run.edits.make(edit)
    control.services.changes.act(edit.actor, "set", f"instance {instance}", path=path, seq=line.seq)
    file_after_commit(control.services, run)
    return {"instance": instance, "path": path, "seq": line.seq, "value": edit.value}


def force(
    control: RunControl, instance: int, node: str, state: JobState, reason: str, actor: str
) -> dict[str, Any]:
    """Settle a node's outcome by hand; of an ended instance it counts for the next rerun.

    ``instance_status`` is the state of the instance then: it has succeeded when nothing failed any more.
    """
    if not reason.strip():
        raise Invalid(REASON_NEEDED, "a reason is needed: --reason TEXT", where=node)
    return in_turn(
        control.services, [instance], lambda: _force(control, instance, node, state, reason, actor)
    )


def _force(
    control: RunControl, instance: int, node: str, state: JobState, reason: str, actor: str
) -> dict[str, Any]:
    live = control.runs.get(instance)
    if instance in control.pending.waiting:
        raise Refused.at(STILL_RUNNING, "instance {where} waits to run again: cancel that first", instance)
    run = live or ended_run(control, instance)
    if is_handler(node):
        message = "{where!r} is a handler of the end: its outcome counts for nothing"
        raise Refused.at(HANDLER, message, node)
    if node not in run.facts.plan.nodes:
        raise Invalid.at(NO_SUCH_NODE, "instance {instance} has no node {where!r}", node, instance=instance)
    if live is not None and live.phase.retry is None:
        live.nodes.force(node, state, reason, actor)
        instance_state = live.outcome.state
    else:
        instance_state = _force_ended(control, run, node, state, reason, actor)
    control.services.changes.act(actor, "force", f"instance {instance}", node=node, status=str(state))
    return {"instance": instance, "node": node, "status": str(state), "instance_status": str(instance_state)}


def _force_ended(
    control: RunControl, run: Run, node: str, state: JobState, reason: str, actor: str
) -> InstanceState:
    if not settled_outcomes.latest(control.store.jobs(run.facts.id), node):
        raise Refused.at(NOT_RUNNING, "node {where!r} has not run, so there is no outcome to settle", node)
    instance_state = settled_outcomes.settle_ended(control, run, node, state, reason, actor)
    file_after_commit(control.services, run)
    return instance_state
