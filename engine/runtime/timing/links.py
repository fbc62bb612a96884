"""Writes down what an instance waits for: a forecast when it begins to wait, and what has decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from engine.planning.schedules.upstreams import AwaitedTask
from engine.runtime.services import EngineServices
from engine.runtime.timing.partners import PartnerTimes
from engine.store.rows import LinkRow, time_text


def foreseen(services: EngineServices, instance: int, wanted: Iterable[PartnerTimes]) -> set[str]:
    """Keep what it will wait for; gives the tasks that it was released from already."""
    known = {link.upstream: link for link in services.store.links(instance)}
    for each in wanted:
        link, before = forecast(instance, each), known.get(each.task)
        if before is None:
            services.changes.insert("link", asdict(link))
        elif before.decided_at is None and not same_times(before, link):
            services.changes.update("link", (instance, each.task), times_in(link))
    return {task for task, link in known.items() if link.released is not None}


def forecast(instance: int, wanted: PartnerTimes) -> LinkRow:
    """What it will wait for of one task, as far as the schedules say."""
    return _link(instance, wanted.task, str(wanted.dependency.window), wanted.times)


def decided(
    services: EngineServices,
    instance: int,
    wanted: Sequence[PartnerTimes],
    awaited: Sequence[AwaitedTask],
) -> list[LinkRow]:
    """Keep what has decided whether it begins; of a task that it was released from what was waited for."""
    now, made = services.now(), []
    again = {link.upstream for link in services.store.links(instance) if link.decided_at}
    for times, each in zip(wanted, awaited, strict=True):
        link = _link(instance, each.task, str(times.dependency.window), [one.at for one in each.partners])
        if each.task in again:  # it never began, and was made once more
            services.changes.update("link", (instance, each.task), times_in(link))
        else:
            services.changes.move("link", (instance, each.task), None, now, times_in(link))
        made.append(replace(link, decided_at=now))
    return made


def _link(instance: int, upstream: str, window: str, times: Sequence[datetime]) -> LinkRow:
    first, last = (time_text(min(times)), time_text(max(times))) if times else (None, None)
    return LinkRow(instance, upstream, window, first, last, len(times))


def same_times(one: LinkRow, other: LinkRow) -> bool:
    """Whether both name the same instances."""
    return times_in(one) == times_in(other)


def times_in(link: LinkRow) -> dict[str, Any]:
    """What of a link says which instances it names."""
    return {name: getattr(link, name) for name in ("window", "first_at", "last_at", "partners")}
