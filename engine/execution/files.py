"""Small steps with files that a program may have replaced: no link is followed, nothing blocks."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from engine.model.codes.processes import DIRECTORY_CHANGED, DIRECTORY_FAILED
from engine.model.disk import full, no_room
from engine.model.errors import SkerryError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_TAMPERED = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EMLINK}
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def trouble(error: OSError, path: str) -> SkerryError:
    """The coded form of what the system said about a path in a job's directory."""
    if no_room(error):
        return full(error, path)
    entry = DIRECTORY_CHANGED if error.errno in _TAMPERED else DIRECTORY_FAILED
    return SkerryError.at(entry, "{error}: {where}", path, error=error.strerror)


class directory_errors:
    """An OSError of the block as ``trouble`` with this path.

    A class: a generator as context manager costs eight calls, and each job comes here four times.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise trouble(error, self._path) from error


def close_all(fds: Iterable[int]) -> None:
    """Close what can be closed."""
    for fd in fds:
        try:  # noqa: SIM105  suppress() costs four times a close
            os.close(fd)
        except OSError:
            pass


def write_new(path: str, data: bytes, folder: int | None = None) -> None:
    """Make a file that is not there yet."""
    fd = os.open(path, _NEW, PRIVATE_FILE, dir_fd=folder)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; OSError when the disk does not take them."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def put_all(fd: int, data: bytes) -> None:
    """Write every byte at the beginning of a file; the offset stays. OSError when the disk is full."""
    if os.pwrite(fd, data, 0) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def append_all(fd: int, data: bytes) -> None:
    """Add every byte to a file that is open for appending, or none of them (then OSError)."""
    written = os.write(fd, data)
    if written == len(data):
        return
    try:
        while written < len(data):
            written += os.write(fd, data[written:])
    except OSError:
        os.ftruncate(fd, os.fstat(fd).st_size - written)
        raise


def replace(path: str, data: bytes, folder: int | None = None, *, durable: bool = False) -> None:
    """Make or replace a file as a whole: a reader sees the old bytes or the new ones.

    A link in its place is replaced, not followed; anything but a folder gives way. ``durable``: it is on the
    disk when this returns.
    """
    draft = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder)
    try:
        write_new(draft, data, folder)
        if durable:
            sync(draft, folder)
    except OSError:
        with suppress(OSError):  # half of it is nothing to leave behind
            os.unlink(draft, dir_fd=folder)
        raise
    os.replace(draft, path, src_dir_fd=folder, dst_dir_fd=folder)
    if durable:
        sync(os.path.dirname(path) or ".", folder)


def sync(path: str, folder: int | None = None) -> None:
    """Have the system write a file, or the entries of a folder, to the disk; OSError when that failed."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def open_log(path: str) -> int:
    """A descriptor that appends to a log file, made when it is not there; OSError if it is no plain file."""
    try:
        return os.open(path, _APPEND | os.O_EXCL, PRIVATE_FILE)
    except FileExistsError:
        fd = os.open(path, _APPEND | os.O_NONBLOCK, PRIVATE_FILE)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        os.set_blocking(fd, True)
        return fd
    os.close(fd)
    raise OSError(errno.ENXIO, "not a plain file", path)


def open_folder(path: str, folder: int | None = None) -> int:
    """A descriptor of a folder; OSError (ELOOP, ENOTDIR) when something else is there."""
    return os.open(path, _FOLDER, dir_fd=folder)


def open_plain(name: str, folder: int | None = None) -> tuple[int, os.stat_result] | None:
    """Open a plain file for reading; None when it is anything else. OSError when it is not there."""
    try:
        fd = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        if error.errno in _TAMPERED:
            return None
        raise
    found = os.fstat(fd)
    if stat.S_ISREG(found.st_mode):
        return fd, found
    os.close(fd)
    return None


def read_up_to(fd: int, most: int) -> bytes:
    """Bytes up to the end of the file, at most ``most``."""
    pieces: list[bytes] = []
    left = most
    while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_beginning(path: str, most: int) -> bytes | None:
    """Up to ``most`` bytes of a plain file; None where there is none. OSError when reading fails."""
    try:
        opened = open_plain(path)
    except OSError:
        return None
    if opened is None:
        return None
    try:
        return read_up_to(opened[0], most)
    finally:
        os.close(opened[0])
