"""An instance of the day in words: when it was to begin, when it began, how long it took."""

from __future__ import annotations

from collections.abc import Iterator

from app.desktop.kernel.language import tr
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import length_text
from app.desktop.plan.day_axis import Day
from app.desktop.plan.day_rows import DayInstance


def times_of(day: Day, instance: DayInstance) -> Iterator[str]:
    """Its scheduled time, how late it began and how long it took, as far as there is any of it."""
    yield tr("scheduled {time}", time=f"{day.local(instance.scheduled):%Y-%m-%d %H:%M:%S %Z}")
    if instance.started is None:
        if instance.ended is None and instance.status == "planned":
            yield tr("its time has not come")
        return
    if instance.started - instance.scheduled >= 1:
        yield tr("began {time} later", time=length_text(instance.started - instance.scheduled))
    if instance.ended is not None:
        yield tr("took {time}", time=length_text(instance.ended - instance.started))
    if instance.run > 1:
        yield tr("run {n}", n=instance.run)
    if instance.trigger == "backfill":
        yield tr("by a backfill")


def tip_of(day: Day, instance: DayInstance, waits: str) -> str:
    """Which one it is, its status, its times, and what it waits for: a line each."""
    word = tr(look_of(instance.status).word)
    return "\n".join(filter(None, (f"{instance.task} #{instance.instance}: {word}",
                                   *times_of(day, instance), waits)))  # fmt: skip
