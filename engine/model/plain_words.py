"""What an exception says to whoever reads it: never the words that Python has for programmers."""

from __future__ import annotations

import json
import os
from json import JSONDecodeError

from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError

_UNFORESEEN = "something that was not foreseen"


def wording(error: BaseException | None, otherwise: str = _UNFORESEEN) -> str:
    """One line: the message of an error of ours, the system's with its path, a library's own.

    ``otherwise`` is the text for errors that only show where the program is wrong (TypeError and the like).
    """
    match error:
        case OSError(strerror=str() as text, filename=str() | bytes() as path):
            return f"{os.fsdecode(path)}: {text}"
        case OSError(strerror=str() as text):
            return text
        case OSError() if isinstance(reason := getattr(error, "reason", None), OSError):  # urllib's
            return wording(reason, otherwise)
        case JSONDecodeError(lineno=line, colno=column):
            return f"it is no JSON (line {line}, column {column})"
        case UnicodeError():
            return "it is no text in UTF-8"
        case RecursionError():
            return "it is nested too deeply"
        case ImportError(name=str() as package):
            return f"the package {package!r} is not installed here"
        case SkerryError() | OSError() | ValueError():
            return " ".join(str(error).split()) or otherwise
    foreign = error is not None and type(error).__module__ != "builtins"
    return (" ".join(str(error).split()) if foreign else "") or otherwise


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
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else None
    exception_text = " ".join(f"{type(problem).__name__}: {problem}".split())
    message = "a mistake of the program" + (f", at {where}" if where else "")
    return SkerryError(INTERNAL, message, where=where, details={"exception": exception_text})
