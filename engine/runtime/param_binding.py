"""Where the value of each parameter comes from: the first source that is set wins (contract 2.2)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from engine.model.codes.runtime import PARAM_MISSING, PARAM_UNFIT
from engine.model.errors import Invalid, SkerryError
from engine.model.expression import Scope, Template, UsedText, as_kind, compile_value, literal_value, render
from engine.model.job import Job, ParamSpec
from engine.model.plain_words import quoted
from engine.model.task import Task

_NOTHING = ParamSpec()


class Binding(NamedTuple):
    """One parameter of one member of a node: its row of the table, and the text it comes from."""

    name: str
    spec: ParamSpec
    template: Template | None  # None: the task's parameter of the same name, else null


class Bound(NamedTuple):
    """The value that a parameter got, and what its expressions read."""

    name: str
    value: Any
    secret: bool
    uses: tuple[UsedText, ...]
    of_task: bool = False  # it came from the task's parameter of the same name


def bindings(
    job: Job, table: Mapping[str, ParamSpec], task: Task, given: Mapping[str, Any], *, reusable: bool
) -> tuple[Binding, ...]:
    """The parameters of ``job`` (its table over its type's) and of the node, in the order of definition."""
    specs = {**table, **job.params}
    if not reusable:  # an inline job's parameters are the node's own values
        given = {**{name: spec.value for name, spec in job.params.items() if spec.has_value}, **given}
    of_task = task.job_params.get(job.id, {})
    names = [*specs, *(name for name in (*of_task, *given) if name not in specs)]
    return tuple(_binding(name, specs.get(name, _NOTHING), of_task, given) for name in dict.fromkeys(names))


def with_defaults(rows: tuple[Binding, ...], defaults: Iterable[Binding]) -> tuple[Binding, ...]:
    """``rows`` with the values of a group where nothing nearer gives one; null is no value."""
    given = (each for each in defaults if each.template is None or each.template.source is not None)
    by_name = {each.name: each for each in given}
    filled = tuple(_defaulted(row, by_name.pop(row.name, None)) for row in rows)
    return (*filled, *by_name.values())


def _defaulted(row: Binding, default: Binding | None) -> Binding:
    if default is None or row.template is not None or isinstance(row.spec.secret, str):
        return row
    given = {name: getattr(row.spec, name) for name in row.spec.model_fields_set - {"secret"}}
    spec = ParamSpec(**given, secret=default.spec.secret or row.spec.secret)
    return Binding(row.name, spec, default.template)


def _binding(name: str, spec: ParamSpec, of_task: Mapping[str, Any], given: Mapping[str, Any]) -> Binding:
    read = compile_value if spec.dynamic else literal_value
    for source in (given, of_task):
        if name in source:
            return Binding(name, spec, read(source[name]))
    return Binding(name, spec, read(spec.value) if spec.has_value else None)


def bind(row: Binding, scope: Scope, task_params: Mapping[str, Any], job: Job, secrets: Any) -> Bound:
    """Evaluate a parameter; SkerryError names the parameter and the job."""
    try:
        return _bind_one(row, scope, task_params, secrets)
    except SkerryError as error:
        error.reword("parameter {name!r} of job {job!r}: {message}", name=row.name, job=job.id)
        raise


def _bind_one(row: Binding, scope: Scope, task_params: Mapping[str, Any], secrets: Any) -> Bound:
    spec = row.spec
    if isinstance(spec.secret, str):
        return Bound(row.name, secrets(spec.secret), True, ())
    uses: tuple[UsedText, ...] = ()
    if row.template is None:
        value = task_params.get(row.name)
    else:
        value, uses = render(row.template, scope)
    if value is None and spec.required:
        raise SkerryError(PARAM_MISSING, "it is required and has no value")
    return Bound(row.name, fit(value, spec), bool(spec.secret), uses, row.template is None)


def fit(value: Any, spec: ParamSpec) -> Any:
    """``value`` as the kind of its row; SkerryError when it does not fit kind or choices.

    Text given for a number, boolean, list or map is read; anything for text stays as it is.
    """
    if value is not None and spec.kind not in (None, "text", "file", "document"):
        value = as_kind(value, spec.kind)
    if spec.choices is not None and value is not None and value not in spec.choices:
        message = "{value} is not one of {choices}"
        raise SkerryError(PARAM_UNFIT, message, value=quoted(value), choices=quoted(list(spec.choices)))
    return value


def from_text(name: str, text: str, spec: ParamSpec, folder: str | None = None) -> Any:
    """The value that ``-p name=text`` gives: converted by the parameter's kind, never evaluated.

    A relative file belongs to ``folder``, the caller's current one: as a value it is an absolute path.
    """
    kind = spec.literal_kind
    if spec.kind in ("file", "document") and folder and text:
        return os.path.normpath(os.path.join(folder, text))
    if kind in (None, "text", "file", "document") or _is_expression(spec):
        return text
    try:
        return as_kind(text, kind)
    except SkerryError as error:
        message = "parameter {where!r}: {message}"
        raise Invalid.at(PARAM_UNFIT, message, name, message=error.message) from error


def _is_expression(spec: ParamSpec) -> bool:
    return spec.kind is None and isinstance(spec.value, str) and not template_of(spec.value).literal


@lru_cache(maxsize=4096)
def template_of(text: str) -> Template:
    """The compiled form of one text."""
    return compile_value(text)
