"""The large logs of a case stay compressed, as they came, and are read from there.

So a case takes a part of the disk that its logs would, and is there sooner. ``packed.zst`` holds the frames
of the bundle, one behind the other; ``packed.json`` says which of them make up which log: ``frames`` has the
offset and size of each by the sha256 of its content, ``logs`` for each name a list of ``[sha256, size]``, and
or a text instead of a part that is lost, ``sum`` the checksum of all that.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from engine.context import DirectFiles
from engine.execution.files import trouble, write_all, write_new
from engine.model.closing import Closing
from engine.model.codes.expressions import VALUE_TOO_BIG
from engine.model.disk import read_file, room_on_disk
from engine.model.errors import Refused, SkerryError
from engine.model.expression import MAX_VALUE
from engine.model.plain_words import wording
from export_import.case import CASE_FILE
from export_import.container.form import MIB, Entry, Ref, canonical, damaged, header_sum
from export_import.container.frames import expand

FRAMES, INDEX = "packed.zst", "packed.json"
Part = tuple[str, int] | str  # an object's sha256 and size, or what replaces a lost one
Mend = Callable[[SkerryError, int], bytes]
_LARGE = 4 * MIB  # bytes of a log that is kept so
_PART = 64 << 10  # bytes of its objects on the average: a log of crumbs would be slow to read
LOGS = ("job.log", "job-error.log")
_PLACE = re.compile(r"instances/task-[^/]+/jobs/job-[^/]+/(?:attempts/\d+/)?(?:job|job-error)\.log")
_AT_HAND = 3  # parts of a log: whoever draws, indexes and searches it reads in different places
_WRITING = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def _stays_packed(entry: Entry) -> bool:
    large = entry.size >= max(_LARGE, len(entry.objects) * _PART)
    return large and _PLACE.fullmatch(entry.name) is not None


class Pack(Closing):
    """Takes what a new case keeps packed: its large logs, whose ``names`` it has; each object once."""

    def __init__(self, folder: Path, entries: Mapping[str, Entry]) -> None:
        self.names = frozenset(name for name, entry in entries.items() if _stays_packed(entry))
        self._folder = folder
        self._frames: dict[str, tuple[int, int]] = {}
        self._size = 0
        self._fd = os.open(folder / FRAMES, _WRITING | os.O_EXCL, 0o600) if self.names else None

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def add(self, sha256: str, frame: bytes) -> None:
        """Keep an object's frame; SkerryError when there is no room."""
        if sha256 in self._frames or self._fd is None:
            return
        with room_on_disk(str(self._folder / FRAMES)):
            write_all(self._fd, frame)
        self._frames[sha256] = self._size, len(frame)
        self._size += len(frame)

    def finish(self, parts: Callable[[str], Sequence[Part]]) -> None:
        if self.names:
            payload = {
                "packed": 1,
                "frames": self._frames,
                "logs": {name: parts(name) for name in self.names},
            }
            write_new(str(self._folder / INDEX), canonical({**payload, "sum": header_sum(payload)}))


