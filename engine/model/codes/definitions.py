"""Domain 01 of the catalogue: what can be wrong with a definition file.

Made from definitions.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

TEXT_UNREADABLE = ListedCode(__file__, -10100001000, retryable=False)
YAML_SYNTAX = ListedCode(__file__, -10100002000, retryable=False)
JSON_SYNTAX = ListedCode(__file__, -10100003000, retryable=False)
DUPLICATE_KEY = ListedCode(__file__, -10100004000, retryable=False)
ALIASES_TOO_LARGE = ListedCode(__file__, -10100005000, retryable=False)
NESTED_TOO_DEEP = ListedCode(__file__, -10100006000, retryable=False)
TAG_REFUSED = ListedCode(__file__, -10100007000, retryable=False)
NOT_A_DEFINITION = ListedCode(__file__, -10100008000, retryable=False)
SEVERAL_DOCUMENTS = ListedCode(__file__, -10100009000, retryable=False)
VERSION = ListedCode(__file__, -10100010000, retryable=False)
KEY_NOT_TEXT = ListedCode(__file__, -10100011000, retryable=False)
NUMBER_TOO_LARGE = ListedCode(__file__, -10100012000, retryable=False)
UNKNOWN_KEY = ListedCode(__file__, -10100020000, retryable=False)
MISSING_KEY = ListedCode(__file__, -10100021000, retryable=False)
WRONG_TYPE = ListedCode(__file__, -10100022000, retryable=False)
WRONG_VALUE = ListedCode(__file__, -10100023000, retryable=False)
BAD_ID = ListedCode(__file__, -10100024000, retryable=False)
CONFLICTING_KEYS = ListedCode(__file__, -10100025000, retryable=False)
UNKNOWN_TYPE = ListedCode(__file__, -10100026000, retryable=False)
WRONG_STAGE = ListedCode(__file__, -10100027000, retryable=False)
PARAM_UNFIT = ListedCode(__file__, -10100028000, retryable=False)
DEFINED_TWICE = ListedCode(__file__, -10100029000, retryable=False)
SCHEDULE_KEYS = ListedCode(__file__, -10100040000, retryable=False)
SCHEDULE_TIME = ListedCode(__file__, -10100041000, retryable=False)
CRON_SYNTAX = ListedCode(__file__, -10100042000, retryable=False)
DEPENDENCY = ListedCode(__file__, -10100043000, retryable=False)
UNEVEN_STEP = ListedCode(__file__, -10100044000, retryable=False)
NO_EFFECT = ListedCode(__file__, -10100045000, retryable=False)
LOOKS_LIKE_SPECIFICATION = ListedCode(__file__, -10100046000, retryable=False)
OPEN_SECRET = ListedCode(__file__, -10100047000, retryable=False)
INVALID = ListedCode(__file__, -10100090000, retryable=False)
