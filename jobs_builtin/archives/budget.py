"""How much may come out of an archive, counted while it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.model.errors import SkerryError
from jobs_builtin.archives.codes import RATIO, TOO_BIG, TOO_MANY

HARMLESS = 10 * 1024 * 1024  # bytes that may come out at any ratio


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The most bytes, entries, and bytes out for each byte in."""

    size: int
    files: int
    ratio: int


class Budget:
    """What has come out so far; ``tick`` is called for each piece (cancel, progress)."""

    def __init__(self, limits: ArchiveLimits, packed: int, tick: Callable[[], None]) -> None:
        self.limits = limits
        self.tick = tick
        self._packed = max(packed, 1)
        self._size = 0
        self._files = 0

    def entry(self) -> None:
        """One entry more. Raises SkerryError when there are too many."""
        self._files += 1
        if self._files > self.limits.files:
            raise SkerryError(TOO_MANY, "more than {most:,} entries", most=self.limits.files)
        self.tick()

    def declare(self, size: int) -> None:
        """The archive says that ``size`` bytes are to come. Raises SkerryError when that is too much."""
        if self._size + size > self.limits.size:
            raise SkerryError(TOO_BIG, "its content has more than {most:,} bytes", most=self.limits.size)

    def add(self, size: int) -> None:
        """So many bytes came out. Raises SkerryError when that is too much."""
        self.declare(size)
        self._size += size
        if self._size > HARMLESS and self._size > self.limits.ratio * self._packed:
            message = "{packed:,} bytes grew to {size:,} and more"
            raise SkerryError(RATIO, message, packed=self._packed, size=self._size)
        self.tick()
