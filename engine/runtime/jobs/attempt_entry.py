"""The beginning of an attempt: its entry in the context, its parameters, its rendered keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from engine.context import is_reference
from engine.context.tree import at_path
from engine.model.expression import MAX_VALUE, compile_value, render
from engine.model.job import JobKeys
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.job_entry import JobEntry
from engine.runtime.param_binding import Bound, bind
from engine.runtime.run_state.expression_scopes import worked_out

MASK = "******"


def open_entry(job_entry: JobEntry, attempt: int) -> Coroutine[None]:
    """Make the job's entry in the context, then evaluate its parameters into it."""
    entry: dict[str, Any] = {
        "PARAMS": {},
        "RESULT": {},
        "STATUS": "running",
        "EXIT_CODE": None,
        "ERROR_CODE": None,
        "ERROR_MESSAGE": None,
        "START_TIME": job_entry.services.now(),
        "WORKER": job_entry.host.facts.name if attempt else None,  # 0: it is of several workers
        "ATTEMPT": attempt,
        "INSTANCE": job_entry.identity.id,
        "DIRECTORY": job_entry.directory_text,
    }
    params = job_entry.params = {}
    job_entry.surroundings = None
    rows = job_entry.rows
    if all(row.template is not None and row.template.literal and not row.spec.secret for row in rows):
        yield from _bound(job_entry, lambda bound: params.update({bound.name: bound.value}))
        values = {name: job_entry.run.context.kept(value) for name, value in params.items()}
        job_entry.open({**entry, "PARAMS": values})
    else:
        job_entry.open(entry)
        yield from _bound(job_entry, lambda bound: params.update({bound.name: _write(job_entry, bound)}))
    if params:
        job_entry.update(params=job_entry.tree["PARAMS"])


def reopen(entry: JobEntry) -> None:
    """Take the parameters up from the context, after a restart; secrets are looked up again."""
    params = entry.tree.get("PARAMS", {})
    entry.params = {name: loaded(entry, name, value) for name, value in params.items()}
    for row in entry.rows:
        if isinstance(row.spec.secret, str):
            entry.params[row.name] = secret = entry.services.secret(row.spec.secret)
            entry.secrets += (secret,)


def loaded(entry: JobEntry, name: str, value: Any) -> Any:
    """A parameter from the context, read from its file when it is big."""
    return entry.scope.loaded(value, name, MAX_VALUE) if is_reference(value) else value


def _bound(entry: JobEntry, take: Callable[[Bound], None]) -> Coroutine[None]:
    """Each parameter with its value, in the order of definition: a later one may read an earlier one."""
    names = {row.name for row in entry.rows if row.template is None}
    known = entry.run.typed_secrets.over(entry.run.context.tree["TASK"]["PARAMS"]) if names else {}
    task_params = {name: loaded(entry, name, value) for name, value in known.items() if name in names}
    for row in entry.rows:
        work = partial(bind, row, task_params=task_params, job=entry.job, secrets=entry.services.secret)
        take((yield from worked_out(entry.scope, work)))


def _write(entry: JobEntry, bound: Bound) -> Any:
    path = ("PARAMS", bound.name)
    if bound.secret:
        if isinstance(bound.value, str):
            entry.secrets += (bound.value,)
        entry.set(path, MASK)
        return bound.value
    _notice_secrets(entry, bound.value)
    if bound.of_task and entry.run.edits.paths:
        entry.read_task_param(bound.name)
    entry.set_used(path, bound.value, bound.uses, why=f"parameter {bound.name}")
    return bound.value


def _notice_secrets(entry: JobEntry, value: Any) -> None:
    """What has a typed secret in it makes that one of the job's own: to be masked in its output."""
    typed = entry.run.typed_secrets
    if typed.names and entry.services.mask(value) != value:
        entry.secrets += tuple(typed.values.values())


def settings_of(entry: JobEntry) -> Coroutine[JobKeys]:
    """The type's own keys with their expressions evaluated; each use is noted."""
    keys = entry.job.settings
    names = entry.identity.kind.rendered
    given = {name: keys.written(name) for name in sorted(names)}
    changed = {}
    for name, value in given.items():
        changed[name] = yield from rendered(entry, name, value)
    return keys.rewritten({name: value for name, value in changed.items() if value is not given[name]})


def rendered(entry: JobEntry, name: str, tree: Any) -> Coroutine[Any]:
    """The value of a key of the definition; what its expressions read is noted under its ``name``."""
    if tree is None:
        return None
    plain = list(tree) if isinstance(tree, tuple) else tree
    template = compile_value(plain)
    if template.literal:
        return tree
    value, uses = yield from worked_out(entry.scope, lambda scope: render(template, scope))
    for use in uses:
        entry.note(use, why=".".join(map(str, (name, *use.path))), value=at_path(value, use.path))
    _notice_secrets(entry, value)
    return tuple(value) if isinstance(tree, tuple) and isinstance(value, list) else value
