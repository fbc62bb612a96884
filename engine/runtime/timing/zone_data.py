"""New time-zone data: where a zone's clocks change otherwise, the next times of its tasks are found again."""

from __future__ import annotations

import logging
from zoneinfo import ZoneInfo

from engine.planning.schedules.zones import clock_changes_of
from engine.runtime.services import EngineServices
from engine.runtime.timing.kept_schedules import KeptSchedules
from engine.store.encoding import content_hash

SETTING = "time zones"  # by zone: a year, and a hash of what its clocks were going to do from then on
_YEARS = 2  # after the first one


class ZoneData:
    """Of the zones of online tasks. A process keeps what it has read: only the next engine sees new data."""

    def __init__(self, services: EngineServices, kept: KeptSchedules) -> None:
        self._services = services
        self._kept = kept
        self._seen: dict[str, list[int | str]] = {}

    def look(self) -> None:
        """Remember zones that are new; find times of those again that are not what they were (loop only)."""
        fresh = {each.row.zone for each in self._kept} - self._seen.keys()
        if not fresh:
            return
        before, year = self._services.store.setting(SETTING, {}), self._services.clock.now().year
        self._seen |= {zone: [year, _hash(zone, year)] for zone in fresh}
        known = {zone: before[zone] for zone in fresh if zone in before}
        self._find_again({zone for zone, (of, hash) in known.items() if _hash(zone, of) != hash})
        if before != (after := before | self._seen):
            self._services.changes.setting(SETTING, after)

    def _find_again(self, zones: set[str]) -> None:
        moved = [each for each in self._kept if each.row.zone in zones]
        for each in moved:
            each.read_again()
            self._kept.move_on(each, each.last)
        if moved:
            names = ", ".join(sorted(zones))
            message = f"new time-zone data ({names}): next times are found again, of {len(moved)} in all"
            self._services.say(message, logging.WARNING)


def _hash(zone: str, year: int) -> str:
    """Of a year and those after it; empty where there is no such zone any more."""
    try:
        changes = clock_changes_of(ZoneInfo(zone), year, year + _YEARS)
    except (ValueError, OSError, KeyError):
        return ""
    return content_hash(repr([(moment.isoformat(), str(offset)) for moment, offset in changes]))
