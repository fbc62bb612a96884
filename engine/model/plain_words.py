"""What an exception says to whoever reads it: never the words that Python has for programmers."""

from __future__ import annotations

import json
import os
from json import JSONDecodeError

from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError
from engine.model.message import Message

_UNFORESEEN = "something that was not foreseen"


def wording(error: BaseException | None, otherwise: str = _UNFORESEEN) -> Message:
    """One line: the message of an error of ours, the system's with its path, a library's own.

    ``otherwise`` is the text for errors that only show where the program is wrong (TypeError and the like).
    """
    match error:
        case OSError(strerror=str() as text, filename=str() | bytes() as path):
            return Message.of("{path}: {error}", path=os.fsdecode(path), error=text)
        case OSError(strerror=str() as text):
            return Message.of(text)
        case OSError() if isinstance(reason := getattr(error, "reason", None), OSError):  # urllib's
            return wording(reason, otherwise)
        case JSONDecodeError(lineno=line, colno=column):
            return Message.of("it is no JSON (line {line}, column {column})", line=line, column=column)
        case UnicodeError():
            return Message.of("it is no text in UTF-8")
        case RecursionError():
            return Message.of("it is nested too deeply")
        case ImportError(name=str() as package):
            return Message.of("the package {package!r} is not installed here", package=package)
        case SkerryError() | OSError() | ValueError():
            return _own_words(error, otherwise)
    if error is not None and type(error).__module__ != "builtins":
        return _own_words(error, otherwise)
    return Message.of(otherwise)


def _own_words(error: BaseException, otherwise: str) -> Message:
    """On one line; with their facts, where they are such a line already."""
    line = " ".join(str(error).split()) or otherwise
    words = error.args[0] if error.args else line
    return words if isinstance(words, Message) and words == line else Message.of(line)


def quoted(value: object) -> str:
    """A value in a message: a text between quotes, on one line, its backslashes as they are; else JSON."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    mark = '"' if "'" in value else "'"
    return mark + "".join(each if each.isprintable() else repr(each)[1:-1] for each in value) + mark


def unforeseen(problem: BaseException) -> SkerryError:
    """An error of ours as it is; any other is a mistake of the program: where, and for its makers what."""
    if isinstance(problem, SkerryError):
        return problem
    import traceback

    frames = traceback.extract_tb(problem.__traceback__)
    details: dict[str, object] = {"exception": " ".join(f"{type(problem).__name__}: {problem}".split())}
    if not frames:
        return SkerryError(INTERNAL, "a mistake of the program", details=details)
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}"
    return SkerryError.at(INTERNAL, "a mistake of the program, at {where}", where, details=details)
