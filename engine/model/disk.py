"""Files and their disk: read whole, brought to the disk, and what a disk without room is called."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine.model.codes.store import BUSY, DISK_ERROR, DISK_FULL
from engine.model.errors import SkerryError
from engine.model.message import Message

_FULL = {errno.ENOSPC, errno.EDQUOT}


def no_room(error: BaseException | None) -> bool:
    """Whether that is what an error says."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    return isinstance(error, SkerryError) and error.entry is DISK_FULL


def may_pass(error: BaseException | None) -> bool:
    """Whether the same may work later: there is no room, the disk failed, or others have the database."""
    if isinstance(error, SkerryError):
        return error.entry in (DISK_FULL, DISK_ERROR, BUSY) or may_pass(error.__cause__)
    return no_room(error) or (isinstance(error, OSError) and error.errno == errno.EIO)


def full(error: OSError, path: str) -> SkerryError:
    """The coded form, also of a disk that failed; it names the disk."""
    entry = DISK_FULL if no_room(error) else DISK_ERROR
    return SkerryError.at(entry, "{error}: {where} ({disk})", path, error=error.strerror, disk=disk_of(path))


@contextmanager
def room_on_disk(path: str) -> Iterator[None]:
    """SkerryError where the disk has no room for it."""
    try:
        yield
    except OSError as error:
        if no_room(error):
            raise full(error, path) from error
        raise


def disk_of(path: str) -> str:
    """The disk that a path is on, as an operator knows it: ``/dev/sda1 at /data``."""
    with suppress(OSError, ValueError, IndexError, StopIteration):
        there = path
        while not os.path.exists(there) and there not in ("", "/"):
            there = os.path.dirname(there)
        device = os.stat(there or ".").st_dev
        number = f"{os.major(device)}:{os.minor(device)}"
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = [line.split() for line in file]
        words = next(each for each in reversed(lines) if each[2] == number)
        return Message.of("{device} at {folder}", device=words[words.index("-") + 2], folder=words[4])
    return Message.of("its disk")


def read_file(path: str | os.PathLike[str]) -> bytes:
    """What a file holds, also by way of a link; OSError for a pipe or a folder, which is not waited for."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        return file.read()


def end_of(path: str | os.PathLike[str], size: int) -> bytes:
    """The last so many bytes of a plain file; OSError for anything else."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        return os.pread(fd, size, max(0, found.st_size - size)) if stat.S_ISREG(found.st_mode) else b""
    finally:
        os.close(fd)


def read_plain(path: str | os.PathLike[str]) -> bytes | None:
    """What a plain file holds; None for anything else, which is not waited for either."""
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(fd).st_mode) else None
    return None


def sync_path(path: str | os.PathLike[str]) -> None:
    """What a file or folder holds now is on the disk afterwards."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
