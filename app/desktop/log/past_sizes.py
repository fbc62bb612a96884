"""How far a log was at a moment of the past, and how well that is known.

The attempt's own record says when it began and ended, its samples how long the logs were meanwhile, the
file when it was last written; where none of them tells, it is not known, and the pane says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from app.desktop.kernel.times import zone
from app.desktop.log.merged import LengthSample, samples

_MOST: Final = 1 << 20  # bytes of a record that is read
_SLACK: Final = timedelta(seconds=2)  # between the end of an attempt and the last writing of its log

_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")


class SizeKnown(StrEnum):
    NOT_BEGUN = "not_begun"
    MEASURED = "measured"  # so long it was when it was last measured before
    WHOLE = "whole"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Then:
    """Of a moment: what is known, how long output and errors were (None: to their ends), measured when."""

    known: SizeKnown
    lengths: tuple[int, int] | None = (0, 0)
    seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """What an attempt's folder tells of its time; None where it does not."""

    begun: datetime | None = None
    ended: datetime | None = None
    written: datetime | None = None  # the logs, last
    seen: Sequence[LengthSample] = ()

    def then(self, time: datetime) -> Then:
        """How far the logs were at a time."""
        if self.begun is not None and time <= self.begun:
            return Then(SizeKnown.NOT_BEGUN)
        if self.ended is not None and (time >= self.ended or self._all_written(time)):
            return Then(SizeKnown.WHOLE, None)
        before = [each for each in self.seen if each.time <= time]
        if before:
            return Then(SizeKnown.MEASURED, (before[-1].output, before[-1].errors), before[-1].time)
        if self.begun is not None and self.seen:  # a first sample at the beginning would tell no more
            return Then(SizeKnown.MEASURED, (0, 0), self.begun)
        return Then(SizeKnown.UNKNOWN)

    def time_of(self, typed: str) -> datetime | None:
        """A time of day as the window shows it, on the day in which it lies within the attempt, or None."""
        found = _CLOCK.fullmatch(typed.strip().replace("：", ":"))
        if found is None or self.begun is None:
            return None
        begun = self.begun.astimezone(zone())
        hour, minute, second = (int(each or 0) for each in found.groups())
        first = begun.replace(hour=hour, minute=minute, second=second, microsecond=0)
        exact = timedelta(minutes=1) if found[3] is None else timedelta(seconds=1)
        last = self.ended or self.written or begun + timedelta(days=1)
        coming = (first + timedelta(days=days) for days in range((last - begun).days + 2))
        return next((each for each in coming if begun - exact < each <= last), None)

    def _all_written(self, time: datetime) -> bool:
        """Whether nothing was written later; a file that was copied tells the time of its copying only."""
        if self.begun is None or self.ended is None or self.written is None:
            return False
        return self.begun <= self.written <= self.ended + _SLACK and time >= self.written


def story_of(log: Path) -> Story:
    """What the folder of ``job.log`` tells."""
    folder = log.parent
    entry = _entry(folder / "ctx.json")
    ended = _time(entry.get("END_TIME"))
    if ended is None and folder.parent.name == "attempts":  # its record was last written when it ended
        ended = _written(folder / "ctx.json")
    moments = [_written(log), _written(log.with_name("job-error.log"))]
    written = max((each for each in moments if each is not None), default=None)
    return Story(_time(entry.get("START_TIME")), ended, written, tuple(samples(folder / "monitor.csv")))


def _entry(file: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        if file.stat().st_size <= _MOST:
            found = json.loads(file.read_bytes())
            return found if isinstance(found, dict) else {}
    return {}


def _time(text: Any) -> datetime | None:
    with suppress(TypeError, ValueError):
        found = datetime.fromisoformat(text)
        return found if found.tzinfo is not None else None
    return None


def _written(file: Path) -> datetime | None:
    with suppress(OSError):
        return datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return None
