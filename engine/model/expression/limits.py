"""How big expressions and what they read and produce may be; all the numbers together."""

from __future__ import annotations

from typing import Final

MAX_VALUE: Final = 64 * 1024 * 1024  # bytes of a text that is read or produced
MAX_INLINE: Final = 256 * 1024  # bytes; bigger values stand as references to their file
MAX_PATH: Final = 2_000  # characters of one path
MAX_CONDITION: Final = 20_000  # characters of one condition
MAX_TOKENS: Final = 2_000  # of one condition
MAX_DEPTH: Final = 60  # nesting of a condition, and of lists and maps around expressions
MAX_STEPS: Final = 1_000_000  # values that one query looks at
MAX_QUICK_READ: Final = 4 * 1024 * 1024  # bytes of a file that is read at once; a bigger one is read aside
AT_ONCE_SECONDS: Final = 0.1  # of a thread that others wait for
ASIDE_SECONDS: Final = 5.0
MAX_PATTERN: Final = 1_000  # characters of a regular expression
MAX_PATTERN_SIZE: Final = 10_000  # characters after its counted repeats are multiplied out
MAX_PATTERN_DEPTH: Final = 50  # groups within groups
MAX_ALTERNATIVES: Final = 500
PATTERN_SECONDS: Final = 1.0
