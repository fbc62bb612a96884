"""Reading and changing trees of JSON values by paths; never in place, what is untouched is shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from engine.context.tree import at_path
from engine.model.names import HANDLER, is_handler

Path = tuple[str | int, ...]
Tree = Mapping[str, Any]
Edit = Callable[[Tree], Tree]
Whole = TypeVar("Whole")
Rest = ParamSpec("Rest")


class _Remove(Enum):
    REMOVE = "remove"


REMOVE: Final = _Remove.REMOVE  # as a value: take the key away
get: Final = at_path


def node_at(path: Path) -> str | None:
    """The node or handler of a task that a path of the tree leads to or into; None for any other.

    >>> node_at(("tasks", "t", "nodes", "load", "type")), node_at(("tasks", "t", "on_end", "failed"))
    ('load', 'on_end.failed')
    """
    match path:
        case ("tasks", _, "nodes", id, *_):
            return str(id)
        case ("tasks", _, "on_end", id, *_):
            return f"{HANDLER}{id}"
    return None


def node_path(task: str, id: str, *rest: str | int) -> Path:
    """Where the tree has a node or handler of a task.

    >>> node_path("t", "on_end.failed", "type")
    ('tasks', 't', 'on_end', 'failed', 'type')
    """
    section = "on_end" if is_handler(id) else "nodes"
    return ("tasks", task, section, id.removeprefix(HANDLER), *rest)


def put(tree: Whole, path: Path, value: Any) -> Whole:
    """A tree with another value at a path; missing maps are made; REMOVE takes it away.

    In a list the index after the last adds an item. Empty maps that a removal leaves stay.

    >>> put({"a": {"b": 1}}, ("a", "c"), 2)
    {'a': {'b': 1, 'c': 2}}
    >>> put({"a": {"b": 1}}, ("a", "b"), REMOVE)
    {'a': {}}
    """
    changed: Whole = _put(tree, path, value)
    return changed


def _put(tree: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int) and isinstance(tree, (list, tuple)):
        return _put_item(list(tree), step, rest, value)
    copy = dict(tree) if isinstance(tree, Mapping) else {}
    if value is REMOVE and not rest:
        copy.pop(step, None)
    elif value is not REMOVE or step in copy:
        copy[step] = _put(copy.get(step), rest, value)
    return copy


def _put_item(items: list[Any], step: int, rest: Path, value: Any) -> list[Any]:
    if value is REMOVE and not rest:
        if -len(items) <= step < len(items):
            del items[step]
    elif step == len(items):
        items.append(_put(None, rest, value))
    else:
        items[step] = _put(items[step], rest, value)
    return items


def mapped(value: Any, change: Any) -> Any:
    """The tree with every text in it (not the keys) given through ``change``."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        new = {key: mapped(item, change) for key, item in value.items()}
        return value if all(new[key] is value[key] for key in value) else new
    if isinstance(value, (list, tuple)):
        items = [mapped(item, change) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return value


def edit(change: Callable[Concatenate[Tree, Rest], Tree]) -> Callable[Rest, Edit]:
    """Make of a function ``(tree, *arguments) -> tree`` one that takes the arguments and returns an Edit."""

    @wraps(change)
    def bound(*args: Rest.args, **named: Rest.kwargs) -> Edit:
        return lambda tree: change(tree, *args, **named)

    return bound


def shared(old: Any, new: Any) -> Any:
    """``new``, in which every part that equals the same part of ``old`` is that part itself.

    >>> before = {"a": {"x": 1}, "b": 2}
    >>> shared(before, {"a": {"x": 1}, "b": 3})["a"] is before["a"]
    True
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        payload = {key: shared(old[key], value) if key in old else value for key, value in new.items()}
        same = list(payload) == list(old) and all(payload[key] is old[key] for key in payload)
        return old if same else payload
    return old if type(old) is type(new) and old == new else new
