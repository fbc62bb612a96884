"""Prepares reruns: what a request comes to, whether it is allowed, and a preview; reads the store only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from engine.context import TaskContext, format_path
from engine.definitions.writer import dump
from engine.execution import kill
from engine.execution.host import LOCAL, UNKNOWN, Attempts
from engine.model.codes.planning import RERUN_NEVER_RAN
from engine.model.codes.runtime import EDIT_INVALID, NO_SUCH_INSTANCE, STILL_ALIVE, STILL_RUNNING
from engine.model.errors import Invalid, Refused
from engine.model.line_diff import line_diff
from engine.model.message import Message
from engine.model.states import InstanceState, JobState
from engine.planning.names import is_within
from engine.planning.rerun import RerunSelection, never_ran
from engine.planning.shape import Plan
from engine.plugins.registry import JobTypes
from engine.runtime import library
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.commands import edit_of
from engine.runtime.interventions.typed_values import value_like
from engine.runtime.library import Types
from engine.runtime.recovery.rebuilt_run import captured, refuse_outcome_alone
from engine.runtime.reruns import downstream
from engine.runtime.reruns.downstream import ChainLink
from engine.runtime.reruns.neighbourhood import Neighbourhood
from engine.runtime.reruns.rerun_request import RerunRequest, Spoken
from engine.runtime.run_state.context_paths import known
from engine.runtime.run_state.restart import Edit, Past, Restart
from engine.store.rows import AttemptRow, InstanceRow, JobRow
from engine.store.sql_store import Store

Alive = Callable[[str, Attempts], tuple[int, ...]]  # the living processes of attempts, by their worker
_MAY_LIVE = frozenset({JobState.LOST, JobState.CANCELLED, JobState.TIMED_OUT})


def _alive_here(worker: str, attempts: Attempts) -> tuple[int, ...]:
    """Without an engine nothing is known of other machines; the engine looks there before it begins."""
    return kill.alive_of_all(attempts) if worker == LOCAL else ()


class Here(NamedTuple):
    """Where and when it is asked for."""

    zone: ZoneInfo
    now: datetime


@dataclass(frozen=True)
class PreparedRerun:
    """A rerun that is allowed: what it runs, by which plan, with which edits."""

    request: RerunRequest
    row: InstanceRow
    plan: Plan
    restart: Restart
    edits: tuple[Edit, ...]

    @property
    def selection(self) -> RerunSelection:
        """The nodes that run, keep their outcome, are skipped."""
        return self.restart.selection


# -- deciding; reads the store only ----------------------------------------------------------------


def prepare(
    store: Store,
    types: Types,
    request: RerunRequest,
    here: Here,
    batch: Collection[int] = (),
    after: Sequence[int] | None = None,
) -> PreparedRerun:
    """What a request comes to; Invalid for unknown things, Refused while it or a neighbour is at work.

    The instances of one ``batch`` do not forbid each other. With ``after``, those that it has waited for,
    it may still be waiting itself.
    """
    row = store.instance(request.instance)
    if row is None:
        raise Invalid.at(NO_SUCH_INSTANCE, "there is no instance {where}", request.instance)
    if after is None:
        _refuse_unended(row, here.now)
    refuse_outcome_alone(row)
    Neighbourhood(store, here.zone).refuse(row, batch)
    if row.run == 0:
        return _first_run(store, types, request, row)
    plan = _current(store, types, row.task) if request.current else captured(store, types, row)
    jobs = store.jobs(row.id)
    past = Past.of_rows(plan, jobs)
    restart = Restart.choose(plan, past, request.mode, request.nodes, with_upstream=request.with_upstream)
    if request.current:
        _refuse_after_unknown(row, plan, restart, jobs)
    if after:
        takes = downstream.taken(store, row, restart.selection.run, after)
        afresh = restart.afresh and not request.follows
        restart = replace(restart, after=tuple(after), takes=takes, afresh=afresh)
    edits = edits_of(store, plan, request, types.job_types)
    _refuse_overwritten(edits, restart.selection.run)
    return PreparedRerun(request, row, plan, restart, edits)


def _first_run(store: Store, types: Types, request: RerunRequest, row: InstanceRow) -> PreparedRerun:
    """Of one that never began: all of the current definition."""
    if request.mode in ("from", "only"):
        message = "instance {where} has never begun: all of it is run, not single nodes"
        raise Invalid.at(RERUN_NEVER_RAN, message, row.id)
    if request.edits:
        raise Invalid.at(EDIT_INVALID, "instance {where} has never begun: it has no values to change", row.id)
    plan = _current(store, types, row.task)
    return PreparedRerun(request, row, plan, Restart.choose(plan, Past(), "all"), ())


def linked(store: Store, types: Types, requests: Iterable[RerunRequest], zone: ZoneInfo) -> list[ChainLink]:
    """The requests with what depends on them, where that is asked for; each behind what it waits for."""
    wanted = list(requests)
    if not any(each.downstream for each in wanted):
        return [ChainLink(each) for each in wanted]
    return downstream.chain(store, types, Neighbourhood(store, zone), wanted)


def _current(store: Store, types: Types, task: str) -> Plan:
    return library.planned(task, library.closure(store, task, types), types.job_types)


def _refuse_unended(row: InstanceRow, now: datetime) -> None:
    if row.run == 0 and datetime.fromisoformat(row.scheduled_time) > now:
        message = "the time of instance {where}, which is {status}, has not come"
        raise Refused.at(STILL_RUNNING, message, row.id, status=row.status)
    if not InstanceState(row.status).ended:
        message = "instance {where} is {status}: wait for its end or cancel it"
        raise Refused.at(STILL_RUNNING, message, row.id, status=row.status)


def _refuse_after_unknown(row: InstanceRow, plan: Plan, restart: Restart, jobs: Iterable[JobRow]) -> None:
    """Nothing runs after a node that the instance knows nothing of; it may have had another name."""
    past = restart.past
    if missing := never_ran(plan, restart.selection, past.outcomes, past.branches):
        gone = dict.fromkeys(job.node for job in jobs if job.parent is None and job.node not in plan.nodes)
        suffix = Message.of(" (the definition no longer has {nodes})", nodes=_quoted(gone)) if gone else ""
        message = "what runs again comes after {nodes}, never run in instance {instance}{suffix}"
        facts: dict[str, Any] = {"nodes": _quoted(missing), "instance": row.id, "suffix": suffix}
        details: dict[str, object] = {"nodes": list(missing)}
        raise Refused(RERUN_NEVER_RAN, message, where=missing[0], details=details, **facts)


def _quoted(nodes: Iterable[str]) -> str:
    return ", ".join(map(repr, nodes))


def _refuse_overwritten(edits: Iterable[Edit], run: Collection[str]) -> None:
    for edit in edits:
        if edit.steps[0] == "JOB" and edit.steps[1] in run:
            message = "{where}: {node!r} runs again and would write over it"
            raise Invalid.at(EDIT_INVALID, message, edit.path, node=edit.steps[1])


def refuse_living(store: Store, made: PreparedRerun, alive: Alive) -> None:
    """No job runs again while anything of an earlier attempt lives; ``alive`` may take its time."""
    run = frozenset(made.selection.run)
    rows = [row for row in store.jobs(made.row.id) if is_within(row.node, run)]
    ended = [(row, attempt) for row in rows if row.status in _MAY_LIVE and (attempt := _marked(store, row))]
    by_worker: dict[str, list[tuple[str | None, str]]] = {}
    for row, attempt in ended:
        by_worker.setdefault(attempt.worker or LOCAL, []).append((row.directory, attempt.mark or ""))
    if pids := [pid for worker, attempts in by_worker.items() for pid in alive(worker, attempts)]:
        nodes = ", ".join(dict.fromkeys(row.node for row, _ in ended))
        facts: dict[str, Any] = {"nodes": nodes, "pids": ", ".join(map(str, pids))}
        message = "processes of an earlier attempt live ({nodes}): {pids}"
        if UNKNOWN in pids:
            message = "processes of an earlier attempt may live ({nodes}): their worker is not reached"
        raise Refused(STILL_ALIVE, message, where=nodes, details={"pids": pids}, **facts)


def living(store: Store, row: JobRow) -> tuple[int, ...]:
    """The processes that are left of the latest attempt of a JobInstance."""
    attempt = _marked(store, row)
    return kill.alive(row.directory, attempt.mark or "") if attempt is not None else ()


def _marked(store: Store, row: JobRow) -> AttemptRow | None:
    """Its latest attempt; None where that began no processes."""
    latest = next(reversed(store.attempts(row.id)), None)
    return latest if latest is not None and latest.mark else None


# -- edits -----------------------------------------------------------------------------------------


def edits_of(store: Store, plan: Plan, request: RerunRequest, job_types: JobTypes) -> tuple[Edit, ...]:
    """What is changed before, each at the one place that is meant; a rerun is reason enough."""
    if not request.edits:
        return ()
    tree = TaskContext.replay(store.lines(request.instance), SystemClock()).tree
    reason = request.reason if request.reason.strip() else f"for a rerun ({request.mode})"
    edits = (edit_of(*each, reason, request.actor) for each in request.edits)
    return tuple(_placed(plan, tree, each, job_types) for each in edits)


def _placed(plan: Plan, tree: dict[str, Any], edit: Edit, job_types: JobTypes) -> Edit:
    steps = known(plan, tree, edit.steps, job_types)
    path, value = format_path(steps), edit.value
    if isinstance(value, Spoken):
        value = value_like(tree, path, value.text)
    return replace(edit, steps=steps, path=path, value=value)


# -- the answer -------------------------------------------------------------------------------------


def preview(
    store: Store, types: Types, request: RerunRequest, here: Here, alive: Alive = _alive_here
) -> dict[str, Any]:
    """``{"run", "keep", "skip"}``: what that rerun would do; with the current definition also ``diff``.

    With downstream also ``downstream``: the same of every instance that runs again after it, in order.
    """
    links = linked(store, types, [request], here.zone)
    batch = [each.request.instance for each in links]
    previews = {}
    for link in links:
        made = prepare(store, types, link.request, here, batch)
        refuse_living(store, made, alive)
        previews[link.request.instance] = _previewed(store, link, made)
    first = previews.pop(request.instance)
    return first | {"downstream": list(previews.values())} if request.downstream else first


def _previewed(store: Store, link: ChainLink, made: PreparedRerun) -> dict[str, Any]:
    chosen, row = made.selection, made.row
    payload: dict[str, Any] = {name: list(getattr(chosen, name)) for name in ("run", "keep", "skip")}
    payload["run"] += made.plan.handlers  # those of its outcome
    if link.request.current and row.run:
        payload["diff"] = difference(store, row)
    if not link.after:
        return payload
    return {"instance": row.id, "task": row.task, "after": list(link.after), **payload}


def difference(store: Store, row: InstanceRow) -> list[str]:
    """The lines in which the current definitions differ from those that the instance ran with."""
    raw = store.snapshot(row.id, row.run) or {}
    trees = library.referred(library.finder(raw), "task", row.task), library.tree_of(store, "task", row.task)
    old, new = (dump({name: each for name, each in tree.items() if each}).splitlines() for tree in trees)
    return list(line_diff(old, new, "captured", "current"))
