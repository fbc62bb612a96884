"""The error of an expression that cannot be read, with the column where."""

from __future__ import annotations

from engine.model.codes.expressions import SYNTAX
from engine.model.errors import Invalid
from engine.model.message import Message


def syntax_error(text: str, position: int, what: str, /, **facts: object) -> Invalid:
    """The error for a mistake at ``position`` (from 0) of ``text``; shows the column from 1."""
    column = position + 1
    message = "{what} (column {column})"
    return Invalid(
        SYNTAX, message, where=text, details={"column": column}, what=Message.of(what, **facts), column=column
    )
