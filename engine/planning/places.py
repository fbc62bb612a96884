"""How many jobs run at once: a fixed number, or as many as the machine bears."""

from __future__ import annotations

from typing import Literal, NamedTuple

AUTO: Literal["auto"] = "auto"
Size = int | Literal["auto"] | None  # None: what workspace.yaml says

_CALM = 0.70  # of all cores: below it there is work for one more job
_BUSY = 0.95  # above it jobs only slow each other down
_ROOMY = 0.20  # of the memory: free for one more job
_SCARCE = 0.10  # below it the kernel may soon end a process
_PER_CORE = 4  # places at most: jobs that wait for something outside need no core


class Load(NamedTuple):
    """What the machine does; ``cpu`` and ``memory_free`` are parts of the whole, from 0 to 1."""

    cores: int
    cpu: float
    memory_free: float


def next_places(places: int, taken: int, load: Load) -> int:
    """The number of places after one more look at the load; at least 1, at most four for each core.

    It grows by one when every place is taken and the machine is calm, and shrinks by one when it is
    busy or short of memory. Between the two marks nothing changes, so it does not swing.

    >>> next_places(2, 2, Load(cores=2, cpu=0.3, memory_free=0.6))
    3
    >>> next_places(3, 3, Load(cores=2, cpu=0.99, memory_free=0.6))
    2
    """
    most = max(load.cores, 1) * _PER_CORE
    next_size = places
    if load.memory_free < _SCARCE or load.cpu > _BUSY:
        next_size = min(places, max(taken, 1)) - 1
    elif taken >= places and load.cpu < _CALM and load.memory_free > _ROOMY:
        next_size = places + 1
    return min(max(next_size, 1), most)


def first_places(size: Size, configured: Size, cores: int) -> int:
    """The places to begin with: those asked for by command, else by workspace.yaml, else the cores."""
    chosen = size if size is not None else configured
    return chosen if isinstance(chosen, int) else max(cores, 1)
