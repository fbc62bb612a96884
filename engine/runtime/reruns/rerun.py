"""Starts reruns of ended instances: begins them, or lets them wait for others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.model.codes.runtime import STILL_RUNNING
from engine.model.errors import Refused
from engine.model.reason_words import brief
from engine.model.states import Trigger
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.recovery.rebuilt_run import ended_run
from engine.runtime.reruns.downstream import ChainLink
from engine.runtime.reruns.pending_reruns import PendingReruns
from engine.runtime.reruns.preparation import Here, PreparedRerun, linked, prepare, refuse_living
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.run import Run
from engine.runtime.submission import Submission, given_params

StartedRerun = dict[str, Any]  # {"instance", "run"}, and "after": the instances that it waits for, if any


def rerun(
    control: RunControl, pending: PendingReruns, requests: Sequence[RerunRequest]
) -> list[StartedRerun]:
    """Start further runs of ended instances, all or none: those that are asked for first, then what follows.

    Those of one call do not forbid each other. Who comes after others waits for their success.
    """
    only = {request.instance: request for request in requests}
    links = _links(control, only)
    batch = [each.request.instance for each in links]
    for each in links:  # here, not on the engine's thread: it looks through /proc
        refuse_living(control.store, _prepared(control, each.request, batch), control.services.hosts.living)

    def begin() -> list[StartedRerun]:
        found = _rerun_all(control, pending, _links(control, only))
        return sorted(found, key=lambda each: each["instance"] not in only)

    return in_turn(control.services, batch, begin)


def _links(control: RunControl, only: Mapping[int, RerunRequest]) -> list[ChainLink]:
    return linked(control.store, control.services, only.values(), control.workspace.zone)


def _prepared(
    control: RunControl, request: RerunRequest, batch: Collection[int], after: Sequence[int] | None = None
) -> PreparedRerun:
    here = Here(control.workspace.zone, control.services.clock.now())
    return prepare(control.store, control.services, request, here, batch, after)


def _rerun_all(control: RunControl, pending: PendingReruns, links: Sequence[ChainLink]) -> list[StartedRerun]:
    batch = [link.request.instance for link in links]
    prepared = [(link, _still(control, link.request, batch)) for link in links]
    return [_begun_or_held(control, pending, link, run, made) for link, (run, made) in prepared]


def _begun_or_held(
    control: RunControl, pending: PendingReruns, link: ChainLink, run: Run | None, made: PreparedRerun
) -> StartedRerun:
    id = link.request.instance
    if not link.after:
        return {"instance": id, "run": _begun(control, run, made).facts.number}
    if made.row.run == 0:
        control.coming.wait_again(made.row)
    else:
        pending.add(link)
    return {"instance": id, "run": made.row.run + 1, "after": list(link.after)}


def begin_pending(control: RunControl, link: ChainLink, batch: Collection[int]) -> None:
    """Run one again whose turn has come; SkerryError when that cannot be (loop thread)."""
    made = _prepared(control, link.request, batch, link.after)
    _begun(control, ended_run(control, link.request.instance), made)


def refuse_impossible(control: RunControl, request: RerunRequest) -> None:
    """SkerryError for one that may not run again now; not on the engine's thread: it looks through /proc."""
    refuse_living(control.store, _prepared(control, request, ()), control.services.hosts.living)


def begin_now(control: RunControl, request: RerunRequest) -> None:
    """Run one again that has been looked at so (loop thread); SkerryError when that cannot be."""
    _begun(control, *_still(control, request, ()))


def _still(
    control: RunControl, request: RerunRequest, batch: Collection[int]
) -> tuple[Run | None, PreparedRerun]:
    """Its latest run, None of one that never began, and what is to be run."""
    if request.instance in control.runs:
        message = "instance {where} is still running: wait for its end or cancel it"
        raise Refused.at(STILL_RUNNING, message, request.instance)
    made = _prepared(control, request, batch)
    return ended_run(control, request.instance) if made.row.run else None, made


def _begun(control: RunControl, run: Run | None, made: PreparedRerun) -> Run:
    request, changes = made.request, control.services.changes
    further = _first(control, made) if run is None else _further(control, run, made)
    if request.current or run is None:
        row = control.store.definition("task", made.row.task)
        changes.update("instance", made.row.id, {"definition": row.revision if row else None})
    payload = {"run": further.facts.number, "nodes": sorted(made.selection.run), "current": request.current}
    changes.act(request.actor, "rerun", f"instance {made.row.id}", **payload)
    return further


def _further(control: RunControl, run: Run, made: PreparedRerun) -> Run:
    request, after = made.request, made.restart.why
    return control.starting.again(
        run,
        made.restart,
        plan=made.plan,
        edits=made.edits,
        trigger=request.trigger,
        actor=request.actor,
        why=request.reason or (after and brief(after)) or None,
    )


def _first(control: RunControl, made: PreparedRerun) -> Run:
    """The first run, at once: what it would have waited for is what decides."""
    row, request, services = made.row, made.request, control.services
    links = control.store.links(row.id)
    for link in links:
        if link.decided_at is None:
            services.changes.move("link", (row.id, link.upstream), None, services.now(), {})
    asked = Submission(row.task, actor=request.actor, reason=request.reason or None)
    params = given_params(made.plan.task, asked)
    row = replace(row, due_at=services.now())
    return control.starting.begin(row, asked, made.plan, params, links=links, by=Trigger(request.trigger))
