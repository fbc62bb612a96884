"""What the calls of one disk share: what of it is durable, the room that is left, and who hears of operations."""

from __future__ import annotations

import errno
import os
import posix  # the functions themselves: those of os are replaced
from collections.abc import Callable

from tests.simulation.machine.disk_contents import Contents
from tests.simulation.machine.disk_entries import Entries


class Volume:
    """A folder and what is known of it."""

    def __init__(self, root: str, shadow: str) -> None:
        self.root = root
        self.before: Callable[[str, str], None] = _nothing  # operation, path below the root; may raise
        self.owner: Callable[[], object] = _nobody  # who opens a file now
        self.full = False
        self.room: int | None = None  # bytes that can still be written; None: no limit
        self.contents = Contents()
        self.entries = Entries(shadow)

    def making(self, operation: str, path: str) -> None:
        """Before something new is made, whatever its size."""
        self.before(operation, path)
        if self.full or self.room == 0:
            posix.stat(os.path.dirname(f"{self.root}/{path}"))  # a folder that is missing is said first
            raise _no_space()

    def take(self, most: int, *, least: int) -> int:
        """Use room for as many bytes as there are, up to ``most``; ENOSPC when that is less than ``least``."""
        left = 0 if self.full else most if self.room is None else min(most, self.room)
        if left < least:
            raise _no_space()
        if self.room is not None:
            self.room -= max(0, left)
        return left

    def give_back(self, count: int) -> None:
        """Bytes of a file that is gone."""
        if self.room is not None:
            self.room += max(0, count)


def _no_space() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _nothing(operation: str, path: str) -> None:
    """Let it happen."""


def _nobody() -> object:
    return None
