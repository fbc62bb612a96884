"""Attempts whose files wait for room at either end: reported when one begins to wait, and when it goes on."""

from __future__ import annotations

from collections.abc import Callable

from engine.model.disk import no_room
from engine.model.errors import SkerryError

Waits = Callable[[str, SkerryError | None], None]  # a mark, and what it waits for; None: it goes on


class RoomWaits:
    """Loop thread only."""

    def __init__(self, report: Waits) -> None:
        self._report = report
        self._waiting: set[str] = set()

    def carried(self, mark: str, problem: SkerryError | None) -> None:
        """Files of that attempt were carried, or this stood in their way."""
        waited = mark in self._waiting
        if no_room(problem):
            self._waiting.add(mark)
            if not waited:
                self._report(mark, problem)
            return
        self._waiting.discard(mark)
        if waited and problem is None:  # a cut link, or its end, has a reason of its own
            self._report(mark, None)
