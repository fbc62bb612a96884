"""A waiting job to another place in line: which priorities that takes; no widgets."""

from __future__ import annotations

from collections.abc import Sequence

from app.desktop.widgets.table import Row

HIGHEST = 2**31 - 1  # of a priority


def moves(line: Sequence[Row], job_instance: int, before: int | None) -> list[tuple[int, int]]:
    """The (JobInstance, priority) to set, in this order, so that one comes before another (None: last).

    ``line`` is what waits, the next first. Who gets a priority goes behind those that have the same one, so
    those that are to stay ahead get theirs first.

    >>> line = [{"job_instance": id, "priority": 0} for id in (1, 2, 3)]
    >>> moves(line, 3, 2)
    [(1, 1), (3, 1)]
    >>> moves(line, 1, None)
    [(1, 0)]
    """
    others = [row for row in line if row["job_instance"] != job_instance]
    ids = [row["job_instance"] for row in others]
    if before not in ids:
        return [(job_instance, int(others[-1]["priority"]))] if others else []
    at = ids.index(before)
    wanted = min(HIGHEST, int(others[at]["priority"]) + 1)
    ahead = [(int(row["job_instance"]), wanted) for row in others[:at] if int(row["priority"]) < wanted]
    return [*ahead, (job_instance, wanted)]
