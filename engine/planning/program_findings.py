"""Keys that are about programs, in jobs that run none: warned of, since nothing would come of them; pure."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.codes.planning import NO_EFFECT
from engine.model.definitions import Definitions
from engine.model.findings import Finding, Loc, warning
from engine.model.job import Job
from engine.model.task import Node, Task
from engine.planning.every_job import every_job
from engine.planning.graph import node_path
from engine.plugins.job_type import ProgramType
from engine.plugins.registry import JobTypes

_AROUND = ("env", "working_dir")


def program_findings(definitions: Definitions, job_types: JobTypes) -> Iterator[Finding]:
    """`env`, `working_dir` and `retry.exit` of jobs and nodes without a program."""
    for where, job in every_job(definitions):
        yield from _of_job(where, job, job_types)
    for task in definitions.tasks.values():
        for node in (*task.nodes.values(), *task.on_end.values()):
            yield from _of_node(task, node, definitions, job_types)


def _of_job(where: Loc, job: Job, job_types: JobTypes) -> Iterator[Finding]:
    if not _runs_programs(job, job_types):
        yield from (_idle(key, (*where, key)) for key in _AROUND if getattr(job, key))
    if job.retry.exit and not _has_own_program(job, job_types):
        yield _idle("exit", (*where, "retry", "exit"))


def _of_node(task: Task, node: Node, definitions: Definitions, job_types: JobTypes) -> Iterator[Finding]:
    """What a node adds to a job that it names."""
    job = definitions.jobs.get(node.job) if isinstance(node.job, str) else None
    if job is not None and not _runs_programs(job, job_types):
        yield from (_idle(key, node_path(task, node.id, key)) for key in _AROUND if getattr(node, key))


def _runs_programs(job: Job, job_types: JobTypes) -> bool:
    """Whether one may run: the job's own, or a member's."""
    return job.type == "group" or _has_own_program(job, job_types)


def _has_own_program(job: Job, job_types: JobTypes) -> bool:
    """Whether an exit status may be the job's own: of its work, or of a stage beside it."""
    kind = job_types.get(job.type)
    return kind is None or isinstance(kind, ProgramType) or any((job.ready, job.process, job.end))


def _idle(key: str, where: Loc) -> Finding:
    return warning(NO_EFFECT, "`{key}` only means something for a job that runs a program", where, key=key)
