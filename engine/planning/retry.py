"""Whether and when a failed attempt is made again."""

from __future__ import annotations

from engine.model.errors import Failure, covers
from engine.model.job import Retry

LONGEST = 366 * 86400.0  # seconds; a longer pause than a year is a slip in the definition


def next_attempt(retry: Retry, attempt: int, failure: Failure, cancelled: bool = False) -> float | None:
    """Seconds to wait before the next attempt; None when there is none.

    ``attempt`` is the number of the one that failed, from 1. The pause is ``interval`` times ``backoff`` for
    each attempt after the first, at most ``max_interval``. Without ``on`` every failure is tried again but a
    cancel and what the catalogue calls pointless.
    """
    if cancelled or attempt > retry.times or not _is_meant(retry, failure):
        return None
    longest = LONGEST if retry.max_interval is None else min(retry.max_interval, LONGEST)
    try:
        return min(retry.interval * retry.backoff ** (attempt - 1), longest)
    except OverflowError:
        return longest if retry.interval else 0.0


def _is_meant(retry: Retry, failure: Failure) -> bool:
    if retry.on is None:
        return failure.retryable
    return any(covers(pattern, failure.code) for pattern in retry.on)
