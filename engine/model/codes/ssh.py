"""Domain 11 of the catalogue, continued: hosts that are reached over SSH.

Made from ssh.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

UNTRUSTED_HOST = ListedCode(__file__, -11101001000, retryable=False)
HOST_KEY_CHANGED = ListedCode(__file__, -11101002000, retryable=False)
HOST_UNREACHABLE = ListedCode(__file__, -11101003000)
LOGIN_REFUSED = ListedCode(__file__, -11101004000, retryable=False)
KEY_UNUSABLE = ListedCode(__file__, -11101005000, retryable=False)
TALKS_TOO_MUCH = ListedCode(__file__, -11101006000, retryable=False)
SHELL_PRINTS = ListedCode(__file__, -11101007000, retryable=False)
NO_SHELL = ListedCode(__file__, -11101008000, retryable=False)
ROOT_READ_ONLY = ListedCode(__file__, -11101009000, retryable=False)
ROOT_NOEXEC = ListedCode(__file__, -11101010000, retryable=False)
ROOT_FULL = ListedCode(__file__, -11101011000)
ROOT_FOREIGN = ListedCode(__file__, -11101012000, retryable=False)
REFUSED_THERE = ListedCode(__file__, -11101013000)
SHELLS_OWN_NAME = ListedCode(__file__, -11101014000, retryable=False)
SECRETS_REFUSED = ListedCode(__file__, -11101015000, retryable=False)
FETCH_FAILED = ListedCode(__file__, -11101016000)
SEND_FAILED = ListedCode(__file__, -11101017000, retryable=False)
LITTLE_ROOM = ListedCode(__file__, -11101018000)
CLOCK_OFF = ListedCode(__file__, -11101019000)
NO_SFTP = ListedCode(__file__, -11101020000, retryable=False)
NO_PYTHON_THERE = ListedCode(__file__, -11101021000, retryable=False)
NO_JAVA_THERE = ListedCode(__file__, -11101022000, retryable=False)
