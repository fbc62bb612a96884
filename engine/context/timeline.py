"""A context log as a row of moments: every job and every value after each of its lines.

For the slider of a run, live or finished, and for the support desk. Every ``EVERY`` lines the tree is
kept; a moment is the tree before it with the few lines since applied. Trees share what did not change.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from engine.context.line import ENGINE, LineReader, check_next, read_line
from engine.context.tree import MISSING, drop, put
from engine.model.expression import Path, format_path, parse_path
from engine.model.states import JOB_ENDED

EVERY: Final = 500  # lines from one kept tree to the next

TickKind = Literal[
    "run", "run_ended", "paused", "resumed", "started", "retrying", "ended", "skipped", "edited"
]
_OF_RUN: Final[Mapping[str, TickKind]] = {"paused": "paused", "running": "resumed"}
_OF_JOB: Final[Mapping[str, TickKind]] = {"running": "started", "retrying": "retrying"}


@dataclass(frozen=True, slots=True)
class JobKey:
    """Which job: its node, its round from 1, its position in a batch from 0 (else None)."""

    node: str
    round: int = 1
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """A line that people look for: a run or a job began or ended, an operator paused it or edited a value.

    ``status`` is the state it brought; ``path`` the path in the context.
    """

    seq: int
    time: str
    kind: TickKind
    path: str
    node: str | None = None
    index: int | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class LineCause:
    """One line of the log; ``old``, ``new`` and ``value`` are MISSING where it has none.

    ``value`` is what an expression gave that was only noted.
    """

    seq: int
    time: str
    run: int
    actor: str
    path: str
    old: Any = MISSING
    new: Any = MISSING
    value: Any = MISSING
    expression: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    why: str | None = None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> LineCause:
        return cls(**{name: record[name] for name in cls.__slots__ if name in record})


@dataclass(frozen=True)
class Moment:
    """The state of everything after the line ``seq`` (0: before the first). ``tree`` is only read."""

    seq: int
    tree: Mapping[str, Any]
    cause: LineCause | None = None

    @property
    def time(self) -> str | None:
        """When, ISO 8601."""
        return self.cause.time if self.cause else None

    @property
    def run(self) -> int:
        """The number of the run, 0 before the first line."""
        return self.cause.run if self.cause else 0

    @property
    def status(self) -> str | None:
        status = self.tree.get("TASK", {}).get("STATUS")
        return str(status) if status is not None else None

    @cached_property
    def statuses(self) -> Mapping[JobKey, str]:
        """The state of every job that has begun or was skipped, all rounds; the others are pending."""
        return {key: str(entry.get("STATUS")) for key, entry in self._entries()}

    def entry(self, key: JobKey) -> Mapping[str, Any] | None:
        """A job's values; None when it has not begun."""
        rounds = [*self.tree.get("ROUNDS", {}).get(key.node, ()), self.tree.get("JOB", {}).get(key.node)]
        try:
            entry = rounds[key.round - 1]
            entry = entry if key.index is None else entry[key.index]
        except (IndexError, TypeError, KeyError):
            return None
        return entry if isinstance(entry, dict) else None

    def _entries(self) -> Iterator[tuple[JobKey, Mapping[str, Any]]]:
        earlier = self.tree.get("ROUNDS", {})
        for node, entries in earlier.items():
            for at, each in enumerate(entries, 1):
                yield from _members(node, at, each)
        for node, entry in self.tree.get("JOB", {}).items():
            yield from _members(node, len(earlier.get(node, ())) + 1, entry)


class Timeline(LineReader):
    """The moments of one context log; it grows by ``extend``. Not for several threads at once.

    SkerryError for a line that was altered or is missing; a torn last one is left out (``torn``). Without
    ``verify`` the checksums are not looked at.
    """

    def __init__(self, lines: Iterable[bytes | str] = (), *, verify: bool = True) -> None:
        super().__init__()
        self.ticks: list[Tick] = []
        self._read = read_line if verify else json.loads
        self._lines: list[bytes | str] = []
        self._times: list[str] = []  # never falling, also where the clock was set back
        self._kept: list[dict[str, Any]] = [{}]  # the tree after EVERY * its index lines
        self._head = _Growing({})
        self.extend(lines)

    @property
    def last(self) -> int:
        return len(self._lines)

    def extend(self, lines: Iterable[bytes | str]) -> None:
        for each in lines:
            if line := self._whole(each, self.last):
                self._add(line)

    def at(self, seq: int) -> Moment:
        """The moment after line ``seq``; one beyond the ends is the nearest."""
        seq = min(max(seq, 0), self.last)
        kept = seq // EVERY
        growing = _Growing(self._kept[kept])
        record: Any = None
        for number in range(kept * EVERY, seq):
            record = json.loads(self._lines[number])
            growing.apply(parse_path(record["path"]), record)
        return Moment(seq, growing.tree, self.cause(seq) if seq else None)

    def cause(self, seq: int) -> LineCause:
        """Line ``seq`` itself; IndexError when there is none."""
        if not 1 <= seq <= self.last:
            raise IndexError(seq)
        return LineCause.of(json.loads(self._lines[seq - 1]))

    def causes(
        self, after: int = 0, upto: int | None = None, about: str | None = None
    ) -> Iterator[LineCause]:
        """Every line behind ``after``, to ``upto`` at most.

        With ``about``, a path, most lines that have nothing to do with it are left out without being read:
        those that name neither the job (or what else is at the top) that it is in, nor what holds that.
        """
        lines: Iterable[bytes | str] = self._lines[after:upto]
        if about is not None:
            lines = _that_name(lines, parse_path(about))
        return (LineCause.of(json.loads(line)) for line in lines)

    def seq_at(self, time: str) -> int:
        """The last line not later than ``time`` (as the log writes it: UTC, ISO 8601); 0: before all."""
        return bisect_right(self._times, time)

    def _add(self, line: bytes | str) -> None:
        record: dict[str, Any] = self._read(line)
        check_next(record, self.last)
        path = parse_path(record["path"])
        self._head.apply(path, record)
        self._lines.append(line)
        self._times.append(max(record["time"], self._times[-1] if self._times else ""))
        self.ticks.extend(_tick(path, record))
        if self.last % EVERY == 0:
            self._kept.append(self._head.tree)
            self._head = _Growing(self._head.tree)


