"""What jobs name outside themselves (resources, tasks, members of a group), and the values they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.model.codes import planning as codes
from engine.model.control import ConditionKeys, WaitKeys
from engine.model.definitions import Definitions
from engine.model.findings import Finding, Loc, error, warning
from engine.model.job import Job, ParamSpec, ResultSpec, Success
from engine.model.message import Message
from engine.model.names import near
from engine.model.task import Task
from engine.planning.expression_sites import resource_of
from engine.planning.names import did_you_mean
from engine.planning.uses import Use, parts, sub_task
from engine.plugins.registry import JobTypes


def job_findings(job: Job, where: Loc, definitions: Definitions) -> Iterator[Finding]:
    """Ids in a job that lead nowhere. ``where`` is the job's place in the file."""
    for rest, resource in resources_of(job):
        yield from _resource(resource, (*where, *rest), definitions)
    started = sub_task(job)
    if started is not None and started not in definitions.tasks:
        text = "there is no task '{task}'{hint}"
        hint = did_you_mean(started, definitions.tasks)
        yield error(codes.UNKNOWN_TASK, text, (*where, "task"), task=started, hint=hint)
    for _, path, member in parts(job):
        if isinstance(member.job, str) and member.job not in definitions.jobs:
            text = "there is no job '{job}'{hint}"
            yield error(
                codes.UNKNOWN_JOB,
                text,
                (*where, *path, "job"),
                job=member.job,
                hint=did_you_mean(member.job, definitions.jobs),
            )


def _resource(id: str, where: Loc, definitions: Definitions) -> Iterator[Finding]:
    if id not in definitions.resources:
        text = "there is no resource '{id}'{hint}"
        yield error(codes.UNKNOWN_RESOURCE, text, where, id=id, hint=did_you_mean(id, definitions.resources))


def resources_of(job: Job) -> Iterator[tuple[Loc, str]]:
    """Every resource that a job names, and where."""
    for key in ("resources", "changes"):
        yield from (((key, index), id) for index, id in enumerate(getattr(job, key)))
    own = getattr(job.settings, "resource", None)
    if isinstance(own, str):
        yield ("resource",), own
    yield from _in_results(job.results)
    yield from _in_success(job.success, ("success",))
    yield from _in_success(job.check.success if job.check else None, ("check", "success"))
    if isinstance(job.settings, ConditionKeys):
        yield from _maybe(job.settings.value, ("value",))
    if isinstance(job.settings, WaitKeys):
        yield from _maybe(job.settings.until_true, ("until_true",))


def _in_results(results: Mapping[str, ResultSpec]) -> Iterator[tuple[Loc, str]]:
    for name, result in results.items():
        yield from _maybe(result.value, ("results", name))


def _in_success(success: Success | None, where: Loc) -> Iterator[tuple[Loc, str]]:
    for index, each in enumerate(success or ()):
        yield from _maybe(each, (*where, index))


def _maybe(value: Any, where: Loc) -> Iterator[tuple[Loc, str]]:
    id = resource_of(value)
    if id is not None:
        yield where, id


def task_resources(task: Task, definitions: Definitions) -> Iterator[Finding]:
    """Resources that the task's own results and success name."""
    for rest, id in (*_in_results(task.results), *_in_success(task.success, ("success",))):
        yield from _resource(id, ("tasks", task.id, *rest), definitions)


def param_findings(use: Use, task: Task, definitions: Definitions, job_types: JobTypes) -> Iterator[Finding]:
    """Required parameters that nothing gives a value, and values for parameters that do not exist."""
    started = sub_task(use.job)
    if started is not None and started in definitions.tasks:
        yield from _of_sub_task(use, task, definitions.tasks[started])
    others = task.job_params.get(use.job.id, {}).keys() | task.params.keys() | use.handed
    required = [name for name, spec in table_of(use.job, job_types).items() if _needs_value(spec)]
    for where, given in _sets(use):
        unknown = [] if started is not None else list(_unknown(use, given, job_types))
        yield from (_not_known(use, name, where, job_types) for name in unknown)
        for name in required:
            if name not in given and name not in others and near(name, unknown) is None:
                text = "'{node}' gives the required parameter '{name}' no value"
                yield error(codes.MISSING_PARAM, text, (*where, name), node=use.name, name=name)


