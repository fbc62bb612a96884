"""The documents of ``show``, ``run`` and ``list``, made from what the store keeps (contract 7); pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from engine.api.documents import Document, JobDocument, RunDocument, Summary, UpstreamDocument
from engine.api.waiting_reason import behind
from engine.model.codes.commands import TIME_INVALID
from engine.model.errors import Invalid
from engine.model.handling import Handling
from engine.model.message import facts_of
from engine.model.pausing import of_job
from engine.model.plain_words import quoted
from engine.model.reason import Kind, Reason
from engine.model.reason_words import brief, said
from engine.model.states import InstanceState, JobState
from engine.model.times import moment_within
from engine.planning.outline import Outline
from engine.store.rows import (
    DefinitionRow,
    InstanceRow,
    JobRow,
    LinkRow,
    PartnerRow,
    StatRow,
    in_workspace,
    time_text,
)

_NAMED = 10  # instances of one task that another one waits for


def progress(jobs: Iterable[JobRow]) -> dict[int, Reason]:
    """Instance -> how far its running jobs are, as they say themselves: ``load: 40 % half of it``."""
    found: dict[int, list[tuple[str, Reason]]] = {}
    for job in jobs:
        if (why := job.because) is not None:
            found.setdefault(job.instance, []).append((job.node, why))
    return {instance: _of_jobs(each) for instance, each in found.items()}


def _of_jobs(said_by: Iterable[tuple[str, Reason]]) -> Reason:
    each = list(said_by)
    text = "; ".join(f"{node}: {brief(why)}" for node, why in each)
    return Reason.of(
        Kind.OF_JOBS, text=text, jobs=[{"name": node, "why": why.to_json()} for node, why in each]
    )


def summary(
    row: InstanceRow,
    zone: tzinfo,
    root: Path,
    progress: Reason | None = None,
    upstream: Iterable[UpstreamDocument] = (),
) -> Summary:
    """One line of the list; ``progress`` is the reason of one that runs and has no other."""
    busy = progress if row.status == InstanceState.RUNNING else None
    return {
        "instance": row.id,
        "task": row.task,
        "run": row.run,
        "trigger": str(row.trigger),
        "status": str(row.status),
        "error_code": row.error_code,
        "error_message": row.error_message,
        "error_facts": row.error_facts,
        **said(row.because or busy),
        "created_at": local_time(row.created_at, zone),
        "scheduled_time": local_time(row.scheduled_time, zone),
        "started_at": local_time(row.started_at, zone),
        "ended_at": local_time(row.ended_at, zone),
        "definition": row.definition,
        "edited": list(row.edited),
        "directory": _absolute(row.directory, root),
        "upstream": list(upstream),
    }


def run_document(
    instance: InstanceRow,
    rows: Iterable[JobRow],
    outline: Outline,
    zone: tzinfo,
    root: Path,
    holders: Iterable[JobRow] = (),
    upstream: Iterable[UpstreamDocument] = (),
) -> RunDocument:
    """One instance with the latest state of every node; ``holders`` have the slots that others wait for."""
    latest = latest_jobs(rows)
    states = _states(latest)
    held = instance.because if instance.status == InstanceState.PAUSED else None
    named = [f"#{each.instance} {each.node}" for each in holders]
    around = Around(outline, states, zone, held, named, _state_by_node(latest))
    jobs = [job_document(row, _why(row, around), zone, root) for row in in_order(latest, outline)]
    return {
        **summary(instance, zone, root, upstream=upstream),
        "params": dict(instance.params),
        "results": dict(instance.results),
        "jobs": jobs,
    }


def upstream_document(link: LinkRow, partners: Sequence[PartnerRow], zone: tzinfo) -> UpstreamDocument:
    """What an instance waits for of one task."""
    bad = [each for each in partners if each.status != InstanceState.SUCCEEDED]
    named = partners if link.partners == 1 else bad[:_NAMED]
    return {
        "task": link.upstream,
        "window": link.window,
        "first": local_time(link.first_at, zone),
        "last": local_time(link.last_at, zone),
        "count": link.partners,
        "decided": link.decided_at is not None,
        "released": link.released,
        "succeeded": len(partners) - len(bad),
        "instances": [
            {
                "instance": each.instance,
                "scheduled_time": local_time(each.scheduled_time, zone),
                "status": each.status,
            }
            for each in named
        ],
    }


def job_document(row: JobRow, reason: Reason | None, zone: tzinfo, root: Path) -> JobDocument:
    handling = Handling.from_json(row.handling)
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
        "error_facts": row.error_facts,
        "created_at": local_time(row.created_at, zone),
        "started_at": local_time(row.started_at, zone),
        "ended_at": local_time(row.ended_at, zone),
        "params": dict(row.params),
        "results": dict(row.results),
        "based_on_edit": row.based_on_edit,
        "directory": _absolute(row.directory, root),
        **said(reason),
        "unverified": handling.unverified,
        "unverified_facts": handling.unverified_facts,
    }


def latest_jobs(rows: Iterable[JobRow]) -> list[JobRow]:
    """Of every node the JobInstances of its latest run, with the rounds before that it went on from.

    A rerun that begins a loop again starts at round 1 and so replaces every earlier round. Members
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


