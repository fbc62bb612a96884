"""The context as rows of a tree: what is shown of a value, what a search finds, what may be edited; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.context.timeline import LineCause
from engine.context.tree import MISSING
from engine.model import quantities
from engine.model.expression import Path, compact_json, format_path, parse_path

_SHOWN: Final = 200  # characters of a value in a row; the pane below has the whole
MOST_FOUND: Final = 2000


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """One row: where it is, its value, whether it has rows below it."""

    steps: Path
    value: Any

    @property
    def name(self) -> str:
        """Its last step."""
        return str(self.steps[-1]) if self.steps else "$"

    @property
    def path(self) -> str:
        """Its path as people copy it."""
        return format_path(self.steps)

    @property
    def below(self) -> int:
        """How many rows are below it."""
        return len(self.value) if isinstance(self.value, (Mapping, list)) else 0

    def children(self) -> Iterator[ContextEntry]:
        if isinstance(self.value, Mapping):
            yield from (ContextEntry((*self.steps, str(name)), each) for name, each in self.value.items())
        elif isinstance(self.value, list):
            yield from (ContextEntry((*self.steps, at), each) for at, each in enumerate(self.value))


def brief(value: Any) -> str:
    """A value on one line, cut where it is long."""
    if isinstance(value, Mapping) and value:
        return f"{{{len(value)}}}"
    if isinstance(value, list) and value:
        return f"[{len(value)}]"
    text = value if isinstance(value, str) else compact_json(value)
    text = text.replace("\n", "⏎")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def whole(value: Any) -> str:
    """A value as people copy it: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else compact_json(value)


def kind_of(value: Any) -> str:
    return quantities.kind_of(value) or "null"


def search(tree: Mapping[str, Any], text: str) -> list[ContextEntry]:
    """The rows whose name or plain value has the text in it, whatever its case; at most MOST_FOUND."""
    wanted = text.casefold()
    found: list[ContextEntry] = []
    for entry in _walk(ContextEntry((), tree)):
        plain = not entry.below and wanted in whole(entry.value).casefold()
        if entry.steps and (plain or wanted in entry.name.casefold()):
            found.append(entry)
            if len(found) == MOST_FOUND:
                break
    return found


def _walk(entry: ContextEntry) -> Iterator[ContextEntry]:
    yield entry
    for child in entry.children():
        yield from _walk(child)


def may_edit(steps: Sequence[str | int]) -> bool:
    """Whether people may change a value: parameters and results, not what the engine itself says."""
    if tuple(steps[:2]) == ("TASK", "PARAMS"):
        return len(steps) >= 3
    names = [step for step in steps[2:4] if isinstance(step, str)]
    return bool(steps) and steps[0] == "JOB" and bool(names) and names[0] in ("PARAMS", "RESULT") and (
        len(steps) > steps.index(names[0], 2) + 1
    )  # fmt: skip


def history(causes: Iterable[LineCause], path: str) -> list[LineCause]:
    """The lines that changed a value: it itself, what holds it, or a part of it."""
    return [cause for cause in causes if _related(cause.path, path)]


def value_of(cause: LineCause, path: str) -> Any:
    """What a line of the log made of a value, itself or as a part of what it set; MISSING for nothing."""
    value = cause.new if cause.new is not MISSING else cause.value
    if len(cause.path) >= len(path):
        return value
    for step in parse_path(path)[len(parse_path(cause.path)) :]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value


def _related(one: str, other: str) -> bool:
    long, short = (one, other) if len(one) >= len(other) else (other, one)
    return long.startswith(short) and (len(long) == len(short) or long[len(short)] in ".[")
