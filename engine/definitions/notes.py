"""Collecting what is wrong while the rest is still read, and small helpers to say it well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

from engine.model.codes import definitions as codes
from engine.model.errors import ErrorCode
from engine.model.findings import Finding, Loc, error, warning
from engine.model.message import Message
from engine.model.names import LONGEST_ID, is_id, meant

_LONGEST = 400  # characters of a message


class FindingNote(NamedTuple):
    """A finding, and whether it is about the key or (False) its value; None is whatever suits."""

    finding: Finding
    key: bool | None


class Notes:
    """The findings so far; paths lead through the file's tree."""

    def __init__(self) -> None:
        self.all: list[FindingNote] = []
        self.errors = 0

    def error(self, code: ErrorCode, text: str, path: Loc, /, *, key: bool = False, **facts: object) -> None:
        """Something that makes the definition invalid."""
        self.add(error(code, text, path, **facts), key=key)

    def wrong_type(
        self, text: str, path: Loc, value: object, /, *, key: bool = False, **facts: object
    ) -> None:
        """Another kind of value than the text expects: ``{found}`` in it is what there is."""
        self.error(codes.WRONG_TYPE, text, path, key=key, found=shown(value), **facts)

    def warning(
        self, code: ErrorCode, text: str, path: Loc, /, *, key: bool = False, **facts: object
    ) -> None:
        """Something that the author should look at."""
        self.add(warning(code, text, path, **facts), key=key)

    def add(self, finding: Finding, *, key: bool | None = None) -> None:
        """A finding made elsewhere, with its whole path."""
        self.errors += finding.severity == "error"
        self.all.append(FindingNote(replace(finding, message=one_line(finding.message)), key))


def one_line(message: str) -> str:
    """A message that a terminal can show: texts of a file may hold anything.

    >>> one_line("unknown key `a\\nb`")
    'unknown key `a\\\\nb`'
    """
    if message.isprintable() and len(message) <= _LONGEST:
        return message  # with its facts, which are lost where it has to change
    line = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in message)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def id_problem(name: object) -> Message | None:
    """What is wrong with an id, or None."""
    text = str(name)
    if len(text) > LONGEST_ID:
        return Message.of(
            "the id `{text}…` is longer than {most} characters", text=text[:20], most=LONGEST_ID
        )
    if is_id(text):
        return None
    template = "`{text}` is not an id: letters, digits, _ . - (first a letter or _), or digits only"
    return Message.of(template, text=text)


def listed(words: Iterable[object]) -> str:
    """Words as a person lists them.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    *most, last = list(words) or [Message.of("nothing")]
    if not most:
        return last if isinstance(last, Message) else str(last)
    first = reduce(lambda before, word: Message.of("{before}, {word}", before=before, word=word), most)
    return Message.of("{first} or {last}", first=first, last=last)


def did_you_mean(word: object, known: Iterable[str], most: int = 12) -> str:
    """A hint to append to a message: the word that was probably meant, else all when at most ``most``."""
    names = sorted(known)
    probably = meant(word, names)
    if probably:
        return Message.of("; did you mean `{meant}`?", meant=probably)
    return Message.of("; known here: {names}", names=", ".join(names)) if 0 < len(names) <= most else ""


def shown(value: Any) -> Message:
    """A value as a message names it: its shape, and itself when it is short."""
    match value:
        case None:
            return Message.of("nothing")
        case bool():
            return Message.of("true" if value else "false")
        case int() | float():
            return Message.of("the number {number}", number=value)
        case str() if len(value) <= 40 and "\n" not in value:
            return Message.of("the text '{text}'", text=value)
        case str():
            return Message.of("a long text")
        case dict():
            return Message.of("a map")
    return Message.of("a list")
