"""What a seed meant at earlier times: one that once found a defect goes on meaning that life."""

from __future__ import annotations

from enum import IntEnum


class Generation(IntEnum):
    """Each has what those before it have."""

    SCHEDULES = 1  # beside runs, wishes and faults
    BACKFILLS = 2  # and workers
    INTERPLAY = (
        3  # past times that are asked for twice, more faults of workers, blows at starts, followed reruns
    )
    ENDINGS = 4  # schedules end
    SIZED = 5  # what comes beside takes the place of wishes and faults, so that all lives are about as long
    CALLS = 6  # stages and processes that are calls by class
    CALLS_ELSEWHERE = 7  # jobs with such calls run on workers too


NEWEST = max(Generation)
