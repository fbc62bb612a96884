"""Standard output and standard error as one text, in the order in which the samples of the job saw them grow.

Within a second the order is not known: what standard output got comes first. Parts end at line ends.
"""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from app.desktop.log.lines import LogBytes

_FILLER = b"\n"  # between two parts of which the first has no line end


class LengthSample(NamedTuple):
    """How long the two logs were at a time."""

    time: datetime
    output: int
    errors: int


class MergedPart(NamedTuple):
    """Bytes ``start`` to ``end`` of one log, at ``at`` of the whole; source -1 is a line end put between."""

    at: int
    source: int
    start: int
    end: int


def samples(monitor: Path) -> list[LengthSample]:
    """The lengths in a job's ``monitor.csv``; none when there is none or it cannot be read."""
    try:
        with monitor.open(newline="", encoding="utf-8") as file:
            return [
                LengthSample(datetime.fromisoformat(row["time"]), int(row["output"]), int(row["errors"]))
                for row in csv.DictReader(file)
            ]
    except (OSError, KeyError, ValueError, TypeError, csv.Error):
        return []


class MergedText(LogBytes):
    """Both logs of an attempt as one."""

    def __init__(self, output: LogBytes, errors: LogBytes, seen: Iterable[LengthSample] = ()) -> None:
        self._logs = (output, errors)
        self._parts: list[MergedPart] = []
        self._taken = [0, 0]
        self.size = 0
        self._seen = tuple(seen)
        self._build()

    def refresh(self) -> bool:
        changed = [log.refresh() for log in self._logs]  # both, whatever the first says
        if renewed := any(changed):
            self._build()
        else:
            self._take((self._logs[0].size, self._logs[1].size))
        return renewed

    def close(self) -> None:
        for log in self._logs:
            log.close()

    def read(self, offset: int, length: int) -> bytes:
        return b"".join(self._pieces(offset, min(offset + length, self.size)))

    def source(self, offset: int) -> int:
        return self._part(offset).source if self._parts else 0

    def _build(self) -> None:
        self._parts, self._taken, self.size = [], [0, 0], 0
        for sample in self._seen:
            self._take((self._whole(0, sample.output), self._whole(1, sample.errors)))
        self._take((self._logs[0].size, self._logs[1].size))

    def _whole(self, source: int, length: int) -> int:
        """A length, shortened to whole lines."""
        log = self._logs[source]
        length = min(length, log.size)
        return length if log.read(length - 1, 1) == b"\n" else log.start(length)

    def _take(self, upto: Iterable[int]) -> None:
        for source, end in enumerate(upto):
            start = self._taken[source]
            if end > start:
                self._fill(source)
                self._append(source, start, end)
                self._taken[source] = end

    def _append(self, source: int, start: int, end: int) -> None:
        last = self._parts[-1] if self._parts else None
        if last and last.source == source and last.end == start:
            self._parts[-1] = last._replace(end=end)
        else:
            self._parts.append(MergedPart(self.size, source, start, end))
        self.size += end - start

    def _fill(self, source: int) -> None:
        last = self._parts[-1] if self._parts else None
        if last and last.source not in (source, -1) and self.read(self.size - 1, 1) != _FILLER:
            self._parts.append(MergedPart(self.size, -1, 0, 1))
            self.size += 1

    def _part(self, offset: int) -> MergedPart:
        return self._parts[max(0, bisect_right(self._parts, offset, key=lambda each: each.at) - 1)]

    def _pieces(self, low: int, high: int) -> Iterator[bytes]:
        while low < high:
            part = self._part(low)
            inside = low - part.at
            count = min(high - low, part.end - part.start - inside)
            if count <= 0:
                return
            yield _FILLER if part.source < 0 else self._logs[part.source].read(part.start + inside, count)
            low += count
