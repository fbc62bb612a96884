"""The fields of parameters: what a node gives its job, and what holds where it gives nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.labels import Words, as_written, both, title
from app.desktop.design.picker.sources import FOR_PARAMS
from app.desktop.design.tree import REMOVE, Path, Tree, get
from engine.model.job import ParamSpec
from engine.planning.outline import map_of
from engine.plugins.job_type import JobType
from engine.plugins.shapes import key_rows

_KINDS: Mapping[str, K] = {
    "text": K.TEXT, "number": K.NUMBER, "boolean": K.BOOLEAN, "file": K.FILE, "document": K.FILE,
    "list": K.LIST, "map": K.MAP,
}  # fmt: skip
_FOLDERS = ("target", "folder", "directory")


def param_fields(
    scope: DefinitionScope, raw: Tree, job: Tree, where: Path, *, inherits: bool
) -> Iterator[Field]:
    """A field for each parameter: of the type's table, of the job's, and what the node itself gives."""
    found = scope.type_of(job)
    table: dict[str, ParamSpec] = dict(found.params) if found else {}
    if inherits:
        table |= {name: read_spec(spec, table.get(name)) for name, spec in map_of(job.get("params")).items()}
    given = map_of(get(scope.tree, where))
    started = _started(scope, job)
    table |= {name: read_spec(spec) for name, spec in started.items()}
    of_task = map_of(get(scope.raw_task, ("job_params", job_id(raw, where))))
    used = (key.name for key in key_rows(found.keys)) if found else ()
    names = [
        name for name in dict.fromkeys((*table, *of_task, *given)) if name not in set(used) or name in given
    ]
    for name in names:
        spec = table.get(name, ParamSpec())
        field = param_field(name, spec, given.get(name, REMOVE), (*where, name))
        meaning = found.meanings.get(name, "") if found and not spec.help else ""
        default, origin = (
            (spec.value, "from the task that is started" if spec.value is not None else "")
            if name in started
            else _inherited(name, spec, of_task, scope)
        )
        help = meaning or _help_of(found, name, spec)
        fixed = isinstance(spec.secret, str) and name not in given
        yield replace(field, default=default, origin=origin, help=help, own=name not in table, fixed=fixed)


def _started(scope: DefinitionScope, job: Tree) -> Mapping[str, Any]:
    if job.get("type") != "task":
        return {}
    return map_of(get(scope.section("tasks"), (str(job.get("task", "")), "params")))


def _help_of(found: JobType | None, name: str, spec: ParamSpec) -> Words:
    own = found.params.get(name) if found else None
    if found and own is not None and own.help == spec.help and name in found.meanings:
        return found.meanings[name]
    return as_written(spec.help or "")


def _inherited(
    name: str, spec: ParamSpec, of_task: Mapping[str, Any], scope: DefinitionScope
) -> tuple[Any, Words]:
    """What holds without a value of the node, and where it comes from (contract 2.2)."""
    if name in of_task:
        return of_task[name], "from the task's values for this job"
    if isinstance(spec.secret, str):
        return None, both("the secret {name}", name=as_written(spec.secret))
    if spec.has_value and spec.value is not None:
        return spec.value, "from the job"
    if name in map_of(scope.raw_task.get("params")):
        return f"$.TASK.PARAMS['{name}']", "from the task's parameter of the same name"
    return None, ""


def job_id(raw: Tree, where: Path) -> str:
    """The id of the job of a node: the one it names, else the node's own."""
    return str(raw["job"]) if "job" in raw else str(where[3] if len(where) > 3 else "")


def param_field(name: str, spec: ParamSpec, value: Any, path: Path) -> Field:
    kind = _KINDS.get(spec.literal_kind or "", K.ANY)
    kind = K.ANY if kind is K.TEXT and spec.kind is None and spec.value is not None else kind
    kind = K.FOLDER if kind is K.FILE and name in _FOLDERS else kind
    if kind is K.ANY and isinstance(value, (list, dict)):
        kind = K.LIST if isinstance(value, list) else K.MAP
    choices = tuple((each, as_written(str(each))) for each in spec.choices or ())
    return Field(
        path,
        K.CHOICE if choices else kind,
        title(name) if spec.help else as_written(name),
        "params",
        as_written(spec.help or ""),
        value,
        required=spec.required,
        choices=choices,
        wanted=spec.kind,
        picks=FOR_PARAMS if spec.dynamic else None,
    )


def read_spec(raw: Any, base: ParamSpec | None = None) -> ParamSpec:
    """One row of a parameter table as written in a file; what does not fit counts as not given."""
    own = raw if isinstance(raw, Mapping) else {"value": raw}
    known: dict[str, Any] = {}
    for name in ParamSpec.model_fields:
        if name in own:
            try:
                ParamSpec.model_validate({name: own[name]})
            except ValueError:
                continue
            known[name] = own[name]
    over = {name: getattr(base, name) for name in base.model_fields_set} if base else {}
    return ParamSpec.model_validate({**over, **known})
