"""Domain 02 of the catalogue: what can be wrong with an expression or with the value it reads.

Made from expressions.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

SYNTAX = ListedCode(__file__, -10200001000, retryable=False)
UNKNOWN_NAME = ListedCode(__file__, -10200002000, retryable=False)
MISSING_VALUE = ListedCode(__file__, -10200003000, retryable=False)
UNKNOWN_JOB = ListedCode(__file__, -10200004000, retryable=False)
NOT_ENDED = ListedCode(__file__, -10200005000)
BATCH_INDEX = ListedCode(__file__, -10200006000, retryable=False)
NULL_IN_TEXT = ListedCode(__file__, -10200007000, retryable=False)
WRONG_KIND = ListedCode(__file__, -10200008000, retryable=False)
NO_MATCH = ListedCode(__file__, -10200009000)
BAD_PATTERN = ListedCode(__file__, -10200010000, retryable=False)
PATTERN_TOO_SLOW = ListedCode(__file__, -10200011000, retryable=False)
PATTERN_TOO_BIG = ListedCode(__file__, -10200012000, retryable=False)
BAD_TIME = ListedCode(__file__, -10200013000, retryable=False)
EXPRESSION_TOO_BIG = ListedCode(__file__, -10200014000, retryable=False)
VALUE_TOO_BIG = ListedCode(__file__, -10200015000, retryable=False)
NOT_TRUE_OR_FALSE = ListedCode(__file__, -10200016000, retryable=False)
NOT_COMPARABLE = ListedCode(__file__, -10200017000, retryable=False)
UNREADABLE = ListedCode(__file__, -10200018000)
BAD_PATH = ListedCode(__file__, -10200019000, retryable=False)
TOO_LONG = ListedCode(__file__, -10200020000, retryable=False)
FINDS_TOO_MUCH = ListedCode(__file__, -10200021000, retryable=False)
NO_CONDITION = ListedCode(__file__, -10200031000, retryable=False)
UNQUOTED = ListedCode(__file__, -10200032000, retryable=False)
PATH_AS_LETTERS = ListedCode(__file__, -10200022000, retryable=False)
