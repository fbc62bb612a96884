"""Reading the parameters of a call: a value that fits, or an error that names the parameter."""

from __future__ import annotations

import codecs
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.model.codes.jobs import PARAMETER
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.model.quantities import size_bytes
from engine.plugins.job_type import Call


def unfit(name: str, message: str, /, **facts: object) -> SkerryError:
    """The error for a parameter that does not fit."""
    return SkerryError.at(PARAMETER, "{where}: {message}", name, message=Message.of(message, **facts))


def given(call: Call, name: str) -> bool:
    """Whether the parameter has a value; null and an empty text count as none."""
    return call.params.get(name) not in (None, "")


def text(call: Call, name: str, default: str | None = None) -> str:
    """A text; without a value ``default``, and without that an error."""
    value = call.params.get(name)
    value = default if value is None else value
    if value is None:
        raise unfit(name, "a text is needed")
    if not isinstance(value, str):
        raise unfit(name, "a text is needed, not {value}", value=quoted(value))
    return value


def path(call: Call, name: str, default: str | None = None) -> Path:
    """A path; a relative one starts at the job's directory."""
    return as_path(call, name, text(call, name, default))


def paths(call: Call, name: str) -> list[Path]:
    """A list of one path or more; a single text is a list of one."""
    value = call.params.get(name)
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not items:
        raise unfit(name, "a list of paths is needed")
    return [as_path(call, name, item) for item in items]


def as_path(call: Call, name: str, value: Any) -> Path:
    """One path of the parameter ``name``."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise unfit(name, "a path is needed, not {value}", value=quoted(value))
    return call.directory / value


def whole(call: Call, name: str, default: int | None = None) -> int:
    """A whole number from 1 on; ``10.0`` and the text ``10`` will do."""
    value: Any = call.params.get(name)
    value = default if value in (None, "") else value
    try:
        number = int(value) if not isinstance(value, bool) else 0
        if number < 1 or (isinstance(value, float) and value != number):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise unfit(name, "a whole number from 1 on is needed, not {value}", value=quoted(value)) from None
    return number


def size(call: Call, name: str, default: str | None = None) -> int:
    """A size in bytes from 1 on, given as ``4096`` or as ``10MB``."""
    value = call.params.get(name)
    value = default if value in (None, "") else value
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        number = size_bytes(value)
    except ValueError as error:
        raise unfit(name, "{error}, not {value}", error=Message.of(str(error)), value=quoted(value)) from None
    if number < 1:
        raise unfit(name, "a size from 1 byte on is needed")
    return number


def encoding(call: Call, name: str, default: str | None = None) -> str:
    """The name of a text encoding, as Python knows it."""
    label = text(call, name, default)
    try:
        known = codecs.lookup(label).name
        with suppress(UnicodeError):
            b"00".decode(known)  # a LookupError for what makes no text, such as hex
    except (LookupError, ValueError):
        raise unfit(name, "no encoding is called {label}", label=quoted(label)) from None
    return known
