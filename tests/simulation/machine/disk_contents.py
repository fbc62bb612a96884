"""Contents of files: what was not synced may survive a power cut, be cut off, be zeros, or be what was before."""

from __future__ import annotations

import os
import posix  # the functions themselves: those of os may be replaced
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random

_MOST = 64 << 10  # bytes that are remembered of a file that is overwritten; a larger one is taken as written
_PAGE = 4096  # what a disk has written of an overwritten file is written by pages


@dataclass(slots=True)
class Content:
    """One file since its last sync."""

    synced: int  # bytes that are durable
    low: int  # as many of them as were never cut off since
    old: bytes | None = None  # all of them, where some were overwritten or cut off

    def change(self, path: str, offset: int) -> None:
        """Remember what is durable, if what comes at ``offset`` changes it; ``path`` still has it."""
        if self.old is None and offset < self.low and self.synced <= _MOST:
            fd = posix.open(path, os.O_RDONLY | os.O_CLOEXEC)
            self.old = posix.pread(fd, self.synced, 0)
            posix.close(fd)

    def cut_off(self, size: int) -> None:
        """It was truncated to that size."""
        self.low = min(self.low, size)

    def sync(self, size: int) -> None:
        """All of it is durable now."""
        self.synced = self.low = size
        self.old = None


class Contents:
    """All files that were written since the last sync, by inode."""

    def __init__(self) -> None:
        self._files: dict[int, Content] = {}

    def made(self, inode: int) -> Content:
        """A new file: nothing of it is durable."""
        self._files.pop(inode, None)  # the number of a file that is gone: the order is that of being made
        content = self._files[inode] = Content(0, 0)
        return content

    def of(self, found: os.stat_result) -> Content:
        """A file that is going to be written; one that is seen for the first time is durable as it is."""
        content = self._files.get(found.st_ino)
        if content is None:
            content = self._files[found.st_ino] = Content(found.st_size, found.st_size)
        return content

    def sync(self, found: os.stat_result) -> None:
        """After fsync of that file."""
        if (content := self._files.get(found.st_ino)) is not None:
            content.sync(found.st_size)

    def sync_all(self, opened: Mapping[int, Content]) -> None:
        """Everything is durable; only files that are ``opened``, by descriptor, are followed further."""
        self._files.clear()
        for fd, content in opened.items():
            with suppress(OSError):
                found = posix.fstat(fd)
                content.sync(found.st_size)
                self._files[found.st_ino] = content

    def cut(self, paths: Mapping[int, str], random: Random) -> dict[str, str]:
        """Change each file that is not durable, as a power cut may; gives by path what became of it."""
        became = {}
        kept = random.random()  # some cuts lose nearly everything, some nearly nothing
        for inode, content in self._files.items():
            if (path := paths.get(inode)) is not None and (text := _cut(path, content, random, kept)):
                became[path] = text
        self._files.clear()
        return became


def _cut(path: str, content: Content, random: Random, kept: float) -> str | None:
    size, floor = posix.stat(path).st_size, content.low
    dirty = content.old is not None or floor < content.synced or size != content.synced
    if not dirty or random.random() < kept:
        return None
    if floor < content.synced and content.old is not None and random.random() < 0.5:
        return _rewritten(path, content.old)
    older = _older_pages(path, content.old[:floor], random) if content.old is not None else None
    shorter = _shorter(path, floor, size, random) if size > floor else None
    return " and ".join(filter(None, (older, shorter))) or None


def _rewritten(path: str, old: bytes) -> str:
    posix.truncate(path, 0)
    _put(path, old, 0)
    return f"the {len(old)} old bytes"


def _older_pages(path: str, old: bytes, random: Random) -> str | None:
    starts = [start for start in range(0, len(old), _PAGE) if random.random() < 0.5]
    for start in starts:
        _put(path, old[start : start + _PAGE], start)
    return f"old bytes at {', '.join(map(str, starts))}" if starts else None


def _shorter(path: str, floor: int, size: int, random: Random) -> str | None:
    """What becomes of all behind ``floor``: a file system gives space first, or data, or neither."""
    match random.choice(("kept", "gone", "torn", "zeros")):
        case "kept":
            return None
        case "torn":
            end = random.randrange(floor, size)
        case _ as way:
            end = floor
            posix.truncate(path, end)
            if way == "zeros":
                posix.truncate(path, size)  # a hole, as where space was never written
                return f"zeros from {end} to {size}"
    posix.truncate(path, end)
    return f"cut from {size} to {end}"


def _put(path: str, data: bytes, offset: int) -> None:
    fd = posix.open(path, os.O_WRONLY | os.O_CLOEXEC)
    posix.pwrite(fd, data, offset)
    posix.close(fd)
