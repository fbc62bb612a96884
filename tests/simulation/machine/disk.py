"""The disk of a simulated machine: a real folder that knows what is durable, and what a power cut leaves.

A file's data is durable after an fsync of the file, an entry of a folder after an fsync of the folder; an fsync
of a new file makes its own entry durable as well. Entry operations become durable in the order of time, so
each with all before it. What was never synced may survive or not, as the random numbers choose.
"""

from __future__ import annotations

import os
import posix  # the functions themselves: those of os are replaced
import shutil
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from tests.simulation.machine.os_calls import Places, in_place
from tests.simulation.machine.os_entries import EntryCalls
from tests.simulation.machine.os_files import FileCalls
from tests.simulation.machine.volume import Volume


class Disk(Volume):
    """While entered, what goes through the module os below ``root`` happens on this disk.

    Files whose names begin with ``unseen`` (a database, written by C code) are no part of it.
    """

    def __init__(self, root: Path, random: Random, *, unseen: str = "skerry.db") -> None:
        where = os.path.realpath(root)
        folder, name = os.path.split(where)
        self._shadow = f"{folder}/.{name}.shadow"  # files that lost their names, until that is durable
        super().__init__(where, self._shadow)
        self._random = random
        self._unseen = unseen
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
        self._files.sync()

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
