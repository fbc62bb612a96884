"""Ids from memory: a block of them is reserved in the database, what is left given back at the end."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

_FIRST_BLOCK = 8  # small, so that an engine that was killed leaves a small gap
_LARGEST_BLOCK = 1024

Reserve = Callable[[str, int], int]  # (table, how many) -> the first; durable when it returns


class IdBlocks:
    """Hands out ids that nobody else gets; blocks grow with the demand."""

    def __init__(self, reserve: Reserve) -> None:
        self._reserve = reserve
        self._lock = Lock()
        self._free: dict[str, tuple[int, int]] = {}  # the next id, the end of the block
        self._block: dict[str, int] = {}

    def take(self, table: str, count: int) -> int:
        """The first of ``count`` ids that follow each other."""
        with self._lock:
            first, end = self._free.get(table, (0, 0))
            if end - first < count:
                first, end = self._next_block(table, count, end)
            self._free[table] = (first + count, end)
            return first

    def leftovers(self) -> dict[str, tuple[int, int]]:
        """What was reserved and not handed out, as (first, end); it is forgotten here."""
        with self._lock:
            free, self._free = self._free, {}
            return {table: block for table, block in free.items() if block[0] < block[1]}

    def _next_block(self, table: str, count: int, old_end: int) -> tuple[int, int]:
        size = self._block.get(table, _FIRST_BLOCK)
        self._block[table] = min(size * 2, _LARGEST_BLOCK)
        wanted = max(size, count)
        first = self._reserve(table, wanted)
        return first, first + wanted
