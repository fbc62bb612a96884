"""Values as the database takes them: JSON and times as text, and no text that a database would refuse."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.model.json_text import compact
from engine.model.message import facts_of
from engine.store.rows import time_text
from engine.store.tables import Table

_dump = compact(nan=True)
_AS_IT_IS = frozenset({int, type(None)})


def storable(text: str) -> str:
    """``text`` without what a database cannot hold: NUL becomes U+FFFD, half a surrogate ``\\udcXX``."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "backslashreplace").decode()


def json_text(value: Any) -> str:
    """A JSON tree as compact text, keys in their order."""
    return storable(_dump(value))


def content_hash(text: str) -> str:
    """The sha256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def encoded(table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``values`` that goes into the database as it is, and that nobody else changes.

    Messages bring their facts along.
    """
    trees = table.json
    facts = {name: facts_of(values[text]) for text, name in table.messages if text in values}
    return {
        name: value if value.__class__ in _AS_IT_IS else json_text(value) if name in trees else _plain(value)
        for name, value in (*facts.items(), *values.items())
    }


def _plain(value: Any) -> Any:
    if value.__class__ is str:
        return value if value.isascii() and "\0" not in value else storable(value)
    if isinstance(value, str):
        return storable(str.__str__(value))  # a member of an enumeration becomes its plain text
    return time_text(value) if isinstance(value, datetime) else value
