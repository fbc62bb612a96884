"""Domain 11 of the catalogue, continued: what people do to the queue of jobs.

Made from queue.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

OVERDUE = ListedCode(__file__, -11100011000)
NOT_WAITING = ListedCode(__file__, -11100012000, retryable=False)
NOT_HELD = ListedCode(__file__, -11100013000, retryable=False)
