"""Replacing in a stream as if it were one text: no find is lost at the edge of a piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

Span = tuple[int, int, bytes]  # from, to, and what stands there afterwards
Finder = Callable[[bytes], Iterable[Span]]  # in order, none within another
_WINDOW = 512 << 10
_LOOK_BACK = 64 << 10
_LONGEST = 16 << 20  # of one find; what goes on for longer is replaced up to there


def through(pieces: Iterable[bytes], find: Finder, overlap: int) -> Iterator[bytes]:
    """The stream with every find replaced.

    Looked at are windows of 512 KiB; the last ``overlap`` bytes of each are looked at
    again with what follows.
    """
    held: list[bytes] = []
    size, wanted = 0, _WINDOW
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= wanted:
            text = b"".join(held)
            done, rest = _settled(text, find, _end(text, overlap))
            yield done
            held, size = [rest], len(rest)
            wanted = max(_WINDOW, 2 * size)
    text = b"".join(held)
    yield _settled(text, find, len(text))[0]


def replaced(text: bytes, find: Finder) -> bytes:
    """A whole text with every find replaced; the very same object when there is none."""
    return _settled(text, find, len(text))[0]


def _end(text: bytes, overlap: int) -> int:
    """Where a window may be cut: behind a line where there is one."""
    limit = max(len(text) - overlap, 0)
    line = text.rfind(b"\n", max(limit - _LOOK_BACK, 0), limit)
    return line + 1 if line >= 0 else limit


def _settled(text: bytes, find: Finder, end: int) -> tuple[bytes, bytes]:
    """The text up to about ``end`` with its finds replaced, and the rest; no find is cut in two."""
    out: list[bytes] = []
    done = 0
    for start, stop, new in find(text):
        if start >= end:
            break
        if stop > end and end < len(text) < _LONGEST:
            end = start  # it may go on behind this window
            break
        out += (text[done:start], new)
        done = stop
    if not out and end == len(text):
        return text, b""
    end = max(end, done)
    out.append(text[done:end])
    return b"".join(out), text[end:]
