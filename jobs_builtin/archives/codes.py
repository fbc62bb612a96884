"""What can be wrong with an archive (domain 20, sub-domain 16).

Made from codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

UNKNOWN_FORMAT = ListedCode(__file__, -12016001000, retryable=False)
DAMAGED = ListedCode(__file__, -12016002000, retryable=False)
UNSAFE_NAME = ListedCode(__file__, -12016003000, retryable=False)
UNSAFE_ENTRY = ListedCode(__file__, -12016004000, retryable=False)
NAME_CLASH = ListedCode(__file__, -12016005000, retryable=False)
TOO_BIG = ListedCode(__file__, -12016006000, retryable=False)
TOO_MANY = ListedCode(__file__, -12016007000, retryable=False)
RATIO = ListedCode(__file__, -12016008000, retryable=False)
ENCRYPTED = ListedCode(__file__, -12016009000, retryable=False)
UNSUPPORTED = ListedCode(__file__, -12016010000, retryable=False)
IN_THE_WAY = ListedCode(__file__, -12016011000, retryable=False)
