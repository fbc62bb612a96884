"""Monitoring samples as arrays: read from the engine's CSV files, thinned out without losing peaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

GAP = 10.0  # seconds without a sample: nothing ran, the line is broken
Array = np.ndarray[Any, np.dtype[np.float64]]
_TIME = len("2026-11-21T08:00:00.000")


@dataclass(frozen=True)
class MonitorSamples:
    """``times`` in seconds since 1970, ascending; ``columns`` of the same length by name."""

    times: Array = field(default_factory=lambda: np.empty(0))
    columns: Mapping[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    def between(self, first: float, last: float) -> MonitorSamples:
        """Those of a span of time, and one before and after so that lines reach the edges."""
        low = max(0, int(np.searchsorted(self.times, first)) - 1)
        high = int(np.searchsorted(self.times, last, side="right")) + 1
        return MonitorSamples(
            self.times[low:high], {name: each[low:high] for name, each in self.columns.items()}
        )


def read(path: Path) -> MonitorSamples:
    """One file; lines that cannot be read are left out, a file that is not there is empty."""
    try:
        head, *lines = path.read_text("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return MonitorSamples()
    names = head.split(",")
    rows = [line for line in lines if line.count(",") == len(names) - 1]
    try:
        return _parsed(names, rows)
    except ValueError:
        return _parsed(names, [row for row in rows if _sound(row)])


def _parsed(names: list[str], rows: list[str]) -> MonitorSamples:
    if not rows or names[0] != "time":
        return MonitorSamples()
    times = np.array([row[:_TIME] for row in rows], dtype="datetime64[ms]").astype("float64") / 1000
    values = np.loadtxt(rows, delimiter=",", usecols=range(1, len(names)), ndmin=2)
    order = np.argsort(times, kind="stable")  # a clock that was set back
    columns = {name: values[order, i] for i, name in enumerate(names[1:])}
    return MonitorSamples(times[order], columns)


def _sound(row: str) -> bool:
    try:
        np.datetime64(row[:_TIME], "ms")
        return all(np.isfinite(float(each)) for each in row.split(",")[1:])
    except ValueError:
        return False


def joined(parts: Iterable[MonitorSamples]) -> MonitorSamples:
    """Several, one after the other; columns that one of them lacks are left out."""
    found = [each for each in parts if len(each)]
    if not found:
        return MonitorSamples()
    names = [name for name in found[0].columns if all(name in each.columns for each in found)]
    return MonitorSamples(
        np.concatenate([each.times for each in found]),
        {name: np.concatenate([each.columns[name] for each in found]) for name in names},
    )


def thinned(samples: MonitorSamples, bucket: float) -> MonitorSamples:
    """The smallest and the largest value of each bucket of seconds, so that no peak is lost."""
    if not len(samples):
        return samples
    places = np.floor(samples.times / bucket)
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 1))
    times = np.repeat(places[starts] * bucket, 2)
    times[1::2] += bucket / 2
    columns = {}
    for name, values in samples.columns.items():
        pairs = np.empty(2 * len(starts))
        pairs[0::2] = np.minimum.reduceat(values, starts)
        pairs[1::2] = np.maximum.reduceat(values, starts)
        columns[name] = pairs
    return MonitorSamples(times, columns)


def broken(times: Array, values: Array, gap: float = GAP) -> tuple[Array, Array]:
    """The same with a NaN where nothing was sampled for longer than ``gap`` seconds."""
    holes = np.flatnonzero(np.diff(times) > gap) + 1
    return np.insert(times, holes, times[holes - 1] + gap / 2), np.insert(values, holes, np.nan)
