"""Whether the literal values of parameters fit their kinds and choices (contract 2.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.context.tree import texts_in
from engine.definitions.notes import Notes, listed, shown
from engine.model.codes import definitions as codes
from engine.model.findings import Loc
from engine.model.job import ParamSpec
from engine.model.message import Message
from engine.model.quantities import Kind, kind_of

_SPECIFICATION = set(ParamSpec.model_fields)
_A_KIND: dict[Kind, str] = {
    "text": "a text",
    "number": "a number",
    "boolean": "true or false",
    "file": "the path of a file",
    "document": "the path of a document",
    "list": "a list",
    "map": "a map",
}


def check_table(
    table: Mapping[str, ParamSpec], raw: Mapping[str, Any], path: Loc, notes: Notes, *, bare: bool = False
) -> None:
    """Check each parameter that ``raw`` writes: its literal value and its choices against its kind.

    ``bare``: every entry of ``raw`` is a value, also a map.
    """
    for name in (name for name in raw if name in table):
        spec, spec_path = table[name], (*path, name)
        if spec.send and spec.kind not in ("file", "document"):
            message = "`send` only means something for the kinds file and document"
            notes.warning(codes.NO_EFFECT, message, (*spec_path, "send"), key=True)
        if spec.secret is True and _is_literal(spec, spec.value):
            message = "`{name}`: a value that is written in the file is no secret"
            notes.warning(codes.OPEN_SECRET, message, (*spec_path, "value"), name=name)
        for i, choice in enumerate(spec.choices or ()):
            _kind(spec.kind, choice, (*spec_path, "choices", i), notes, name)
        if spec.has_value:
            short = bare or not isinstance(raw[name], dict)
            check_value(spec, spec.value, spec_path if short else (*spec_path, "value"), notes, name)


def warn_of_specifications(given: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    """Where every entry is a value, a map that looks like a row of a table was hardly meant as one."""
    for name, value in given.items():
        if (
            isinstance(value, Mapping)
            and set(value) <= _SPECIFICATION
            and set(value) & {"secret", "required"}
        ):
            what = Message.of("secret" if "secret" in value else "specification")
            message = (
                "`{name}`: here every entry is a value, so this map is the value itself and no {what}; "
                "write it in the `params` of a job under `jobs`, or of the task"
            )
            notes.warning(
                codes.LOOKS_LIKE_SPECIFICATION, message, (*path, name), key=True, name=name, what=what
            )


def check_values(table: Mapping[str, ParamSpec], given: Mapping[str, Any], path: Loc, notes: Notes) -> None:
    """Check the values that a node, a member or job_params gives for a job's parameters."""
    for name, each in given.items():
        if name in table:
            check_value(table[name], each, (*path, name), notes, name)


def check_value(spec: ParamSpec, given: Any, path: Loc, notes: Notes, name: str) -> None:
    """Check one literal value; null and what holds an expression are left alone."""
    if not _is_literal(spec, given):
        return
    if _kind(spec.kind, given, path, notes, name) and spec.choices is not None:
        known = [_as_text(each) for each in spec.choices]
        if _as_text(given) not in known:
            message = "`{name}`: expected {expected}, found {found}"
            notes.error(
                codes.PARAM_UNFIT, message, path, name=name, expected=listed(known), found=shown(given)
            )


def _is_literal(spec: ParamSpec, given: Any) -> bool:
    return given is not None and not (spec.dynamic and holds_expression(given))


def _kind(kind: Kind | None, given: Any, path: Loc, notes: Notes, name: str) -> bool:
    if kind is None or given is None or _fits(kind, given):
        return True
    message = "`{name}`: expected {expected}, found {found}"
    notes.error(
        codes.PARAM_UNFIT, message, path, name=name, expected=Message.of(_A_KIND[kind]), found=shown(given)
    )
    return False


def _fits(kind: Kind, given: Any) -> bool:
    """A text fits where it reads as JSON of the kind; a number or boolean fits where a text is expected."""
    own = kind_of(given)
    if kind in ("file", "document"):
        return own == "text"
    if own == kind or (kind == "text" and own in ("number", "boolean")):
        return True
    return own == "text" and kind_of(_from_json(given)) == kind


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def holds_expression(given: Any) -> bool:
    """Whether an expression may be somewhere in ``given`` (texts in lists and maps included)."""
    return any(text.startswith("$.") or "{$." in text for text in texts_in(given))


def _as_text(given: Any) -> str:
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, sort_keys=True)


def with_table(own: Mapping[str, ParamSpec], table: Mapping[str, ParamSpec]) -> dict[str, ParamSpec]:
    """A job's parameters over the table that comes with its type: what the job says itself wins."""
    merged = {name: _over(table[name], spec) if name in table else spec for name, spec in own.items()}
    return {**merged, **{name: spec for name, spec in table.items() if name not in merged}}


def _over(base: ParamSpec, own: ParamSpec) -> ParamSpec:
    own_values = {name: getattr(own, name) for name in own.model_fields_set}
    return base.model_copy(update=own_values)
