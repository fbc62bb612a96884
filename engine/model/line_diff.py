"""Differences of texts by lines, in time that grows with the texts and not with their square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

MOST = 1000  # lines that are compared with each other; more are shown as one stretch
_AROUND = 3
Opcode = tuple[str, int, int, int, int]


def line_diff(old: Sequence[str], new: Sequence[str], a: str, b: str) -> Iterator[str]:
    """A unified difference, as ``difflib.unified_diff`` with ``lineterm=""``; nothing where there is none.

    Where more than ``MOST`` lines lie between the first and the last that differ, those are given as one
    stretch: all old ones, then all new ones. Nothing is left out.
    """
    codes = list(_opcodes(old, new))
    if all(tag == "equal" for tag, *_ in codes):
        return
    yield from (f"--- {a}", f"+++ {b}")
    for group in _groups(codes):
        yield f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@"
        yield from _told(group, old, new, "")


def whole_diff(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The whole later text, with ``+`` and ``-`` and a blank before the lines that are new and gone."""
    yield from _told(_opcodes(old, new), old, new, " ")


def _told(codes: Iterable[Opcode], old: Sequence[str], new: Sequence[str], gap: str) -> Iterator[str]:
    for tag, i, j, k, m in codes:
        if tag == "equal":
            yield from (f" {gap}{line}" for line in old[i:j])
        else:
            yield from (f"-{gap}{line}" for line in old[i:j])
            yield from (f"+{gap}{line}" for line in new[k:m])


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """What is the same and what is not, in order; only the stretch that differs is looked at closely."""
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    i, k = len(old) - last, len(new) - last
    if first:
        yield "equal", 0, first, 0, first
    if i - first + k - first > MOST:
        yield "replace", first, i, first, k
    else:
        inner = SequenceMatcher(None, old[first:i], new[first:k], autojunk=False).get_opcodes()
        yield from ((tag, *(each + first for each in at)) for tag, *at in inner)  # type: ignore[misc]
    if last:
        yield "equal", i, len(old), k, len(new)


def _groups(codes: Sequence[Opcode]) -> Iterator[list[Opcode]]:
    """Changes with a few lines around them; those near each other together."""
    group: list[Opcode] = []
    for number, (tag, i, j, k, m) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i, j, k, m))
            continue
        end = min(_AROUND, j - i)
        if group and number + 1 < len(codes) and j - i <= 2 * _AROUND:
            group.append((tag, i, j, k, m))
            continue
        if group:
            yield [*group, (tag, i, i + end, k, k + end)]
        group = [(tag, j - end, j, m - end, m)] if number + 1 < len(codes) else []
    if group:
        yield group


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))


def _range(start: int, stop: int) -> str:
    """As diff writes it: from 1, the length where it is not 1, and the line before an empty stretch."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
