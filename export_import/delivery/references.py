"""What definitions refer to by name: found, and rewritten where a site uses other names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.model.job import STAGES

Name = tuple[str, str]  # kind (job, task, resource, calendar, secret, worker, group) and name
_SINGLE = {"job": "job", "task": "task", "resource": "resource", "secret": "secret", "group": "group"}
_LISTS = {"resources": "resource", "changes": "resource", "workers": "worker"}
_DATA = frozenset({"job_params", "for_each", "query", "headers", "body", "json", *STAGES})


def references(kind: str, content: Any) -> Iterator[Name]:
    """Every name that a definition mentions, once for each occurrence."""
    return (name for name, _ in _paths(kind, content))


def rewritten(kind: str, content: Any, names: Mapping[Name, str]) -> Any:
    """The definition with other names; ``names`` is what to write for which."""
    made = content
    for name, path in _paths(kind, content):
        if name in names:
            made = _with(made, path, names[name])
    return made


TreePath = tuple[str | int, ...]


def _paths(kind: str, content: Any) -> Iterator[tuple[Name, TreePath]]:
    if kind == "rule" and isinstance(content, Mapping):  # all else of a rule says what it is for
        action = content.get("action")
        run = action.get("run") if isinstance(action, Mapping) else None
        yield from _walk(run, ("action", "run"))
    elif kind in ("resource", "job", "task"):
        yield from _walk(content, ())


def _walk(tree: Any, at: TreePath) -> Iterator[tuple[Name, TreePath]]:
    if isinstance(tree, list):
        for number, each in enumerate(tree):
            yield from _walk(each, (*at, number))
    if not isinstance(tree, Mapping):
        return
    for key, value in tree.items():
        path = (*at, key)
        if key in _SINGLE and _is_name(value):
            if key != "group" or at[-1:] == ("on",):
                yield (_SINGLE[key], str(value)), path
        elif key in _LISTS and isinstance(value, list):
            names = ((each, number) for number, each in enumerate(value) if _is_name(each))
            yield from (((_LISTS[key], str(each)), (*path, number)) for each, number in names)
        elif key == "calendar" and at[-1:] == ("schedule",):
            yield from _calendar(value, path)
        elif key == "params":
            yield from _secrets(value, path)
        elif key == "results" and isinstance(value, Mapping):  # its keys are names of the author's
            for name, spec in value.items():
                yield from _walk(spec, (*path, name))
        elif key in _DATA and isinstance(value, Mapping):
            yield from _of_stage(value, path)
        elif key not in _DATA:
            yield from _walk(value, path)


def _is_name(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _calendar(value: Any, at: TreePath) -> Iterator[tuple[Name, TreePath]]:
    """Of a schedule: an id, or a map with one."""
    if isinstance(value, Mapping):
        value, at = value.get("id"), (*at, "id")
    if _is_name(value):
        yield ("calendar", str(value)), at


def _secrets(params: Any, at: TreePath) -> Iterator[tuple[Name, TreePath]]:
    """Parameters are data; only a specification may name a secret."""
    for name, spec in params.items() if isinstance(params, Mapping) else ():
        if isinstance(spec, Mapping) and isinstance(spec.get("secret"), str):
            yield ("secret", spec["secret"]), (*at, name, "secret")


def _of_stage(stage: Mapping[str, Any], at: TreePath) -> Iterator[tuple[Name, TreePath]]:
    """A stage that is a group of jobs or a task; all else of it is data."""
    if at[-1] not in STAGES:
        return
    if _is_name(stage.get("task")):
        yield ("task", str(stage["task"])), (*at, "task")
    if isinstance(stage.get("group"), list):
        yield from _walk(stage["group"], (*at, "group"))


def _with(tree: Any, path: TreePath, value: str) -> Any:
    if not path:
        return value
    step, *rest = path
    if isinstance(tree, list):
        return [_with(each, tuple(rest), value) if at == step else each for at, each in enumerate(tree)]
    return {key: _with(each, tuple(rest), value) if key == step else each for key, each in tree.items()}
