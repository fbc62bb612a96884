"""From definitions to the fields of their form: of a node, of a job of the library, of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.desktop.design.forms import key_words
from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.dependency_fields import dependency_fields
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.labels import as_written, title
from app.desktop.design.forms.param_fields import param_fields
from app.desktop.design.forms.schedule_fields import schedule_fields
from app.desktop.design.picker.sources import FOR_KEYS, FOR_RESOURCE
from app.desktop.design.tree import REMOVE, Path, Tree, get, node_path
from engine.definitions.tasks import IN_NO_HANDLER
from engine.model.names import is_handler
from engine.model.quantities import Kind
from engine.planning.outline import map_of
from engine.plugins.job_type import JobType
from engine.plugins.resource_type import ResourceType
from engine.plugins.shapes import KeyRow, key_rows

_BY_NAME: Mapping[str, K] = {
    "resource": K.RESOURCE, "task": K.TASK, "secret": K.SECRET, "statement": K.CODE, "branches": K.BRANCHES,
    "jobs": K.MEMBERS, "until_true": K.CONDITION, "body": K.LINES, "statements": K.LIST,
}  # fmt: skip
_BY_WORD: Mapping[str, K] = {
    "duration": K.DURATION, "size": K.SIZE, "boolean": K.BOOLEAN, "whole number": K.NUMBER,
    "number": K.NUMBER, "map": K.MAP, "list": K.LIST, "any value": K.ANY, "text": K.TEXT,
}  # fmt: skip
_WANTED: Mapping[K, Kind] = {
    K.TEXT: "text", K.LINES: "text", K.CODE: "text", K.NUMBER: "number", K.BOOLEAN: "boolean", K.FILE: "file",
    K.FOLDER: "file", K.LIST: "list", K.MAP: "map", K.DURATION: "text", K.SIZE: "text",
}  # fmt: skip
Keys = Iterable[Field]  # of ``key_words``
_SHOWN = (K.BRANCHES, K.MEMBERS, K.CONDITION)  # editors that say themselves what they want
_SCRIPT = (
    "Values reach it as environment variables; files that it writes into $SKERRY_OUTPUTS are its results."
)
_CODE: Mapping[str, str] = {"shell": "bash", "python": "python", "java": "java", "group": "", "task": ""}


def node_fields(scope: DefinitionScope, id: str, member: int = 0) -> tuple[Field, ...]:
    """The fields of a node; ``member`` chooses a set of parameters of a batch."""
    raw, place = scope.node(id), node_path(scope.task, id)
    params: Path = ("params", member) if isinstance(raw.get("params"), list) else ("params",)
    if is_handler(id):
        keys = [each for each in key_words.NODE if each.path[-1] not in IN_NO_HANDLER]
        return _user_fields(scope, raw, place, ("params",), keys, (*key_words.ON, *key_words.AROUND))
    return _user_fields(scope, raw, place, params, key_words.NODE, (*key_words.ON, *key_words.AROUND))


def member_fields(scope: DefinitionScope, path: Path) -> tuple[Field, ...]:
    """The fields of a member of a group, which is at ``path``."""
    return _user_fields(scope, map_of(get(scope.tree, path)), path, ("params",))


def _user_fields(
    scope: DefinitionScope, raw: Tree, place: Path, params: Path, before: Keys = (), after: Keys = ()
) -> tuple[Field, ...]:
    """Of what uses a job of the library or has its own; keys ``before`` and ``after`` those of the job."""
    inherits = "job" in raw
    naming, job = ((), ()) if inherits else (key_words.NAMING, key_words.JOB)
    made = [*common_fields(naming, raw, place), *(() if inherits else work_fields(scope, raw, place))]
    made += param_fields(scope, raw, scope.job_of(raw), (*place, *params), inherits=inherits)
    return in_order([*made, *common_fields((*before, *job, *after), raw, place)])


def job_fields(scope: DefinitionScope, id: str) -> tuple[Field, ...]:
    raw, place = scope.job(id), ("jobs", id)
    specs = key_words.key(
        ("params",), K.SPECS, "Parameters", "What a node can or must give when it uses this job.", "params"
    )
    made = [*common_fields(key_words.NAMING, raw, place), *work_fields(scope, raw, place)]
    made += common_fields((specs, *key_words.JOB, *key_words.ON, *key_words.AROUND), raw, place)
    return in_order(made)


def resource_fields(scope: DefinitionScope, id: str) -> tuple[Field, ...]:
    """The fields of a resource: where it is, how it is asked, what its check looks at."""
    raw, place = map_of(scope.section("resources").get(id)), ("resources", id)
    found = scope.resource_types.get(str(raw.get("type", "")))
    made = common_fields((*key_words.NAMING, key_words.URI), raw, place)
    if found is None:
        return in_order(made)
    if found.looks_elsewhere:
        made += common_fields((key_words.AT,), raw, place)
    for part, model in (("check", found.check_keys), ("request", found.request_keys)):
        for row in key_rows(model):
            path = (*place, part, row.name)
            made.append(key_field(found, row, get(raw, (part, row.name), REMOVE), path, part))
    return in_order(made)


def task_fields(scope: DefinitionScope) -> tuple[Field, ...]:
    place = ("tasks", scope.task)
    timed = (*schedule_fields(scope), *dependency_fields(scope))
    return in_order([*common_fields((*key_words.TASK, *key_words.AROUND), scope.raw_task, place), *timed])


def common_fields(keys: Keys, raw: Tree, place: Path) -> list[Field]:
    """The fields of keys that do not depend on the type."""
    made = []
    for each in keys:
        value = get(raw, each.path, REMOVE)
        kind = K.MAP if each.kind is K.CODE and isinstance(value, dict) else each.kind
        made.append(replace(each, path=(*place, *each.path), kind=kind, value=value))
    return made


def in_order(fields: Iterable[Field]) -> tuple[Field, ...]:
    order = list(key_words.GROUPS)
    return tuple(sorted(fields, key=lambda each: order.index(each.group)))


def work_fields(scope: DefinitionScope, raw: Tree, place: Path) -> Iterator[Field]:
    """The process and the type's own keys."""
    found = scope.type_of(raw)
    if found is None:
        return
    scripted = found.process == "required" or (found.process == "optional" and found.kind == "java")
    if isinstance(raw.get("process", "" if scripted else None), (str, dict)):
        yield _process(found, raw, place)
    for row in key_rows(found.keys):
        yield key_field(found, row, get(raw, (row.name,), REMOVE), (*place, row.name))


