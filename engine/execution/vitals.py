"""How a worker is: its load, its memory, its disk, how far its clock is off."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.execution.proc import read


@dataclass(frozen=True, slots=True)
class Vitals:
    """What one heartbeat found.

    ``load``: the load average of the latest minute. ``memory``: bytes that programs can still get. ``disk``:
    bytes that are free where attempts have their directories. ``skew``: seconds that its clock is ahead of
    the engine's at least, negative: behind. ``cores``: how many there are. None: not known.
    """

    load: float | None = None
    memory: int | None = None
    disk: int | None = None
    skew: float | None = None
    cores: int | None = None


def vitals_here(folder: Path) -> Vitals:
    """This machine now; ``folder`` is on the disk that counts."""
    disk = None
    with suppress(OSError):
        found = os.statvfs(folder)
        disk = found.f_bavail * found.f_frsize
    return Vitals(load_average(), _memory(), disk, 0.0, cores())


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def load_average() -> float | None:
    """Of this machine, of the latest minute."""
    with suppress(OSError):
        return os.getloadavg()[0]
    return None


def _memory() -> int | None:
    for line in (read("/proc/meminfo") or b"").splitlines():
        if line.startswith(b"MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None
