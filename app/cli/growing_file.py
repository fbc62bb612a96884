"""Reading a file that grows, and that a further attempt may move away and start again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_BLOCK = 1 << 20  # bytes read at once


class Growing:
    """What a file gains from one look to the next.

    It stays open in between, so what was written just before it was moved away is not missed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None
        self._offset = 0

    def __iter__(self) -> Iterator[bytes]:
        """What came since the last look; nothing while there is no file."""
        replaced = self._replaced()
        yield from self._rest()
        if replaced:
            self._open()
            yield from self._rest()

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __del__(self) -> None:
        self.close()

    def _rest(self) -> Iterator[bytes]:
        while self._fd is not None and (block := os.pread(self._fd, _BLOCK, self._offset)):
            self._offset += len(block)
            yield block

    def _replaced(self) -> bool:
        try:
            current = os.stat(self._path)
        except FileNotFoundError:
            return False
        return self._fd is None or not os.path.samestat(current, os.fstat(self._fd))

    def _open(self) -> None:
        self.close()
        with suppress(FileNotFoundError):
            self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        self._offset = 0
