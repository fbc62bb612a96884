"""What turns the rows of a table into others: which leave, come and move, so that the rest stays; no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

_MOST = 50  # steps; beyond that showing all rows again is quicker


@dataclass(frozen=True, slots=True)
class RowStep:
    """A row moves from ``source`` to ``to``; without a source it comes, without ``to`` it leaves."""

    source: int | None
    to: int | None


def row_steps(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[RowStep] | None:
    """From the keys of the rows that are shown to those of others, each step after the ones before it.

    None: show all again, there is too much to do, or a key is there twice.

    >>> row_steps("abc", "cbx")
    [RowStep(source=0, to=None), RowStep(source=1, to=0), RowStep(source=None, to=2)]
    """
    staying, known = set(after), set(before)
    if len(staying) < len(after) or len(known) < len(before) or len(staying ^ known) > _MOST:
        return None
    steps = [RowStep(at, None) for at in reversed(range(len(before))) if before[at] not in staying]
    now = [key for key in before if key in staying]
    for at, key in enumerate(after):
        if at < len(now) and now[at] == key:
            continue
        source = now.index(key, at) if key in known else None
        steps.append(RowStep(source, at))
        now.insert(at, key if source is None else now.pop(source))
        if len(steps) > _MOST:
            return None
    return steps
