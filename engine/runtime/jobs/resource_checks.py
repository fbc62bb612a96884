"""The resources of a job: resolved in its scope, checked on a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from engine.context import ContextScope
from engine.model.codes.runtime import RESOURCE_FAILED
from engine.model.codes.ssh import HOST_UNREACHABLE
from engine.model.errors import SkerryError
from engine.model.expression import compile_value, render
from engine.model.job import Job, JobKeys
from engine.plugins.job_type import Cancel
from engine.plugins.resource_type import CheckResult, ResolvedResource
from engine.runtime.fibers import Coroutine, Offload, Sleep
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.loop import CALLS
from engine.runtime.run_state.expression_scopes import is_reference, reference_id, worked_out
from engine.runtime.run_state.run_context import RunContext
from engine.runtime.services import EngineServices

_ASK_AGAIN = 1.0  # seconds after which a worker that could not be asked is asked again


def resolve(
    run: RunContext, scope: ContextScope, id: str, at: tuple[str | int, ...]
) -> Coroutine[ResolvedResource]:
    """The resource with every expression evaluated, its secret looked up; the uses are noted ``at``."""
    resource = run.facts.plan.definitions.resources[id]
    parts: dict[str, Any] = {}
    for name in ("uri", "request", "check"):
        template = compile_value(getattr(resource, name))
        parts[name], uses = yield from worked_out(scope, partial(render, template))
        for use in uses:
            why = f"resource {id}: {name}"
            run.context.note(at, expression=use.expression, inputs=use.inputs, why=why, value=parts[name])
    request: Mapping[str, Any] = parts["request"]
    secret = run.services.secret(request["secret"]) if request.get("secret") else None
    return ResolvedResource(id, resource.type, parts["uri"], request, parts["check"], secret)


def of_job(entry: JobEntry, id: str) -> Coroutine[ResolvedResource]:
    """A resource of a job, resolved in its scope; its output is masked from now on."""
    resource: ResolvedResource = yield from resolve(entry.run, entry.scope, id, entry.identity.path)
    if not entry.is_here and entry.run.facts.plan.definitions.resources[id].at == "worker":
        resource = replace(resource, elsewhere=entry.host.look_at_file)
    if resource.secret is not None:
        entry.resource_secrets += (resource.secret,)
    return resource


def checked(
    services: EngineServices,
    resource: ResolvedResource,
    lane: str = CALLS,
    unreached: Callable[[], None] = lambda: None,
) -> Coroutine[CheckResult]:
    """``result = yield from checked(…)``: the answer of the resource's check, done on that lane.

    ``unreached`` is called each time that its worker is not, which is waited for: a link that is cut
    changes no outcome.
    """
    kind = services.resource_types[resource.type]
    while True:
        cancel = Cancel()
        check = partial(kind.check, resource, cancel.on_cancel)
        answer: CheckResult = yield Offload(check, cancel.request, lane=lane)
        if resource.elsewhere is None or answer.code != HOST_UNREACHABLE.number:
            return answer
        unreached()
        yield Sleep(_ASK_AGAIN)


def _checked_for(entry: JobEntry, resource: ResolvedResource) -> Coroutine[CheckResult]:
    """The same for a job, which may have it looked at by its worker."""
    lane = CALLS if resource.elsewhere is None else entry.host.facts.name
    return (yield from checked(entry.services, resource, lane, entry.check_worker))


def holds(entry: JobEntry, id: str) -> Coroutine[bool]:
    """Whether a resource is ok, for conditions and success."""
    answer: CheckResult = yield from _checked_for(entry, (yield from of_job(entry, id)))
    return answer.ok


def needed(job: Job, settings: JobKeys) -> tuple[str, ...]:
    """The ids to check before the job: its ``resources`` and the one that its type works with."""
    own = vars(settings).get("resource")
    return tuple(dict.fromkeys((*job.resources, *((own,) if own else ()))))


def ready(entry: JobEntry, ids: tuple[str, ...]) -> Coroutine[dict[str, ResolvedResource]]:
    """Check all that the job needs; SkerryError names the first that is not ok. Gives them by id."""
    found: dict[str, ResolvedResource] = {}
    for id in ids:
        resource = found[id] = yield from of_job(entry, id)
        answer: CheckResult = yield from _checked_for(entry, resource)
        if not answer.ok:
            facts: dict[str, object] = {"resource": id, "check": answer.as_map(), "code": answer.code}
            template = "resource {where!r}: {message}"
            raise SkerryError.at(RESOURCE_FAILED, template, id, details=facts, message=answer.message)
    return found


def after(entry: JobEntry) -> Coroutine[dict[str, CheckResult]]:
    """Check what the job changes and what its results tell of; the answers by id."""
    job = entry.job
    referenced = [reference_id(spec.value) for spec in job.results.values() if is_reference(spec.value)]
    answers: dict[str, CheckResult] = {}
    for id in dict.fromkeys((*job.changes, *referenced)):
        answers[id] = yield from _checked_for(entry, (yield from of_job(entry, id)))
        answer = {"resource": id, **answers[id].as_map()}
        entry.run.context.note(entry.identity.path, why=f"resource {id} checked after the job", value=answer)
    return answers
