"""The environment of a program: parameters as data, nothing of the engine's own (contract 3)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

from engine.execution.files import directory_errors, replace
from engine.model.codes.processes import UNPASSABLE_VALUE
from engine.model.errors import SkerryError
from engine.model.expression.values import as_text
from engine.model.plain_words import wording

BIGGEST = 100 * 1024  # bytes; a longer value is handed over in a file
OWN = "SKERRY_"  # every variable that begins so is the engine's
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_UTF8 = sys.getfilesystemencoding() == "utf-8"

# What a shell, the loader, a language or the C library acts upon before the program reads a value.
STEERING = frozenset(
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
STEERING_BEGINNINGS = ("LD_", "DYLD_", "PYTHON", "MALLOC_", "BASH_FUNC_", OWN)


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """What jobs get of the engine's own environment; to be asked once."""
    return {name: value for name, value in environ.items() if not name.startswith(OWN)}


def reaches_environment(name: str) -> bool:
    """Whether a parameter of that name becomes a variable; all of them are in inputs/params.json."""
    return _NAME.match(name) is not None and name not in STEERING and not name.startswith(STEERING_BEGINNINGS)


def environment(
    base: Mapping[str, str],
    params: Mapping[str, Any],
    directory: str,
    mark: str,
    *,
    context: str | None = None,
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The complete environment of an attempt in ``directory``.

    ``base`` is ``inherited(os.environ)``, ``extra`` the job type's. A parameter without a value (null)
    gives no variable; a value over 100 KiB is written into ``inputs/<name>`` and named by ``<name>_FILE``.
    ``context`` is the ctx.json that the program may read, by default the job's own.

    Raises SkerryError: a value with a NUL, or its file cannot be written.
    """
    found = {**base, **extra} if extra else dict(base)
    for name, value in params.items():
        if value is not None and reaches_environment(name):
            _add(found, name, value if type(value) is str else as_text(value), directory)
    found["SKERRY_JOB_DIR"] = directory
    found["SKERRY_INPUTS"] = f"{directory}/inputs"
    found["SKERRY_OUTPUTS"] = f"{directory}/outputs"
    found["SKERRY_CONTEXT"] = context or f"{directory}/ctx.json"
    found["SKERRY_STATUS"] = f"{directory}/status"
    found["SKERRY_PROGRESS"] = f"{directory}/.skerry/progress"
    found["SKERRY_ATTEMPT"] = mark
    return found


def _add(found: dict[str, str], name: str, text: str, directory: str) -> None:
    if "\0" in text:
        raise SkerryError.at(UNPASSABLE_VALUE, "parameter {where!r} holds a NUL character", name)
    if len(text) * 4 > BIGGEST and (data := _encoded(name, text)) and len(data) > BIGGEST:
        found[f"{name}_FILE"] = _filed(f"{directory}/inputs/{name}", data)
    else:
        found[name] = text if _UTF8 else os.fsdecode(_encoded(name, text))


def _filed(path: str, data: bytes) -> str:
    with directory_errors(path):
        replace(path, data)
    return path


def _encoded(name: str, text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        message = "parameter {where!r}: {error}"
        raise SkerryError.at(UNPASSABLE_VALUE, message, name, error=wording(error)) from error
