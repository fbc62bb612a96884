"""Errors that carry a code of the catalogue: ``-1DDSSCCCXXX`` (contract, section 5)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from engine.model.message import Message

_ASIDE = re.compile(r"\s*\('skerry [^()]*'\)|（skerry [^（）]*）")


def without_commands(text: str) -> str:
    """Without the commands that are in brackets beside what they do.

    >>> without_commands("Repair the resource ('skerry resource check ID'), then rerun.")
    'Repair the resource, then rerun.'
    """
    return _ASIDE.sub("", text)


class Text(NamedTuple):
    """One language of a catalogue entry: what it is, why it happens, what to do."""

    title: str
    cause: str
    remedy: str


@dataclass(frozen=True)
class ErrorCode:
    """An entry of the catalogue. ``number`` ends in three zeros: the place of the extra part."""

    number: int
    en: Text = field(compare=False)
    zh: Text = field(compare=False)
    retryable: bool = True

    def text(self, language: str) -> Text:
        """Its words in Chinese (``zh``, ``zh_CN``), else in English."""
        return self.zh if language.startswith("zh") else self.en

    def in_window(self, language: str) -> str:
        """What to do for people at the window, who type no commands."""
        return without_commands(self.text(language).remedy)

    def with_extra(self, extra: int) -> int:
        """The full code with an exit status, HTTP status or signal (0-999) as its extra part."""
        return self.number - min(max(extra, 0), 999)


class SkerryError(Exception):
    """Something went wrong that the catalogue knows.

    ``code`` is the full number, ``message`` one line: a template with its ``facts``. ``where`` is the place
    (an expression, a path, ``file:line:column``). ``details`` are further JSON-able facts. ``origin`` is the
    part of the message that says what failed first, where others only pass that on.
    """

    def __init__(
        self,
        entry: ErrorCode,
        message: str,
        /,
        *,
        where: str | None = None,
        extra: int = 0,
        details: dict[str, object] | None = None,
        origin: str | None = None,
        **facts: object,
    ) -> None:
        self.message = Message.of(message, **facts)
        super().__init__(self.message)
        self.entry = entry
        self.code = entry.with_extra(extra)
        self.where = where
        self.details = details or {}
        self.origin = origin

    @classmethod
    def at(
        cls,
        entry: ErrorCode,
        template: str,
        where: object,
        /,
        *,
        extra: int = 0,
        details: dict[str, object] | None = None,
        **facts: object,
    ) -> Self:
        """With the place, ``{where}`` in the template, among its facts."""
        message = Message.of(template, where=where, **facts)
        return cls(entry, message, where=str(where), extra=extra, details=details)

    def reword(self, template: str, **facts: object) -> None:
        """Say more about it: the ``{message}`` in the template is what the message was so far."""
        self.message = Message.of(template, message=self.message, **facts)


class Refused(SkerryError):
    """The request is understood but not allowed now (state, permission, signature): exit 3."""


class Invalid(SkerryError):
    """Wrong use or an invalid definition: exit 2."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt, a job or a run did not succeed, as a value that can be stored."""

    code: int
    message: Message
    retryable: bool = True
    details: dict[str, object] = field(default_factory=dict)
    where: str | None = None  # as of the error; not stored
    origin: str | None = None
    exit_status: int | None = None  # of the program, whatever the verdict says; not stored

    @classmethod
    def of(cls, error: SkerryError) -> Failure:
        return cls(error.code, error.message, error.entry.retryable, error.details, error.where, error.origin)

    @classmethod
    def new(cls, entry: ErrorCode, template: str, /, extra: int = 0, **facts: object) -> Failure:
        """With a code of the catalogue, and what it says: a template with its facts."""
        return cls(entry.with_extra(extra), Message.of(template, **facts), entry.retryable)

    def passed_on(self, template: str, **facts: object) -> Failure:
        """The same in the words of what failed because of it; ``{message}`` is what it was so far."""
        message = Message.of(template, message=self.message, **facts)
        return Failure(self.code, message, self.retryable, origin=self.origin)


def covers(pattern: int, code: int) -> bool:
    """Whether ``pattern`` names ``code``: its trailing zero groups stand for everything below.

    >>> covers(-10300000000, -10300012000), covers(-10200000000, -10300012000)
    (True, False)
    """
    digits, actual = f"{-pattern:011d}", f"{-code:011d}"
    groups = (3, 5, 8, 11)  # the ends of 1DD, SS, CCC, XXX
    kept = next((end for end in groups if not digits[end:].strip("0")), 11)
    return digits[:kept] == actual[:kept]
