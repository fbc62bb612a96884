"""Values with expressions in them: compiled once, rendered as often as needed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.model.codes.expressions import EXPRESSION_TOO_BIG
from engine.model.errors import Invalid, SkerryError
from engine.model.expression.limits import MAX_DEPTH, StepMeter
from engine.model.expression.path import Path, Reference
from engine.model.expression.scope import PathReader, Scope, UsedText, named
from engine.model.expression.texts import Expression, Extraction, FileOf, Mixed, Shifted, Whole, compile_text
from engine.model.expression.values import compact_json

_CONTAINERS = (dict, list)
_EXPRESSIONS = (Whole, Mixed, Extraction, Shifted, FileOf)


@dataclass(frozen=True, slots=True)
class Template:
    """A JSON tree whose texts may hold expressions.

    ``source`` is the tree as written, ``compiled`` the same with its expressions read;
    ``literal`` says that there is nothing to do.
    """

    source: Any
    compiled: Any
    references: tuple[Reference, ...]
    literal: bool


class Rendered(NamedTuple):
    """The value, and one Use for each text that held expressions."""

    value: Any
    used: tuple[UsedText, ...]


def compile_value(tree: Any) -> Template:
    """Read every expression in a JSON tree; Invalid (with its column) for a mistake."""
    references: list[Reference] = []
    compiled = _compile(tree, references, 0)
    return Template(tree, compiled, tuple(references), compiled is tree)


def literal_value(tree: Any) -> Template:
    """A JSON tree as it is, whatever looks like an expression in it."""
    return Template(tree, tree, (), literal=True)


def _compile(tree: Any, references: list[Reference], depth: int) -> Any:
    """The compiled tree; the very same object where nothing is to be evaluated."""
    if isinstance(tree, str):
        compiled = compile_text(tree)
        if not isinstance(compiled, str):
            references.extend(path.reference for path in compiled.paths)
        return tree if compiled == tree else compiled
    if not isinstance(tree, (list, tuple, dict)):
        return tree
    if depth >= MAX_DEPTH:
        message = "a value has at most {most} lists and maps within each other"
        raise Invalid(EXPRESSION_TOO_BIG, message, most=MAX_DEPTH)
    return _compile_parts(tree, references, depth + 1)


def _compile_parts(tree: Any, references: list[Reference], depth: int) -> Any:
    if isinstance(tree, dict):
        by_key = {key: _compile(value, references, depth) for key, value in tree.items()}
        return tree if all(by_key[key] is tree[key] for key in tree) else by_key
    parts = [_compile(value, references, depth) for value in tree]
    return tree if all(new is old for new, old in zip(parts, tree, strict=True)) else parts


def render(template: Template, scope: Scope) -> Rendered:
    """The value of ``template``; SkerryError naming the expression.

    What comes from the context is a copy, so whoever gets it may change it; literal parts are
    the template's own.
    """
    if template.literal:
        return Rendered(template.source, ())
    found = _Rendering(scope, StepMeter(scope.patience, "the value"), [])
    return Rendered(_render(template.compiled, found, ()), tuple(found.uses))


class _Rendering(NamedTuple):
    """One value on its way: its texts share the time."""

    scope: Scope
    meter: StepMeter
    uses: list[UsedText]


def _render(tree: Any, found: _Rendering, at: Path) -> Any:
    if isinstance(tree, _EXPRESSIONS):
        return _evaluate(tree, found, at)
    if isinstance(tree, dict):
        return {key: _render(value, found, (*at, key)) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_render(value, found, (*at, index)) for index, value in enumerate(tree)]
    return tree


def _evaluate(expression: Expression, found: _Rendering, at: Path) -> Any:
    reader = PathReader(found.scope, found.meter)
    try:
        value = expression.evaluate(reader)
    except SkerryError as error:
        named(error, expression.text)
        raise
    if reader.inputs:
        found.uses.append(UsedText(at, expression.text, reader.inputs))
    if value.__class__ in _CONTAINERS and any(value is read for read in reader.inputs.values()):
        return json.loads(compact_json(value))
    return value
