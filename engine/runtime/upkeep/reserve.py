"""A megabyte reserved on the disk of the workspace, so that an engine can start when the disk is full."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_SIZE = 1 << 20
_FULL = 256 << 10  # bytes; with less room SQLite cannot make the files that it needs to open
_ROOM = 16 << 20  # bytes that are free when the reserve is made (again)
_NAME = ".reserve"


def free(root: Path) -> int:
    """The bytes that we can still write."""
    room = os.statvfs(root)
    return room.f_bavail * room.f_frsize


def release(root: Path) -> bool:
    """Give the reserve up if the disk is full; whether it was."""
    with suppress(OSError):
        if free(root) < _FULL:
            os.unlink(root / _NAME)
            return True
    return False


def keep(root: Path) -> None:
    """Have the reserve, as soon as there is room for it and for others. OSError when it cannot be made."""
    path = f"{root}/{_NAME}"
    if os.path.exists(path) or free(root) < _ROOM:
        return
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, _SIZE)
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(fd)