def _that_name(lines: Iterable[bytes | str], path: Path) -> Iterator[bytes | str]:
    """The lines that contain the beginning of a path, as a text of JSON; all for a path without steps."""
    texts = [json.dumps(format_path(path[:length]), ensure_ascii=False)[1:-1] for length in (1, 2)]
    exact, begun = f'"{texts[0]}"', texts[1]
    raw = exact.encode("utf-8", "replace"), begun.encode("utf-8", "replace")
    for line in lines:
        names: Any = raw if isinstance(line, bytes) else (exact, begun)
        if names[0] in line or names[1] in line:
            yield line


class _Growing:
    """A tree changed without changing the one it began with: what a path leads through is copied once."""

    __slots__ = ("_own", "tree")

    def __init__(self, tree: dict[str, Any]) -> None:
        self.tree = dict(tree)
        self._own: dict[int, Any] = {id(self.tree): self.tree}  # holds them: an id must stay theirs

    def apply(self, path: Path, record: Mapping[str, Any]) -> None:
        """What one line of the log does."""
        if "new" in record:
            self._make_own(path)
            put(self.tree, path, record["new"])
        elif "old" in record:
            self._make_own(path)
            drop(self.tree, path)

    def _make_own(self, path: Path) -> None:
        parent: Any = self.tree
        for step in path[:-1]:
            try:
                child = parent[step]
            except (KeyError, IndexError, TypeError):
                return  # put makes what is missing, or refuses
            if not isinstance(child, (dict, list)):
                return
            if id(child) not in self._own:
                child = parent[step] = child.copy()
                self._own[id(child)] = child
            parent = child


def _members(node: str, round: int, entry: Any) -> Iterator[tuple[JobKey, Mapping[str, Any]]]:
    if isinstance(entry, list):
        yield from ((_key(node, round, at), each) for at, each in enumerate(entry) if isinstance(each, dict))
    elif isinstance(entry, dict):
        yield _key(node, round, None), entry


@lru_cache(maxsize=1 << 16)
def _key(node: str, round: int, index: int | None) -> JobKey:
    """The same object each time: a slider asks for thousands of them again and again."""
    return JobKey(node, round, index)


def _tick(path: Path, record: Mapping[str, Any]) -> Iterator[Tick]:
    """The tick of a line, if it is worth one."""
    if "new" not in record:
        return
    node = str(path[1]) if path[0] == "JOB" and len(path) > 1 else None
    index = path[2] if node is not None and len(path) > 2 and isinstance(path[2], int) else None
    kind, status = _kind(path, record)
    if kind is not None:
        yield Tick(record["seq"], record["time"], kind, record["path"], node, index, status)


def _kind(path: Path, record: Mapping[str, Any]) -> tuple[TickKind | None, str | None]:
    new = record["new"]
    if path == ("TASK",):
        return "run", "running"
    if record["actor"] != ENGINE and path[-1] != "STATUS":
        return "edited", None
    if path == ("TASK", "STATUS"):
        return _OF_RUN.get(new, "run_ended") if isinstance(new, str) else None, new
    if path[0] != "JOB":
        return None, None
    status = new.get("STATUS") if isinstance(new, dict) and len(path) <= 3 else None
    status = new if path[-1] == "STATUS" and len(path) <= 4 else status
    return _of_state(status), status


def _of_state(status: Any) -> TickKind | None:
    if status == "skipped":
        return "skipped"
    if status in JOB_ENDED:
        return "ended"
    return _OF_JOB.get(status) if isinstance(status, str) else None
