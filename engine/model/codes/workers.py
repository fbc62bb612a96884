"""Domain 11 of the catalogue, sub-domain 02: the registry of workers, and which of them runs a job.

Made from workers.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

WORKER_EXISTS = ListedCode(__file__, -11102001000, retryable=False)
NO_SUCH_WORKER = ListedCode(__file__, -11102002000, retryable=False)
WORKER_INVALID = ListedCode(__file__, -11102003000, retryable=False)
ADDRESS_INVALID = ListedCode(__file__, -11102004000, retryable=False)
KEY_READABLE = ListedCode(__file__, -11102005000, retryable=False)
KEY_MISSING = ListedCode(__file__, -11102006000, retryable=False)
FENCE_TOO_SHORT = ListedCode(__file__, -11102007000, retryable=False)
WORKER_BUSY = ListedCode(__file__, -11102008000, retryable=False)
THIS_MACHINE = ListedCode(__file__, -11102009000, retryable=False)
NO_WORKER_IN_TIME = ListedCode(__file__, -11102012000, retryable=False)
NOT_EVERYWHERE = ListedCode(__file__, -11102013000, retryable=False)
UNKNOWN_PLACE = ListedCode(__file__, -11102010000, retryable=False)
NOT_MOVED = ListedCode(__file__, -11102011000, retryable=False)
