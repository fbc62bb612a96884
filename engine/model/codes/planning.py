"""Domain 03 of the catalogue: what can be wrong with a plan, and what the rules of a run refuse.

Made from planning.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

UNKNOWN_NODE = ListedCode(__file__, -10300001000, retryable=False)
CYCLE = ListedCode(__file__, -10300002000, retryable=False)
BRANCH_TWICE = ListedCode(__file__, -10300003000, retryable=False)
NOT_BEFORE = ListedCode(__file__, -10300004000, retryable=False)
LOOP_WAITS = ListedCode(__file__, -10300005000, retryable=False)
UNREACHABLE = ListedCode(__file__, -10300006000, retryable=False)
UNKNOWN_JOB = ListedCode(__file__, -10300007000, retryable=False)
UNKNOWN_RESOURCE = ListedCode(__file__, -10300008000, retryable=False)
UNKNOWN_TASK = ListedCode(__file__, -10300009000, retryable=False)
STARTS_ITSELF = ListedCode(__file__, -10300010000, retryable=False)
MISSING_PARAM = ListedCode(__file__, -10300011000, retryable=False)
UNKNOWN_PARAM = ListedCode(__file__, -10300012000, retryable=False)
UNKNOWN_REFERENCE = ListedCode(__file__, -10300014000, retryable=False)
UNKNOWN_FIELD = ListedCode(__file__, -10300015000, retryable=False)
INDEX = ListedCode(__file__, -10300016000, retryable=False)
NOT_UPSTREAM = ListedCode(__file__, -10300017000, retryable=False)
NO_SCHEDULE = ListedCode(__file__, -10300018000, retryable=False)
DEPENDS_ON = ListedCode(__file__, -10300019000, retryable=False)
NO_EFFECT = ListedCode(__file__, -10300020000, retryable=False)
NODE_LIKE_MEMBER = ListedCode(__file__, -10300021000, retryable=False)
NO_BRANCH = ListedCode(__file__, -10300030000)
TOO_MANY_LOOPS = ListedCode(__file__, -10300031000, retryable=False)
RERUN_NODE = ListedCode(__file__, -10300040000, retryable=False)
RERUN_NOTHING = ListedCode(__file__, -10300041000, retryable=False)
RERUN_NEVER_RAN = ListedCode(__file__, -10300042000, retryable=False)
RERUN_OUTCOME_ALONE = ListedCode(__file__, -10300043000, retryable=False)
HANDLER = ListedCode(__file__, -10300044000, retryable=False)
NO_NODES = ListedCode(__file__, -10300051000, retryable=False)
SUBTASKS_TOO_DEEP = ListedCode(__file__, -10300052000, retryable=False)
TASKS_WAIT = ListedCode(__file__, -10300053000, retryable=False)