def _sets(use: Use) -> Iterator[tuple[Loc, Mapping[str, Any]]]:
    """Each set of values that a node gives, and its path."""
    for index, given in enumerate(use.given):
        yield (*use.given_where, index) if isinstance(use.node.params, tuple) else use.given_where, given


def _unknown(use: Use, given: Mapping[str, Any], job_types: JobTypes) -> Iterator[str]:
    """Names that a type with a table of its own does not have; elsewhere only what is likely a slip."""
    table = _may_have(use, job_types)
    free = table.keys() - given.keys()
    inline = use.job.params if use.inline else ()
    for name in dict.fromkeys((*inline, *given)):
        if name not in table and (_is_fixed(use, job_types) or near(name, free)):
            yield name


def _is_fixed(use: Use, job_types: JobTypes) -> bool:
    return use.job.type in job_types and bool(job_types[use.job.type].params)


def _may_have(use: Use, job_types: JobTypes) -> Mapping[str, ParamSpec]:
    """The parameters that there are; what an inline job lists are values, not a table."""
    if use.inline and _is_fixed(use, job_types):
        return job_types[use.job.type].params
    return table_of(use.job, job_types)


def _not_known(use: Use, name: str, where: Loc, job_types: JobTypes) -> Finding:
    hint = did_you_mean(name, _may_have(use, job_types))
    text = Message.of("'{job}' has no parameter '{name}'{hint}", job=use.job.id, name=name, hint=hint)
    tell = error if _is_fixed(use, job_types) else warning
    return tell(codes.UNKNOWN_PARAM, text, (*where, name))


def table_of(job: Job, job_types: JobTypes) -> dict[str, ParamSpec]:
    """The parameter table of a job: its type's with its own over it."""
    table = job_types[job.type].params if job.type in job_types else {}
    return {**table, **job.params}


def _needs_value(spec: ParamSpec) -> bool:
    return spec.required and not spec.has_value and not isinstance(spec.secret, str)


def _of_sub_task(use: Use, task: Task, started: Task) -> Iterator[Finding]:
    everywhere = use.job.params.keys() | task.job_params.get(use.job.id, {}).keys()
    for where, given in _sets(use):
        for name in sorted((everywhere | given.keys()) - started.params.keys()):
            text = "task '{task}' has no parameter '{name}'{hint}"
            hint = did_you_mean(name, started.params)
            yield error(codes.UNKNOWN_PARAM, text, (*where, name), task=started.id, name=name, hint=hint)
        for name, spec in started.params.items():
            if _needs_value(spec) and name not in everywhere | given.keys() | use.handed:
                text = "task '{task}' requires the parameter '{name}', which gets no value here"
                yield error(codes.MISSING_PARAM, text, where, task=started.id, name=name)


def job_params_findings(task: Task, jobs: Mapping[str, Job], definitions: Definitions) -> Iterator[Finding]:
    """Entries of ``job_params`` for jobs that the task does not use."""
    members = (member.job for job in jobs.values() for _, _, member in parts(job))
    used = {job.id for job in jobs.values()} | {
        each if isinstance(each, str) else each.id for each in members
    }
    for id in task.job_params:
        where = ("tasks", task.id, "job_params", id)
        if id not in used and id not in definitions.jobs:
            hint = did_you_mean(id, used)
            yield error(codes.UNKNOWN_JOB, "there is no job '{id}'{hint}", where, id=id, hint=hint)
        elif id not in used:
            yield warning(
                codes.NO_EFFECT, "no node of task '{task}' uses the job '{id}'", where, task=task.id, id=id
            )
