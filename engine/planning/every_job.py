"""Every job of a set of definitions with its place: of the library, of nodes and handlers, within others."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.definitions import Definitions
from engine.model.findings import Loc
from engine.model.job import Job
from engine.planning.graph import node_path
from engine.planning.uses import parts


def every_job(definitions: Definitions) -> Iterator[tuple[Loc, Job]]:
    """Each once, where it is written."""
    for id, job in definitions.jobs.items():
        yield from _with_parts(("jobs", id), job)
    for task in definitions.tasks.values():
        for node in (*task.nodes.values(), *task.on_end.values()):
            if isinstance(node.job, Job):
                yield from _with_parts(node_path(task, node.id), node.job)


def _with_parts(where: Loc, job: Job) -> Iterator[tuple[Loc, Job]]:
    yield where, job
    for part in parts(job):
        if isinstance(part.member.job, Job):
            yield from _with_parts((*where, *part.where), part.member.job)
