"""What the last runs of a task say: how long, how often it fails, with which codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from app.durations import seconds_between
from engine.model.states import INSTANCE_BAD
from engine.store.browsing import Browser, SortedFilter
from engine.store.rows import InstanceRow

_MOST = 2000  # runs that are looked at
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Point:
    """One ended run: when it started (seconds since 1970), how long it took, how it ended."""

    started: float
    seconds: float
    status: str
    instance: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the runs looked at. ``failures`` is a share from 0 to 1 of those that ended."""

    runs: int
    ended: int
    failures: float
    median: float | None
    longest: float | None
    codes: tuple[tuple[int, int], ...]  # code, how often; the most frequent first
    points: tuple[Point, ...]  # by time


def newest(browser: Browser, wanted: SortedFilter) -> list[InstanceRow]:
    """The runs that the statistics are made of; on a worker thread."""
    ids: list[int] = []
    for piece in browser.ids(replace(wanted, order="scheduled_time")):
        ids.extend(piece[: _MOST - len(ids)])
        if len(ids) >= _MOST:
            break
    return [row for low in range(0, len(ids), _AT_ONCE) for row in browser.rows(ids[low : low + _AT_ONCE])]


def statistics(rows: Sequence[InstanceRow]) -> Statistics:
    ended = [row for row in rows if row.ended_at]
    points = sorted((point for row in ended if (point := _point(row))), key=lambda each: each.started)
    good = [each.seconds for each in points if each.status == "succeeded"]
    bad = sum(row.status in INSTANCE_BAD for row in ended)
    codes = Counter(row.error_code for row in ended if row.error_code is not None)
    return Statistics(
        runs=len(rows),
        ended=len(ended),
        failures=bad / len(ended) if ended else 0.0,
        median=median(good) if good else None,
        longest=max(good) if good else None,
        codes=tuple(codes.most_common(8)),
        points=tuple(points),
    )


def _point(row: InstanceRow) -> Point | None:
    seconds = seconds_between(row.started_at, row.ended_at)
    if seconds is None or row.started_at is None:
        return None
    return Point(datetime.fromisoformat(row.started_at).timestamp(), seconds, row.status, row.id)
