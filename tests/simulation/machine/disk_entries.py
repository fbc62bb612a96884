"""Entries of folders: of what was done since the last sync, a power cut leaves a beginning in the order of time.

That is what a file system with one journal does (ext4, XFS): an operation is durable only with all before it.
"""

from __future__ import annotations

import os
import posix  # the functions themselves: those of os may be replaced
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random

Step = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Change:
    """One operation that is not durable yet."""

    paths: tuple[str, ...]  # the names that it made, took away or gave to another
    undo: tuple[Step, ...]
    kept: str | None = None  # the file that lost its name, by its name in the shadow folder


class Entries:
    """All operations since the last sync, each with what undoes it."""

    def __init__(self, shadow: str) -> None:
        self._shadow = shadow
        self._pending: list[Change] = []
        self._durable = 0  # how many operations came before those
        # how many operations a sync makes durable: by path of a folder, by inode of a new file
        self._latest: dict[str | int, int] = {}
        self._kept = 0

    def made(self, path: str, inode: int | None) -> None:
        """A file or link is there now; ``inode`` is that of a new file."""
        self._note(Change((path,), (partial(posix.unlink, path),)))
        if inode is not None:
            self._latest[inode] = self._count

    def made_folder(self, path: str) -> None:
        """A folder is there now."""
        self._note(Change((path,), (partial(posix.rmdir, path),)))
        self._latest[path] = self._count

    def aside(self) -> str:
        """A new name in the shadow folder, for the file that loses its own."""
        self._kept += 1
        return f"{self._shadow}/{self._kept}"

    def unlinked(self, path: str, kept: str | None) -> None:
        """A file lost its name."""
        self._note(Change((path,), _put_back(kept, path), kept))

    def removed_folder(self, path: str, mode: int) -> None:
        """An empty folder was removed."""
        self._note(Change((path,), (partial(posix.mkdir, path, stat.S_IMODE(mode)),)))

    def renamed(self, old: str, new: str, kept: str | None) -> None:
        """A file has another name; ``kept`` is the one that was there."""
        self._note(Change((old, new), (partial(posix.rename, new, old), *_put_back(kept, new)), kept))

    def renamed_folder(self, old: str, new: str, replaced: int | None) -> None:
        """A folder has another name; ``replaced`` is the mode of an empty one that was there."""
        back: tuple[Step, ...] = (partial(posix.rename, new, old),)
        if replaced is not None:
            back = (*back, partial(posix.mkdir, new, stat.S_IMODE(replaced)))
        for path in [each for each in self._latest if each == old or str(each).startswith(f"{old}/")]:
            self._latest[f"{new}{str(path).removeprefix(old)}"] = self._latest.pop(path)
        self._note(Change((old, new), back))

    def sync(self, what: str | int) -> None:
        """After fsync of a folder (its path): what was done to its entries; of a new file (its inode): that it exists."""
        self._settle(self._latest.get(what, 0))

    def sync_all(self) -> None:
        """Everything until now is durable."""
        self._settle(self._count)

    def cut(self, random: Random) -> dict[str, str]:
        """Undo all but a beginning of what is not durable; gives by path what became of it."""
        lost = self._pending[random.randint(0, len(self._pending)) :]
        paths = sorted({path for change in lost for path in change.paths})
        before = {path: _found(path) for path in paths}
        for change in reversed(lost):
            for step in change.undo:
                with suppress(OSError):  # of what was made without being seen here: it stays
                    step()
        self.sync_all()
        return _differences(before, {path: _found(path) for path in paths})

    @property
    def _count(self) -> int:
        return self._durable + len(self._pending)

    def _note(self, change: Change) -> None:
        self._pending.append(change)
        for path in change.paths:
            self._latest[path.rpartition("/")[0]] = self._count

    def _settle(self, number: int) -> None:
        count = max(0, number - self._durable)
        for change in self._pending[:count]:
            if change.kept is not None:
                with suppress(FileNotFoundError):  # a cut put it back
                    posix.unlink(change.kept)
        del self._pending[:count]
        self._durable += count
        if not self._pending:
            self._latest.clear()


def _put_back(kept: str | None, path: str) -> tuple[Step, ...]:
    return () if kept is None else (partial(posix.rename, kept, path),)


def _found(path: str) -> tuple[int, bool] | None:
    try:
        found = posix.lstat(path)
    except OSError:
        return None
    return found.st_ino, stat.S_ISDIR(found.st_mode)


def _differences(
    before: dict[str, tuple[int, bool] | None], after: dict[str, tuple[int, bool] | None]
) -> dict[str, str]:
    """What is different, by path; of a folder that comes or goes, only itself."""
    became: dict[str, str] = {}
    for path in before:
        if before[path] != after[path]:
            became[path] = "the old one"
            if after[path] is None:
                became[path] = "never there"
            elif before[path] is None:
                became[path] = "there again"
    whole = {path for path in became if (before[path] or after[path] or (0, False))[1]}
    return {path: text for path, text in became.items() if not _below(path, text, whole, became)}


def _below(path: str, text: str, folders: Iterable[str], became: dict[str, str]) -> bool:
    parent = os.path.dirname(path)
    return parent in folders and became[parent] == text
