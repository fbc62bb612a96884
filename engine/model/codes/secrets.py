"""Domain 60 of the catalogue: the vault of secrets.

Made from secrets.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

VAULT_LOCKED = ListedCode(__file__, -16001001000)
WRONG_PASSPHRASE = ListedCode(__file__, -16001002000, retryable=False)
VAULT_DAMAGED = ListedCode(__file__, -16001003000, retryable=False)
SECRET_UNKNOWN = ListedCode(__file__, -16001004000, retryable=False)
SECRET_NAME = ListedCode(__file__, -16001005000, retryable=False)
SECRET_VALUE = ListedCode(__file__, -16001006000, retryable=False)
KEY_FILE = ListedCode(__file__, -16001007000, retryable=False)
VAULT_UNWRITTEN = ListedCode(__file__, -16001008000)
VAULT_NEWER = ListedCode(__file__, -16001009000, retryable=False)
VAULT_ALTERED = ListedCode(__file__, -16001010000, retryable=False)
VAULT_OLDER = ListedCode(__file__, -16001011000, retryable=False)
