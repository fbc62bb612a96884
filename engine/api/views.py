"""The documents of ``show``, ``run`` and ``list``, made from what the store keeps (contract 7); pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.api.documents import Document, JobDocument, RunDocument, Summary
from engine.model.codes.commands import TIME_INVALID
from engine.model.errors import Invalid
from engine.model.states import InstanceState, JobState
from engine.planning.outline import Outline
from engine.store.rows import time_text

if TYPE_CHECKING:
    from engine.store.rows import DefinitionRow, InstanceRow, JobRow, StatRow


def progress(jobs: Iterable[JobRow]) -> dict[int, str]:
    """Instance -> how far its running jobs are, as they say themselves: ``load: 40 % half of it``."""
    told: dict[int, list[str]] = {}
    for job in jobs:
        if job.reason:
            told.setdefault(job.instance, []).append(f"{job.node}: {job.reason}")
    return {instance: "; ".join(lines) for instance, lines in told.items()}


def summary(row: InstanceRow, zone: tzinfo, progress: str | None = None) -> Summary:
    """One line of the list; ``progress`` is the reason of one that runs and has no other."""
    return {
        "instance": row.id,
        "task": row.task,
        "run": row.run,
        "trigger": str(row.trigger),
        "status": str(row.status),
        "error_code": row.error_code,
        "error_message": row.error_message,
        "reason": row.reason or (progress if row.status == InstanceState.RUNNING else None),
        "created_at": local_time(row.created_at, zone),
        "scheduled_time": local_time(row.scheduled_time, zone),
        "started_at": local_time(row.started_at, zone),
        "ended_at": local_time(row.ended_at, zone),
    }


def run_document(
    instance: InstanceRow, rows: Iterable[JobRow], outline: Outline, zone: tzinfo, root: Path
) -> RunDocument:
    """One instance with the latest state of every node."""
    latest = latest_jobs(rows)
    states = _states(latest)
    held = instance.reason if instance.status == InstanceState.PAUSED else None
    jobs = [
        job_document(row, _why(row, outline, states, zone, held), zone, root)
        for row in in_order(latest, outline)
    ]
    return {
        **summary(instance, zone),
        "params": dict(instance.params),
        "results": dict(instance.results),
        "definition": instance.definition,
        "edited": list(instance.edited),
        "directory": _absolute(instance.directory, root),
        "jobs": jobs,
    }


def job_document(row: JobRow, reason: str | None, zone: tzinfo, root: Path) -> JobDocument:
    """One JobInstance."""
    return {
        "node": row.node,
        "job": row.job,
        "instance": row.id,
        "run": row.run,
        "round": row.round,
        "index": row.index,
        "status": str(row.status),
        "attempt": row.attempt,
        "worker": row.worker,
        "pid": row.pid,
        "exit_code": row.exit_code,
        "error_code": row.error_code,
        "error_message": row.error_message,
        "created_at": local_time(row.created_at, zone),
        "started_at": local_time(row.started_at, zone),
        "ended_at": local_time(row.ended_at, zone),
        "params": dict(row.params),
        "results": dict(row.results),
        "based_on_edit": row.based_on_edit,
        "directory": _absolute(row.directory, root),
        "reason": reason,
        "unverified": row.handling.get("unverified"),
    }


def latest_jobs(rows: Iterable[JobRow]) -> list[JobRow]:
    """Of every node the JobInstances of its latest run, with the rounds before that it went on from.

    A rerun that begins a loop anew starts at round 1 and so replaces every earlier round. Members
    of a group belong to the latest JobInstances of the group alone.
    """
    by_node: dict[str, list[JobRow]] = {}
    for row in rows:
        by_node.setdefault(row.node, []).append(row)
    kept = [row for own in by_node.values() for row in _latest_of_node(own)]
    alive = {row.id for row in kept}
    return [row for row in kept if row.parent is None or row.parent in alive]


def _latest_of_node(rows: list[JobRow]) -> list[JobRow]:
    kept: list[JobRow] = []
    first_round: float = float("inf")
    for run in sorted({row.run for row in rows}, reverse=True):
        fresh = [row for row in rows if row.run == run and row.round < first_round]
        first_round = min((row.round for row in fresh), default=first_round)
        kept += fresh
    return kept


def in_order(rows: Iterable[JobRow], outline: Outline) -> list[JobRow]:
    """By depth in the graph, then as in the file; rounds and members in turn, a group before its members."""
    found = sorted(rows, key=lambda row: row.id)
    by_id = {row.id: row for row in found}
    places = dict(outline.order)
    for row in found:
        places.setdefault(row.node, len(places))

    def place(row: JobRow) -> tuple[int, int, int, int]:
        whole = by_id.get(row.parent, row) if row.parent else row
        index = -1 if whole.index is None else whole.index
        return places[whole.node], whole.round, index, row.id

    return sorted(found, key=place)


def _states(rows: Iterable[JobRow]) -> dict[str, bool]:
    """Of every node whether its latest round has ended."""
    newest: dict[str, int] = {}
    ended: dict[str, bool] = {}
    for row in sorted(rows, key=lambda row: row.round):
        fresh = row.round > newest.get(row.node, 0)
        newest[row.node] = row.round
        ended[row.node] = JobState(row.status).ended and (fresh or ended[row.node])
    return ended


def _why(
    row: JobRow, outline: Outline, ended: Mapping[str, bool], zone: tzinfo, held: str | None = None
) -> str | None:
    """Why it waits or was skipped, in words; None for what runs or has run."""
    due = local_time(row.due_at, zone)
    if row.reason:
        return row.reason
    if row.status == JobState.PENDING:
        open_parents = [each for each in outline.parents.get(row.node, ()) if not ended.get(each, False)]
        its_turn = f"the instance is {held}" if held else "waits for its turn"
        return f"waits for {', '.join(open_parents)}" if open_parents else its_turn
    return _WAITING.get(str(row.status), {}).get(due is not None, "").format(due=due) or None


_WAITING: dict[str, dict[bool, str]] = {
    "waiting": {True: "waits until {due}", False: "waits for its condition"},
    "queued": {False: "waits for a free place", True: "waits for a free place"},
    "no_worker": {False: "no worker is there to run it", True: "no worker is there; tried again at {due}"},
    "busy": {False: "its worker is busy", True: "its worker is busy; tried again at {due}"},
    "retrying": {False: "will be tried again", True: "will be tried again at {due}"},
    "checking": {False: "its outcome is looked for", True: "its outcome is looked for again at {due}"},
}


def definition_summary(row: DefinitionRow, zone: tzinfo) -> Document:
    """One line of the list of definitions."""
    tree: Any = row.content if isinstance(row.content, Mapping) else {}
    told = {"id": row.id, "name": tree.get("name"), "type": tree.get("type"), "revision": row.revision}
    life = {"state": row.state, "project": row.project} if row.kind == "task" else {}
    if row.kind == "rule":
        does = tree.get("action")
        action = does if isinstance(does, str) else next(iter(does or {}), None)
        life = {"priority": tree.get("priority", 0), "enabled": tree.get("enabled", True), "action": action}
    if row.error is not None:
        told |= {"name": row.error.message, "error_code": row.error.code}
    return told | life | {"created_at": local_time(row.created_at, zone), "actor": row.actor}


def stat_document(row: StatRow) -> Document:
    """What became of a task or a job so far; seconds."""
    return {
        "kind": row.kind,
        "id": row.id,
        "count": row.counts,
        "succeeded": row.success,
        "failed": row.failed,
        "mean_seconds": row.avg_execute_time,
        "max_seconds": row.max_execute_time,
        "total_seconds": row.total_execute_time,
        "error_codes": {str(code): times for code, times in row.error_code_counts.items()},
    }


def local_time(text: str | None, zone: tzinfo) -> str | None:
    """A stored time in the workspace's zone: ISO 8601 with offset and microseconds."""
    if text is None:
        return None
    return datetime.fromisoformat(text).astimezone(zone).isoformat(timespec="microseconds")


def _absolute(directory: str | None, root: Path) -> str | None:
    return None if directory is None else str(root / directory)


def utc(text: str | None) -> str | None:
    """A time of a query as the store compares it."""
    if text is None:
        return None
    try:
        return time_text(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as problem:
        raise Invalid(TIME_INVALID, f"{text!r} is not a time in ISO 8601", where=text) from problem
