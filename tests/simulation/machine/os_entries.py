"""The functions of os that change the entries of folders: each is announced, limited, and noted with its undo."""

from __future__ import annotations

import os
import posix  # the functions themselves
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.simulation.machine.os_calls import Places, absolute, look
from tests.simulation.machine.volume import Volume


class EntryCalls:
    """What replaces the functions, each under the name that it has in os."""

    def __init__(self, disk: Volume, places: Places) -> None:
        self._disk = disk
        self._places = places

    def functions(self) -> dict[str, Callable[..., Any]]:
        """All of them, by name."""
        names = ("mkdir", "rmdir", "link", "symlink", "rename", "replace", "unlink", "remove")
        return {name: getattr(self, name) for name in names}

    def mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        place = self._places.of(path, dir_fd)
        if place is not None:
            self._making("mkdir", place)
        posix.mkdir(path, mode, dir_fd=dir_fd)
        if place is not None:
            self._disk.entries.made_folder(place)

    def link(
        self,
        src: Any,
        dst: Any,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int | None = None,
        follow_symlinks: bool = True,
    ) -> None:
        place = self._places.of(dst, dst_dir_fd)
        if place is not None:
            self._making("link", place)
        posix.link(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)
        if place is not None:
            self._disk.entries.made(place, None)

    def symlink(
        self, src: Any, dst: Any, target_is_directory: bool = False, *, dir_fd: int | None = None
    ) -> None:
        place = self._places.of(dst, dir_fd)
        if place is not None:
            self._making("symlink", place)
        posix.symlink(src, dst, target_is_directory, dir_fd=dir_fd)
        if place is not None:
            self._disk.entries.made(place, None)

    def unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        place = self._places.of(path, dir_fd)
        found = look(place) if place is not None else None
        if place is None or found is None or stat.S_ISDIR(found.st_mode):
            return posix.unlink(path, dir_fd=dir_fd)
        self._disk.before("unlink", self._places.name(place))
        kept = self._disk.entries.aside()
        try:
            posix.rename(path, kept, src_dir_fd=dir_fd)
        except OSError:  # then this fails too, and says why
            return posix.unlink(path, dir_fd=dir_fd)
        self._disk.entries.unlinked(place, kept)
        self._freed(found)
        return None

    remove = unlink

    def rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        place = self._places.of(path, dir_fd)
        found = look(place) if place is not None else None
        if place is None or found is None:
            return posix.rmdir(path, dir_fd=dir_fd)
        self._disk.before("rmdir", self._places.name(place))
        posix.rmdir(path, dir_fd=dir_fd)
        self._disk.entries.removed_folder(place, found.st_mode)
        return None

    def rename(
        self, src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        old, new = absolute(src, src_dir_fd), absolute(dst, dst_dir_fd)
        moved, there = look(old), look(new)
        seen = self._places.has(old) or self._places.has(new)
        if not seen or moved is None or (there is not None and os.path.samestat(moved, there)):
            return posix.rename(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        self._disk.before("rename", self._places.name(new))
        folder = stat.S_ISDIR(moved.st_mode)
        kept = self._kept(new) if there is not None and not folder else None
        try:
            posix.rename(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        except OSError:
            if kept is not None:
                posix.unlink(kept)
            raise
        if folder:
            self._disk.entries.renamed_folder(old, new, there.st_mode if there is not None else None)
            return None
        self._disk.entries.renamed(old, new, kept)
        return self._freed(there) if there is not None else None

    replace = rename

    def _making(self, operation: str, place: str) -> None:
        if look(place) is None:  # else it fails, as it does on a full disk
            self._disk.making(operation, self._places.name(place))

    def _kept(self, place: str) -> str | None:
        """A second name for the file that is about to lose this one."""
        kept = self._disk.entries.aside()
        with suppress(OSError):  # a folder: the rename fails
            posix.link(place, kept, follow_symlinks=False)
            return kept
        return None

    def _freed(self, found: os.stat_result) -> None:
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
            self._disk.give_back(found.st_size)
