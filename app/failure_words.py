"""What the engine, which writes English, says of a failure, to readers of another language."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from app.texts import catalogue
from engine.model.errors import ErrorCode
from engine.model.reason import Reason

_FACT = re.compile(r"\\{(\w+)\\}")


class _Template(NamedTuple):
    english: re.Pattern[str]
    text: str


@cache
def _templates(language: str) -> tuple[_Template, ...]:
    """The texts of ``failures.yaml`` in their order; a ``{fact}`` matches whatever the engine put there."""
    found = catalogue(language, "failures").items()
    return tuple(
        _Template(re.compile(_FACT.sub(r"(?P<\1>.+?)", re.escape(english)), re.DOTALL), text)
        for english, text in found
    )


def failure_words(
    code: int | None, message: str, language: str, find: Callable[[int], ErrorCode | None] | None = None
) -> str:
    """The message in the reader's language, where the catalogue of texts has it; a message within it as well.

    Else the Chinese title of its code, where ``find`` has one, goes before the English.

    >>> failure_words(None, "job 'load': exit status 3", "zh"), failure_words(None, "exit status 3", "en")
    ("作业 'load'：退出状态 3", 'exit status 3')
    """
    templates = _templates(language)
    for template in templates if message else ():
        if whole := template.english.fullmatch(message):
            facts = whole.groupdict()
            if "message" in facts:
                facts["message"] = failure_words(code, facts["message"], language, find)
            return template.text.format(**facts)
    entry = find(code) if templates and message and find and code is not None else None
    return f"{entry.zh.title}：{message}" if entry else message


def with_failure_words(reason: Reason, language: str) -> Reason:
    """A reason whose message, that of a failure, is in the reader's language."""
    message = reason.facts.get("message")
    if not isinstance(message, str):
        return reason
    return Reason(reason.kind, {**reason.facts, "message": failure_words(None, message, language)})
