"""Working with files in a call: opened safely, stopped on request, replaced as a whole, errors with codes."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from engine.model.codes import jobs
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import ErrorCode, SkerryError
from engine.plugins.job_type import Call

READING = (jobs.PARAMETER, jobs.MISSING, jobs.DENIED, jobs.NOT_A_FILE, jobs.TROUBLE)  # the codes of who reads
WRITING = (*READING, jobs.NO_SPACE)
CHUNK = 1 << 20  # bytes read at once

_BY_ERRNO: dict[int | None, ErrorCode] = {
    errno.ENOENT: jobs.MISSING,
    errno.ENOTDIR: jobs.MISSING,
    errno.ENAMETOOLONG: jobs.MISSING,  # no file can have it
    errno.EACCES: jobs.DENIED,
    errno.EPERM: jobs.DENIED,
    errno.EROFS: jobs.DENIED,
    errno.EISDIR: jobs.NOT_A_FILE,
    errno.ENXIO: jobs.NOT_A_FILE,
    errno.ENOSPC: jobs.NO_SPACE,
    errno.EDQUOT: jobs.NO_SPACE,
}


def file_error(error: OSError, path: Path | str) -> SkerryError:
    """The coded form of the operating system's error about ``path``."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else str(path)
    entry = _BY_ERRNO.get(error.errno, jobs.TROUBLE)
    return SkerryError.at(entry, "{error}: {where}", path, error=error.strerror or error)


@contextmanager
def file_errors(path: Path | str) -> Iterator[None]:
    """Every OSError inside becomes a SkerryError."""
    try:
        yield
    except OSError as error:
        raise file_error(error, path) from error


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; a pipe or a device never blocks the engine.

    Raises SkerryError: not there, no permission, not a regular file.
    """
    with file_errors(path):
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return os.fdopen(handle, "rb")
        os.close(handle)
    raise SkerryError.at(jobs.NOT_A_FILE, "not a regular file: {where}", path)


class ByteMeter:
    """Counts the bytes of long work: stops it on request and reports each new whole percent."""

    def __init__(self, call: Call, total: int, word: str) -> None:
        self._call = call
        self._total = max(total, 1)
        self._word = word
        self._done = 0
        self._shown = -1

    def add(self, amount: int) -> None:
        """So many bytes more are done. Raises SkerryError when a stop was requested."""
        self.reach(self._done + amount)

    def reach(self, done: int) -> None:
        """So many bytes are done in all. Raises SkerryError when a stop was requested."""
        stop_if_asked(self._call)
        self._done = done
        percent = min(100 * done // self._total, 100)
        if percent != self._shown:
            self._shown = percent
            self._call.progress(f"{percent} {self._word}")


def stop_if_asked(call: Call) -> None:
    """Raise SkerryError when a stop of the call was requested."""
    if call.cancel.requested:
        raise SkerryError(CANCELLED, "stopped on request")


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that takes ``target``'s place when all went well, and is gone when it did not.

    The mode of an existing target is kept; where the target is a link, what it leads to is replaced.
    """
    path = Path(os.path.realpath(target))
    mode = _mode(path)
    draft = path.with_name(f".skerry-{secrets.token_hex(8)}")
    with file_errors(path):
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise


def _mode(path: Path) -> int | None:
    """The permissions of what is there now; None when nothing is."""
    try:
        with file_errors(path):
            found = os.stat(path).st_mode
    except SkerryError as error:
        if error.entry is jobs.MISSING:
            return None
        raise
    if not stat.S_ISREG(found):
        raise SkerryError.at(jobs.NOT_A_FILE, "not a regular file: {where}", path)
    return stat.S_IMODE(found)
