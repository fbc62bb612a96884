"""What workers promise when nothing is about to happen: who waits for one, and what came of a job that ran on all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from engine.model.codes.workers import NOT_EVERYWHERE
from engine.model.job import On
from engine.model.names import RECORD
from engine.model.reason import Kind
from engine.model.states import JobState, WorkerState
from engine.planning.shape import Plan
from engine.planning.uses import definition_of
from engine.store.rows import JobRow
from tests.simulation.invariants.exclusive import as_planned
from tests.simulation.invariants.life import Life
from tests.simulation.invariants.workers import MAX_SKEW

_LOCAL = "local"


def who_can_run_somewhere_has_a_worker(life: Life) -> Iterator[str]:
    """``no_worker`` is said only while each that is meant takes nothing, nor what goes on there."""
    for id, job in life.history.open.items():
        run = life.engine.services.runs.get(job.instance)
        if job.status != JobState.NO_WORKER or run is None:
            continue
        on = _on(run.facts.plan, job.node)  # type: ignore[attr-defined]
        grouped = [name for name, groups in life.workers.groups.items() if on.group in groups]
        meant = on.workers or grouped
        sound = [each for each in meant if abs(life.workers.skews.get(each, 0.0)) <= MAX_SKEW]
        online = [each for each in sound if life.workers.states.get(each) == WorkerState.ONLINE]
        if online:
            yield f"job_instance {id} has no worker, and {online} are online"
        if ends := [each for each in meant if life.workers.goes_on(id, each) and _lets_end(life, each)]:
            yield f"job_instance {id} has no worker, and is part of what goes on on {ends}"


def an_attempt_gets_its_slot_again_where_it_is_under_way(life: Life) -> Iterator[str]:
    """It waits for more than one that is free only while its worker is not reached, or gone."""
    for id, job in life.history.open.items():
        own = life.workers.under_way(id)
        if own is None or job.status != JobState.WAITING or job.why.get("kind") != Kind.NO_WORKER:
            continue
        if _lets_end(life, own):
            yield f"job_instance {id} waits for its slot again, and {own} is reached"


def _lets_end(life: Life, name: str) -> bool:
    """Whether it is reached by an engine that it may hear: whatever else, what runs there goes on."""
    live = life.engine.services.workers.find(name)
    return live is not None and live.reached and live.trusted


def _on(plan: Plan, node: str) -> On:
    """Where a job runs; a part of another one that does not say it itself runs where that does."""
    outer, _, worker = node.rpartition(RECORD)
    if outer and "." not in worker:
        return On(workers=(worker,))
    job = definition_of(plan, as_planned(node))
    if job is None or plan.node(node) is not None or "on" in job.model_fields_set:
        return On() if job is None else job.on
    return _on(plan, re.sub(r"(\.ready|\.end)?\.\d+$", "", node))


def a_job_on_all_workers_has_one_record_of_each(life: Life) -> Iterator[str]:
    """It succeeds when all of them do, or one, as it says."""
    for instance in life.instances() if life.remotes else ():
        jobs = life.engine.store.jobs(instance)
        for outer in jobs:
            names = {f"{outer.node}{RECORD}{name}" for name in (_LOCAL, *life.story.fleet.slots)}
            members = [row for row in jobs if row.parent == outer.id and row.node in names]
            if members:
                yield from (f"instance {instance}: {each}" for each in _all_of(life, outer, members))


def _all_of(life: Life, outer: JobRow, members: list[JobRow]) -> Iterator[str]:
    counts = Counter(row.node for row in members)
    yield from (f"{count} records of {node}" for node, count in counts.items() if count > 1)
    row = life.engine.store.instance(outer.instance)
    tree = (life.engine.store.snapshot(outer.instance, outer.run) or {})["tasks"][row.task if row else ""]
    on = tree["nodes"].get(outer.node, {}).get("on", {})
    names = {f"{outer.node}{RECORD}{each}" for each in on.get("workers", ())}
    if names and counts.keys() != names:
        yield f"records of {sorted(counts)}, and not of {sorted(names)}"
    good = sum(each.status == JobState.SUCCEEDED for each in members)
    needed = 1 if on.get("success") == "single" else len(members)
    by_hand = outer.because is not None and outer.because.kind is Kind.BY_HAND
    if outer.status == JobState.SUCCEEDED and good < needed and not by_hand:
        yield f"{outer.node} has succeeded, and {good} of {len(members)} have"
    if outer.error_code == NOT_EVERYWHERE.number and good >= needed and outer.status == JobState.FAILED:
        yield f"{outer.node} has failed, though {good} of {len(members)} have succeeded"
