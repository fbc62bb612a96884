"""An outcome forced by hand after the run: it counts for reruns and may change the instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.model.codes.runtime import FORCED
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief, said
from engine.model.states import InstanceState, JobState
from engine.runtime.run_state import exceptions
from engine.runtime.run_state.restart import Past
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.run import Run
from engine.runtime.services import EngineServices
from engine.store.rows import JobRow


def settle_ended(
    control: RunControl, run: Run, node: str, state: JobState, reason: str, actor: str
) -> InstanceState:
    """Settle a node of an ended instance; gives the state of the instance after it.

    The instance has succeeded when nothing in it failed any more, and failed when this node did; how its
    runs ended stays as it was.
    """
    rows = control.store.jobs(run.facts.id)
    chosen = latest(rows, node)
    for row in chosen:
        _settle(run, row, state, reason, actor)
    template, said = "{node} {state} by hand: {note}", Message.of(str(state))
    note = Message.of(template, node=node, state=said, note=reason)
    exceptions.settle_open(control.services, run.facts.id, {node}, actor, note)
    changed = {row.id for row in chosen}
    now = [replace(row, status=str(state)) if row.id in changed else row for row in rows]
    outcomes = Past.of_rows(run.facts.plan, now).outcomes
    failed = any((come := outcomes.get(id)) is None or come.failed for id in run.facts.plan.nodes)
    why = Reason.of(Kind.SETTLED, node=node, state=str(state), note=reason, by=actor)
    return _settle_instance(control.services, run, state, failed, why)


def latest(rows: Sequence[JobRow], node: str) -> list[JobRow]:
    """The JobInstances of a node's latest round in its latest run; none when it never had one."""
    own = [row for row in rows if row.node == node]
    last = max(((row.run, row.round) for row in own), default=None)
    return [row for row in own if (row.run, row.round) == last]


def _settle(run: Run, row: JobRow, state: JobState, reason: str, actor: str) -> None:
    bad = state is not JobState.SUCCEEDED
    error: dict[str, Any] = {
        "error_code": FORCED.number if bad else None,
        "error_message": reason if bad else None,
    }
    why = said(Reason.of(Kind.BY_HAND, note=reason, by=actor))
    run.services.changes.move("job_instance", row.id, row.status, state, {**why, **error})
    path: tuple[str | int, ...] = ("JOB", row.node) if row.index is None else ("JOB", row.node, row.index)
    if bad:
        run.context.set((*path, "ERROR_CODE"), FORCED.number, actor=actor, why=reason)
        run.context.set((*path, "ERROR_MESSAGE"), reason, actor=actor, why=reason)
    run.context.set((*path, "STATUS"), str(state), actor=actor, why=reason)
    run.publish(row.node, row.id, state, index=row.index, round=row.round, **why, **error)


def _settle_instance(
    services: EngineServices, run: Run, settled: JobState, failed: bool, why: Reason
) -> InstanceState:
    state = InstanceState.FAILED if failed else InstanceState.SUCCEEDED
    row = services.store.instance(run.facts.id)
    before = InstanceState(row.status) if row is not None else state
    same = (before is InstanceState.SUCCEEDED) is not failed
    if same or (failed and settled is JobState.SUCCEEDED):  # its task said that it succeeded all the same
        return before
    error: dict[str, Any] = {"error_code": None, "error_message": None}
    if failed:
        error = {"error_code": FORCED.number, "error_message": brief(why)}
    run.row.move(state, {**said(why), **error})
    run.context.set(("TASK", "STATUS"), str(state), why=brief(why))
    run.row.publish(state)
    return state
