"""Domain 10 of the catalogue: starting, watching and stopping the processes of jobs, and their directories.

Made from processes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

EXIT_STATUS = ListedCode(__file__, -11000001000)
ENDED_BY_SIGNAL = ListedCode(__file__, -11000002000)
TIMED_OUT = ListedCode(__file__, -11000003000)
CPU_LIMIT = ListedCode(__file__, -11000004000)
MEMORY_LIMIT = ListedCode(__file__, -11000005000)
OUTPUT_LIMIT = ListedCode(__file__, -11000006000)
NO_SUCH_PROGRAM = ListedCode(__file__, -11001001000, retryable=False)
NOT_EXECUTABLE = ListedCode(__file__, -11001002000, retryable=False)
NO_INTERPRETER = ListedCode(__file__, -11001003000, retryable=False)
ARGUMENT_TOO_LONG = ListedCode(__file__, -11001004000, retryable=False)
ARGUMENTS_TOO_BIG = ListedCode(__file__, -11001005000, retryable=False)
UNPASSABLE_VALUE = ListedCode(__file__, -11001006000, retryable=False)
NO_ROOM_FOR_PROCESS = ListedCode(__file__, -11001007000)
NOT_STARTED = ListedCode(__file__, -11001008000)
ALREADY_STARTED = ListedCode(__file__, -11001009000, retryable=False)
MASKING_FAILED = ListedCode(__file__, -11001010000)
NO_WORKING_DIR = ListedCode(__file__, -11001011000, retryable=False)
DIRECTORY_FAILED = ListedCode(__file__, -11002001000)
DIRECTORY_CHANGED = ListedCode(__file__, -11002002000, retryable=False)
BAD_NAME = ListedCode(__file__, -11002003000, retryable=False)
OUTPUT_NOT_A_FILE = ListedCode(__file__, -11002004000, retryable=False)
OUTPUT_TOO_BIG = ListedCode(__file__, -11002005000, retryable=False)
OUTPUT_NOT_TEXT = ListedCode(__file__, -11002006000, retryable=False)
