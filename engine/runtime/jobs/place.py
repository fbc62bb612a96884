"""Where the next attempt of a job may run: its ``on`` with the expressions in it evaluated."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import chain
from typing import Any

from engine.model.expression import Reference, compile_value
from engine.planning.expression_sites import of_surroundings
from engine.planning.worker_choice import HERE, Where
from engine.plugins.job_type import ProgramType
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.run_state.expression_scopes import job_value


def where_of(job: JobExecution) -> Coroutine[Where]:
    """As it is now; a further attempt prefers another worker than the one before, if that was not lost."""
    on, entry, within = job.identity.job.on, job.entry, tuple(_within(job))
    if on.is_local:
        return HERE._replace(within=within) if within else HERE
    workers = yield from job_value(entry, list(on.workers or ()), "on.workers")
    group = yield from job_value(entry, on.group, "on.group")
    labels = yield from job_value(entry, dict(on.labels), "on.labels")
    before = job.row.worker if job.attempt.number > 0 else None
    is_lost = job.attempt.was_lost
    return Where(
        workers=tuple(dict.fromkeys(_names(workers))),
        group=None if group is None else str(group),
        labels=tuple(sorted((key, str(value)) for key, value in labels.items())),
        random=on.choose == "random",
        movable=isinstance(job.identity.kind, ProgramType),
        secret=_is_given_secret(job),
        avoid=None if is_lost else before,
        prefer=before if is_lost else None,
        within=within,
    )


def _within(job: JobExecution) -> Iterator[str]:
    """The workers on which attempts are under way that it is a part of: it is a job of a stage of theirs."""
    outer = job.outer
    while outer is not None:
        if outer.attempt.number and not outer.identity.is_control:
            yield outer.entry.host.facts.name
        outer = outer.outer


def _is_given_secret(job: JobExecution) -> bool:
    """Whether a parameter is one, or an expression may read one that was typed for the task."""
    rows, typed = job.entry.rows, job.run.typed_secrets.names
    if any(row.spec.secret or (row.template is None and row.name in typed) for row in rows):
        return True
    return bool(typed) and any(_may_read(each, typed) for each in _references(job))


def _references(job: JobExecution) -> Iterator[Reference]:
    """What its programs are given by expressions: in parameters, in keys of the type, around them."""
    definition, names = job.identity.job, sorted(job.identity.kind.rendered)
    for row in job.entry.rows:
        if row.template is not None:
            yield from row.template.references
    around = (site.tree for site in of_surroundings(definition))
    for tree in chain(map(definition.settings.written, names), around):
        yield from compile_value(tree).references


def _may_read(reference: Reference, params: Container[str]) -> bool:
    """Whether it leads to one of these parameters of the task, or to something that has it in it."""
    match reference.steps:
        case ("TASK", "PARAMS", str(name), *_):
            return name in params
        case ("TASK", str(field), *_):
            return field == "PARAMS"
    return reference.root in ("TASK", "")


def _names(found: list[Any]) -> Iterator[str]:
    """An entry may be an expression that gives a list."""
    for each in found:
        yield from map(str, each) if isinstance(each, (list, tuple)) else (str(each),)
