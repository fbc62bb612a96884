"""What an instance of the day waits for, and what waits for it: spans of scheduled times of tasks; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import seconds
from app.desktop.plan.day_axis import Day
from app.desktop.plan.day_rows import DayInstance
from engine.api.documents import Document

_MOST = 60  # lines from one instance: more cannot be told apart
_NAMED = 4
Between = Callable[[str, float, float], Iterable[DayInstance]]


class LinkSpan(NamedTuple):
    """Scheduled times of a task, both included, in seconds since 1970."""

    task: str
    first: float
    last: float


class DayLinks(NamedTuple):
    """Of an instance, by its number."""

    instance: int
    upstream: tuple[LinkSpan, ...]
    downstream: tuple[LinkSpan, ...]

    @classmethod
    def read(cls, instance: int, document: Document) -> DayLinks:
        """Of ``Service.links``."""
        return cls(instance, _spans(document["upstream"]), _spans(document["downstream"]))


def _spans(documents: Iterable[Document]) -> tuple[LinkSpan, ...]:
    return tuple(LinkSpan(each["task"], seconds(each["first"]), seconds(each["last"])) for each in documents)


def linked(spans: Iterable[LinkSpan], between: Between) -> list[DayInstance]:
    """The instances of the day that spans name, the first of very many."""
    return list(islice((each for span in spans for each in between(*span)), _MOST))


def waits_for(links: DayLinks, day: Day, between: Between) -> str:
    """What it waits for in words, such as ``waits for tides 06:00 (failed)``; empty for nothing."""
    named = [*_names(links.upstream, day, between)]
    if not named:
        return ""
    rest = len(named) - _NAMED
    more = [tr("{n} more", n=rest)] if rest > 0 else []
    return tr("depends on {what}", what=", ".join((*named[:_NAMED], *more)))


def _names(spans: Iterable[LinkSpan], day: Day, between: Between) -> Iterator[str]:
    for span in spans:
        found = list(between(*span))
        yield from (
            f"{_at(day, span.task, each.scheduled)} ({tr(look_of(each.status).word)})" for each in found
        )
        if not found:  # of another day, or none yet
            yield _at(day, span.task, span.first)


def _at(day: Day, task: str, time: float) -> str:
    local = day.local(time)
    return f"{task} {local:%H:%M:%S}" if local.date() == day.date else f"{task} {local:%m-%d %H:%M:%S}"