def _state_by_node(rows: Iterable[JobRow]) -> dict[str, str]:
    """Of a batch the state of a member that has not ended, if there is any."""
    in_order = sorted(rows, key=lambda row: not JobState(row.status).ended)
    return {row.node: str(row.status) for row in in_order}


class Around(NamedTuple):
    """What is known around a job; ``held`` is why its instance is paused."""

    outline: Outline
    ended: Mapping[str, bool]  # of every node whether its latest round has ended
    zone: tzinfo
    held: Reason | None
    holders: list[str]
    states: Mapping[str, str]  # of every node


def _why(row: JobRow, around: Around) -> Reason | None:
    """Why it waits or was skipped; None for what runs or has run."""
    found = row.because
    if found is not None:
        return _with_holders(found, around)
    if row.status == JobState.PENDING:
        parents = around.outline.parents.get(row.node, ())
        nodes = [each for each in parents if not around.ended.get(each, False)]
        its_turn = of_job(around.held) if around.held else Reason(Kind.TURN)
        return behind(nodes, around.outline.parents, around.states) if nodes else its_turn
    child = row.results.get("instance")
    if row.status == JobState.WAITING and isinstance(child, int):
        return Reason.of(Kind.SUB_TASK, instance=child)
    kind = _WAITING.get(str(row.status))
    return None if kind is None else _due(kind, local_time(row.due_at, around.zone))


def _with_holders(reason: Reason, around: Around) -> Reason:
    """Who has the slots changes while it waits, so they are named when it is read."""
    if reason.kind not in (Kind.SLOT, Kind.EXCLUSIVE_NEXT) or not around.holders:
        return reason
    return Reason.of(reason.kind, holders=around.holders)


def _due(kind: Kind, due: str | None) -> Reason:
    if kind is Kind.WAIT_CONDITION and due is not None:
        return Reason.of(Kind.WAIT_UNTIL, until=due)
    return Reason.of(kind, at=due)


_WAITING: Mapping[str, Kind] = {  # of rows that do not say it: rebuilt from the directories
    "waiting": Kind.WAIT_CONDITION,
    "queued": Kind.SLOT,
    "no_worker": Kind.NO_WORKER,
    "busy": Kind.BUSY,
    "retrying": Kind.TRIED_AGAIN,
    "checking": Kind.CHECK,
}


def definition_summary(row: DefinitionRow, zone: tzinfo) -> Document:
    """One line of the list of definitions."""
    tree: Any = row.content if isinstance(row.content, Mapping) else {}
    shown = {"id": row.id, "name": tree.get("name"), "type": tree.get("type"), "revision": row.revision}
    life = {"state": row.state, "project": row.project} if row.kind == "task" else {}
    if row.kind == "rule":
        does = tree.get("action")
        action = does if isinstance(does, str) else next(iter(does or {}), None)
        life = {"priority": tree.get("priority", 0), "enabled": tree.get("enabled", True), "action": action}
    if row.error is not None:
        message = row.error.message
        error = {"error_code": row.error.code, "error_message": message, "error_facts": facts_of(message)}
        shown |= {"name": message, **error}
    return shown | life | {"created_at": local_time(row.created_at, zone), "actor": row.actor}


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
    return None if directory is None else str(root / in_workspace(directory))


def utc(text: str | None) -> str | None:
    """A time of a query as the store compares it."""
    if text is None:
        return None
    try:
        return time_text(moment_within(text))
    except ValueError as problem:
        message = "{text} is not a time in ISO 8601"
        raise Invalid(TIME_INVALID, message, where=text, text=quoted(text)) from problem
