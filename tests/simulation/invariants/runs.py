"""What must hold in the end about runs: what people were answered, sub-tasks, the definitions that are followed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.model.names import is_handler
from engine.model.reason import Kind
from tests.simulation.invariants.life import Life
from tests.simulation.workload.action import Action


def what_was_settled_by_hand_stays_so(life: Life) -> Iterator[str]:
    """The latest outcome that people gave a node is in the store; a later run has outcomes of its own."""
    settled: dict[tuple[int, str], str] = {}
    for _, forced in life.history.answers("force"):
        settled[forced["instance"], forced["node"]] = forced["status"]
    for (instance, node), state in settled.items():
        rows = [row for row in life.engine.store.jobs(instance) if row.node == node]
        if not any(row.status == state and row.because and row.because.kind is Kind.BY_HAND for row in rows):
            yield f"{node} of instance {instance} is not {state}: {[str(row.status) for row in rows]}"


def edits_of_a_rerun_precede_it(life: Life) -> Iterator[str]:
    """Each value that a rerun was to change is changed by that run, in the name of who asked for it."""
    for action, begun in life.history.answers("rerun"):
        yield from _unedited(life, action, begun[0])


def _unedited(life: Life, action: Action, begun: dict[str, Any]) -> Iterator[str]:
    lines = [json.loads(line) for line in life.engine.store.lines(begun["instance"])]
    of_run = [line for line in lines if line["run"] == begun["run"]]
    own = [line for line in of_run if (line["actor"], line.get("why")) == (action.actor, "again")]
    if of_run and len(own) < len(action.facts["edits"]):
        yield f"run {begun['run']} of instance {begun['instance']} has {len(own)} of {action.facts['edits']}"


def no_sub_task_is_started_twice(life: Life) -> Iterator[str]:
    """Each attempt of a job that starts another task starts one instance of it; rules may start more as remedies."""
    store = life.engine.store
    for instance in life.instances():
        for row in store.jobs(instance):
            children = store.children(row.id) if row.type == "task" else ()
            if len(children) > row.attempt + sum(row.handling.get("rules", {}).values()):
                yield f"{row.node} ({row.id}) started {[each.id for each in children]} in {row.attempt} attempts"


def a_run_follows_the_definitions_that_it_began_with(life: Life) -> Iterator[str]:
    """Each node of theirs has an outcome in it, unless it keeps that of an earlier run; and no other has."""
    store = life.engine.store
    for instance in life.instances():
        task = store.instance(instance)
        for run in store.runs(instance):
            nodes = (store.snapshot(instance, run.run) or {})["tasks"][task.task]["nodes"] if task else {}
            rows = [row for row in store.jobs(instance, run.run) if not is_handler(row.node)]
            had = {row.node for row in rows if row.parent is None}
            kept = (
                {node for part in ("keep", "skip", "entered") for node in run.selection["selection"][part]}
                if run.selection
                else set()
            )
            if had and not set(nodes) - kept <= had <= set(nodes):
                yield f"run {run.run} of instance {instance}: {sorted(had)} of {sorted(nodes)} without {sorted(kept)}"
