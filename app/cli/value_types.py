"""What arguments and options of commands take; a value that does not fit is refused with its facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from engine.model.message import Message

LARGEST = 2**63 - 1  # what a database can count to


class Number(click.IntRange):
    """A number that counts something; click would call it an "integer range" in its errors."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does; what is wrong keeps its facts."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_misfit(value, int, self._describe_range()), param, ctx)


class Amount(click.FloatRange):
    """A number that measures something."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """As click does; what is wrong keeps its facts."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_misfit(value, float, self._describe_range()), param, ctx)


def _misfit(value: Any, read: Callable[[Any], float], range: str) -> Message:
    try:
        return Message.of("{value} is not in the range {range}.", value=read(value), range=range)
    except ValueError:
        return Message.of("{value!r} is not a valid number.", value=value)


class OneOf(click.Choice[str]):
    """One of some words."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """In click's words, with their facts."""
        choices = ", ".join(map(repr, self.choices))
        return Message.of("{value!r} is not one of {choices}.", value=value, choices=choices)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> Message:
        """On one line, unlike click's."""
        return Message.of("Choose from: {choices}", choices=", ".join(self.choices))


class Name(click.ParamType[str]):
    """The id of something: valid text, unlike what a file name may be."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Fail where a byte was no UTF-8."""
        try:
            str(value).encode()
        except UnicodeEncodeError:
            self.fail(Message.of("{value!r} is not valid text", value=value), param, ctx)
        return str(value)


INSTANCE = Number(1, LARGEST)
NAME = Name()
