"""What the processes of an attempt on another machine use, as that was last seen."""

from __future__ import annotations

from typing import NamedTuple

from engine.execution.proc import Proc


class TreeUsage(NamedTuple):
    """``at``: when it was seen, on the engine's monotonic clock. Bytes from and to disks since each began.

    ``files``: bytes of all that it has written into its directory, where that was asked for.
    """

    at: float
    members: tuple[Proc, ...]
    read: int = 0
    written: int = 0
    files: int | None = None
