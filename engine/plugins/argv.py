"""The values of a list ``argv`` as the arguments of a program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.model.codes.expressions import NULL_IN_TEXT
from engine.model.errors import SkerryError
from engine.model.expression import as_text


def arguments(argv: Iterable[Any]) -> tuple[str, ...]:
    """Each value as text, lists and maps as JSON. Raises SkerryError that names a null one."""
    return tuple(_argument(position, value) for position, value in enumerate(argv))


def _argument(position: int, value: Any) -> str:
    if value is None:
        where = f"argv[{position}]"
        raise SkerryError(NULL_IN_TEXT, f"{where} is null, which has no text", where=where)
    return as_text(value)
