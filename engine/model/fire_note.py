"""What a clock change or a calendar did to a fire of a schedule, in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal, NamedTuple

NoteKind = Literal["shifted", "no_such_time", "first_of_two", "second_of_two", "day_off", "moved"]

WORDS: Mapping[NoteKind, str] = {
    "shifted": "clock change: {time} does not exist, so it fires at the first moment after it",
    "no_such_time": "clock change: {time} does not exist; left out",
    "first_of_two": "clock change: {time} comes twice; this is the first",
    "second_of_two": "clock change: {time} comes twice; this is the second",
    "day_off": "left out: {calendar} has a day off",
    "moved": "also for days off of {calendar}: {days}",
}


class FireNote(NamedTuple):
    """``wall``: the local time that was meant; ``days``: the days off whose fires moved here."""

    kind: NoteKind
    wall: datetime | None = None
    days: tuple[date, ...] = ()

    def facts(self, calendar: str | None) -> dict[str, Any]:
        """What fills in its words, as texts."""
        days = ", ".join(map(str, self.days))
        time = f"{self.wall:%H:%M:%S}".removesuffix(":00") if self.wall else None
        found = {"time": time, "calendar": calendar, "days": days}
        return {name: value for name, value in found.items() if f"{{{name}}}" in WORDS[self.kind]}
