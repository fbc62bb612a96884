"""How much a job has written into its directory, its logs among it, and the logs cut to a limit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

LOGS = ("job.log", "job-error.log")
_OURS = {".skerry", "attempts", "ctx.json", "ctx.log", "executeCode", "inputs", "monitor.csv", "status"}


def log_sizes(directory: str) -> list[int]:
    """Bytes in each of the two logs: two looks, whatever their size."""
    return [_size(f"{directory}/{log}") for log in LOGS]


def written(directory: str) -> int:
    """Bytes of everything below that the job itself wrote; holes in files and what links lead to are none."""
    return sum(_bytes(entry) for entry in _files(directory, _OURS))


def cut(directory: str, most: int) -> int:
    """Cut the logs so that they have ``most`` bytes together, the longer one first; how many went.

    The program must have ended. Each log that is cut says so in a last line, beyond the limit.
    """
    sizes = dict(zip(LOGS, log_sizes(directory), strict=True))
    left = excess = max(sum(sizes.values()) - most, 0)
    for log in sorted(sizes, key=lambda log: sizes[log], reverse=True):
        gone = min(left, sizes[log])
        if gone:
            _shorten(f"{directory}/{log}", sizes[log] - gone, gone, most)
        left -= gone
    return excess


def _shorten(path: str, size: int, gone: int, most: int) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.ftruncate(fd, size)
        os.write(fd, f"\nskerry: {gone:,} bytes were cut off here; limits.output is {most:,}\n".encode())
    finally:
        os.close(fd)


def _files(directory: str, left_out: set[str]) -> Iterator[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(directory) as entries:  # it may be taken away meanwhile
        for entry in entries:
            if entry.name in left_out:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, set())
            elif entry.is_file(follow_symlinks=False):
                yield entry


def _bytes(entry: os.DirEntry[str]) -> int:
    with suppress(OSError):
        found = entry.stat(follow_symlinks=False)
        return min(found.st_size, found.st_blocks * 512)
    return 0


def _size(log: str) -> int:
    with suppress(OSError):
        return os.stat(log, follow_symlinks=False).st_size
    return 0
