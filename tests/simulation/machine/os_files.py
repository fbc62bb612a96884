"""The functions of os that open, write and sync files: each is announced, limited, and noted as far as it matters."""

from __future__ import annotations

import io
import os
import posix  # the functions themselves
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from tests.simulation.machine.disk_contents import Content
from tests.simulation.machine.os_calls import Places, look
from tests.simulation.machine.os_streams import Data, Stream, flags_of, layered
from tests.simulation.machine.volume import Volume

_NAMES = (
    *("open", "close", "write", "pwrite", "truncate", "ftruncate", "posix_fallocate"),
    *("fsync", "fdatasync", "sync", "statvfs"),
)
_WRITING = os.O_WRONLY | os.O_RDWR
_open_file = io.open


class Opened(NamedTuple):
    """A descriptor that was opened through os below the folder."""

    name: str  # its path then, relative to the folder
    owner: object
    identity: tuple[int, int]  # st_dev, st_ino
    content: Content | None  # of a file that can be written
    appends: bool


class FileCalls:
    """What replaces the functions, each under the name that it has in os."""

    def __init__(self, disk: Volume, places: Places) -> None:
        self._disk = disk
        self._places = places
        self.opened: dict[int, Opened] = {}

    def functions(self) -> dict[str, Callable[..., Any]]:
        """All of them, by name."""
        return {name: getattr(self, name) for name in _NAMES}

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        place = self._places.of(path, dir_fd)
        if place is None:
            fd = posix.open(path, flags, mode, dir_fd=dir_fd)
            self.opened.pop(fd, None)
            return fd
        emptied, made = None, False
        if flags & os.O_CREAT and look(place) is None:
            self._disk.making("create", self._places.name(place))
            with suppress(FileExistsError):
                fd = posix.open(path, flags | os.O_EXCL, mode, dir_fd=dir_fd)
                made = True
        elif flags & os.O_TRUNC and flags & _WRITING:
            emptied = self._cutting(place, 0, follow=not flags & os.O_NOFOLLOW)
        if not made:
            fd = posix.open(path, flags, mode, dir_fd=dir_fd)
        if emptied is not None:
            emptied.cut_off(0)
        self._note(fd, place, flags, made)
        return fd

    def _note(self, fd: int, place: str, flags: int, made: bool) -> None:
        found, content = posix.fstat(fd), None
        if made:
            self._disk.entries.made(place, found.st_ino)
            content = self._disk.contents.made(found.st_ino)
        elif flags & _WRITING and stat.S_ISREG(found.st_mode):
            content = self._disk.contents.of(found)
        identity, owner = (found.st_dev, found.st_ino), self._disk.owner()
        self.opened[fd] = Opened(
            self._places.name(place), owner, identity, content, bool(flags & os.O_APPEND)
        )

    def close(self, fd: int) -> None:
        self.opened.pop(fd, None)
        posix.close(fd)

    def release(self, opened: dict[int, Opened]) -> None:
        """Close descriptors whose owner is gone, so that their locks are gone too."""
        for fd, each in opened.items():
            del self.opened[fd]
            with suppress(OSError):
                found = posix.fstat(fd)
                if (found.st_dev, found.st_ino) == each.identity:
                    posix.close(fd)

    def open_file(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Callable[[str, int], int] | None = None,
    ) -> Any:
        fd = file
        if not isinstance(file, int):
            if opener is not None or not set(mode) & set("wax+") or self._places.of(file, None) is None:
                return _open_file(file, mode, buffering, encoding, errors, newline, closefd, opener)
            fd = self.open(file, flags_of(mode), 0o666)
        elif file not in self.opened:
            return _open_file(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = Stream(self, fd, mode.replace("t", "").replace("b", ""), closefd)
        raw.name = file
        return layered(raw, mode, buffering, encoding, errors, newline)

    def write(self, fd: int, data: Data) -> int:
        opened = self.opened.get(fd)
        if opened is None:
            return posix.write(fd, data)
        disk, content = self._disk, opened.content
        disk.before("write", opened.name)
        if content is not None and content.low and not opened.appends:
            content.change(f"/proc/self/fd/{fd}", posix.lseek(fd, 0, os.SEEK_CUR))
        if disk.full or disk.room is not None:
            offset = posix.fstat(fd).st_size if opened.appends else posix.lseek(fd, 0, os.SEEK_CUR)
            data = self._fitting(fd, data, offset)
        return posix.write(fd, data)

    def pwrite(self, fd: int, data: Data, offset: int) -> int:
        opened = self.opened.get(fd)
        if opened is None:
            return posix.pwrite(fd, data, offset)
        disk, content = self._disk, opened.content
        disk.before("pwrite", opened.name)
        if content is not None and offset < content.low:
            content.change(f"/proc/self/fd/{fd}", offset)
        if disk.full or disk.room is not None:
            data = self._fitting(fd, data, offset)
        return posix.pwrite(fd, data, offset)

    def posix_fallocate(self, fd: int, offset: int, length: int) -> None:
        if (opened := self.opened.get(fd)) is not None:
            self._disk.before("fallocate", opened.name)
            growth = offset + length - posix.fstat(fd).st_size
            self._disk.take(growth, least=growth)
        posix.posix_fallocate(fd, offset, length)

    def ftruncate(self, fd: int, length: int) -> None:
        content = None
        if (opened := self.opened.get(fd)) is not None:
            self._disk.before("truncate", opened.name)
            found = posix.fstat(fd)
            if (content := opened.content) is not None and length < found.st_size:
                content.change(f"/proc/self/fd/{fd}", length)
                self._disk.give_back(found.st_size - length)
        posix.ftruncate(fd, length)
        if content is not None:
            content.cut_off(length)

    def truncate(self, path: Any, length: int) -> None:
        if isinstance(path, int):
            return self.ftruncate(path, length)
        place = self._places.of(path, None)
        content = self._cutting(place, length) if place is not None else None
        posix.truncate(path, length)
        if content is not None:
            content.cut_off(length)
        return None

    def fsync(self, fd: int) -> None:
        opened = self.opened.get(fd)
        if opened is None:
            return posix.fsync(fd)
        self._disk.before("fsync", opened.name)
        found = posix.fstat(fd)
        self._disk.contents.sync(found)
        folder = stat.S_ISDIR(found.st_mode)  # known by its path, whatever it was renamed to meanwhile
        self._disk.entries.sync(posix.readlink(f"/proc/self/fd/{fd}") if folder else found.st_ino)
        return None

    fdatasync = fsync

    def sync(self) -> None:
        self._disk.before("sync", ".")
        opened = self.opened.items()
        self._disk.contents.sync_all({fd: each.content for fd, each in opened if each.content is not None})
        self._disk.entries.sync_all()

    def statvfs(self, path: Any) -> os.statvfs_result:
        found, disk = posix.statvfs(path), self._disk
        ours = path in self.opened if isinstance(path, int) else self._places.of(path, None) is not None
        if not ours or not (disk.full or disk.room is not None):
            return found
        free = 0 if disk.full else (disk.room or 0) // found.f_frsize
        figures = [*found, found.f_fsid]
        figures[3] = figures[4] = free  # f_bfree, f_bavail
        return os.statvfs_result(figures)

    def _cutting(self, place: str, length: int, *, follow: bool = True) -> Content | None:
        """Announce that a file becomes shorter, and remember what is durable of it; None for what is no file."""
        try:
            found = posix.stat(place, follow_symlinks=follow)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_size == length:
            return None
        self._disk.before("truncate", self._places.name(place))
        content = self._disk.contents.of(found)
        content.change(place, length)
        self._disk.give_back(found.st_size - length)
        return content

    def _fitting(self, fd: int, data: Data, offset: int) -> Data:
        """As much of the data as there is room for; ENOSPC when that is nothing."""
        view = memoryview(data).cast("B")
        growth = max(0, offset + len(view) - posix.fstat(fd).st_size)
        return view[: len(view) - growth + self._disk.take(growth, least=growth - len(view) + bool(view))]
