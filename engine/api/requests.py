"""Questions to the service as they come over HTTP: bounded, and JSON to the letter."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from fastapi import Request
from fastapi.routing import APIRoute

from engine.model.codes.commands import BODY_TOO_BIG, WRONG_USE
from engine.model.errors import Invalid
from engine.model.json_text import no_constant
from engine.model.plain_words import wording

MAX_BODY: Final = 16 * 1024 * 1024  # bytes
MAX_LEVELS: Final = 200  # lists and maps within each other
_BIGGEST: Final = 2**63 - 1  # of the numbers that a database keeps
_MOST_DIGITS: Final = 1000  # what is too big for a database is refused with the name of its key
_DIGITS = re.compile(r"[+-]?\d{19,}", re.ASCII)
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class LimitedRequest(Request):
    """A request whose body is read up to a limit, and whose JSON has no NaN and no endless depth."""

    async def body(self) -> bytes:
        """The body; BODY_TOO_BIG as soon as it is known to be."""
        if not hasattr(self, "_body"):
            self._body = await self._bounded()
        return self._body

    async def _bounded(self) -> bytes:
        length = self.headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 12 or int(length) > MAX_BODY):
            raise _too_big()
        data = bytearray()
        async for piece in self.stream():
            data += piece
            if len(data) > MAX_BODY:
                raise _too_big()
        return bytes(data)

    async def json(self) -> Any:
        """The value of the body; Invalid if it is no JSON."""
        return read_json(await self.body())


def read_json(data: bytes) -> Any:
    """A JSON value of at most 200 levels, without NaN and without numbers that nothing can hold."""
    levels = 0
    for match in _NESTING.finditer(data):
        levels += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(match[0], 0)
        if levels > MAX_LEVELS:
            message = "body: more than {most} lists and maps within each other"
            raise Invalid(WRONG_USE, message, most=MAX_LEVELS)
    try:
        return json.loads(data, parse_constant=no_constant, parse_float=_finite, parse_int=_whole)
    except ValueError as error:  # also more digits than an int may have, and what is no UTF-8
        raise Invalid(WRONG_USE, "body: {error}", where="body", error=wording(error)) from None


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError("a number is too big")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too big")
    return number


def _too_big() -> Invalid:
    return Invalid(BODY_TOO_BIG, "a request has at most {size} MiB", where="body", size=MAX_BODY // 1024**2)


def check_asked(route: APIRoute, request: Request) -> None:
    """Invalid for a key of the query that the operation does not know, and for a number of endless length."""
    known = {field.alias for field in route.dependant.query_params}
    for key, text in request.query_params.multi_items():
        if key not in known:
            names = ", ".join(sorted(known)) or "none"
            message = "query.{where}: there is no such filter; there are: {names}"
            raise Invalid.at(WRONG_USE, message, key, names=names)
        _check_number(f"query.{key}", text)
    for key, given in request.path_params.items():
        _check_number(f"path.{key}", str(given))


def _check_number(where: str, text: str) -> None:
    if _DIGITS.fullmatch(text) and (len(text) > 20 or abs(int(text)) > _BIGGEST):
        raise Invalid.at(WRONG_USE, "{where}: the number is too big", where)
