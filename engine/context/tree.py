"""Changing a JSON tree by path: the one rule for the live context and for every replay.

Missing parents are made: a map before a name, a list (filled with null) before a number. A null
counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

from engine.context.fields import ORDERED
from engine.model.codes.context import CANNOT_SET, NOTHING_THERE
from engine.model.codes.expressions import MISSING_VALUE
from engine.model.errors import SkerryError
from engine.model.expression import Path, format_path
from engine.model.message import Message
from engine.model.plain_words import quoted

MAX_INDEX: Final = 1_000_000  # a list is not filled beyond this


class NoValue:
    """Is where there is no value, since null is one."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = NoValue()


def put(tree: dict[str, Any], path: Path, value: Any) -> Any:
    """Set the value at ``path`` and give the one that was there (MISSING if none was).

    SkerryError, with nothing changed, if the path leads through a text or number.
    """
    _check(path)
    parent: Any = tree
    for position in range(len(path) - 1):
        known = parent.get(path[position]) if parent.__class__ is dict else None
        parent = _enter(parent, path, position) if known is None else known
    return _assign(parent, path, value)


def _check(path: Path) -> None:
    if not path or not isinstance(path[0], str):
        raise SkerryError(CANNOT_SET, "a value is set below a name such as $.TASK or $.JOB")
    for step in path:
        if step.__class__ is int and not 0 <= step <= MAX_INDEX:
            message = "{path}: an index is from 0 to {most:,}"
            raise SkerryError(CANNOT_SET, message, path=format_path(path), most=MAX_INDEX)


def _enter(parent: Any, path: Path, position: int) -> Any:
    """The map or list at ``position`` of the path, made when it is missing."""
    step = path[position]
    if isinstance(parent, dict) and isinstance(step, str):
        child = parent.get(step)
    elif isinstance(parent, list) and isinstance(step, int):
        _fill(parent, step)
        child = parent[step]
    else:
        _refuse(parent, path, position)
    if child is None:
        child = parent[step] = {} if isinstance(path[position + 1], str) else []
    return child


def _assign(parent: Any, path: Path, value: Any) -> Any:
    step = path[-1]
    if parent.__class__ is dict and isinstance(step, str):
        old = parent.get(step, MISSING)
        parent[step] = value
        return old
    if not isinstance(parent, list) or not isinstance(step, int):
        _refuse(parent, path, len(path) - 1)
    old = parent[step] if step < len(parent) else MISSING
    _fill(parent, step)
    parent[step] = value
    return old


def _fill(items: list[Any], index: int) -> None:
    items.extend([None] * (index + 1 - len(items)))


def _refuse(parent: Any, path: Path, position: int) -> NoReturn:
    where, step = format_path(path[:position]), path[position]
    kind = "map" if isinstance(parent, dict) else "list" if isinstance(parent, list) else "plain value"
    message = "{place} is a {kind}: {step} cannot be set below it"
    raise SkerryError(
        CANNOT_SET, message, where=format_path(path), place=where, kind=Message.of(kind), step=quoted(step)
    )


def drop(tree: dict[str, Any], path: Path) -> Any:
    """Remove the value at ``path`` and give it; SkerryError if there is none."""
    try:
        parent: Any = tree
        for step in path[:-1]:
            parent = parent[step]
        return parent.pop(path[-1])
    except (KeyError, IndexError, TypeError, AttributeError):
        message = "{path}: there is nothing to remove"
        raise SkerryError(NOTHING_THERE, message, path=format_path(path)) from None


def target(tree: Mapping[str, Any], path: Path) -> Path:
    """``path`` with a position below PARAMS or RESULT as the name at that position (``RESULT[0]``).

    SkerryError when there is no such position.
    """
    steps: list[str | int] = []
    value: Any = tree
    for step in path:
        if isinstance(step, int) and steps and steps[-1] in ORDERED and isinstance(value, Mapping):
            step = _name(value, step, path)
        value = at_path(value, (step,))
        steps.append(step)
    return tuple(steps)


def _name(holder: Mapping[str, Any], position: int, path: Path) -> str:
    names = list(holder)
    if not -len(names) <= position < len(names):
        message = "{path}: there are {count} values"
        raise SkerryError(MISSING_VALUE, message, path=format_path(path), count=len(names))
    return names[position]


def texts_in(tree: Any) -> Iterator[str]:
    """Every text that is a value of a tree, however deep."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, (list, tuple, Mapping)):
        for each in tree.values() if isinstance(tree, Mapping) else tree:
            yield from texts_in(each)


def with_texts(tree: Any, changed: Callable[[str], str]) -> Any:
    """The tree with every text, also each key, as ``changed`` gives it."""
    if isinstance(tree, str):
        return changed(tree)
    if isinstance(tree, dict):
        return {changed(key): with_texts(each, changed) for key, each in tree.items()}
    return [with_texts(each, changed) for each in tree] if isinstance(tree, (list, tuple)) else tree


def at_path(tree: Any, path: Iterable[str | int], default: Any = None) -> Any:
    """The value at ``path``; ``default`` where there is none."""
    for step in path:
        try:
            tree = tree[step]
        except (KeyError, IndexError, TypeError):
            return default
    return tree
