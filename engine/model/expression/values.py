"""Values as text, text as values, and how two values compare (contract 3)."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn

from engine.model.codes.expressions import NOT_COMPARABLE, NULL_IN_TEXT, VALUE_TOO_BIG, WRONG_KIND
from engine.model.errors import SkerryError
from engine.model.expression.limits import MAX_VALUE
from engine.model.json_text import no_constant
from engine.model.message import Message
from engine.model.quantities import Kind

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

Number = int | float | Decimal


class FileText(str):
    """The path that ``File(/path)`` gives: a text that is known to name a file."""

    __slots__ = ()


def as_text(value: Any) -> str:
    """``value`` as a part of a text; SkerryError for null.

    >>> as_text(3.0), as_text(True), as_text([1, "a"])
    ('3', 'true', '[1,"a"]')
    """
    if isinstance(value, str):
        return value
    if value is None:
        raise SkerryError(NULL_IN_TEXT, "the value is null, which has no text")
    if isinstance(value, bool):
        return "true" if value else "false"
    return compact_json(value).removesuffix(".0")


def compact_json(value: Any) -> str:
    """Compact JSON with nothing escaped that need not be; SkerryError if it is no JSON value."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        raise SkerryError(WRONG_KIND, "the value is none of JSON, or is nested too deeply") from None


def check_size(characters: int) -> None:
    """SkerryError when a text is longer than an expression may produce."""
    if characters > MAX_VALUE:
        raise SkerryError(VALUE_TOO_BIG, "the text would have more than {most:,} characters", most=MAX_VALUE)


_FITS: Final[dict[str, Any]] = {"number": (int, float), "boolean": bool, "list": list, "map": dict}


def as_kind(value: Any, kind: Kind | None) -> Any:
    """``value`` as a parameter or result of ``kind``; null and values without a kind stay as they are.

    Text is read as JSON for number, boolean, list and map. SkerryError when the value does not fit.
    """
    if value is None or kind is None:
        return value
    if kind == "text":
        return as_text(value)
    if kind in ("file", "document"):
        return _as_path(value, kind)
    found = _read_json(value, kind) if isinstance(value, str) else value
    if not isinstance(found, _FITS[kind]) or (kind == "number" and isinstance(found, bool)):
        _does_not_fit(value, kind)
    return found


def _read_json(text: str, kind: str) -> Any:
    try:
        found = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        _does_not_fit(text, kind)
    if isinstance(found, float) and found in (float("inf"), float("-inf")):
        _does_not_fit(text, kind)
    return found


def _as_path(value: Any, kind: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        _does_not_fit(value, kind)
    return value.rstrip("\r\n")


def _does_not_fit(value: Any, kind: str) -> NoReturn:
    raise SkerryError(WRONG_KIND, "{value} is not a {kind}", value=described(value), kind=Message.of(kind))


def described(value: Any) -> str:
    """A value in a message: whole when it is short, else what it is and how long.

    It is never cut: half a secret would escape the masking of the message.
    """
    if isinstance(value, str):
        long = Message.of("a text of {count:,} characters", count=len(value))
        return repr(value) if len(value) <= 60 else long
    if isinstance(value, (list, dict)):
        template = "a list of {count:,} values" if isinstance(value, list) else "a map of {count:,} values"
        return Message.of(template, count=len(value))
    return "null" if value is None else as_text(value)


def as_number(value: Any) -> Number | None:
    """The number that a value is or, trimmed, reads as (a JSON number); else None.

    >>> as_number(" 12 "), as_number("0012"), as_number(True)
    (12, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if not isinstance(value, str):
        return None
    text = value.strip()
    if not _NUMBER.fullmatch(text):
        return None
    if len(text) <= 18 and text.lstrip("-").isdigit():
        return int(text)
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond all bounds
        return None


def equal(left: Any, right: Any) -> bool:
    """``==``: as numbers if both read as numbers, else as text; null equals only null."""
    if left is None or right is None:
        return left is right
    a, b = _sides(left, right)
    return bool(a == b)


def less(left: Any, right: Any) -> bool:
    """``<``: as numbers if both read as numbers, else as text; SkerryError for null."""
    if left is None or right is None:
        raise SkerryError(NOT_COMPARABLE, "null is neither smaller nor greater than anything")
    a, b = _sides(left, right)
    return bool(a < b)


def contains(left: Any, right: Any) -> bool:
    """``#``: a list contains an equal element, a map a key, any other value's text the text."""
    if isinstance(left, list):
        return any(equal(each, right) for each in left)
    if left is None or right is None:
        raise SkerryError(NOT_COMPARABLE, "null contains nothing and is contained in no text")
    if isinstance(left, dict):
        return as_text(right) in left
    return as_text(right) in as_text(left)


def _sides(left: Any, right: Any) -> tuple[Any, Any]:
    a, b = as_number(left), as_number(right)
    if a is None or b is None:
        return as_text(left), as_text(right)
    if type(a) is type(b):
        return a, b
    return _decimal(a), _decimal(b)


def _decimal(number: Number) -> Decimal:
    """A float counts as the number that it is written as: 0.1 equals the text ``0.1``."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
