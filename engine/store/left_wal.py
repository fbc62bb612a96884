"""What an unclean end left in the WAL of a SQLite file: is every transaction there that was on the disk?

SQLite plays a WAL in up to the first frame whose checksum does not fit, without a word: right for what was
being written when the power failed, wrong where a bit flipped. A transaction is synced before the next one
begins, so one that others follow was whole; and the index beside it (``-shm``) counts what was synced.
Formats: https://www.sqlite.org/fileformat2.html#walformat and https://www.sqlite.org/walformat.html
"""

from __future__ import annotations

import os
import sqlite3
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_HEADER = struct.Struct(">8I")  # magic, version, page size, checkpoint, 2 of salt, 2 of checksum
_FRAME = 24  # bytes before its page: page, pages of the database after a commit, 2 of salt, 2 of sum
_COPY = 48  # bytes of the index's head; it is there twice, and its count of filed frames after that
_MASK = 0xFFFFFFFF


class Index(NamedTuple):
    """What ``-shm`` says: frames of the WAL, how many are in the database already, and the WAL's salt."""

    frames: int = 0
    filed: int = 0
    salt: bytes = b""


class Before(NamedTuple):
    """What was there before the WAL is played in: the index, and the state of database and WAL."""

    files: tuple[tuple[int, int, int] | None, ...]
    found: Index


def before(path: Path) -> Before:
    """Read this before the file is opened: opening it rewrites the index."""
    return Before(_files(path), index_of(path))


def _files(path: Path) -> tuple[tuple[int, int, int] | None, ...]:
    return tuple(_state(f"{path}{suffix}") for suffix in ("", "-wal"))


def _state(path: str) -> tuple[int, int, int] | None:
    with suppress(OSError):
        found = os.stat(path)
        return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else None
    return None


def index_of(path: Path) -> Index:
    """The index as it is now; zeros where it says nothing sure."""
    data = _head(f"{path}-shm")
    if len(data) < 2 * _COPY + 4 or data[:_COPY] != data[_COPY : 2 * _COPY]:
        return Index()
    [frames], [filed] = struct.unpack_from("=I", data, 16), struct.unpack_from("=I", data, 96)
    return Index(frames, filed, data[32:40])


def _head(path: str) -> bytes:
    """The first bytes of a file as another process reads them.

    A process that closes any descriptor of a file drops all its locks on it, SQLite's too (fcntl(2)): whoever
    opens the database next takes it for unused, and cuts the index that is mapped here.
    """
    if not os.path.isfile(path):
        return b""
    asked = ("head", "-c", str(2 * _COPY + 4), path)
    return subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout


def lost_frames(connection: sqlite3.Connection, path: Path, before: Before) -> bool:
    """Whether transactions that had been written whole are not there any more; this plays the WAL in.

    What another process wrote or closed since ``before`` leaves nothing to compare.
    """
    [page] = connection.execute("PRAGMA page_size").fetchone()
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    lost = _is_lost(path, page, before.found)
    return lost and _files(path) == before.files


def _is_lost(path: Path, page: int, before: Index) -> bool:
    with suppress(FileNotFoundError):
        fd = os.open(f"{path}-wal", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return _lost(fd, page, path, before)
        finally:
            os.close(fd)
    return before.frames > before.filed


def _lost(fd: int, page: int, path: Path, before: Index) -> bool:
    header = os.pread(fd, _HEADER.size, 0)
    if len(header) < _HEADER.size:
        return before.frames > before.filed
    salt = header[16:24] if _is_sound(header) else os.pread(fd, 8, _HEADER.size + 8)
    found = list(_frames(fd, page, salt))
    played = index_of(path).frames  # asked after them: who writes just now is not ahead of what is counted
    followed = any(commit for at, commit in found[:-1] if at >= played)
    return followed or (before.salt == salt and before.frames > max(played, before.filed))


def _frames(fd: int, page: int, salt: bytes) -> Iterator[tuple[int, bool]]:
    """The frames written since the WAL was begun: the number of each, and whether it is a commit."""
    size = _FRAME + page
    for at in range((os.fstat(fd).st_size - _HEADER.size) // size):
        head = os.pread(fd, _FRAME, _HEADER.size + at * size)
        if head[8:16] == salt:
            yield at, head[4:8] != bytes(4)


def _is_sound(header: bytes) -> bool:
    one = two = 0
    for first, second in struct.iter_unpack(">II" if header[3] & 1 else "<II", header[:24]):
        one = (one + first + two) & _MASK
        two = (two + second + one) & _MASK
    return header[24:] == struct.pack(">2I", one, two)
