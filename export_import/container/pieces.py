"""From a file's bytes to objects: cut at line ends, hashed and compressed beside the reading."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from threading import local

import zstandard

from export_import.container.form import OBJECT
from export_import.container.workers import PoolTask, Workers

USUAL = OBJECT // 4  # what is cut in fact: it fits a processor, and larger objects hardly compress better
_LEVEL = 1  # measured on logs: 3 takes twice as long and saves at most 4 %, 9 takes eight times as long
_THREADS = 2
_WAITING = 2  # pieces under way: they and their results are what a writer needs of memory
_LOOK_BACK = 64 << 10
_NEWLINE = 10
Bytes = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Piece:
    """One object: its name, its size, its compressed form (None where it is stored already)."""

    digest: str
    size: int
    stored: bytes | None


def cut(chunks: Iterable[Bytes], most: int = OBJECT) -> Iterator[Bytes]:
    """The same bytes in pieces of at most ``most``, where possible cut behind a line.

    What arrives as whole lines and has about the right size stays as it is.
    """
    waiting: list[Bytes] = []
    size = 0
    for chunk in chunks:
        if not size and most // 4 <= len(chunk) <= most and chunk[-1] == _NEWLINE:
            yield chunk
            continue
        waiting.append(chunk)
        size += len(chunk)
        if size >= most:
            whole, done = b"".join(waiting), 0
            while size - done >= most:
                end = _end_of_line(whole, done, done + most)
                yield memoryview(whole)[done:end]  # no copy: it is hashed and compressed as it lies there
                done = end
            waiting, size = [whole[done:]], size - done
    if size:
        yield b"".join(waiting)


def _end_of_line(data: bytes, start: int, most: int) -> int:
    found = data.rfind(b"\n", max(most - _LOOK_BACK, start), most)
    return found + 1 if found >= 0 else most


class _Compressor(local):
    """One for each thread: to make one takes as long as half an object, and none may be shared."""

    def __init__(self) -> None:
        self._made = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        self._fault = zstandard.ZstdError

    def compress(self, data: Bytes) -> bytes:
        """A frame; MemoryError: nothing else can be amiss with bytes."""
        try:
            frame: bytes = self._made.compress(data)
        except self._fault as error:
            raise MemoryError(str(error)) from error
        return frame


def compress(data: bytes) -> bytes:
    """One zstd frame that says its size and carries a checksum."""
    return _Compressor().compress(data)


class Press:
    """Makes objects of pieces in threads and hands them to ``take`` in the order they came.

    ``known`` says which objects need no compression because they are stored already.
    """

    def __init__(self, known: Callable[[str], bool], take: Callable[[Piece], int]) -> None:
        self._known = known
        self._take = take
        self._pool = Workers(_THREADS)
        self._compressor = _Compressor()
        self.under_way = 0  # bytes, before compression
        self._under_way: deque[tuple[PoolTask[Piece], list[tuple[str, int, int]]]] = deque()

    def put(self, data: Bytes, refs: list[tuple[str, int, int]]) -> None:
        """Begin with a piece; its (digest, size, volume) is added to ``refs`` when it is done."""
        self.under_way += len(data)
        self._under_way.append((self._pool.submit(self._pressed, data), refs))
        while len(self._under_way) > _WAITING:
            self._finish_one()

    def drain(self) -> None:
        while self._under_way:
            self._finish_one()

    def close(self) -> None:
        """Stop the threads; what is under way is dropped."""
        self._pool.close(drop=True)

    def _finish_one(self) -> None:
        task, refs = self._under_way.popleft()
        piece = task.result()
        self.under_way -= piece.size
        refs.append((piece.digest, piece.size, self._take(piece)))

    def _pressed(self, data: Bytes) -> Piece:
        digest = sha256(data).hexdigest()
        stored = None if self._known(digest) else self._compressor.compress(data)
        return Piece(digest, len(data), stored)
