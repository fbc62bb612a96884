"""The places of jobs, nodes, tasks and resources that may hold expressions, and what these refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.model.codes.expressions import NO_CONDITION, PATH_AS_LETTERS
from engine.model.control import ConditionKeys, WaitKeys
from engine.model.errors import SkerryError
from engine.model.expression import (
    Reference,
    compile_condition,
    compile_value,
    looks_like_condition,
    mistaken_condition,
    paths_as_letters,
)
from engine.model.findings import Finding, Loc, warning
from engine.model.job import Job, On, ParamSpec, ResourceRef, ResultSpec, Success
from engine.model.message import Message
from engine.model.resource import Resource
from engine.model.task import Node, Task
from engine.plugins.registry import JobTypes


class ExpressionSite(NamedTuple):
    """One value that may hold expressions; ``where`` is relative to its owner."""

    where: Loc
    tree: Any
    condition: bool = False
    maybe: bool = False  # a condition where it can be read as one, else a text


class Read(NamedTuple):
    """What a site refers to, or the mistake in it."""

    where: Loc
    references: tuple[Reference, ...]
    finding: Finding | None = None


def read(sites: Iterator[ExpressionSite], base: Loc) -> Iterator[Read]:
    """Compile each site; those without references or mistakes are left out."""
    for site in sites:
        where = (*base, *site.where)
        try:
            references = _references(site)
        except SkerryError as error:
            yield Read(where, (), _finding(error, where))
        else:
            doubt = mistaken_condition(site.tree) if site.maybe else None
            if references or doubt:
                yield Read(where, references, _doubtful(doubt, site.tree, where) if doubt else None)
            if site.condition and isinstance(site.tree, str):
                yield from (Read(where, (), _as_letters(each, where)) for each in paths_as_letters(site.tree))


def _references(site: ExpressionSite) -> tuple[Reference, ...]:
    if site.condition:
        return compile_condition(site.tree).references if isinstance(site.tree, str) else ()
    return compile_value(site.tree).references


def _as_letters(text: str, where: Loc) -> Finding:
    message = "'{text}' is compared letter by letter: between quotes no path is read"
    return warning(PATH_AS_LETTERS, message, where, text=text)


def _finding(error: SkerryError, where: Loc) -> Finding:
    text = error.message
    if error.where:
        text = Message.of("{message}: {where}", message=text, where=error.where)
    return Finding("error", error.code, text, where)


def _doubtful(why: str, text: str, where: Loc) -> Finding:
    return warning(
        NO_CONDITION, "this is a text, not a condition: {why}: {text}", where, why=Message.of(why), text=text
    )


def of_params(owner: Job | Task) -> Iterator[ExpressionSite]:
    """The values in a parameter table that are evaluated; a task's before its first job."""
    for name, spec in owner.params.items():
        if spec.dynamic and spec.has_value:
            yield ExpressionSite(("params", name), spec.value)


def of_job(job: Job, job_types: JobTypes) -> Iterator[ExpressionSite]:
    """A job's expressions outside its parameter table."""
    yield from _of_settings(job, job_types)
    for name, result in job.results.items():
        yield from _of_result(("results", name), result)
    yield from _of_success(("success",), job.success)
    if job.check is not None:
        yield from _of_success(("check", "success"), job.check.success)
    yield from _of_place(job.on)
    yield from of_surroundings(job)


def _of_settings(job: Job, job_types: JobTypes) -> Iterator[ExpressionSite]:
    keys = job.settings
    if isinstance(keys, ConditionKeys) and isinstance(keys.value, str):
        sure = looks_like_condition(keys.value)
        yield ExpressionSite(("value",), keys.value, condition=sure, maybe=not sure)
    if isinstance(keys, WaitKeys):
        yield ExpressionSite(("until",), keys.until)
        yield ExpressionSite(("until_true",), keys.until_true, condition=True)
    kind = job_types.get(job.type)
    if kind is None or not isinstance(keys, kind.keys):  # what could not be read is a finding of its own
        return
    for name in sorted(kind.rendered):
        yield ExpressionSite((name,), keys.written(name))


def _of_result(where: Loc, result: ResultSpec) -> Iterator[ExpressionSite]:
    if result.computed and not _is_reference(result.value):
        yield ExpressionSite(where, result.value, result.kind == "boolean" and isinstance(result.value, str))


def _is_reference(value: Any) -> bool:
    return isinstance(value, (ResourceRef, Mapping)) and resource_of(value) is not None


def resource_of(value: Any) -> str | None:
    """The id in ``{resource: id}``; None for anything else."""
    if isinstance(value, ResourceRef):
        return value.resource
    whole = isinstance(value, Mapping) and set(value) == {"resource"}
    return value["resource"] if whole and isinstance(value["resource"], str) else None


def _of_success(where: Loc, success: Success | None) -> Iterator[ExpressionSite]:
    for index, condition in enumerate(success or ()):
        yield ExpressionSite((*where, index), condition, condition=True)


def _of_place(on: On | None) -> Iterator[ExpressionSite]:
    if on is not None:
        yield ExpressionSite(("on", "workers"), on.workers)
        yield ExpressionSite(("on", "group"), on.group)
        yield ExpressionSite(("on", "labels"), dict(on.labels))


def of_node(node: Node, table: Mapping[str, ParamSpec]) -> Iterator[ExpressionSite]:
    """A node's own expressions: its params (``table`` is its job's), for_each, when and on."""
    yield from of_given(node.params, ("params",), table)
    yield ExpressionSite(("for_each",), node.for_each)
    yield ExpressionSite(("when",), node.when, condition=True)
    yield from _of_place(node.on)
    yield from of_surroundings(node)


def of_surroundings(owner: Job | Node | Task) -> Iterator[ExpressionSite]:
    """What the programs find around them."""
    for name, value in owner.env.items():
        yield ExpressionSite(("env", name), value)
    yield ExpressionSite(("working_dir",), owner.working_dir)


def of_given(
    params: Mapping[str, Any] | tuple[Mapping[str, Any], ...], where: Loc, table: Mapping[str, ParamSpec]
) -> Iterator[ExpressionSite]:
    """Values given to a job, one map or the members of a batch; without what its ``table`` keeps as text."""
    if isinstance(params, tuple):
        for index, each in enumerate(params):
            yield from of_given(each, (*where, index), table)
    else:
        for name, value in params.items():
            if name not in table or table[name].dynamic:
                yield ExpressionSite((*where, name), value)


def of_task_end(task: Task) -> Iterator[ExpressionSite]:
    """What is evaluated after the last job: results and success."""
    for name, result in task.results.items():
        yield from _of_result(("results", name), result)
    yield from _of_success(("success",), task.success)


def of_resource(resource: Resource) -> Iterator[ExpressionSite]:
    """Where the resource is, how it is queried, what its check compares with."""
    yield ExpressionSite(("uri",), resource.uri)
    yield ExpressionSite(("request",), resource.request)
    yield ExpressionSite(("check",), resource.check)
