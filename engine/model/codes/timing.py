"""Domain 40 of the catalogue, continued: fire times that come, and the clock.

Made from timing.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

TIMES_MISSED = ListedCode(__file__, -14000010000, retryable=False)
CLOCK_JUMPED = ListedCode(__file__, -14000011000, retryable=False)
CLOCK_RIGHT = ListedCode(__file__, -14000012000, retryable=False)
CLOCK_SKEWED = ListedCode(__file__, -14000032000, retryable=False)
SCHEDULE_UNREADABLE = ListedCode(__file__, -14000013000, retryable=False)
CANNOT_FIRE = ListedCode(__file__, -14000014000, retryable=False)
DEPENDENCY_FAILED = ListedCode(__file__, -14000015000, retryable=False)
DEPENDENCY_TIMED_OUT = ListedCode(__file__, -14000016000, retryable=False)
NOT_WAITING = ListedCode(__file__, -14000017000, retryable=False)
BACKFILL_FUTURE = ListedCode(__file__, -14000018000, retryable=False)
BACKFILL_TOO_MANY = ListedCode(__file__, -14000019000, retryable=False)
BACKFILL_NEWEST = ListedCode(__file__, -14000020000, retryable=False)
BACKFILL_CIRCLE = ListedCode(__file__, -14000021000, retryable=False)
BACKFILL_NO_TIMES = ListedCode(__file__, -14000022000, retryable=False)
BACKFILL_UNKNOWN = ListedCode(__file__, -14000023000, retryable=False)
BACKFILL_STATE = ListedCode(__file__, -14000024000, retryable=False)
