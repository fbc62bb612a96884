"""What the checks of single resource types can find (domain 30), each under the sub-domain of its type.

Made from codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

MISSING = ListedCode(__file__, -13001001000)
THERE = ListedCode(__file__, -13001002000)
UNREADABLE = ListedCode(__file__, -13001003000)
TOO_SMALL = ListedCode(__file__, -13001004000)
TOO_OLD = ListedCode(__file__, -13001005000)
NO_ROOM = ListedCode(__file__, -13001006000)
OTHER_CONTENT = ListedCode(__file__, -13001007000)
NO_PATH = ListedCode(__file__, -13001008000, retryable=False)
NO_TABLE = ListedCode(__file__, -13002101000)
UNEXPECTED = ListedCode(__file__, -13002102000)
NOT_CONTAINED = ListedCode(__file__, -13003101000)
OTHER_JSON = ListedCode(__file__, -13003102000)
TOO_SLOW = ListedCode(__file__, -13003103000)
