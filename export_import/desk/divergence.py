"""Where two runs part: the first value that is not what was recorded, and those after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.context import MISSING
from engine.context.line import json_text
from engine.context.timeline import LineCause
from engine.model.expression import parse_path
from engine.model.states import JobState
from export_import.desk.omission_marks import is_marked
from export_import.desk.recorded_match import Folders
from export_import.desk.reevaluation import recorded_value

_OTHERWISE = frozenset({"START_TIME", "END_TIME", "INSTANCE", "DIRECTORY", "WORKER", "RUN", "TRIGGER"})
_EXITS = frozenset({"EXIT_CODE", "exit_code"})


@dataclass(frozen=True, slots=True)
class Divergence:
    """One value that differs. ``seq`` is the line of the record, None where it has none."""

    path: str
    node: str | None
    seq: int | None
    recorded: Any
    now: Any
    expression: str | None = None
    recorded_expression: str | None = None


def divergences(
    recorded: Iterable[LineCause], now: Iterable[LineCause], site: Folders, here: Folders
) -> Iterator[Divergence]:
    """In the order of the new log: values that are not the ones of the same occurrence in the record."""
    known: dict[tuple[str, str | None], list[LineCause]] = {}
    for cause in recorded:
        if _counts(cause):
            known.setdefault(_key(cause), []).append(cause)
    for cause in now:
        if not _counts(cause):
            continue
        left = known.get(_key(cause), [])
        old = left.pop(0) if left else None
        if old is None and parse_path(cause.path)[-1] in _EXITS:
            continue  # of a job that was not waited for at the site
        if old is None or _text(old, site) != _text(cause, here, site):  # here, recorded logs are printed
            yield _divergence(old, cause)


def _divergence(old: LineCause | None, cause: LineCause) -> Divergence:
    path = parse_path(cause.path)
    return Divergence(
        cause.path,
        str(path[1]) if path[0] == "JOB" and len(path) > 1 else None,
        old.seq if old else None,
        _shown(recorded_value(old)) if old else None,
        _shown(recorded_value(cause)),
        cause.expression,
        old.expression if old else None,
    )


def _key(cause: LineCause) -> tuple[str, str | None]:
    """Notes of several expressions have one path: their text distinguishes them."""
    return cause.path, cause.why if cause.new is MISSING else None


def _counts(cause: LineCause) -> bool:
    path = parse_path(cause.path)
    value = recorded_value(cause)
    if path[-1] == "STATUS" and value == JobState.CHECKING:
        return False  # on its way: the stand-in of an asynchronous job gives its outcome at once
    return (
        value is not MISSING and not is_marked(value) and path[-1] not in _OTHERWISE and path[0] != "ROUNDS"
    )


def _text(cause: LineCause, *folders: Folders) -> str:
    value = recorded_value(cause)
    if isinstance(value, dict) and cause.new is not MISSING and len(parse_path(cause.path)) <= 3:
        value = {name: each for name, each in value.items() if name not in _OTHERWISE}  # an entry's beginning
    for each in folders:
        value = each.neutral(value)
    return json_text(value)


def _shown(value: Any) -> Any:
    return None if value is MISSING else value
