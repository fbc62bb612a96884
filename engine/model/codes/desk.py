"""Domain 50, sub-domains 20 to 22 (the support desk, fixes, deliveries): what prevents a repair.

Made from desk.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

NO_EVIDENCE = ListedCode(__file__, -15020001000, retryable=False)
OUTCOME_UNKNOWN = ListedCode(__file__, -15020002000, retryable=False)
OUTCOME_WRONG = ListedCode(__file__, -15020003000, retryable=False)
RECORDED = ListedCode(__file__, -15020004000, retryable=False)
NOTHING_TO_DO = ListedCode(__file__, -15021001000, retryable=False)
NOT_A_FIX = ListedCode(__file__, -15021002000, retryable=False)
EXPIRED = ListedCode(__file__, -15021004000, retryable=False)
FOREIGN = ListedCode(__file__, -15021005000, retryable=False)
REPLAYED = ListedCode(__file__, -15021006000, retryable=False)
OUTDATED = ListedCode(__file__, -15021007000, retryable=False)
FIX_INVALID = ListedCode(__file__, -15021008000, retryable=False)
NOT_APPLIED = ListedCode(__file__, -15021009000, retryable=False)
OVERTAKEN = ListedCode(__file__, -15021010000, retryable=False)
NOT_AS_SHOWN = ListedCode(__file__, -15021011000, retryable=False)
NOT_A_DELIVERY = ListedCode(__file__, -15022001000, retryable=False)
CONFLICTS = ListedCode(__file__, -15022002000, retryable=False)
REFERENCES_MISSING = ListedCode(__file__, -15022003000, retryable=False)
FILES_TOO_LARGE = ListedCode(__file__, -15022005000, retryable=False)
OLDER = ListedCode(__file__, -15022004000, retryable=False)
NOT_MAPPED = ListedCode(__file__, -15022006000, retryable=False)
