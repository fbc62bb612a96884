"""What comes out of gz, bz2, xz and zst, by bounded steps; nothing is believed of its size."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

import zstandard

from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from jobs_builtin.archives.budget import Budget
from jobs_builtin.archives.codes import DAMAGED, UNSUPPORTED

MEMORY = 1 << 27  # bytes of window for xz and zst: `xz -9` and `zstd --ultra -22` need less
STEP = 1 << 16
ZST_STEP = 1 << 10  # zst has no limit of its own on what a step gives: 1 KiB in is at most 32 MiB out
_DAMAGED = "what is to be unpacked is damaged, or of another form"

Open = Callable[[BinaryIO, Callable[[], None]], "Readable"]


class Readable(Protocol):
    """``read`` gives at most ``size`` bytes or a little more, and b"" at the end."""

    def read(self, size: int, /) -> bytes: ...


class BudgetedStream:
    """Counts what is read against the budget, and can look ahead."""

    def __init__(self, source: Readable, budget: Budget) -> None:
        self._source = source
        self._budget = budget
        self._ahead = b""
        self._at = 0

    def read(self, size: int) -> bytes:
        """``size`` bytes; fewer only at the end. Raises SkerryError: damaged, or over the budget."""
        parts = []
        while size and (part := self._part(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def peek(self, size: int) -> bytes:
        """The next ``size`` bytes without taking them."""
        data = self.read(size)
        self._ahead, self._at = data + self._ahead[self._at :], 0
        return data

    def pieces(self, step: int = STEP) -> Iterator[bytes]:
        while piece := self.read(step):
            yield piece

    def _part(self, size: int) -> bytes:
        if self._at == len(self._ahead):
            self._ahead, self._at = self._piece(max(size, STEP)), 0
        part = self._ahead[self._at : self._at + size]
        self._at += len(part)
        return part

    def _piece(self, size: int) -> bytes:
        with _codec_errors():
            piece = self._source.read(size)
        self._budget.add(len(piece))
        return piece


@contextmanager
def _codec_errors() -> Iterator[None]:
    """What the codecs of the standard library and zstandard raise on bad data."""
    try:
        yield
    except SkerryError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise SkerryError(DAMAGED, _DAMAGED) from error
    except Exception as error:
        # Each codec has its own classes (EOFError, zlib.error, LZMAError, ZstdError); all mean this.
        hungry = "memory" in str(error).lower()
        raise SkerryError(
            UNSUPPORTED if hungry else DAMAGED, wording(error) if hungry else _DAMAGED
        ) from error


def opener(head: bytes) -> Open | None:
    """How to read a file that begins with ``head``; None when it is not compressed."""
    if head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F:  # a frame to be skipped comes first
        return _zst
    return next((found for magic, found in _BY_MAGIC.items() if head.startswith(magic)), None)


def _gz(file: BinaryIO, tick: Callable[[], None]) -> Readable:
    return gzip.GzipFile(fileobj=file, mode="rb")


def _bz2(file: BinaryIO, tick: Callable[[], None]) -> Readable:
    return bz2.BZ2File(file)


def _xz(file: BinaryIO, tick: Callable[[], None]) -> Readable:
    def new() -> Any:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)

    return _Frames(file, new, STEP, tick)


def _zst(file: BinaryIO, tick: Callable[[], None]) -> Readable:
    codec = zstandard.ZstdDecompressor(max_window_size=MEMORY)
    return _Frames(file, lambda: _ZstFrame(codec.decompressobj()), ZST_STEP, tick)


_BY_MAGIC: dict[bytes, Open] = {
    b"\x1f\x8b": _gz,
    b"BZh": _bz2,
    b"\xfd7zXZ\0": _xz,
    b"\x28\xb5\x2f\xfd": _zst,
}


class _ZstFrame:
    """A zst frame with the interface of the standard library's decompressors."""

    needs_input = True

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def eof(self) -> bool:
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._frame.unused_data)

    def decompress(self, data: bytes, size: int) -> bytes:
        return bytes(self._frame.decompress(data))


class _Frames:
    """Frames one after the other, with zeros as padding between them; a cut one is an error."""

    def __init__(self, file: BinaryIO, new: Callable[[], Any], step: int, tick: Callable[[], None]) -> None:
        self._file = file
        self._new = new
        self._step = step
        self._tick = tick
        self._frame = new()
        self._rest = b""  # what was read after the last frame's end

    def read(self, size: int, /) -> bytes:
        while not self._frame.eof or self._next():
            data = self._input() if self._frame.needs_input else b""
            out: bytes = self._frame.decompress(data, size)
            if out:
                return out
        return b""

    def _input(self) -> bytes:
        self._tick()
        data = self._rest or self._file.read(self._step)
        self._rest = b""
        if not data:
            raise EOFError("it ends in the middle")
        return data

    def _next(self) -> bool:
        """Begin the next frame, if there is one."""
        rest = self._frame.unused_data.lstrip(b"\0")
        while not rest and (more := self._file.read(self._step)):
            rest = more.lstrip(b"\0")
        self._rest = rest
        self._frame = self._new() if rest else self._frame
        return bool(rest)
