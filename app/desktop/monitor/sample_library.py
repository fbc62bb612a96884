"""The samples of any span of time, fine enough for what a screen can show; days are read once and summed up.

A summary of a day that is over is kept as a file, for reading a day of samples takes a third of a second.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np

from app.desktop.monitor.samples import MonitorSamples, joined, read, thinned

BUCKET = 600.0  # seconds of a summary's bucket
_RAW_SPAN = 36 * 3600.0  # seconds that are shown from the samples themselves
_KEPT_DAYS = 4


class SampleLibrary:
    """The files of a workspace's ``monitor`` folder; summaries are kept in ``cache`` (None: nowhere)."""

    def __init__(self, folder: Path, cache: Path | None) -> None:
        self._folder = folder
        self._cache = cache
        self._days: OrderedDict[date, tuple[int, MonitorSamples]] = OrderedDict()
        self._summaries: dict[date, MonitorSamples] = {}

    def read(self, first: float, last: float) -> Iterator[MonitorSamples]:
        """The samples of a span (seconds since 1970): what is known so far, better with each step."""
        fine = last - first <= _RAW_SPAN
        parts: list[MonitorSamples] = []
        for i, day in enumerate(_days(first, last)):
            parts.append(self._day(day) if fine else self._summary(day))
            if i % 30 == 29:
                yield joined(parts)
        whole = joined(parts)
        yield whole.between(first, last) if fine else whole

    def export(self, first: float, last: float, path: Path) -> Iterator[int]:
        """Write every line of a span to one file, as it was sampled; gives the lines so far."""
        written = 0
        low, high = _text(first), _text(last)
        with path.open("w", encoding="utf-8") as out:
            for day in _days(first, last):
                with suppress(OSError), self._file(day).open(encoding="utf-8", errors="replace") as file:
                    head = next(file, "")
                    out.write(head if not written else "")
                    chosen = [line for line in file if low <= line[: len(low)] <= high]
                    out.writelines(chosen)
                    written += len(chosen)
                yield written

    def _file(self, day: date) -> Path:
        return self._folder / f"{day.isoformat()}.csv"

    def _day(self, day: date) -> MonitorSamples:
        size = _size(self._file(day))
        known = self._days.get(day)
        if known is None or known[0] != size:
            self._days[day] = (size, read(self._file(day)))
        self._days.move_to_end(day)
        while len(self._days) > _KEPT_DAYS:
            self._days.popitem(last=False)
        return self._days[day][1]

    def _summary(self, day: date) -> MonitorSamples:
        if day in self._summaries:
            return self._summaries[day]
        if not _size(self._file(day)):
            return MonitorSamples()
        over = day < datetime.now(UTC).date()
        found = self._kept(day) if over else None
        if found is None:
            found = thinned(self._day(day), BUCKET)
            if over:
                self._keep(day, found)
        if over:
            self._summaries[day] = found
        return found

    def _kept(self, day: date) -> MonitorSamples | None:
        if self._cache is None:
            return None
        try:
            with np.load(self._cache / f"{day.isoformat()}.npz", allow_pickle=False) as file:
                if int(file["size"]) != _size(self._file(day)):
                    return None
                columns = {
                    name: file[name].astype("float64") for name in file.files if name not in ("times", "size")
                }
                return MonitorSamples(file["times"], columns)
        except (OSError, ValueError, KeyError, EOFError):
            return None

    def _keep(self, day: date, found: MonitorSamples) -> None:
        if self._cache is None:
            return
        columns = {name: values.astype("float32") for name, values in found.columns.items()}
        with suppress(OSError):
            self._cache.mkdir(parents=True, exist_ok=True)
            new = self._cache / f".{day.isoformat()}.{os.getpid()}.npz"
            np.savez(new, times=found.times, size=_size(self._file(day)), **columns)  # type: ignore[arg-type]
            new.replace(self._cache / f"{day.isoformat()}.npz")


def _days(first: float, last: float) -> Iterator[date]:
    day = datetime.fromtimestamp(first, UTC).date()
    end = datetime.fromtimestamp(last, UTC).date()
    while day <= end:
        yield day
        day += timedelta(days=1)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _text(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")[:-6]
