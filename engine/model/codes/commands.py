"""Wrong use of a command or of the service (domain 01, sub-domain 90), and an engine that does not answer.

Made from commands.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

WRONG_USE = ListedCode(__file__, -10190001000, retryable=False)
FILE_UNREADABLE = ListedCode(__file__, -10190002000, retryable=False)
PARAMS_FILE_INVALID = ListedCode(__file__, -10190003000, retryable=False)
TASK_NEEDED = ListedCode(__file__, -10190004000, retryable=False)
NO_SUCH_DEFINITION = ListedCode(__file__, -10190005000, retryable=False)
NO_SUCH_ATTEMPT = ListedCode(__file__, -10190006000, retryable=False)
NO_SUCH_CODE = ListedCode(__file__, -10190007000, retryable=False)
TIME_INVALID = ListedCode(__file__, -10190008000, retryable=False)
DEFINITION_IN_USE = ListedCode(__file__, -10190009000, retryable=False)
WORKSPACE_UNUSABLE = ListedCode(__file__, -10190010000)
NO_WORKSPACE = ListedCode(__file__, -10190031000)
ONLINE_UNCHANGED = ListedCode(__file__, -14000901000, retryable=False)
STATE_REFUSED = ListedCode(__file__, -14000902000, retryable=False)
NO_ANSWER = ListedCode(__file__, -19010001000)
ENGINE_NEEDED = ListedCode(__file__, -19010002000)
BODY_TOO_BIG = ListedCode(__file__, -10190011000, retryable=False)
OPEN_TO_OTHERS = ListedCode(__file__, -10190012000, retryable=False)
