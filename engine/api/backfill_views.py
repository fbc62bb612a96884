"""The documents of backfills, made from what the store keeps (contract 7); pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from engine.api.documents import Document
from engine.api.views import local_time
from engine.model.reason_words import said
from engine.model.states import InstanceState, StepState
from engine.store.rows import time_text

if TYPE_CHECKING:
    from engine.runtime.timing.backfill_plan import PlannedBackfill
    from engine.store.reading_backfills import StepCount
    from engine.store.rows import BackfillRow, BackfillStepRow

COUNTS = ("succeeded", "failed", "under_way", "pending", "left", "dropped")


def backfill_document(row: BackfillRow, counts: Iterable[StepCount], zone: tzinfo) -> Document:
    """One line of the list; ``counts``: how many of its times are in which state."""
    return {
        "backfill": row.id,
        "task": row.task,
        "status": row.status,
        "from": local_time(row.since, zone),
        "to": local_time(row.until, zone),
        "order": "newest" if row.newest_first else "oldest",
        "parallel": row.parallel,
        "reprocess": row.reprocess,
        "downstream": row.downstream,
        "ignore_dependencies": row.ignores_dependencies,
        "params": dict(row.params),
        "reason": row.note,
        "by": row.actor,
        "paused_by": row.paused_by,
        "created_at": local_time(row.created_at, zone),
        "ended_at": local_time(row.ended_at, zone),
        "counts": _counted(each for each in counts if each.backfill == row.id),
    }


def _counted(counts: Iterable[StepCount]) -> dict[str, int]:
    found = Counter(dict.fromkeys(COUNTS, 0))
    for each in counts:
        found[_kind(each)] += each.times
    return dict(found)


def _kind(count: StepCount) -> str:
    if count.is_bad:
        return "failed"
    if count.status != StepState.BEGUN:
        return count.status
    ended = count.instance in (InstanceState.SUCCEEDED, None)  # None: it was taken away since
    return "succeeded" if ended else "under_way"


def step_document(step: BackfillStepRow, states: Mapping[int, str], zone: tzinfo) -> Document:
    """``status``: of the instance while this backfill runs it or where it leaves it, else of the time."""
    shows_instance = step.status == StepState.BEGUN or step.choice == "leave"
    of_instance = states.get(step.position) if shows_instance else None
    return {
        "task": step.task,
        "time": local_time(step.at, zone),
        "decision": step.choice,
        "instance": step.instance,
        "status": of_instance or step.status,
        "why": step.reason,
        "because": step.why,
    }


def preview_documents(planned: PlannedBackfill) -> list[Document]:
    """``{"task", "time", "decision", "instance", "why", "because"}`` of each time, as it would be run."""
    found = []
    for step in planned.steps:
        why = said(step.why)
        time = local_time(time_text(step.at), planned.zone)
        about = {"task": step.task, "time": time, "decision": step.choice, "instance": step.instance}
        found.append({**about, "why": why["reason"], "because": why["why"]})
    return found
