"""Whether a command can be run at all, checked before it is tried: a bare 127 explains nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from engine.model.codes.processes import ARGUMENT_TOO_LONG, NO_INTERPRETER, NO_SUCH_PROGRAM, NOT_EXECUTABLE
from engine.model.errors import SkerryError
from engine.model.plain_words import quoted

LONGEST_ARGUMENT = 128_000  # bytes; Linux takes 131,071
_HEAD = 256  # bytes; what the kernel reads of a script to find its interpreter


def runnable(argv: tuple[str, ...], env: Mapping[str, str], directory: str) -> tuple[str, ...]:
    """``argv`` with the program's full path first.

    Raises SkerryError: an argument too long, no such program, not executable, no interpreter for it.
    """
    for argument in argv:
        if len(argument) * 4 > LONGEST_ARGUMENT:
            _check_length(argument)
    return (locate(argv[0] if argv else "", env, directory), *argv[1:])


def locate(name: str, env: Mapping[str, str], directory: str) -> str:
    """The full path of a program named as in a shell."""
    candidates = list(_candidates(name, env, directory))
    there = [path for path in candidates if name and os.path.exists(path)]
    found = next((path for path in there if _may_run(path)), None)
    if found is None and there:
        raise SkerryError.at(NOT_EXECUTABLE, "it may not be executed: {where}", there[0])
    if found is None:
        raise SkerryError(NO_SUCH_PROGRAM, "there is no program {name}", where=name, name=quoted(name))
    _check_interpreter(found, env, directory)
    return found


def _candidates(name: str, env: Mapping[str, str], directory: str) -> Iterator[str]:
    if "/" in name:
        yield os.path.join(directory, name)
        return
    for folder in env.get("PATH", os.defpath).split(":"):
        yield os.path.join(directory, folder, name)


def _may_run(path: str) -> bool:
    return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)


def _check_interpreter(path: str, env: Mapping[str, str], directory: str) -> None:
    head = _first_line(path)
    words = head[2:].decode("utf-8", "replace").split() if head.startswith(b"#!") else []
    through_env = len(words) == 2 and os.path.basename(words[0]) == "env"
    for name in words if through_env else words[:1]:
        if not any(os.path.exists(each) for each in _candidates(name, env, directory)):
            message = "{where} wants {name}, which is not there"
            raise SkerryError.at(NO_INTERPRETER, message, path, name=quoted(name))


def _first_line(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:  # it may be executed without being read
        return b""
    try:
        return os.read(fd, _HEAD).split(b"\n", 1)[0]
    finally:
        os.close(fd)


def _check_length(argument: str) -> None:
    size = len(argument.encode("utf-8", "surrogateescape"))
    if size > LONGEST_ARGUMENT:
        message = "an argument has {size:,} bytes; {most:,} are allowed"
        raise SkerryError(ARGUMENT_TOO_LONG, message, size=size, most=LONGEST_ARGUMENT)
