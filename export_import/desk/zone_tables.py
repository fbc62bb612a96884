"""When the clocks of a time zone change, as a table that can be compared with another machine's."""

from __future__ import annotations

from typing import Any

from engine.model.times import known_zone
from engine.planning.schedules.zones import clock_changes_of

_MOST = 200  # years


def zone_table(name: str, first: int, last: int) -> dict[str, Any]:
    """``changes``: moments in UTC with the offset in seconds from then on; None: there is no such zone."""
    if (zone := known_zone(name)) is None:
        return {"first": first, "last": last, "changes": None}
    changes = clock_changes_of(zone, first, min(last, first + _MOST))
    rows = [[moment.isoformat(), int(offset.total_seconds())] for moment, offset in changes]
    return {"first": first, "last": last, "changes": rows}
