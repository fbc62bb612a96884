"""Which variables a program's environment may get from definitions (contract 2.3 and 3)."""

from __future__ import annotations

import re
from typing import Final

OWN: Final = "SKERRY_"  # every variable that begins so is the engine's
_LOADER = "LD_"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

# What a shell, the loader, a language or the C library acts upon before the program reads a value.
_STEERING = frozenset(
    {
        "PATH", "IFS", "ENV", "BASH_ENV", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "BASHOPTS",
        "POSIXLY_CORRECT", "PS1", "PS2", "PS4", "PROMPT_COMMAND",
        "HOME", "SHELL", "USER", "LOGNAME", "PWD", "OLDPWD", "TMPDIR", "TERM", "TERMINFO", "TERMCAP", "_",
        "OPTIND", "PPID", "UID", "EUID",
        "GCONV_PATH", "LOCPATH", "NLSPATH", "LOCALDOMAIN", "RES_OPTIONS", "HOSTALIASES", "GETCONF_DIR",
        "GLIBC_TUNABLES", "TZDIR",
        "PERLLIB", "PERL5LIB", "PERL5OPT", "PERL5DB", "RUBYLIB", "RUBYOPT", "NODE_OPTIONS", "NODE_PATH",
        "CLASSPATH", "JAVA_HOME", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS",
    }
)  # fmt: skip
_STEERING_BEGINNINGS = (_LOADER, "DYLD_", "PYTHON", "MALLOC_", "BASH_FUNC_", OWN)


def reaches_environment(name: str) -> bool:
    """Whether a parameter of that name becomes a variable; all of them are in inputs/params.json."""
    return (
        _NAME.match(name) is not None and name not in _STEERING and not name.startswith(_STEERING_BEGINNINGS)
    )


def may_set(name: str) -> str:
    """``name``, if ``env`` may set it: PATH too, but nothing of the engine's or of the loader's.

    Raises ValueError.
    """
    if name.startswith((OWN, _LOADER)):
        raise ValueError("`env` cannot set a variable that begins with `SKERRY_` or `LD_`")
    if _NAME.match(name) is None:
        raise ValueError("the name of a variable has letters, digits and `_`, and begins with no digit")
    return name
