"""A waiting job to another place in line: which priorities that takes; no widgets."""

from __future__ import annotations

from collections.abc import Sequence

from app.desktop.widgets.table import Row

HIGHEST = 2**31 - 1  # of a priority


def moves(line: Sequence[Row], job_instance: int, before: int | None) -> list[tuple[int, int]]:
    """The (JobInstance, priority) to set, in this order, so that one comes before another (None: last).

    ``line`` is what waits, the next first. No two get the same priority: among equals the one that has waited
    longest comes first, also in a later engine, whatever their order was before.

    >>> line = [{"job_instance": id, "priority": 0} for id in (1, 2, 3)]
    >>> moves(line, 3, 2)
    [(1, 2), (3, 1)]
    >>> moves(line, 1, None)
    [(1, -1)]
    """
    others = [row for row in line if row["job_instance"] != job_instance]
    ids = [row["job_instance"] for row in others]
    if before not in ids:
        return [(job_instance, max(-HIGHEST, int(others[-1]["priority"]) - 1))] if others else []
    at = ids.index(before)
    wanted = min(HIGHEST, int(others[at]["priority"]) + 1)
    changes = [(job_instance, wanted)]
    for row in reversed(others[:at]):
        if int(row["priority"]) > wanted:
            break
        wanted = min(HIGHEST, wanted + 1)
        changes.append((int(row["job_instance"]), wanted))
    return changes[::-1]
