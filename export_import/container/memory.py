"""Memory for large pieces is kept for the next ones, instead of being requested from the system each time."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM, _MAP = -1, -3  # names of mallopt(3)
KEPT = 2 << 20  # bytes
_MAPPED = 16 << 20  # bytes of a piece from which on it is the system's again at once


@contextmanager
def kept(most: int = KEPT) -> Iterator[None]:
    """While pieces of some MiB come and go: without it half of their time is the system clearing pages.

    ``most`` is what a thread may keep at hand, in bytes. Without glibc nothing changes.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(_TRIM, most)
        libc.mallopt(_MAP, _MAPPED)
    try:
        yield
    finally:
        give_back()


def give_back() -> None:
    """What is free goes back to the system: another kind of work begins."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)
