"""Where the next attempt of a job may run: its ``on`` with the expressions in it evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.planning.worker_choice import HERE, Where
from engine.plugins.job_type import ProgramType
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.run_state.expression_scopes import job_value


def where_of(job: JobExecution) -> Coroutine[Where]:
    """As it is now; a further attempt prefers another worker than the one before, if that was not lost."""
    on, entry = job.identity.job.on, job.entry
    if on.is_local:
        return HERE
    workers = yield from job_value(entry, list(on.workers or ()), "on.workers")
    group = yield from job_value(entry, on.group, "on.group")
    labels = yield from job_value(entry, dict(on.labels), "on.labels")
    before = job.row.worker if job.attempt.number > 0 else None
    is_lost = job.failures.was_lost
    return Where(
        workers=tuple(dict.fromkeys(_names(workers))),
        group=None if group is None else str(group),
        labels=tuple(sorted((key, str(value)) for key, value in labels.items())),
        random=on.choose == "random",
        movable=isinstance(job.identity.kind, ProgramType),
        secret=any(row.spec.secret for row in entry.rows) or bool(job.run.typed_secrets.names),
        avoid=None if is_lost else before,
        prefer=before if is_lost else None,
    )


def _names(found: list[Any]) -> Iterator[str]:
    """An entry may be an expression that gives a list."""
    for each in found:
        yield from map(str, each) if isinstance(each, (list, tuple)) else (str(each),)
