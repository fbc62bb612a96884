"""What many job types have in common (domain 20, sub-domain 00): their parameters and files.

Made from jobs.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

PARAMETER = ListedCode(__file__, -12000001000, retryable=False)
MISSING = ListedCode(__file__, -12000002000)
DENIED = ListedCode(__file__, -12000003000, retryable=False)
NOT_A_FILE = ListedCode(__file__, -12000004000, retryable=False)
NO_SPACE = ListedCode(__file__, -12000005000)
TROUBLE = ListedCode(__file__, -12000006000)
REJECTED = ListedCode(__file__, -12030001000, retryable=False)
