"""Domain 40 of the catalogue: what can be wrong with schedules, calendars and dependencies.

Made from schedules.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

NEVER_FIRES = ListedCode(__file__, -14000001000, retryable=False)
END_BEFORE_START = ListedCode(__file__, -14000002000, retryable=False)
CALENDAR_UNKNOWN = ListedCode(__file__, -14000003000, retryable=False)
CALENDAR_WITHOUT_WORK = ListedCode(__file__, -14000004000, retryable=False)
CALENDAR_DATE = ListedCode(__file__, -14000005000, retryable=False)
DAY_LEFT_OUT = ListedCode(__file__, -14000006000, retryable=False)
UPSTREAM_NOT_READY = ListedCode(__file__, -14000007000, retryable=False)
WAITS_WITHOUT_TIMEOUT = ListedCode(__file__, -14000008000, retryable=False)
STATE_NOT_COUNTED = ListedCode(__file__, -14000031000, retryable=False)
