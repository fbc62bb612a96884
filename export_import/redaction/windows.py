"""Replacing in a stream as if it were one text: no find is lost at the edge of a piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from export_import.container.pieces import Bytes

Span = tuple[int, int, bytes]  # from, to, and the replacement
Finder = Callable[[bytes], Iterable[Span]]  # in order, none within another
Before = Callable[[bytes, int], bytes]  # what to read again before what follows a place of a text
_WINDOW = 256 << 10  # at least; as a rule what arrives at once
_LOOK_BACK = 64 << 10
_LONGEST = 16 << 20  # of one find; what goes on for longer is replaced up to there


def through(
    pieces: Iterable[Bytes], find: Finder, overlap: int, before: Before = lambda text, end: b"", skip: int = 0
) -> Iterator[Bytes]:
    """The stream from byte ``skip`` on with every find replaced.

    It is looked at in windows; the last ``overlap`` bytes of each are looked at again with what follows,
    behind what ``before`` gives of the window: the value of a name that is already gone may follow.
    """
    known, begin = b"", skip
    held: list[Bytes] = []
    size, enough = 0, skip + _WINDOW
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= enough:
            text = b"".join((known, *held))
            done, rest = _settled(text, find, _end(text, overlap), begin)
            yield done
            known = before(text, len(text) - len(rest))
            begin = len(known)
            held, size = [rest], len(rest)
            enough = max(_WINDOW, 2 * size)
    text = b"".join((known, *held))
    yield _settled(text, find, len(text), begin)[0]


def replaced(text: bytes, find: Finder) -> bytes:
    """A whole text with every find replaced; the very same object when there is none."""
    done, _ = _settled(text, find, len(text))
    return done if isinstance(done, bytes) else bytes(done)


def _end(text: bytes, overlap: int) -> int:
    """Where a window may be cut: behind a line where there is one."""
    limit = max(len(text) - overlap, 0)
    line = text.rfind(b"\n", max(limit - _LOOK_BACK, 0), limit)
    return line + 1 if line >= 0 else limit


def _settled(text: bytes, find: Finder, end: int, begin: int = 0) -> tuple[Bytes, Bytes]:
    """The text from ``begin`` to about ``end`` with its finds replaced, and the rest; no find is cut."""
    out: list[bytes] = []
    done = begin
    for start, stop, new in find(text):
        if stop <= begin:
            continue
        if start >= end:
            break
        start = max(start, begin)
        if stop > end and end < len(text) < _LONGEST:
            end = start  # it may go on behind this window
            break
        out += (text[done:start], new)
        done = stop
    if not out and end == len(text) and not begin:
        return text, b""
    end = max(end, done)
    whole = memoryview(text)  # what is cut off it is no copy
    return b"".join((*out, whole[done:end])) if out else whole[begin:end], whole[end:]


def both(first: Finder, second: Finder) -> Finder:
    """What ``second`` finds in what ``first`` has left, as finds in the original text."""

    def found(text: bytes) -> Iterable[Span]:
        spans = list(first(text))
        return _joined(text, spans, second) if spans else second(text)

    return found


class _Edit(NamedTuple):
    """A place in a text: what it becomes (None: it stays), and how many bytes more it had before."""

    start: int
    stop: int
    new: bytes | None
    lost: int


def _joined(text: bytes, spans: list[Span], second: Finder) -> Iterator[Span]:
    """Finds of both that lie upon each other become one."""
    after, edits, lost = replaced(text, lambda _: spans), [], 0
    for start, stop, new in spans:
        edits.append(_Edit(start - lost, start - lost + len(new), None, stop - start - len(new)))
        lost += edits[-1].lost
    edits += [_Edit(*span, 0) for span in second(after)]
    lost = 0
    for group in _groups(sorted(edits, key=lambda edit: edit.start)):
        start, stop = group[0].start, max(edit.stop for edit in group)
        first, lost = start + lost, lost + sum(edit.lost for edit in group)
        yield first, stop + lost, _edited(after, start, stop, group)


def _groups(edits: Iterable[_Edit]) -> Iterator[list[_Edit]]:
    group: list[_Edit] = []
    for edit in edits:
        if group and edit.start >= max(each.stop for each in group):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _edited(text: bytes, start: int, stop: int, edits: list[_Edit]) -> bytes:
    out: list[bytes] = []
    for edit in edits:
        if edit.new is not None:
            out += (text[start : edit.start], edit.new)
            start = edit.stop
    return b"".join((*out, text[start:stop]))
