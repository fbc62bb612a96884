"""Connections for plain SQL, lent again and again: what a pool does each time takes longer than a read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sa

_MOST = 5  # as many as the pool itself has at hand


class LentConnections:
    """Those of a pool; each is used by one reader at a time, and no reader waits for another one."""

    def __init__(self, pool: sa.Engine, *, kept: bool) -> None:
        self._pool = pool
        self._idle: deque[Any] = deque()
        self._most = _MOST if kept else 0

    @contextmanager
    def one(self) -> Iterator[Any]:
        """One of the driver's. After an error the pool looks at it again; after an interrupt nobody uses it.

        The traceback keeps what was read half, and with it the state of the database that it began with.
        """
        connection = self._taken()
        try:
            yield connection
        except Exception:
            connection.close()
            raise
        except BaseException:
            connection.invalidate()
            raise
        self._idle.append(connection)
        if len(self._idle) > self._most:
            self.give_one_back()

    def _taken(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return self._pool.raw_connection()

    def give_one_back(self) -> None:
        """The pool has one more at hand, if one is idle."""
        with suppress(IndexError):
            self._idle.pop().close()

    def close(self) -> None:
        """All that are idle go back; what is lent now goes back when it has been used."""
        self._most = 0
        while self._idle:
            self.give_one_back()
