"""Collecting what is wrong while the rest is still read, and small helpers to say it well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from engine.model.errors import ErrorCode
from engine.model.findings import Finding, Loc, error, warning
from engine.model.names import LONGEST_ID, is_id, meant


class FindingNote(NamedTuple):
    """A finding, and whether it is about the key or (False) its value; None is whatever suits."""

    finding: Finding
    key: bool | None


class Notes:
    """The findings so far; paths lead through the file's tree."""

    def __init__(self) -> None:
        self.all: list[FindingNote] = []
        self.errors = 0

    def error(self, code: ErrorCode, message: str, path: Loc, *, key: bool = False) -> None:
        """Something that makes the definition invalid."""
        self.add(error(code, message, path), key=key)

    def warning(self, code: ErrorCode, message: str, path: Loc, *, key: bool = False) -> None:
        """Something that the author should look at."""
        self.add(warning(code, message, path), key=key)

    def add(self, finding: Finding, *, key: bool | None = None) -> None:
        """A finding made elsewhere, with its whole path."""
        self.errors += finding.severity == "error"
        self.all.append(FindingNote(replace(finding, message=one_line(finding.message)), key))


def one_line(message: str) -> str:
    """A message that a terminal can show: texts of a file may hold anything.

    >>> one_line("unknown key `a\\nb`")
    'unknown key `a\\\\nb`'
    """
    if not message.isprintable():
        message = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in message)
    return message if len(message) <= 400 else f"{message[:400]}…"


def id_problem(name: object) -> str | None:
    """What is wrong with an id, or None."""
    text = str(name)
    if len(text) > LONGEST_ID:
        return f"the id `{text[:20]}…` is longer than {LONGEST_ID} characters"
    if is_id(text):
        return None
    return f"`{text}` is not an id: letters, digits, _ . - (first a letter or _), or digits only"


def listed(words: Iterable[object]) -> str:
    """Words as a person lists them.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    *most, last = [str(word) for word in words] or ["nothing"]
    return f"{', '.join(most)} or {last}" if most else last


def did_you_mean(word: object, known: Iterable[str], most: int = 12) -> str:
    """A hint to append to a message: the word that was probably meant, else all when at most ``most``."""
    names = sorted(known)
    probably = meant(word, names)
    if probably:
        return f"; did you mean `{probably}`?"
    return f"; known here: {', '.join(names)}" if 0 < len(names) <= most else ""


def shown(value: Any) -> str:
    """A value as a message names it: its shape, and itself when it is short."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text '{value}'" if len(value) <= 40 and "\n" not in value else "a long text"
        case dict():
            return "a map"
    return "a list"
