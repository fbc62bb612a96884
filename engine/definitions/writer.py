"""A tree of JSON values as YAML that a person likes to read and that reads back to the same tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.definitions.scalars import BOOLEAN, FLOAT, INTEGER, NULL

_WIDTH = 100  # what fits here is written on one line
_HEIGHT = 2  # and what is not more deeply nested
_LONG_KEY = 200  # YAML ends "simple" keys at 1,024 bytes
_STEP = "  "
_PLAIN = re.compile(r"[^\W\d][\w/]*(?:(?: |[.:@%+-]+)[\w/]+)*")  # of any script; no ": ", no " #"
_DURATION = re.compile(r"[0-9]+(?:ms|[smhdw])")
_OLD_WORDS = frozenset(["y", "n", "yes", "no", "on", "off"])  # truth values to YAML 1.1, which others read
_BLOCK = re.compile("[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_SPECIAL = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def dump(raw: Mapping[str, Any]) -> str:
    """The definition file of ``raw`` (sections, as ``Definitions.raw`` has them); ``skerry: 1`` is added.

    ValueError when a text holds half of a surrogate pair, which no file can.
    """
    tree = raw if "skerry" in raw else {"skerry": 1, **raw}
    lines = [line for key, value in tree.items() for line in _entry(key, value, "", top=True)]
    text = "\n".join(lines) + "\n"
    text.encode()
    return text


def _entry(key: str, value: Any, indent: str, *, top: bool = False) -> Iterator[str]:
    """The lines of ``key: value``."""
    name = _text(key)
    if len(name) > _LONG_KEY:
        yield f"{indent}? {name}"
        yield from _after(f"{indent}:", value, indent, top)
    else:
        yield from _after(f"{indent}{name}:", value, indent, top)


def _after(head: str, value: Any, indent: str, top: bool) -> Iterator[str]:
    """``head`` (a key or a dash) with its value: beside it when it is small, else below."""
    if isinstance(value, str) and _as_block(value):
        yield from _block(head, value, indent + _STEP)
        return
    if not isinstance(value, (dict, list, tuple)) or not value:
        yield f"{head} {_flow(value)}"
        return
    one_line = None if top else _one_line(value, _WIDTH - len(head))
    if one_line is not None:
        yield f"{head} {one_line}"
        return
    yield head
    yield from _below(value, indent + _STEP)


def _below(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entry(key, item, indent)
        return
    for item in value:
        yield from _item(item, indent)


def _item(item: Any, indent: str) -> Iterator[str]:
    """An item of a list; a map begins beside its dash."""
    if isinstance(item, dict) and item and _one_line(item, _WIDTH - len(indent) - 2) is None:
        first, *rest = _below(item, indent + _STEP)
        yield f"{indent}- {first[len(indent) + 2 :]}"
        yield from rest
    else:
        yield from _after(f"{indent}-", item, indent, top=False)


def _block(head: str, text: str, indent: str) -> Iterator[str]:
    """``|`` and the lines as they are; its sign says how many line ends are at the end."""
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    keep = "-" if ends == 0 else "" if ends == 1 else "+"
    width = str(len(_STEP)) if text[0] in " \t\n" else ""
    yield f"{head} |{width}{keep}"
    for line in body.split("\n"):
        yield indent + line if line else ""
    yield from [""] * (ends - 1)


def _as_block(text: str) -> bool:
    return "\n" in text and bool(text.strip()) and bool(_BLOCK.fullmatch(text))


def _one_line(value: Any, room: int) -> str | None:
    """A map or list in one line, or None when it is too long, too deep, or holds a text of lines."""
    if len(value) > room or _height(value) > _HEIGHT or _has_block(value):
        return None
    text = _flow(value)
    return text if len(text) <= room else None


def _height(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_height, value.values()), default=0)
    return 1 + max(map(_height, value), default=0) if isinstance(value, (list, tuple)) else 0


def _has_block(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_block, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_block, value))
    return isinstance(value, str) and _as_block(value)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _text(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def _text(text: str) -> str:
    """A text as it is when nobody could take it for something else, else in quotes."""
    if _DURATION.fullmatch(text) or (_PLAIN.fullmatch(text) and not _ambiguous(text)):
        return text
    escapes = text.count('"') + text.count("\\")
    if escapes > text.count("'") and text.isprintable() and not _SPECIAL.search(text):
        return "'" + text.replace("'", "''") + "'"
    quoted = json.dumps(text, ensure_ascii=False)
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _ambiguous(text: str) -> bool:
    if text.lower() in _OLD_WORDS:
        return True
    return any(meaning.match(text) for meaning in (NULL, BOOLEAN, INTEGER, FLOAT))
