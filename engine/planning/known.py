"""What the jobs of a task are called in expressions, and which parameters and results they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.model.control import ApproveKeys, ConditionKeys, SubTaskKeys, WaitKeys
from engine.model.definitions import Definitions
from engine.model.job import Job
from engine.model.names import is_handler, is_member
from engine.model.task import Task
from engine.planning.jobs import table_of
from engine.planning.uses import MAX_DEPTH, Use, members, sub_task
from engine.plugins.job_type import CallType
from engine.plugins.registry import JobTypes


class Results(NamedTuple):
    """The results that a job is known to have; ``certain`` if there can be no others."""

    names: tuple[str, ...]
    certain: bool


class KnownNames:
    """Answers what a name in an expression of one task means."""

    def __init__(self, task: Task, uses: list[Use], definitions: Definitions, job_types: JobTypes) -> None:
        self.task = task
        self.definitions = definitions
        self.job_types = job_types
        self.by_name = {use.name: use for use in uses}
        self.by_job: dict[str, list[Use]] = {}
        for use in uses:
            if use.name == use.node.id and not is_handler(use.name):
                self.by_job.setdefault(use.job.id, []).append(use)

    def find(self, key: str) -> Use | None:
        """The job that ``$.JOB[key]`` means: a node's id, else a job that exactly one node uses."""
        if key in self.by_name:
            return self.by_name[key]
        users = self.by_job.get(key, [])
        return users[0] if len(users) == 1 else None

    def inside(self, key: str, use: Use) -> Use | None:
        """The group that ``use`` is a member of, or another member of it, where ``key`` means one."""
        for outer in self.around(use):
            for id in (outer.job.id, outer.name):
                if key == id or (key.startswith(f"{id}.") and is_member(key[len(id) + 1 :])):
                    return self.by_name.get(outer.name + key[len(id) :])
        return None

    def around(self, use: Use) -> Iterator[Use]:
        """The jobs that ``use`` is a part of, nearest first."""
        parts = use.name.split(".")
        shortest = use.node.id.count(".") + 1
        names = (".".join(parts[:length]) for length in range(len(parts) - 1, shortest - 1, -1))
        return (self.by_name[name] for name in names if name in self.by_name)

    def params_of(self, use: Use) -> set[str]:
        given = {name for each in use.given for name in each}
        return given | use.handed | table_of(use.job, self.job_types).keys() | self.of_task(use.job)

    def of_task(self, job: Job) -> set[str]:
        """The parameters that the task's ``job_params`` give a job."""
        return set(self.task.job_params.get(job.id, {}))

    def results_of(self, job: Job, depth: int = 0) -> Results:
        """The results of a job: those it defines, its type's, those of a group's last member or of a task."""
        own = tuple(job.results)
        kind = self.job_types.get(job.type)
        of_type = tuple(each.name for each in kind.results) if kind else ()
        last = members(job)[-1:]
        if last and depth < MAX_DEPTH:
            inner = self.definitions.jobs.get(last[0].job) if isinstance(last[0].job, str) else last[0].job
            more = self.results_of(inner, depth + 1) if inner else Results((), False)
            return Results((*own, *of_type, *more.names), more.certain)
        if isinstance(job.settings, SubTaskKeys):
            started = self.definitions.tasks.get(sub_task(job) or "")
            more = Results(tuple(started.results) if started else (), started is not None)
            return Results((*own, *of_type, *more.names), more.certain)
        return Results((*own, *of_type), self._is_certain(job))

    def _is_certain(self, job: Job) -> bool:
        """Programs, and the stages around any job, may write further files, which are results too."""
        if job.ready is not None or job.end is not None:
            return False
        kind = self.job_types.get(job.type)
        return isinstance(kind, CallType) or isinstance(job.settings, (ApproveKeys, ConditionKeys, WaitKeys))
