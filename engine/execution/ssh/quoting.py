"""Data as words of ``sh``: inside single quotes no byte but the quote itself means anything to a shell."""

from __future__ import annotations

import re
from typing import Final

# What a shell keeps for itself, so that it would change the value on its way or refuse it.
_SHELLS_OWN: Final = re.compile(
    r"(_|BASH.*|COMP_.*|COPROC|DIRSTACK|E?UID|EPOCH.*|FUNCNAME|FUNCNEST|GROUPS|HIST.*|LINENO|OLDPWD|OPTARG|OPTERR"
    r"|OPTIND|PIPESTATUS|POSIXLY_CORRECT|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|IFS|PS[1-4]|ENV)\Z"
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quoted(value: str) -> str:
    """One word of a shell that is exactly ``value``, which has no NUL."""
    return "'" + value.replace("'", "'\\''") + "'"


def encoded(text: str) -> bytes:
    """Words of a shell as bytes. ValueError: there is a NUL, which no shell can hold."""
    if "\0" in text:
        raise ValueError("a NUL")
    return text.encode("utf-8", "surrogateescape")


def call(function: str, number: str, *words: str) -> bytes:
    """One of the functions of ``shell.sh``; when a link is cut within this text, nothing of it is done.

    A shell executes its last line without an end too, and a path with a quote in it may be another one there.
    """
    return encoded(" ".join(["{", function, number, *map(quoted, words), "; }\n"]))


def is_shells_own(name: str) -> bool:
    """Whether a shell would not hand a variable of that name on as it is, or could not even name it."""
    return _SHELLS_OWN.match(name) is not None or _NAME.match(name) is None
