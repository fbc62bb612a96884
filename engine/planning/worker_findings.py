"""What ``on`` of jobs and nodes says that no registered worker fits, or that cannot be; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.model.codes.workers import NOT_MOVED, UNKNOWN_PLACE
from engine.model.definitions import Definitions
from engine.model.expression import compile_value
from engine.model.findings import Finding, Loc, error, warning
from engine.model.job import Job, On
from engine.model.worker import LOCAL, Worker
from engine.planning.graph import job_of, node_path
from engine.planning.uses import parts
from engine.planning.worker_choice import Where, is_meant
from engine.plugins.job_type import CallType
from engine.plugins.registry import JobTypes


class OnSite(NamedTuple):
    """An ``on``: where it is, and the job that it is of; None: of all nodes of a task, or not known."""

    where: Loc
    on: On
    job: Job | None


def places_of(definitions: Definitions) -> Iterator[OnSite]:
    """Every ``on``: of jobs, of jobs within these, of nodes and handlers, and of all nodes of a task."""
    for id, job in definitions.jobs.items():
        yield from _of_job(("jobs", id), job)
    for task in definitions.tasks.values():
        if "on" in task.defaults.model_fields_set:
            yield OnSite(("tasks", task.id, "defaults", "on"), task.defaults.on, None)
        for node in (*task.nodes.values(), *task.on_end.values()):
            if isinstance(node.job, Job):
                yield from _of_job(node_path(task, node.id), node.job)
            if node.on is not None:
                yield OnSite(node_path(task, node.id, "on"), node.on, job_of(node, definitions))


def _of_job(where: Loc, job: Job) -> Iterator[OnSite]:
    yield OnSite((*where, "on"), job.on, job)
    for part in parts(job):
        if isinstance(part.member.job, Job):
            yield from _of_job((*where, *part.where), part.member.job)


def worker_findings(
    definitions: Definitions, job_types: JobTypes, workers: Sequence[Worker] | None
) -> Iterator[Finding]:
    """``workers``: those of the workspace; None: they are not known here, so no name of them is wrong."""
    for where, on, job in places_of(definitions):
        if on.is_local or not compile_value([list(on.workers or ()), on.group, dict(on.labels)]).literal:
            continue
        if workers is not None:
            yield from _unknown(where, on, workers)
        if job is None or not _is_only_ssh(on, workers):
            continue
        if _stays(job, job_types):
            text = "a job of type {type} does not run on SSH hosts, and no other worker is named"
            yield error(NOT_MOVED, text, where, type=job.type)
        if job.process is not None and job.process.kind == "class":
            text = (
                "its process is a call by a class, which does not run on SSH hosts: it runs on this machine"
            )
            yield warning(NOT_MOVED, text, where)
        for name, member in _members_here(job, definitions, job_types):
            text = "its member {member} of type {type} does not run on SSH hosts: it runs on this machine"
            yield warning(NOT_MOVED, text, where, member=name, type=member.type)


def _stays(job: Job, job_types: JobTypes) -> bool:
    """Whether its type is not moved to other machines."""
    return isinstance(job_types.get(job.type), CallType) or job.type == "task"


def _members_here(job: Job, definitions: Definitions, job_types: JobTypes) -> Iterator[tuple[str, Job]]:
    """The jobs within a job that have its ``on`` and stay here all the same."""
    ahead, seen = [("", job)], {job.id}
    while ahead:
        above, outer = ahead.pop(0)
        for part in parts(outer):
            member = job_of(part.member, definitions)
            if member is None or "on" in member.model_fields_set or part.where[-1] == "task":
                continue
            name = f"{above}{part.name}"
            if _stays(member, job_types):
                yield name, member
            elif isinstance(part.member.job, Job) or member.id not in seen:
                seen.add(member.id)
                ahead.append((f"{name}.", member))


def _unknown(where: Loc, on: On, workers: Sequence[Worker]) -> Iterator[Finding]:
    known = {LOCAL, *(worker.name for worker in workers)}
    for place, name in enumerate(on.workers or ()):
        if name not in known:
            yield warning(
                UNKNOWN_PLACE, "no worker '{name}' is registered", (*where, "workers", place), name=name
            )
    if on.group is not None and not any(on.group in worker.groups for worker in workers):
        yield warning(UNKNOWN_PLACE, "no worker is in the group '{name}'", (*where, "group"), name=on.group)
    if on.labels and not _meant(On(labels=on.labels), workers):
        yield warning(UNKNOWN_PLACE, "no worker has these labels", (*where, "labels"))


def _is_only_ssh(on: On, workers: Sequence[Worker] | None) -> bool:
    if on.workers and LOCAL not in on.workers:
        return True
    meant = _meant(on, workers or ())
    return bool(meant) and all(worker.kind != LOCAL for worker in meant)


def _meant(on: On, workers: Sequence[Worker]) -> list[Worker]:
    labels = tuple((key, str(value)) for key, value in on.labels.items())
    where = Where(on.workers or (), on.group, labels)
    return [worker for worker in workers if is_meant(where, worker)]