def _process(found: JobType, raw: Tree, place: Path) -> Field:
    direct = found.kind in ("shell", "python")
    words = _SCRIPT if direct else "What it does."
    return Field(
        (*place, "process"),
        K.MAP if isinstance(raw.get("process"), dict) else K.CODE,
        "Script",
        "work",
        words,
        get(raw, ("process",), REMOVE),
        required=found.process == "required",
        language=_CODE.get(found.kind, ""),
    )


def key_field(
    found: JobType | ResourceType, row: KeyRow, value: Any, path: Path, group: str = "work"
) -> Field:
    kind = _BY_NAME.get(row.name) or kind_of_row(row)
    if found.kind == "condition" and row.name == "value":
        kind = K.CONDITION
    if isinstance(found, ResourceType):
        picks = None if kind is K.SECRET else FOR_RESOURCE
    else:
        picks = FOR_KEYS if row.name in found.rendered or kind is K.CONDITION else None
    choices = [each.strip("`") for each in row.types] if kind is K.CHOICE else ()
    return Field(
        path,
        kind,
        title(row.name, found.kind),
        group,
        "" if kind in _SHOWN else found.meanings.get(row.name, ""),
        value,
        row.default,
        required=row.required,
        picks=picks,
        choices=tuple((each, as_written(each)) for each in choices),
        wanted=_WANTED.get(kind),
        language="sql" if row.name.startswith("statement") else "",
    )


def kind_of_row(row: KeyRow) -> K:
    """The editor for a key, from its type in words."""
    if all(each.startswith("`") for each in row.types):
        return K.CHOICE
    return next((kind for word, kind in _BY_WORD.items() if word in row.types), K.ANY)
