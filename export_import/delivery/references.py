"""What definitions refer to by name: found, and rewritten where a site uses other names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from engine.definitions.params import holds_expression
from engine.model.job import STAGES

Name = tuple[str, str]  # kind (job, task, resource, calendar, secret, worker, group) and name
_SINGLE = {"job": "job", "task": "task", "resource": "resource", "secret": "secret", "group": "group"}
_LISTS = {"resources": "resource", "changes": "resource", "workers": "worker"}
_IN_EXPRESSIONS = {
    "worker": re.compile(r"""(?<=\.WORKERS\[['"])[\w.-]+(?=['"]\])"""),
    "resource": re.compile(r"""(?<=\$\.RESOURCE\[['"])[\w.-]+(?=['"]\])"""),
}
_DATA = frozenset({"job_params", "for_each", "query", "headers", "body", "json", *STAGES})


def references(kind: str, content: Any) -> Iterator[Name]:
    """Every name that a definition mentions, once for each occurrence."""
    yield from (name for name, _ in _paths(kind, content))
    for text in _rendered(content) if kind in ("job", "task") else ():
        for of, pattern in _IN_EXPRESSIONS.items():
            yield from ((of, name) for name in pattern.findall(text))


def rewritten(kind: str, content: Any, names: Mapping[Name, str]) -> Any:
    """The definition with other names; ``names`` is what to write for which."""
    made = content
    for name, path in _paths(kind, content):
        if name in names:
            made = _with(made, path, names[name])
    asked = {name: here for name, here in names.items() if name[0] in _IN_EXPRESSIONS}
    return _with_asked(made, asked) if asked and kind in ("job", "task") else made


def _rendered(tree: Any) -> Iterator[str]:
    """The texts in which expressions are looked for: not those of programs."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        yield from (text for each in tree for text in _rendered(each))
    elif isinstance(tree, Mapping):
        kept = (each for key, each in tree.items() if not _is_program(key, each))
        yield from (text for each in kept for text in _rendered(each))


def _with_asked(tree: Any, names: Mapping[Name, str]) -> Any:
    """The tree with these names in expressions: of workers' records, and of checks that a schedule reads."""
    if isinstance(tree, str):
        for of, pattern in _IN_EXPRESSIONS.items():
            here = {name: new for (kind, name), new in names.items() if kind == of}
            tree = pattern.sub(partial(_new_name, here), tree)
        return tree
    if isinstance(tree, list):
        return [_with_asked(each, names) for each in tree]
    if isinstance(tree, Mapping):
        return {
            key: each if _is_program(key, each) else _with_asked(each, names) for key, each in tree.items()
        }
    return tree


def _new_name(names: Mapping[str, str], found: re.Match[str]) -> str:
    return names.get(found[0], found[0])


def _is_program(key: str, value: Any) -> bool:
    return key in STAGES and isinstance(value, str)


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
    """What an expression will name is not known before it runs."""
    return isinstance(value, (str, int)) and not isinstance(value, bool) and not holds_expression(value)


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
