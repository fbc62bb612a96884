"""Which ended instances are no longer kept: by days, by count, by size, for each task; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from engine.model.base import Bool, Count, Frozen, Size


class Keep(Frozen):
    """How long ended instances are kept; None: without end."""

    days: Count | None = None  # since they ended
    count: Count | None = None  # the newest ones of each task
    size: Size | None = None  # bytes of their directories, all together
    failed: Bool = False  # failed ones too, before they were exported

    @property
    def limited(self) -> bool:
        """Whether anything goes at all."""
        return self.days is not None or self.count is not None or self.size is not None

    def is_over(self, ended: datetime, now: datetime) -> bool:
        """Whether what has nothing else to be counted by goes: an ended backfill without its instances."""
        return self.limited and (self.days is None or ended + timedelta(days=self.days) <= now)


@dataclass(frozen=True, slots=True)
class Ended:
    """An instance that has ended; ``size`` 0 where no rule asks for it."""

    id: int
    task: str
    ended: datetime
    failed: bool = False  # failed, timed out or lost
    exported: bool = False
    size: int = 0
    began: bool = True  # else it was skipped or taken offline: it pushes no run out


class Leaving(NamedTuple):
    """An instance that goes, and the rule that says so: days, count or size."""

    id: int
    why: str


def leaving(ended: Iterable[Ended], keep: Keep, tasks: Mapping[str, Keep], now: datetime) -> list[Leaving]:
    """What goes, the oldest first. ``tasks`` has rules that stand for some tasks in the place of ``keep``.

    The size of ``keep`` is that of all instances whose task has no rule of its own. A failed instance
    that was not exported stays, unless its rule says ``failed``; it counts all the same.
    """
    groups: dict[str, list[Ended]] = {}
    for each in ended:
        groups.setdefault(each.task, []).append(each)
    found: dict[int, str] = {}
    others: list[Ended] = []
    for task, members in groups.items():
        rule = tasks.get(task, keep)
        newest = sorted(members, key=_age, reverse=True)
        for began in (True, False):
            found |= _by_days_and_count([each for each in newest if each.began is began], rule, now)
        if task in tasks:
            found |= _by_size([each for each in newest if each.id not in found], rule)
        else:
            others += (each for each in newest if each.id not in found)
    found |= _by_size(sorted(others, key=_age, reverse=True), keep)
    order = {each.id: _age(each) for members in groups.values() for each in members}
    return [Leaving(id, found[id]) for id in sorted(found, key=lambda id: order[id])]


def _by_days_and_count(newest: list[Ended], rule: Keep, now: datetime) -> dict[int, str]:
    found: dict[int, str] = {}
    oldest = None if rule.days is None else now - timedelta(days=rule.days)
    for position, each in enumerate(newest):
        if _stays(each, rule):
            continue
        if oldest is not None and each.ended < oldest:
            found[each.id] = "days"
        elif rule.count is not None and position >= rule.count:
            found[each.id] = "count"
    return found


def _by_size(newest: list[Ended], rule: Keep) -> dict[int, str]:
    """Once one does not fit, everything older goes too: what is kept has no holes."""
    found: dict[int, str] = {}
    total = sum(each.size for each in newest if _stays(each, rule))
    for each in newest if rule.size is not None else ():
        if not _stays(each, rule):
            total += each.size
            if found or total > (rule.size or 0):
                found[each.id] = "size"
    return found


def _stays(each: Ended, rule: Keep) -> bool:
    return each.failed and not each.exported and not rule.failed


def _age(each: Ended) -> tuple[datetime, int]:
    return each.ended, each.id