class PackedLog(Closing):
    """A packed log, read by offset from any thread; what it hands out is verified."""

    def __init__(
        self, store: Path, places: Mapping[str, tuple[int, int]], parts: Sequence[Part], mend: Mend | None
    ) -> None:
        self._places = places
        self._parts = parts
        self._mend = mend
        sizes = (len(part.encode()) if isinstance(part, str) else part[1] for part in parts)
        self._starts = list(accumulate(sizes, initial=0))
        self._lock = Lock()  # no thread reads from a closed descriptor
        self._fd: int | None = os.open(store, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._part = lru_cache(_AT_HAND)(self._unpacked)

    @property
    def size(self) -> int:
        return self._starts[-1]

    def close(self) -> None:
        """Give the descriptor and the memory back; nothing more is read."""
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
            self._fd = None
            self._part.cache_clear()

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes, fewer at the end; Refused (without ``mend``) when they cannot be had."""
        end = min(offset + length, self.size)
        found: list[bytes] = []
        while offset < end:
            number = bisect_right(self._starts, offset) - 1
            start, upto = self._starts[number], min(self._starts[number + 1], end)
            found.append(self._at_hand(number)[offset - start : upto - start])
            offset = upto
        return b"".join(found)

    def chunks(self) -> Iterator[bytes]:
        """All of it, in pieces of at most 4 MiB; then it is closed."""
        with self:
            for number in range(len(self._parts)):
                yield self._at_hand(number)

    def _at_hand(self, number: int) -> bytes:
        with self._lock:
            return self._part(number) if self._fd is not None else b""

    def _unpacked(self, number: int) -> bytes:
        part = self._parts[number]
        if isinstance(part, str):
            return part.encode()
        sha256, size = part
        try:
            return expand(self._frame(sha256), Ref(sha256, size, 0))
        except SkerryError as error:
            if self._mend is None:
                raise
            return self._mend(error, size)

    def _frame(self, sha256: str) -> bytes:
        offset, stored = self._places[sha256]
        assert self._fd is not None
        try:
            return os.pread(self._fd, stored, offset)
        except OSError as error:
            raise _unreadable(error) from error


def packed_log(path: Path, mend: Mend | None = None) -> PackedLog | None:
    """The packed log whose place is ``path``; None where there is a file, or nothing.

    ``mend`` makes the replacement of a part that is not what was imported, of the same size.
    Refused when the case's own list or store of them cannot be read.
    """
    case = None if os.path.exists(path) else _case_of(path)
    if case is None:
        return None
    index = _index(case)
    parts = index["logs"].get(path.relative_to(case).as_posix())
    try:
        return None if parts is None else PackedLog(case / FRAMES, index["frames"], parts, mend)
    except OSError as error:
        raise _unreadable(error) from error


def _case_of(path: Path) -> Path | None:
    """The case with packed logs that a path is in; what lies below ``instances`` came with a bundle."""
    folders = (above.parent for above in reversed(path.parents) if above.name == "instances")
    return next((each for each in folders if _has_packed(each)), None)


def _has_packed(root: Path) -> bool:
    return os.path.isfile(root / CASE_FILE) and os.path.isfile(root / INDEX)


def packed_paths(root: Path) -> list[Path]:
    """Where the packed logs of a case belong; none in a workspace. Refused as ``packed_log``."""
    if not _has_packed(root):
        return []
    return [path for name in _index(root)["logs"] if not os.path.exists(path := root / name)]


def _index(case: Path) -> dict[str, Any]:
    try:
        found = os.stat(case / INDEX)
        return _checked(case / INDEX, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise _unreadable(error) from error


@lru_cache(maxsize=1)  # a search asks for every log of the same case
def _checked(index: Path, _changed: int, _size: int) -> dict[str, Any]:
    try:
        payload = json.loads(read_file(index))
    except (ValueError, RecursionError) as error:
        raise damaged(
            "{file} is not what was written: {error}", INDEX, file=index, error=wording(error)
        ) from error
    if not isinstance(payload, dict) or payload.get("sum") != header_sum(payload):
        raise damaged("{file} is not what was written", INDEX, file=index)
    return payload


def _unreadable(error: OSError) -> Refused:
    return damaged(
        "the large logs of the case cannot be read: {error}", error.filename or FRAMES, error=error.strerror
    )


def lay_out(path: Path, to: Path) -> None:
    """Make a packed log a file at ``to``; nothing happens where there is none.

    SkerryError when it cannot be written or is not what was imported.
    """
    log = packed_log(path)
    if log is None:
        return
    try:
        with log, os.fdopen(os.open(to, _WRITING | os.O_TRUNC, 0o600), "wb") as out:
            out.writelines(log.chunks())
    except OSError as error:
        raise trouble(error, str(to)) from error


def tail(path: Path, length: int) -> str:
    """The last ``length`` bytes of a log, packed or not; nothing where it cannot be read."""
    with suppress(OSError, SkerryError), opened(path) as log:
        log.seek(max(log.seek(0, SEEK_END) - length, 0))
        return log.read(length).decode("utf-8", "replace")
    return ""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file of a case for reading, packed or not; OSError where there is neither, SkerryError for damage."""
    log = packed_log(path)
    with open(path, "rb") if log is None else BufferedReader(_PackedStream(log), MIB) as file:
        yield file


class _PackedStream(RawIOBase):
    def __init__(self, log: PackedLog) -> None:
        self._log = log
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        self._at = max({SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self._log.size}[whence] + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._log.read(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        self._log.close()
        super().close()


class CaseFiles:
    """Reads values of a case for expressions (see ``engine.context.FileReader``), packed or not."""

    def read(self, root: str, name: str, limit: int = MAX_VALUE) -> bytes:
        """See ``FileReader``."""
        log = packed_log(Path(root, name))
        if log is None:
            return DirectFiles().read(root, name, limit)
        with log:
            if log.size > limit:
                template = "{where} has {size:,} bytes; an expression reads at most {limit:,}"
                raise SkerryError.at(VALUE_TOO_BIG, template, f"{root}/{name}", size=log.size, limit=limit)
            return log.read(0, log.size)
