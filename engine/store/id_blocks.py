"""Ids from memory: a block of them is reserved in the database, what is left is returned at the end.

On a full disk nothing can be reserved. Who must not wait for room owes the block then: the ids go on where
the database is, and the commit that writes their rows reserves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple

from engine.model.errors import SkerryError

_FIRST_BLOCK = 8  # small, so that an engine that was killed leaves a small gap
_LARGEST_BLOCK = 1024

Reserve = Callable[[str, int], int]  # (table, how many) -> the first; durable when it returns
Standing = Callable[[str], int]  # table -> the id that the next block would begin with


class Debt(NamedTuple):
    """Ids that the database does not know to be taken yet."""

    table: str
    first: int  # where the database must still be; else another engine has taken them
    end: int


class IdBlocks:
    """Hands out ids that nobody else gets; blocks grow with the demand."""

    def __init__(self, reserve: Reserve, standing: Standing) -> None:
        self._reserve = reserve
        self._standing = standing
        self._lock = Lock()
        self._paying = Lock()
        self._free: dict[str, tuple[int, int]] = {}  # the next id, the end of the block
        self._block: dict[str, int] = {}
        self._owed: dict[str, int] = {}  # the next id in the database

    def take(self, table: str, count: int, *, owe: bool = False) -> int:
        """The first of ``count`` ids that follow each other; ``owe``: also when none can be reserved now."""
        with self._lock:
            first, end = self._free.get(table, (0, 0))
            if end - first < count:
                first, end = self._more(table, count, owe)
            self._free[table] = (first + count, end)
            return first

    def _more(self, table: str, count: int, owe: bool) -> tuple[int, int]:
        if table not in self._owed:
            try:
                return self._next_block(table, count)
            except SkerryError as error:
                if not owe or not error.entry.retryable:
                    raise
            self._begin_to_owe(table)
        first, _ = self._free[table]
        return first, first + count

    def _begin_to_owe(self, table: str) -> None:
        if table not in self._free:
            next_id = self._standing(table)
            self._free[table] = (next_id, next_id)
        self._owed[table] = self._free[table][1]

    @contextmanager
    def debts(self) -> Iterator[list[Debt]]:
        """What is owed, for one who pays at a time; it is paid unless the block raises."""
        if not self._owed:
            yield []
            return
        with self._paying:
            with self._lock:
                owed = [Debt(table, first, self._free[table][1]) for table, first in self._owed.items()]
            yield owed
            with self._lock:
                for debt in owed:
                    if self._free[debt.table][1] > debt.end:  # more was taken meanwhile
                        self._owed[debt.table] = debt.end
                    else:
                        del self._owed[debt.table]

    def leftovers(self) -> dict[str, tuple[int, int]]:
        """What was reserved and not handed out, as (first, end); it is forgotten here."""
        with self._lock:
            free, self._free, self._owed = self._free, {}, {}
            return {table: block for table, block in free.items() if block[0] < block[1]}

    def _next_block(self, table: str, count: int) -> tuple[int, int]:
        size = self._block.get(table, _FIRST_BLOCK)
        length = max(size, count)
        first = self._reserve(table, length)
        self._block[table] = min(size * 2, _LARGEST_BLOCK)
        return first, first + length
