"""The Gantt chart's rows, bars and critical path, and what of them falls on which pixel; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.desktop.kernel.times import seconds
from app.desktop.run.node_states import member_name
from app.desktop.widgets.time_scale import Scale, Stroke
from engine.context.timeline import Tick
from engine.model.names import RECORD
from engine.model.states import JOB_BAD

_BAD = frozenset(map(str, JOB_BAD))


@dataclass(frozen=True, slots=True)
class Bar:
    """One attempt: seconds since the epoch; ``end`` None while it runs; ``number`` counts from 1."""

    begin: float
    end: float | None
    status: str
    number: int = 1


@dataclass(frozen=True, slots=True)
class GanttRow:
    """One line of the chart: a node, or one member of a batch."""

    node: str
    index: int | None
    bars: tuple[Bar, ...]
    critical: bool = False
    worker: str = ""  # that ran its latest attempt, if that was not this machine

    @property
    def name(self) -> str:
        """As people know it; the name of a record has its worker already."""
        own = member_name(self.node, self.index)
        return f"{own} @{self.worker}" if self.worker and RECORD not in self.node else own

    @property
    def begin(self) -> float:
        """When its first attempt began."""
        return self.bars[0].begin

    def end(self, now: float) -> float:
        """When its last attempt ended, or now."""
        last = self.bars[-1].end
        return now if last is None else last


def rows_of(
    ticks: Iterable[Tick],
    parents: Mapping[str, Sequence[str]],
    workers: Mapping[tuple[str, int | None], str] = {},
) -> list[GanttRow]:
    """A row for every job that began, in the order of their beginning; critical ones are marked.

    ``workers``: by node and index who ran it, where that was not this machine.
    """
    bars: dict[tuple[str, int | None], list[Bar]] = {}
    for tick in ticks:
        if tick.node is not None:
            _note(bars.setdefault((tick.node, tick.index), []), tick)
    rows = [
        GanttRow(node, index, tuple(own), worker=workers.get((node, index), ""))
        for (node, index), own in bars.items()
        if own
    ]
    critical = critical_path(rows, parents)
    return [replace(row, critical=row.node in critical) for row in rows]


def _note(bars: list[Bar], tick: Tick) -> None:
    status = tick.status or ""
    if tick.kind == "started":
        if bars and bars[-1].end is None:  # no event reported its end: the next attempt shows that it came
            bars[-1] = replace(bars[-1], end=seconds(tick.time), status="lost")
        bars.append(Bar(seconds(tick.time), None, status, len(bars) + 1))
    elif tick.kind in ("ended", "retrying") and bars:
        end = seconds(tick.time) if bars[-1].end is None else bars[-1].end
        shown = "failed" if tick.kind == "retrying" else status
        bars[-1] = replace(bars[-1], end=end, status=shown)


def critical_path(rows: Sequence[GanttRow], parents: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The nodes that decided when the run ended: from the last one back, each time the latest parent."""
    ends: dict[str, float] = {}
    for row in rows:
        ends[row.node] = max(ends.get(row.node, 0.0), row.end(float("inf")))
    found: dict[str, None] = {}
    node = max(ends, key=ends.__getitem__, default=None)
    while node is not None and node not in found:
        found[node] = None
        before = [parent for parent in parents.get(node, ()) if parent in ends]
        node = max(before, key=ends.__getitem__, default=None)
    return frozenset(found)


def span(rows: Sequence[GanttRow], now: float) -> tuple[float, float]:
    """From the first beginning to the last end; a second when nothing began."""
    if not rows:
        return now - 1.0, now
    begin = min(row.begin for row in rows)
    return begin, max(max(row.end(now) for row in rows), begin + 0.001)


def strokes(bars: Iterable[Bar], scale: Scale, now: float) -> Iterator[Stroke]:
    """The visible bars; those that share a pixel become one stroke that shows the worst of them."""
    waiting: Stroke | None = None
    for bar in bars:
        left, right = scale.x(bar.begin), scale.x(now if bar.end is None else bar.end)
        if right < 0 or left > scale.width:
            continue
        stroke = Stroke(max(left, -2.0), min(max(right, left + 1.0), scale.width + 2.0), bar.status)
        if waiting is not None and stroke.right - waiting.left < 2.0:
            waiting = _joined(waiting, stroke)
            continue
        if waiting is not None:
            yield waiting
        waiting = stroke
    if waiting is not None:
        yield waiting


def _joined(one: Stroke, other: Stroke) -> Stroke:
    status = one.status if one.status in _BAD else other.status
    return Stroke(one.left, max(one.right, other.right), status, one.bars + other.bars)
