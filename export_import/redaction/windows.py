"""Replacing in a stream as if it were one text: no find is lost at the edge of a piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

_WINDOW = 4 << 20
_LOOK_BACK = 64 << 10
_LONGEST = 16 << 20  # of one find; what goes on for longer is replaced up to there


def through(
    pieces: Iterable[bytes], find: Any, replaced: Callable[[bytes], bytes], overlap: int
) -> Iterator[bytes]:
    """The stream with every find of the expression ``find`` replaced.

    Looked at are windows of 4 MiB; the last ``overlap`` bytes of each are looked at again with what follows.
    """
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _WINDOW:
            text = b"".join(held)
            done, rest = _settled(text, find, replaced, _end(text, overlap))
            yield done
            held, size = [rest], len(rest)
    text = b"".join(held)
    yield _settled(text, find, replaced, len(text))[0]


def _end(text: bytes, overlap: int) -> int:
    """Where a window may be cut: behind a line where there is one."""
    limit = max(len(text) - overlap, 0)
    line = text.rfind(b"\n", max(limit - _LOOK_BACK, 0), limit)
    return line + 1 if line >= 0 else limit


def _settled(text: bytes, find: Any, replaced: Callable[[bytes], bytes], end: int) -> tuple[bytes, bytes]:
    """The text up to about ``end`` with its finds replaced, and the rest; no find is cut in two."""
    if find.search(text) is None:
        return text[:end], text[end:]
    out: list[bytes] = []
    done = 0
    for match in find.finditer(text):
        start, stop = match.span()
        if start >= end:
            break
        if stop > end and end < len(text) and len(text) < _LONGEST:
            end = start  # it may go on behind this window
            break
        out += (text[done:start], replaced(text[start:stop]))
        done = stop
    end = max(end, done)
    out.append(text[done:end])
    return b"".join(out), text[end:]
