"""The job that a node runs: its own keys, then those of its task for all nodes (contract 2.3)."""

from __future__ import annotations

from typing import Any

from engine.model.job import Job
from engine.model.task import Node, Task
from engine.plugins.job_type import ProgramType
from engine.plugins.registry import JobTypes


def of_node(job: Job, node: Node, task: Task, job_types: JobTypes) -> Job:
    """``job`` with what ``node`` and ``task`` add; nearer wins: node, job, task.

    Variables are merged name by name, any other key is taken whole.
    """
    added: dict[str, Any] = {key: getattr(task.defaults, key) for key in task.defaults.model_fields_set}
    if not isinstance(job_types.get(job.type), ProgramType) and job.type != "group":
        added.pop("on", None)  # it is not moved to other machines
    added = {key: value for key, value in added.items() if key not in job.model_fields_set}
    if node.on is not None:
        added["on"] = node.on
    if task.env or node.env:
        added["env"] = {**task.env, **job.env, **node.env}
    folder = node.working_dir or job.working_dir or task.working_dir
    if folder != job.working_dir:
        added["working_dir"] = folder
    return job.model_copy(update=added) if added else job


def within(job: Job, outer: Job) -> Job:
    """A member of ``outer``: its programs find the same variables and folder around them."""
    added: dict[str, Any] = {"env": {**outer.env, **job.env}} if outer.env else {}
    if outer.working_dir is not None and job.working_dir is None:
        added["working_dir"] = outer.working_dir
    return job.model_copy(update=added) if added else job
