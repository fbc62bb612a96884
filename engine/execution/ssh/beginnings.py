"""How long a host is believed that says of a stage that it only just begins."""

from __future__ import annotations

from engine.execution.ssh.stage import Key
from engine.model.clock import Clock

_LONGEST = 300.0  # seconds; then a shell was ended between making the file and the process


class Beginnings:
    """Since when each one is said to begin."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: dict[Key, float] = {}

    def is_believed(self, key: Key) -> bool:
        """It was said again."""
        now = self._clock.monotonic()
        return now - self._since.setdefault(key, now) < _LONGEST

    def over(self, key: Key) -> None:
        """Something else was said."""
        self._since.pop(key, None)
