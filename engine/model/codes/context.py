"""Domain 03, sub-domain 01 of the catalogue: the context and its log.

Made from context.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

CANNOT_SET = ListedCode(__file__, -10301001000, retryable=False)
NOTHING_THERE = ListedCode(__file__, -10301002000, retryable=False)
NOT_JSON = ListedCode(__file__, -10301003000, retryable=False)
LOG_TORN = ListedCode(__file__, -10301004000, retryable=False)
LOG_ALTERED = ListedCode(__file__, -10301005000, retryable=False)
LOG_GAP = ListedCode(__file__, -10301006000, retryable=False)
