"""The catalogue of error codes: everything that can go wrong, by number (contract 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from engine.model import codes
from engine.model.errors import ErrorCode, Text, covers


class Catalogue:
    """Entries by number; the first one of a number stays."""

    def __init__(self, entries: Iterable[ErrorCode]) -> None:
        self._entries: dict[int, ErrorCode] = {}
        for entry in entries:
            self._entries.setdefault(entry.number, entry)

    def __iter__(self) -> Iterator[ErrorCode]:
        """Every entry, the lowest domain first."""
        return iter(sorted(self._entries.values(), key=lambda entry: -entry.number))

    def find(self, code: int) -> ErrorCode | None:
        """The entry of a full code: its extra part (an exit status, a signal) is looked through."""
        return self._entries.get(entry_number(code))

    def below(self, pattern: int) -> list[ErrorCode]:
        """The entries that ``pattern`` stands for: trailing zero groups cover everything below."""
        return [entry for entry in self if covers(pattern, entry.number)]


def entry_number(code: int) -> int:
    """The number of the entry that a full code belongs to.

    >>> entry_number(-11000001137)
    -11000001000
    """
    return -(-code // 1000 * 1000)


def engine_codes() -> Iterator[ErrorCode]:
    """The engine's own entries: the constants in the files of ``engine.model.codes``."""
    import pkgutil

    for info in pkgutil.iter_modules(codes.__path__, f"{codes.__name__}."):
        yield from codes_in(import_module(info.name))


def engine_code(code: int) -> ErrorCode | None:
    """The engine's own entry of a full code."""
    return _engine_catalogue().find(code)


@cache
def _engine_catalogue() -> Catalogue:
    return Catalogue(engine_codes())


def codes_in(module: ModuleType) -> tuple[ErrorCode, ...]:
    return tuple(each for each in vars(module).values() if isinstance(each, ErrorCode))


class HasCodes(Protocol):
    """A job or resource type, seen from here."""

    @property
    def codes(self) -> tuple[ErrorCode, ...]:
        """Its own entries."""


def codes_of(types: Iterable[HasCodes]) -> Iterator[ErrorCode]:
    """The entries that job types and resource types bring along."""
    for each in types:
        yield from each.codes


def own_codes(errors: Mapping[str, Any]) -> Iterator[ErrorCode]:
    """The user's entries, as the section ``errors`` of a definition file has them.

    Each is ``{title, cause, remedy}`` with a text for every language or ``{en: text, zh: text}``, or
    ``{en: {title, …}, zh: {…}}``; a language that is missing is shown in the other one.
    """
    for code, entry in errors.items():
        languages = (("en", "zh"), ("zh", "en"))
        texts = [Text(*(_word(entry, field, *order) for field in Text._fields)) for order in languages]
        retryable = entry.get("retryable", True) is not False
        yield ErrorCode(entry_number(int(code)), en=texts[0], zh=texts[1], retryable=retryable)


def _word(entry: Mapping[str, Any], field: str, language: str, other: str) -> str:
    for each in (language, other):
        block = entry.get(each)
        found = block.get(field) if isinstance(block, Mapping) else None
        found = found if found is not None else entry.get(field)
        if isinstance(found, Mapping):
            found = found.get(each)
        if isinstance(found, str):
            return found
    return ""


def unlisted(number: int, message: str, retryable: bool) -> ErrorCode:
    """An entry for a code that this program's catalogue does not have (a plug-in's, a newer engine's)."""
    text = Text(message, "", "")
    return ErrorCode(number, en=text, zh=text, retryable=retryable)
