"""Rebuilds the run of an instance that is not running: its plan as captured, its context replayed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from engine.context import TaskContext
from engine.definitions.reader import read_raw
from engine.model.codes.planning import RERUN_OUTCOME_ALONE
from engine.model.codes.runtime import NO_SUCH_INSTANCE
from engine.model.errors import Invalid, Refused
from engine.model.states import Trigger
from engine.planning.progress import Progress
from engine.planning.shape import Plan
from engine.runtime import library
from engine.runtime.elapsed import seconds_since
from engine.runtime.run_state.origins import above, origin_of
from engine.runtime.run_state.restart import Restart
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.run import Run
from engine.store.rows import InstanceRow, seconds_between
from engine.store.schema import tree_of
from engine.store.sql_store import Store


def ended_run(control: RunControl, instance: int) -> Run:
    """An instance that does not run, with its context; Invalid when there is none."""
    row = None if instance in control.services.leaving else control.store.instance(instance)
    if row is None:
        raise Invalid.at(NO_SUCH_INSTANCE, "there is no instance {where}", instance)
    refuse_outcome_alone(row)
    return rebuilt_run(control, row)


def refuse_outcome_alone(row: InstanceRow) -> None:
    """Refused where retention has left nothing that could go on."""
    if row.is_outcome_alone:
        raise Refused.at(RERUN_OUTCOME_ALONE, "nothing but the outcome of instance {where} is left", row.id)


def rebuilt_run(control: RunControl, row: InstanceRow) -> Run:
    """The run as an object: its plan as captured, its context replayed from the store."""
    services = control.services
    plan = captured(control.store, services, row)
    context = TaskContext.replay(control.store.lines(row.id), services.loop, mask=services.mask)
    recorded = control.store.run(row.id, row.run)
    restart = Restart.from_json(recorded.selection) if recorded else None
    progress = restart.progress(plan) if restart else Progress(plan)
    return Run(
        services,
        _facts(control.store, row, plan, restart, services.workspace.task_directory(row.task, row.id)),
        context,
        progress,
        control.starting,
        control.ending.run_ended,
        spent=_spent(control, row),
        row_state=row.status,
        edited=row.edited,
        has_directory=True,
    )


def _facts(store: Store, row: InstanceRow, plan: Plan, restart: Restart | None, directory: Path) -> RunFacts:
    first = store.run(row.id, 1)
    return RunFacts(
        number=row.run,
        plan=plan,
        origin=origin_of(store, row.id, row.run),
        restart=restart,
        id=row.id,
        trigger=Trigger(row.trigger),
        scheduled_time=datetime.fromisoformat(row.scheduled_time),
        created_at=datetime.fromisoformat(row.created_at),
        directory=directory,
        priority=row.priority,
        params=first.params if first else {},
        above=above(store, row),
        revision=row.definition,
    )


def _spent(control: RunControl, row: InstanceRow) -> float:
    """Seconds of the task's timeout: since its time was reached, or the latest rerun by an operator."""
    runs = control.store.runs(row.id)
    asked = [run for run in runs if run.run > 1 and run.trigger != "retry"] or runs[:1]
    if not asked:
        return seconds_since(control.services.clock, row.created_at, None, None)
    last = asked[-1]
    waited = (seconds_between(row.due_at, last.created_at) or 0.0) if last.run == 1 else 0.0
    return waited + seconds_since(control.services.clock, last.created_at, last.boot_id, last.start_ticks)


def captured(store: Store, types: library.Types, row: InstanceRow) -> Plan:
    """The plan of the definitions that its run follows."""
    text = store.snapshot_text(row.id, row.run) or "{}"

    def made() -> Plan:
        definitions = read_raw(tree_of(text), types.job_types, types.resource_types)
        return library.planned(row.task, definitions, types.job_types)

    return types.plans.of(row.task, text, made)
