"""Domain 12 (recovery): handling rules, exceptions, alerts; and what jobs and runs wait for in vain (11).

Made from recovery.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

BUSY = ListedCode(__file__, -11100004000)
REMEDY_FAILED = ListedCode(__file__, -11201002000, retryable=False)
NO_SUCH_EXCEPTION = ListedCode(__file__, -11202001000, retryable=False)
NO_SUCH_ALERT = ListedCode(__file__, -11202002000, retryable=False)
NEIGHBOUR_AT_WORK = ListedCode(__file__, -11200009000, retryable=False)
CIRCLE = ListedCode(__file__, -11200011000, retryable=False)
NOT_ASKING = ListedCode(__file__, -11202003000, retryable=False)
NO_QUESTION = ListedCode(__file__, -11202006000, retryable=False)
ANSWER_UNFIT = ListedCode(__file__, -11202007000, retryable=False)
NOT_PAUSED = ListedCode(__file__, -11202005000, retryable=False)
REASON_NEEDED = ListedCode(__file__, -11202004000, retryable=False)
