"""One recorded expression: computed again from its recorded inputs, and compared with what it gave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.context import is_reference, read_reference
from engine.context.line import json_text
from engine.model.codes.expressions import MISSING_VALUE, UNREADABLE
from engine.model.errors import SkerryError
from engine.model.expression import (
    AT_ONCE,
    FoundValue,
    ParsedPath,
    as_text,
    compile_condition,
    compile_value,
    decide,
    looks_like_condition,
    render,
)
from export_import.packed_logs import CaseFiles

_HOLDERS = ("PARAMS", "RESULT")


class RecordedScope:
    """The inputs of a line as a scope; big ones are read from the files of ``folder``.

    SkerryError UNREADABLE for a file that is not there any more or is not what was recorded.
    """

    def __init__(self, inputs: Mapping[str, Any], folder: Path, zone: str) -> None:
        self.zone = zone
        self.patience = AT_ONCE
        self._inputs = inputs
        self._folder = folder

    def lookup(self, path: ParsedPath) -> FoundValue:
        if path.text not in self._inputs:
            raise SkerryError.at(MISSING_VALUE, "{where} is not among the recorded inputs", path.text)
        recorded = self._inputs[path.text]
        value = self._loaded(path, recorded) if is_reference(recorded) else recorded
        return FoundValue(value, recorded)

    def _loaded(self, path: ParsedPath, recorded: Any) -> Any:
        value = read_reference(recorded, str(self._folder), CaseFiles())
        last = path.steps[-1]
        if last == "OUTPUT" and isinstance(value, str):
            return value.removesuffix("\n")
        if path.rest or last in _HOLDERS:
            raise SkerryError(UNREADABLE, "{path}: only a part of what was read is recorded", path=path.text)
        return _below(value, path)


def _below(value: Any, path: ParsedPath) -> Any:
    """The part of a big value that the path goes on to."""
    holder = next((at for at, step in enumerate(path.steps) if step in _HOLDERS), len(path.steps))
    for step in path.steps[holder + 2 :]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            raise SkerryError(UNREADABLE, "{path}: nothing is there in the file", path=path.text) from None
    return value


def computed(expression: str, scope: RecordedScope, recorded: Any) -> Any:
    """What ``expression`` gives: as a condition where one was judged, else as a value. SkerryError."""
    if isinstance(recorded, bool) and looks_like_condition(expression):
        return decide(compile_condition(expression), scope)[0]
    value = render(compile_value(expression), scope).value
    if isinstance(recorded, bool) and not same(value, recorded):
        return decide(compile_condition(expression), scope)[0]
    return value


def same(value: Any, recorded: Any) -> bool:
    """Whether a value is what was recorded: itself, converted to its kind, in a file, or a part of it.

    A line has the whole parameter or result; an expression may have given only a part of it.
    """
    if is_reference(recorded):
        return _is_file(value, recorded)
    if _equal(value, recorded):
        return True
    parts = (
        recorded.values() if isinstance(recorded, dict) else recorded if isinstance(recorded, list) else ()
    )
    return any(same(value, part) for part in parts)


def _equal(value: Any, recorded: Any) -> bool:
    if json_text(value) == json_text(recorded):
        return True
    if value is None or recorded is None:
        return isinstance(value, str) and _as_json(value) == (recorded,)
    if as_text(value) == as_text(recorded):
        return True
    if not isinstance(value, str):
        return False
    return _as_json(value) == (recorded,) or _is_path(value, recorded)


def _as_json(text: str) -> tuple[Any, ...]:
    """The value that a text is read as for the kinds number, boolean, list and map."""
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return ()


def _is_path(value: str, recorded: Any) -> bool:
    """A relative file becomes an absolute one of the job's directory."""
    path = value.rstrip("\r\n")
    relative = not path.startswith("/") and bool(path)
    return isinstance(recorded, str) and (
        path == recorded or (relative and recorded.endswith(f"/{path.removeprefix('./')}"))
    )


def _is_file(value: Any, recorded: Mapping[str, Any]) -> bool:
    text = value if isinstance(value, str) else json_text(value)
    data = text.encode("utf-8", "replace")
    return is_reference(value) or (len(data), sha256(data).hexdigest()) == (
        recorded["size"],
        recorded["sha256"],
    )
