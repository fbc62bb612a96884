"""Removes directories of instances: only those with our marker, following no link, in small steps."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from engine.execution.files import close_all, open_folder

MARKER = ".skerry/definitions.json"
EXPORTED = ".skerry/exported"  # made by an export: the instance is somewhere else too
_LEAVING = ".leaving-"
_NAME = re.compile(r"\.leaving-task-.+-\d+\Z")

Pace = Callable[[], None]  # called after each file; may wait, or raise to stop


class Trash:
    """The folder ``instances`` of a workspace, seen by whoever removes from it."""

    def __init__(self, instances: Path) -> None:
        self._root = instances

    def is_ours(self, name: str) -> bool:
        """Whether the direct child ``name`` is a directory that an engine made."""
        try:
            folder = open_folder(str(self._root / name))
        except OSError:
            return False
        try:
            return stat.S_ISREG(os.stat(MARKER, dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError:
            return False
        finally:
            close_all([folder])

    def throw(self, name: str) -> None:
        """Out of sight at once; OSError when it cannot be renamed."""
        os.rename(self._root / name, self._root / f"{_LEAVING}{name}")

    def thrown(self) -> Iterator[str]:
        """The names of what was thrown away and is still there."""
        with suppress(OSError), os.scandir(self._root) as entries:
            yield from [entry.name for entry in entries if _NAME.match(entry.name)]

    def empty(self, name: str, pace: Pace) -> int:
        """Delete one that was thrown away; gives its bytes. The marker goes last. OSError when it cannot."""
        if not self.is_ours(name) and not self._remains(name):
            return 0
        root = open_folder(str(self._root))
        try:
            return _without_folder(name, root, pace)
        finally:
            close_all([root])

    def _remains(self, name: str) -> bool:
        """Whether nothing but the place of the marker is left."""
        with suppress(OSError):
            return set(os.listdir(self._root / name)) <= {".skerry"}
        return False

    def size(self, name: str) -> int:
        """The bytes that a directory takes on the disk; 0 when it is not there."""
        total = 0
        for folder, _, files in os.walk(self._root / name):
            for file in files:
                with suppress(OSError):
                    total += _bytes(os.stat(f"{folder}/{file}", follow_symlinks=False))
        return total


def _emptied(folder: int, pace: Pace) -> int:
    with suppress(OSError):
        os.fchmod(folder, 0o700)  # a program may have taken our right to write there
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name == ".skerry")
    freed = 0
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            freed += _without_folder(entry.name, folder, pace)
        else:
            with suppress(FileNotFoundError):
                freed += _bytes(os.stat(entry.name, dir_fd=folder, follow_symlinks=False))
                os.unlink(entry.name, dir_fd=folder)
            pace()
    return freed


def _without_folder(name: str, parent: int, pace: Pace) -> int:
    try:
        folder = open_folder(name, parent)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=parent)
        folder = open_folder(name, parent)
    try:
        freed = _emptied(folder, pace)
    finally:
        close_all([folder])
    os.rmdir(name, dir_fd=parent)
    return freed


def _bytes(found: os.stat_result) -> int:
    """What becomes free with it: a file with further names stays."""
    return found.st_blocks * 512 if found.st_nlink == 1 else 0
