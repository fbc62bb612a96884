"""Domain 70 of the catalogue: the store and the disk.

Made from store.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

DISK_FULL = ListedCode(__file__, -17000001000)
DAMAGED = ListedCode(__file__, -17000002000, retryable=False)
NEWER = ListedCode(__file__, -17000003000, retryable=False)
OLDER = ListedCode(__file__, -17000004000, retryable=False)
UPGRADE_FAILED = ListedCode(__file__, -17000005000, retryable=False)
READ_ONLY = ListedCode(__file__, -17000006000, retryable=False)
BUSY = ListedCode(__file__, -17000007000)
CONFLICT = ListedCode(__file__, -17000008000, retryable=False)
MISSING = ListedCode(__file__, -17000009000, retryable=False)
UNREACHABLE = ListedCode(__file__, -17000010000)
DISK_ERROR = ListedCode(__file__, -17000011000)
BAD_URL = ListedCode(__file__, -17000012000, retryable=False)
FAILED = ListedCode(__file__, -17000013000, retryable=False)
NOT_EMPTY = ListedCode(__file__, -17000014000, retryable=False)
AUDIT_BROKEN = ListedCode(__file__, -17000016000, retryable=False)
FOREIGN = ListedCode(__file__, -17000020000, retryable=False)
IN_USE = ListedCode(__file__, -17000021000)
ROW_DAMAGED = ListedCode(__file__, -17000030000, retryable=False)
OTHER_STATE = ListedCode(__file__, -17000031000, retryable=False)
DATABASE_OLDER = ListedCode(__file__, -17000032000, retryable=False)
CLOSED = ListedCode(__file__, -17000015000, retryable=False)
