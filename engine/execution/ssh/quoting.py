"""Data as words of ``sh``: inside single quotes no byte but the quote itself means anything to a shell."""

from __future__ import annotations

import re
from typing import Final

# What a shell keeps for itself, so that it would change the value on its way or refuse it.
_SHELLS_OWN: Final = re.compile(
    r"(_|BASH.*|COMP_.*|COPROC|DIRSTACK|E?UID|EPOCH.*|FUNCNAME|FUNCNEST|GROUPS|HIST.*|LINENO|OLDPWD|OPTARG|OPTERR"
    r"|OPTIND|PIPESTATUS|POSIXLY_CORRECT|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|IFS|PS[1-4]|ENV)\Z"
)


def word(value: str | bytes) -> bytes:
    """One word of a shell that is exactly ``value``. ValueError: it has a NUL, which no shell can hold."""
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    if b"\0" in data:
        raise ValueError("a NUL")
    return b"'" + data.replace(b"'", b"'\\''") + b"'"


def call(function: str, number: str, *words: str) -> bytes:
    """One of the functions of ``shell.sh``."""
    return b" ".join([function.encode(), number.encode(), *map(word, words)]) + b"\n"


def is_shells_own(name: str) -> bool:
    """Whether a shell would not hand a variable of that name on as it is."""
    return _SHELLS_OWN.match(name) is not None
