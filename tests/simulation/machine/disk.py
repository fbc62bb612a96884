"""The disk of a simulated machine: a real folder that knows what is durable, and what a power cut leaves.

A file's data is durable after an fsync of the file, an entry of a folder after an fsync of the folder; an fsync
of a new file makes its own entry durable as well. Entry operations become durable in the order of time, so
each with all before it. What was never synced may survive or not, as the random numbers choose.
"""

from __future__ import annotations

import errno
import os
import posix  # the functions themselves: those of os are replaced
import shutil
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from tests.simulation.machine.disk_contents import Contents
from tests.simulation.machine.disk_entries import Entries
from tests.simulation.machine.os_calls import Places, in_place
from tests.simulation.machine.os_entries import EntryCalls
from tests.simulation.machine.os_files import FileCalls


class Disk:
    """While entered, what goes through the module os below ``root`` happens on this disk.

    Files whose names begin with ``unseen`` (a database, written by C code) are no part of it.
    """

    def __init__(self, root: Path, random: Random, *, unseen: str = "skerry.db") -> None:
        self.root = os.path.realpath(root)
        self.before: Callable[[str, str], None] = _nothing  # operation, path below the root; may raise
        self.owner: Callable[[], object] = _nobody  # who opens a file now
        self.full = False
        self.room: int | None = None  # bytes that can still be written; None: no limit
        self._random = random
        self._unseen = unseen
        folder, name = os.path.split(self.root)
        self._shadow = f"{folder}/.{name}.shadow"  # files that lost their names, until that is durable
        self.contents = Contents()
        self.entries = Entries(self._shadow)
        places = Places(self.root, unseen)
        self._files, self._names = FileCalls(self, places), EntryCalls(self, places)
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        shutil.rmtree(self._shadow, ignore_errors=True)  # of one that was killed
        os.mkdir(self._shadow)
        self._entered.callback(shutil.rmtree, self._shadow)
        functions = self._files.functions() | self._names.functions()
        self._entered.enter_context(in_place(functions, self._files.open_file))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered.close()

    def sync(self) -> None:
        """sync(2) and syncfs(2): all that was done until now is durable."""
        self.before("sync", ".")
        opened = self._files.opened.items()
        self.contents.sync_all({fd: each.content for fd, each in opened if each.content is not None})
        self.entries.sync_all()

    def release(self, owner: object) -> None:
        """Close what ``owner`` has open, as a kill does."""
        self._files.release({fd: each for fd, each in self._files.opened.items() if each.owner == owner})

    def power_cut(self) -> list[str]:
        """Close everything that is open, and lose some of what was not durable; gives what was lost."""
        self._files.release(dict(self._files.opened))
        entries = self.entries.cut(self._random)
        contents = self.contents.cut(self._paths(), self._random)
        lost = [*entries.items(), *contents.items()]
        return sorted(f"{os.path.relpath(path, self.root)}: {text}" for path, text in lost)

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

    def _paths(self) -> dict[int, str]:
        """One path of each file, by inode."""
        paths: dict[int, str] = {}
        folders = [self.root]
        for folder in folders:
            with suppress(OSError), posix.scandir(folder) as found:
                for each in found:
                    if each.is_dir(follow_symlinks=False):
                        folders.append(each.path)
                    elif not each.name.startswith(self._unseen):
                        paths[each.inode()] = min(each.path, paths.get(each.inode(), each.path))
        return paths


def _no_space() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _nothing(operation: str, path: str) -> None:
    """Let it happen."""


def _nobody() -> object:
    return None
