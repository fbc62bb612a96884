"""What an unquoted text of a YAML file means: the core types of YAML 1.2, nothing more."""

from __future__ import annotations

import re
from math import isfinite

from engine.model.message import Message

TAG = "tag:yaml.org,2002:"

NULL = re.compile(r"^(?:~|null|Null|NULL|)$")
BOOLEAN = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
INTEGER = re.compile(r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$")
FLOAT = re.compile(
    r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
)
MERGE = re.compile(r"^<<$")  # not of the core types, but everybody's way to share keys

Scalar = str | int | float | bool | None


class UnfitScalar(ValueError):
    """A tag that does not fit its text, or a number that cannot be kept."""


def number(text: str) -> int | float:
    """The number that ``text`` writes; UnfitScalar when it is infinite, no number or too large."""
    if INTEGER.match(text):
        return _integer(text)
    if not FLOAT.match(text):
        raise UnfitScalar("not a number")
    value = float(text) if text[-1].lower() not in "fn" else float("nan")
    if not isfinite(value):
        raise UnfitScalar("infinite and not-a-number cannot be kept")
    return value


def _integer(text: str) -> int:
    if text.startswith(("0o", "0x")):
        return int(text, 0)
    if len(text) > 1000:
        raise UnfitScalar("more than 1,000 digits")
    return int(text)


def scalar(tag: str, text: str) -> Scalar:
    """The value of ``text`` under one of YAML's own tags; UnfitScalar when they do not go together.

    >>> scalar(TAG + "int", "012"), scalar(TAG + "str", "no"), scalar(TAG + "float", "1e3")
    (12, 'no', 1000.0)
    """
    match tag.removeprefix(TAG):
        case "str" | "merge":
            return text
        case "null" if NULL.match(text):
            return None
        case "bool" if BOOLEAN.match(text):
            return text[0] in "tT"
        case "int" if INTEGER.match(text):
            return _integer(text)
        case "float":
            return float(number(text))
    raise UnfitScalar(Message.of("the tag does not fit {text!r}", text=text[:40]))
