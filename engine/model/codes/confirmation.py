"""Domain 11 of the catalogue, continued: what workers say of attempts when these begin, and while they run.

Made from confirmation.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

END_UNNOTICED = ListedCode(__file__, -11103001000, retryable=False)
GONE_UNNOTICED = ListedCode(__file__, -11103002000, retryable=False)
STORED_OTHERWISE = ListedCode(__file__, -11103003000, retryable=False)
NOT_FOLLOWED = ListedCode(__file__, -11103004000, retryable=False)
BUSY_THERE = ListedCode(__file__, -11103005000, retryable=False)
