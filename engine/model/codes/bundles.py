"""Domain 50 of the catalogue: bundles, their keys, exports and cases.

Made from bundles.yaml by ``python -m app.regenerate_codes``.
"""

from __future__ import annotations

from engine.model.listed_code import ListedCode

NOT_A_BUNDLE = ListedCode(__file__, -15000001000, retryable=False)
DAMAGED = ListedCode(__file__, -15000002000, retryable=False)
BREAKS_RULES = ListedCode(__file__, -15000003000, retryable=False)
NEWER_FORMAT = ListedCode(__file__, -15000004000, retryable=False)
NOT_FOR_US = ListedCode(__file__, -15000005000, retryable=False)
LOST = ListedCode(__file__, -15000006000)
TARGET = ListedCode(__file__, -15000007000)
NAME = ListedCode(__file__, -15000008000, retryable=False)
NO_SUCH_FILE = ListedCode(__file__, -15000009000, retryable=False)
TOO_LARGE = ListedCode(__file__, -15000010000, retryable=False)
UNTRUSTED = ListedCode(__file__, -15001001000, retryable=False)
SIGNATURE_WRONG = ListedCode(__file__, -15001002000, retryable=False)
REVOKED = ListedCode(__file__, -15001003000, retryable=False)
REPLACED = ListedCode(__file__, -15001004000, retryable=False)
NOT_ALLOWED = ListedCode(__file__, -15001005000, retryable=False)
KEY_UNKNOWN = ListedCode(__file__, -15002001000, retryable=False)
KEY_TEXT = ListedCode(__file__, -15002002000, retryable=False)
KEYS_DAMAGED = ListedCode(__file__, -15002003000, retryable=False)
KEY_TAKEN = ListedCode(__file__, -15002004000, retryable=False)
CARD_UNWRITTEN = ListedCode(__file__, -15002005000, retryable=False)
ROLE_NEEDED = ListedCode(__file__, -15002006000, retryable=False)
SCOPE_WRONG = ListedCode(__file__, -15002007000, retryable=False)
NOTHING_CHOSEN = ListedCode(__file__, -15003001000, retryable=False)
SECRET_FOUND = ListedCode(__file__, -15003002000, retryable=False)
CANCELLED = ListedCode(__file__, -15003003000)
SECRETS_CLOSED = ListedCode(__file__, -15003004000)
CASE_TAKEN = ListedCode(__file__, -15004001000, retryable=False)
NO_CASE = ListedCode(__file__, -15004002000, retryable=False)
WRONG_KIND = ListedCode(__file__, -15004003000, retryable=False)
CASE_READ_ONLY = ListedCode(__file__, -15004004000, retryable=False)
CASE_NAME = ListedCode(__file__, -15004005000, retryable=False)
CASE_DAMAGED = ListedCode(__file__, -15004006000, retryable=False)
TOO_MUCH = ListedCode(__file__, -15001020000, retryable=False)
NO_MEMORY = ListedCode(__file__, -15001021000)
