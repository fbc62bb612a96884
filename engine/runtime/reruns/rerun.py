"""Starts reruns of ended instances: begins them, or lets them wait for others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from engine.model.codes.runtime import STILL_RUNNING
from engine.model.errors import Refused
from engine.model.reason_words import brief
from engine.runtime.interventions.ended_instances import in_turn
from engine.runtime.recovery.rebuilt_run import ended_run
from engine.runtime.reruns.downstream import ChainLink
from engine.runtime.reruns.pending_reruns import PendingReruns
from engine.runtime.reruns.preparation import PreparedRerun, linked, prepare, refuse_living
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.run import Run

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
        refuse_living(
            control.store, _prepared(control, each.request, batch), control.services.processes.alive
        )

    def begin() -> list[StartedRerun]:
        found = _rerun_all(control, pending, _links(control, only))
        return sorted(found, key=lambda each: each["instance"] not in only)

    return in_turn(control.services, batch, begin)


def _links(control: RunControl, only: Mapping[int, RerunRequest]) -> list[ChainLink]:
    return linked(control.store, control.services, only.values(), control.workspace.zone)


def _prepared(
    control: RunControl, request: RerunRequest, batch: Collection[int], after: Sequence[int] | None = None
) -> PreparedRerun:
    return prepare(control.store, control.services, request, control.workspace.zone, batch, after)


def _rerun_all(control: RunControl, pending: PendingReruns, links: Sequence[ChainLink]) -> list[StartedRerun]:
    batch = [link.request.instance for link in links]
    prepared = [(link, _still(control, link.request, batch)) for link in links]
    return [_begun_or_held(control, pending, link, run, made) for link, (run, made) in prepared]


def _begun_or_held(
    control: RunControl, pending: PendingReruns, link: ChainLink, run: Run, made: PreparedRerun
) -> StartedRerun:
    if not link.after:
        return {"instance": link.request.instance, "run": _begun(control, run, made).facts.number}
    wait = pending.add(link)
    return {"instance": link.request.instance, "run": wait.run + 1, "after": list(link.after)}


def begin_pending(control: RunControl, link: ChainLink, batch: Collection[int]) -> None:
    """Run one again whose turn has come; SkerryError when that cannot be (loop thread)."""
    made = _prepared(control, link.request, batch, link.after)
    _begun(control, ended_run(control, link.request.instance), made)


def refuse_impossible(control: RunControl, request: RerunRequest) -> None:
    """SkerryError for one that may not run again now; not on the engine's thread: it looks through /proc."""
    refuse_living(control.store, _prepared(control, request, ()), control.services.processes.alive)


def begin_now(control: RunControl, request: RerunRequest) -> None:
    """Run one again that has been looked at so (loop thread); SkerryError when that cannot be."""
    _begun(control, *_still(control, request, ()))


def _still(control: RunControl, request: RerunRequest, batch: Collection[int]) -> tuple[Run, PreparedRerun]:
    if request.instance in control.runs:
        message = "instance {where} is still running: wait for its end or cancel it"
        raise Refused.at(STILL_RUNNING, message, request.instance)
    made = _prepared(control, request, batch)
    return ended_run(control, request.instance), made


def _begun(control: RunControl, run: Run, made: PreparedRerun) -> Run:
    request, changes = made.request, control.services.changes
    after = made.restart.why
    further = control.starting.again(
        run,
        made.restart,
        plan=made.plan,
        edits=made.edits,
        trigger=request.trigger,
        actor=request.actor,
        why=request.reason or (after and brief(after)) or None,
    )
    if request.current:
        row = control.store.definition("task", made.row.task)
        changes.update("instance", made.row.id, {"definition": row.revision if row else None})
    payload = {"run": further.facts.number, "nodes": sorted(made.selection.run), "current": request.current}
    changes.act(request.actor, "rerun", f"instance {made.row.id}", **payload)
    return further
