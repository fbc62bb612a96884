"""Making one value of the model from its part of the file, and going on when a part of it is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from engine.definitions.explain import DefinitionProblem, explain
from engine.definitions.notes import Notes
from engine.model.findings import Loc

Model = TypeVar("Model", bound=BaseModel)
_TRIES = 4


def fit(
    model: type[Model], tree: Mapping[str, Any], path: Loc, notes: Notes, also: Iterable[str] = ()
) -> Model | None:
    """The value that ``tree`` writes. What is wrong is noted and left out, or taken as it was meant where
    one value is written for a list, so that the rest can still be checked against other parts of the file;
    None when nothing remains.
    """
    try:
        return model.model_validate(tree)
    except ValidationError as wrong:
        problems = _problems(model, tree, wrong, also)
    for each in problems:
        notes.error(each.code, each.message, (*path, *each.path), key=each.key)
    return _rest(model, tree, problems)


def _problems(
    model: type[BaseModel], tree: Mapping[str, Any], wrong: ValidationError, also: Iterable[str] = ()
) -> list[DefinitionProblem]:
    return explain(model, tree, wrong.errors(include_url=False, include_input=False), also)


def _rest(model: type[Model], tree: Mapping[str, Any], problems: list[DefinitionProblem]) -> Model | None:
    """The value with its wrong parts mended or left out; taking one out may leave another one incomplete."""
    left: Any = tree
    for _ in range(_TRIES):
        if any(not each.path for each in problems):
            return None
        for each in sorted(problems, key=lambda each: repr(each.path), reverse=True):
            left = _listed(left, each.path) if each.lone else without(left, each.path)
        try:
            return model.model_validate(left)
        except ValidationError as wrong:
            problems = _problems(model, left, wrong)
    return None


def _listed(tree: Any, path: Loc) -> Any:
    """A copy of ``tree`` with the value at ``path`` as the list that it is meant to be."""
    if not path:
        return [tree]
    copy: Any = dict(tree) if isinstance(tree, Mapping) else list(tree)
    copy[path[0]] = _listed(copy[path[0]], path[1:])
    return copy


def without(tree: Any, path: Loc) -> Any:
    """A copy of ``tree`` without what ``path`` leads to; the tree itself when there is nothing.

    >>> without({"a": [1, 2], "b": 3}, ("a", 0))
    {'a': [2], 'b': 3}
    """
    if not path:
        return tree
    first, *rest = path
    if isinstance(tree, Mapping) and first in tree:
        changed = {first: without(tree[first], tuple(rest))} if rest else {}
        return {key: changed.get(key, item) for key, item in tree.items() if rest or key != first}
    if isinstance(tree, list) and isinstance(first, int) and first < len(tree):
        middle = [without(tree[first], tuple(rest))] if rest else []
        return [*tree[:first], *middle, *tree[first + 1 :]]
    return tree
