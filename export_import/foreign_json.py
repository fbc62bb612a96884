"""JSON from a bundle, a piece at a time and in measured amounts: a stranger chose how large it is."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from engine.model.errors import SkerryError
from engine.model.json_text import no_constant
from engine.model.message import Message
from export_import.container.form import USUAL, ReadLimits, too_much

STRANGE: Final = (  # what reading a bundle's content may raise: it is whatever a stranger made of it
    SkerryError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError,
)  # fmt: skip
_CHUNK: Final = 64 << 10  # bytes that are read at once
_SPACE: Final = " \t\n\r"
_BEHIND: Final = frozenset(" \t\n\r,:]}")  # what may follow a value


class Ration:
    """How much of the JSON of one bundle may still be read; Refused (TOO_MUCH) when it is used up."""

    def __init__(self, limits: ReadLimits = USUAL) -> None:
        self.limits = limits
        self._bytes = limits.json
        self._rows = limits.rows

    def read(self, size: int) -> None:
        self._bytes -= size
        if self._bytes < 0:
            raise too_much("bytes of rows, definitions and context lines", self.limits.json)

    def row(self) -> None:
        self._rows -= 1
        if self._rows < 0:
            raise too_much("rows", self.limits.rows)


def check_value(text: str | bytes, limits: ReadLimits = USUAL) -> None:
    """ValueError for a text whose value would be too large; before anything is made of it."""
    if len(text) > limits.value:
        raise ValueError(Message.of("a value has more than {most:,} characters", most=limits.value))
    marks: Any = ("[", "{", ",") if isinstance(text, str) else (b"[", b"{", b",")
    if sum(map(text.count, marks)) > limits.parts:
        raise ValueError(Message.of("a value has more than {most:,} parts", most=limits.parts))


def load(path: Path, limits: ReadLimits = USUAL) -> Any:
    """The value of a small file; OSError, ValueError (also when it is not small), RecursionError."""
    with open(path, "rb") as file:
        data = file.read(limits.value + 1)
    check_value(data, limits)
    return json.loads(data, parse_constant=no_constant)


def parts(path: Path, ration: Ration, deep: tuple[str, ...] = ()) -> Iterator[tuple[str, Any, Any]]:
    """The map in a file, part by part: ``(key, index, item)`` of each list, else ``(key, None, value)``.

    A map at one of the keys in ``deep`` is given as ``(key, inner key, value)``. ValueError for what is no
    such JSON, or has a key twice.
    """
    with open(path, "rb") as file:
        stream = _Stream(file, ration)
        for key in stream.members():
            opening = stream.look()
            if opening == "[":
                yield key, None, []  # it is there, also when it is empty
                yield from ((key, number, item) for number, item in enumerate(stream.items()))
            elif opening == "{" and key in deep:
                yield key, None, {}
                yield from ((key, inner, stream.value()) for inner in stream.members())
            else:
                yield key, None, stream.value()
        if stream.look():
            raise ValueError("something follows the map")


class _Stream:
    """The text of a file, of which only what is not read yet is in memory."""

    def __init__(self, file: BinaryIO, ration: Ration) -> None:
        self._file = file
        self._ration = ration
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._scan = json.JSONDecoder(parse_constant=no_constant).raw_decode
        self._text = ""
        self._at = 0
        self._ended = False

    def _more(self) -> None:
        """Read on: as much again as is waiting, so that a long value is not looked at too often."""
        data = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._ration.read(len(data))
        self._ended = not data
        self._text = self._text[self._at :] + self._decode(data, not data)
        self._at = 0

    def look(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def take(self, expected: str) -> str:
        """The next character, which must be one of these."""
        found = self.look()
        if not found or found not in expected:
            sign = found or Message.of("the end")
            raise ValueError(Message.of("expected one of {signs}, found {sign}", signs=expected, sign=sign))
        self._at += 1
        return found

    def value(self) -> Any:
        """The next value; ValueError when it is too large."""
        self.look()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
                if self._ended or self._text[end : end + 1] in _BEHIND:  # else a number goes on: 1 of 1.5e3
                    self._at = end
                    return value
            except json.JSONDecodeError:
                if self._ended:
                    raise
            self._more()
            check_value(self._text, self._ration.limits)

    def members(self) -> Iterator[str]:
        """Each key of a map; its value is to be read before the next."""
        self.take("{")
        seen: set[str] = set()
        more = self.look() != "}"
        while more:
            key = self.value()
            if not isinstance(key, str) or key in seen:
                raise ValueError("a key appears twice, or is no text")
            seen.add(key)
            self.take(":")
            yield key
            if self.look() == "}":
                break
            self.take(",")
        self.take("}")

    def items(self) -> Iterator[Any]:
        """Each item of a list; all of them are to be read."""
        self.take("[")
        more = self.look() != "]"
        while more:
            self._ration.row()
            yield self.value()
            if self.look() == "]":
                break
            self.take(",")
        self.take("]")
