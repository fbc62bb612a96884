"""The context of one task instance: a JSON tree, and the log from which it can be replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict, Unpack

from engine.context.line import (
    ENGINE,
    Line,
    LineReader,
    body,
    check_next,
    frozen,
    json_text,
    read_line,
    seal,
    tail,
)
from engine.context.tree import MISSING, drop, put
from engine.model.clock import Clock
from engine.model.expression import Path, parse_path


def _unmasked(value: Any) -> Any:
    return value


class LineReason(TypedDict, total=False):
    """Why a line is written: the expression, what its paths gave, and a sentence."""

    expression: str | None
    inputs: Mapping[str, Any] | None
    why: str | None


class TaskContext(LineReader):
    """``tree`` and the lines that made it; not for use from several threads at once.

    ``seq`` is the number of the last line.
    """

    def __init__(self, clock: Clock, mask: Callable[[Any], Any] = _unmasked) -> None:
        super().__init__()
        self.tree: dict[str, Any] = {}
        self.seq = 0
        self._clock = clock
        self._mask = mask
        self._lines: list[Line] = []
        self._moment: datetime | None = None
        self._time = ""

    def set(
        self, path: Path, new: Any, *, run: int, actor: str = ENGINE, **reason: Unpack[LineReason]
    ) -> Line:
        """Set the value at ``path``; missing parents are made.

        The tree keeps a masked copy of its own. SkerryError, with nothing changed, if the value
        is no JSON value or the path leads through a text or number.
        """
        start, end = self._begin(path, run, actor), self._reason(**reason)
        value, text = frozen(self._mask(new))
        old = put(self.tree, path, value)
        was = "" if old is MISSING else f',"old":{json_text(old)}'
        return self._append(f'{start}{was},"new":{text}{end}', path, value, old)

    def remove(self, path: Path, *, run: int, actor: str = ENGINE, **reason: Unpack[LineReason]) -> Line:
        """Take the value at ``path`` away; SkerryError if there is none."""
        start, end = self._begin(path, run, actor), self._reason(**reason)
        old = drop(self.tree, path)
        return self._append(f'{start},"old":{json_text(old)}{end}', path, MISSING, old)

    def note(
        self, path: Path, *, run: int, actor: str = ENGINE, value: Any = MISSING, **reason: Unpack[LineReason]
    ) -> Line:
        """Write a line that changes nothing: what an expression read, and the ``value`` it gave."""
        start, end = self._begin(path, run, actor), self._reason(**reason)
        gave = "" if value is MISSING else f',"value":{frozen(self._mask(value))[1]}'
        return self._append(f"{start}{gave}{end}", path, MISSING, MISSING)

    def _begin(self, path: Path, run: int, actor: str) -> str:
        moment = self._clock.now()
        if moment is not self._moment:
            self._moment, self._time = moment, moment.isoformat(timespec="microseconds")
        return body(self.seq + 1, self._time, run, actor, path)

    def _reason(
        self, expression: str | None = None, inputs: Mapping[str, Any] | None = None, why: str | None = None
    ) -> str:
        if expression is None and inputs is None and why is None:
            return ""
        masked = self._mask
        return tail(masked(expression), masked(inputs), masked(why))

    def _append(self, start: str, path: Path, new: Any, old: Any) -> Line:
        self.seq += 1
        line = Line(self.seq, seal(start), path, new, old)
        self._lines.append(line)
        return line

    def drain(self) -> list[Line]:
        """The lines since the last drain, oldest first."""
        lines, self._lines = self._lines, []
        return lines

    def canonical(self) -> bytes:
        """``ctx.json``: compact UTF-8 JSON, keys in the order of first writing, one newline."""
        return json_text(self.tree).encode() + b"\n"

    @classmethod
    def replay(
        cls,
        lines: Iterable[bytes | str],
        clock: Clock,
        upto: int | None = None,
        mask: Callable[[Any], Any] = _unmasked,
    ) -> TaskContext:
        """The context that ``lines`` made, up to the line with number ``upto``.

        A torn last line is left out and reported in ``torn``; SkerryError for a line that was
        altered, and for missing lines. The context goes on with the next number.
        """
        context = cls(clock, mask)
        for each in lines:
            if line := context._whole(each, context.seq):
                if upto is not None and context.seq >= upto:
                    break
                context._apply(line)
        return context

    def _apply(self, line: bytes | str) -> None:
        record = read_line(line)
        check_next(record, self.seq)
        if "new" in record:
            put(self.tree, parse_path(record["path"]), record["new"])
        elif "old" in record:
            drop(self.tree, parse_path(record["path"]))
        self.seq += 1
