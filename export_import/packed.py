"""The large logs of a case stay compressed, as they came, and are read from there.

So a case takes a part of the disk that its logs would, and is there sooner. ``packed.zst`` holds the frames
of the bundle, one behind the other; ``packed.json`` says which of them make up which log: ``frames`` has the
offset and size of each by the sha256 of its content, ``logs`` for each name a list of ``[sha256, size]``, and
a text in the place of a part that is lost. A log that a program wants as a file is laid out in its place.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Self

from engine.context import DirectFiles
from engine.execution.files import trouble, write_all, write_new
from engine.model.codes.expressions import VALUE_TOO_BIG
from engine.model.disk import full, no_room
from engine.model.errors import SkerryError
from engine.model.expression import MAX_VALUE
from export_import.container.form import MIB, Entry, Ref, damaged
from export_import.container.frames import expand

FRAMES, INDEX = "packed.zst", "packed.json"
Part = tuple[str, int] | str  # an object's sha256 and size, or what stands in the place of a lost one
_LARGE = 4 * MIB  # bytes of a log that is kept so
LOGS = ("job.log", "job-error.log")
_AT_HAND = 3  # parts of a log: whoever draws, indexes and searches it reads in different places
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def _stays_packed(entry: Entry) -> bool:
    folder, _, name = entry.name.rpartition("/")
    return entry.size >= _LARGE and folder.startswith("instances/") and name in LOGS


class Pack:
    """Takes what a new case keeps packed: its large logs, whose ``names`` it tells; each object once."""

    def __init__(self, folder: Path, entries: Mapping[str, Entry]) -> None:
        self.names = frozenset(name for name, entry in entries.items() if _stays_packed(entry))
        self._folder = folder
        self._frames: dict[str, tuple[int, int]] = {}
        self._size = 0
        self._fd = os.open(folder / FRAMES, _NEW, 0o600) if self.names else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def add(self, sha256: str, frame: bytes) -> None:
        """Keep an object's frame; SkerryError when there is no room."""
        if sha256 in self._frames or self._fd is None:
            return
        try:
            write_all(self._fd, frame)
        except OSError as error:
            if no_room(error):
                raise full(error, str(self._folder / FRAMES)) from error
            raise
        self._frames[sha256] = self._size, len(frame)
        self._size += len(frame)

    def finish(self, parts: Callable[[str], Sequence[Part]]) -> None:
        """Write down what each log is made of."""
        if self.names:
            told = {"packed": 1, "frames": self._frames, "logs": {name: parts(name) for name in self.names}}
            write_new(str(self._folder / INDEX), json.dumps(told, ensure_ascii=False).encode())


class PackedLog:
    """A packed log, read by offset from any thread; what it hands out is verified."""

    def __init__(self, case: Path, places: Mapping[str, tuple[int, int]], parts: Sequence[Part]) -> None:
        self.case = case
        self._places = places
        self._parts = parts
        sizes = (len(part.encode()) if isinstance(part, str) else part[1] for part in parts)
        self._starts = list(accumulate(sizes, initial=0))
        self._lock = Lock()  # nobody reads from a descriptor that was given back
        self._fd: int | None = os.open(case / FRAMES, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._part = lru_cache(_AT_HAND)(self._unpacked)

    @property
    def size(self) -> int:
        """Bytes of the log."""
        return self._starts[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor and the memory back; nothing more is read."""
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
            self._fd = None
            self._part.cache_clear()

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes, fewer at the end; Refused when they are not what was imported."""
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
        offset, stored = self._places[sha256]
        assert self._fd is not None
        return expand(os.pread(self._fd, stored, offset), Ref(sha256, size, 0))


def packed_log(path: Path) -> PackedLog | None:
    """The packed log whose place is ``path``; None where there is a file, or nothing.

    Refused when the case's own list or store of them cannot be read.
    """
    if path.exists():
        return None
    case = next((folder for folder in path.parents if (folder / INDEX).is_file()), None)
    if case is None:
        return None
    told = _index(case)
    parts = told["logs"].get(path.relative_to(case).as_posix())
    try:
        return None if parts is None else PackedLog(case, told["frames"], parts)
    except OSError as error:
        raise damaged(f"{case / FRAMES} cannot be read: {error.strerror}", FRAMES) from error


def packed_paths(case: Path) -> list[Path]:
    """Where the packed logs of a case belong that are not laid out; none in a workspace."""
    if not (case / INDEX).is_file():
        return []
    return [path for name in _index(case)["logs"] if not (path := case / name).exists()]


def _index(case: Path) -> Any:
    try:
        return json.loads((case / INDEX).read_bytes())
    except ValueError as error:
        raise damaged(f"{case / INDEX} is not what was written: {error}", INDEX) from error


def lay_out(path: Path) -> None:
    """Make a packed log a file in its place; nothing happens where there is none.

    SkerryError when it cannot be written or is not what was imported: then there is no file.
    """
    log = packed_log(path)
    if log is None:
        return
    draft = log.case / f"packed.{os.urandom(4).hex()}"  # where nobody looks for files of the site
    try:
        with os.fdopen(os.open(draft, _NEW, 0o600), "wb") as out:
            out.writelines(log.chunks())
        draft.rename(path)
    except OSError as error:
        raise trouble(error, str(path)) from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file of a case for reading, packed or not; OSError where there is neither, SkerryError for damage."""
    log = packed_log(path)
    with open(path, "rb") if log is None else BufferedReader(_Stream(log), MIB) as file:
        yield file


class _Stream(RawIOBase):
    """A packed log as a file."""

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
                message = f"{root}/{name} has {log.size:,} bytes; an expression reads at most {limit:,}"
                raise SkerryError(VALUE_TOO_BIG, message, where=f"{root}/{name}")
            return log.read(0, log.size)
