"""Domains 11 (queue and workers), 12 (recovery) and 90 (internal) of the catalogue, and what runs raise.

Made from runtime.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

QUEUE_TIMEOUT = ListedCode(__file__, -11100001000)
NO_WORKER = ListedCode(__file__, -11100002000)
REMOVED = ListedCode(__file__, -11100003000)
LOST = ListedCode(__file__, -11200001000, retryable=False)
CANCELLED = ListedCode(__file__, -11200002000, retryable=False)
FORCED = ListedCode(__file__, -11200006000, retryable=False)
STILL_RUNNING = ListedCode(__file__, -11200007000, retryable=False)
NOT_BEGUN = ListedCode(__file__, -11200005000)
STILL_ALIVE = ListedCode(__file__, -11200003000, retryable=False)
TASK_TIMED_OUT = ListedCode(__file__, -11200004000)
JOBS_FAILED = ListedCode(__file__, -10300900000)
TASK_NOT_SUCCESSFUL = ListedCode(__file__, -10300901000)
PARAM_UNKNOWN = ListedCode(__file__, -10300902000, retryable=False)
PARAM_MISSING = ListedCode(__file__, -10300903000, retryable=False)
PARAM_UNFIT = ListedCode(__file__, -10300904000, retryable=False)
NO_SUCH_TASK = ListedCode(__file__, -10300905000, retryable=False)
NO_SUCH_INSTANCE = ListedCode(__file__, -10300906000, retryable=False)
NO_SUCH_NODE = ListedCode(__file__, -10300907000, retryable=False)
NOT_RUNNING = ListedCode(__file__, -10300908000, retryable=False)
BATCH_NOT_A_LIST = ListedCode(__file__, -10300909000, retryable=False)
MEMBER_FAILED = ListedCode(__file__, -10300910000)
RESULT_MISSING = ListedCode(__file__, -10300911000)
NOT_SUCCESSFUL = ListedCode(__file__, -10300912000)
STATUS_SAYS_FAILED = ListedCode(__file__, -10300913000)
RESOURCE_FAILED = ListedCode(__file__, -10300914000)
CHECK_NEVER_HELD = ListedCode(__file__, -10300915000)
WAIT_FOREVER = ListedCode(__file__, -10300916000, retryable=False)
EDIT_INVALID = ListedCode(__file__, -10300917000, retryable=False)
STAGE_UNREADABLE = ListedCode(__file__, -10300918000)
ENGINE_BUSY = ListedCode(__file__, -19000001000, retryable=False)
INTERNAL = ListedCode(__file__, -19000002000, retryable=False)
SETTINGS_INVALID = ListedCode(__file__, -19000003000, retryable=False)
