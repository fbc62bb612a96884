"""What ``on`` of jobs and nodes says that no registered worker fits, or that cannot be; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.model.codes.workers import NOT_MOVED, UNKNOWN_PLACE
from engine.model.definitions import Definitions
from engine.model.expression import compile_value
from engine.model.findings import Finding, Loc, error, warning
from engine.model.job import Job, On
from engine.model.worker import LOCAL, Worker
from engine.planning.graph import job_path, node_path
from engine.planning.worker_choice import Where, is_meant
from engine.plugins.job_type import CallType
from engine.plugins.registry import JobTypes

Site = tuple[Loc, On, str]  # where ``on`` is, and the type of the job


def places_of(definitions: Definitions) -> Iterator[Site]:
    """Every ``on`` that names workers, with the type of its job where that is known."""
    for id, job in definitions.jobs.items():
        yield ("jobs", id, "on"), job.on, job.type
    for task in definitions.tasks.values():
        for id, node in task.nodes.items():
            inline = node.job if isinstance(node.job, Job) else None
            used = inline or definitions.jobs.get(str(node.job))
            if inline is not None:
                yield (*job_path(task, id), "on"), inline.on, inline.type
            if node.on is not None:
                yield node_path(task, id, "on"), node.on, used.type if used else ""


def worker_findings(
    definitions: Definitions, job_types: JobTypes, workers: Sequence[Worker] | None
) -> Iterator[Finding]:
    """``workers``: those of the workspace; None: they are not known here, so no name of them is wrong."""
    for where, on, type in places_of(definitions):
        if on.is_local or not compile_value([list(on.workers or ()), on.group, dict(on.labels)]).literal:
            continue
        if workers is not None:
            yield from _unknown(where, on, workers)
        moved = not (isinstance(job_types.get(type), CallType) or type == "task")
        if not moved and _is_only_ssh(on, workers):
            text = "a job of type {type} does not run on SSH hosts, and no other worker is named"
            yield error(NOT_MOVED, text, where, type=type)


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
