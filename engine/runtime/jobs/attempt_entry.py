"""The beginning of an attempt: its entry in the context, its parameters, its rendered keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.context import is_reference
from engine.model.expression import MAX_VALUE, compile_value, render
from engine.model.job import JobKeys
from engine.runtime.fibers import Coroutine
from engine.runtime.param_binding import Bound, bind
from engine.runtime.run_state.expression_scopes import worked_out

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution

MASK = "******"


def open_entry(job: JobExecution) -> Coroutine[None]:
    """Make the job's entry in the context, then evaluate its parameters into it."""
    entry: dict[str, Any] = {
        "PARAMS": {},
        "RESULT": {},
        "STATUS": "running",
        "EXIT_CODE": None,
        "ERROR_CODE": None,
        "ERROR_MESSAGE": None,
        "START_TIME": job.services.now(),
        "WORKER": "local",
        "ATTEMPT": job.attempt,
        "INSTANCE": job.id,
        "DIRECTORY": job.directory_text,
    }
    job.params = {}
    if all(row.template is not None and row.template.literal and not row.spec.secret for row in job.rows):
        yield from _bound(job, lambda bound: job.params.update({bound.name: bound.value}))
        values = {name: job.run.kept(value) for name, value in job.params.items()}
        job.open_entry({**entry, "PARAMS": values})
    else:
        job.open_entry(entry)
        yield from _bound(job, lambda bound: job.params.update({bound.name: _write(job, bound)}))
    if job.params:
        job.services.changes.update("job_instance", job.id, {"params": job.entry["PARAMS"]})


def reopen(job: JobExecution) -> None:
    """Take the parameters up from the context, after a restart; secrets are looked up again."""
    params = job.entry.get("PARAMS", {})
    job.params = {name: loaded(job, name, value) for name, value in params.items()}
    for row in job.rows:
        if isinstance(row.spec.secret, str):
            job.params[row.name] = secret = job.services.secret(row.spec.secret)
            job.secrets += (secret,)


def loaded(job: JobExecution, name: str, value: Any) -> Any:
    """A parameter as it stands in the context, read from its file when it is big."""
    return job.scope.loaded(value, name, MAX_VALUE) if is_reference(value) else value


def _bound(job: JobExecution, take: Callable[[Bound], None]) -> Coroutine[None]:
    """Each parameter with its value, in the order of definition: a later one may read an earlier one."""
    wanted = {row.name for row in job.rows if row.template is None}
    known = job.run.typed_secrets.over(job.run.context.tree["TASK"]["PARAMS"]) if wanted else {}
    task_params = {name: loaded(job, name, value) for name, value in known.items() if name in wanted}
    for row in job.rows:
        work = partial(bind, row, task_params=task_params, job=job.job, secrets=job.services.secret)
        take((yield from worked_out(job.scope, work)))


def _write(job: JobExecution, bound: Bound) -> Any:
    path = ("PARAMS", bound.name)
    if bound.secret:
        if isinstance(bound.value, str):
            job.secrets += (bound.value,)
        job.set(path, MASK)
        return bound.value
    if job.run.typed_secrets.names and job.services.mask(bound.value) != bound.value:
        job.secrets += tuple(job.run.typed_secrets.values.values())
    if bound.of_task and job.run.edited:
        job.read_task_param(bound.name)
    if len(bound.uses) == 1:
        [use] = bound.uses
        job.set(path, bound.value, expression=use.expression, inputs=use.inputs)
    else:
        for use in bound.uses:
            job.note(use, why=f"parameter {bound.name}", value=bound.value)
        job.set(path, bound.value)
    return bound.value


def settings_of(job: JobExecution) -> Coroutine[JobKeys]:
    """The type's own keys with their expressions evaluated; each use is noted."""
    keys = job.job.settings
    names = job.services.job_types[job.job.type].rendered
    given = {name: keys.written(name) for name in sorted(names)}
    changed = {}
    for name, value in given.items():
        changed[name] = yield from _rendered(job, name, value)
    return keys.rewritten({name: value for name, value in changed.items() if value is not given[name]})


def _rendered(job: JobExecution, name: str, tree: Any) -> Coroutine[Any]:
    if tree is None:
        return None
    plain = list(tree) if isinstance(tree, tuple) else tree
    template = compile_value(plain)
    if template.literal:
        return tree
    value, uses = yield from worked_out(job.scope, lambda scope: render(template, scope))
    for use in uses:
        job.note(use, why=".".join(map(str, (name, *use.path))), value=_at(value, use.path))
    return tuple(value) if isinstance(tree, tuple) and isinstance(value, list) else value


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value
