"""What the message of a failure says to readers of another language than the engine's, which is English."""

from __future__ import annotations

import signal
from collections.abc import Callable

from app.texts import catalogue
from engine.model.catalogue import entry_number
from engine.model.codes.processes import ENDED_BY_SIGNAL, EXIT_STATUS
from engine.model.errors import ErrorCode

_BY_CODE = {
    EXIT_STATUS.with_extra(126): "exit status 126: a command may not be executed",
    EXIT_STATUS.with_extra(127): "exit status 127: a command was not found",
    EXIT_STATUS.number: "exit status {n}",
    ENDED_BY_SIGNAL.number: "ended by signal {n} ({name})",
}
_SIGNALS = {each.value: each.name for each in signal.Signals}


def failure_words(
    code: int | None, message: str, language: str, find: Callable[[int], ErrorCode | None] | None = None
) -> str:
    """The message in the reader's language, where its code or the catalogue of texts has it.

    Else the Chinese title of its code, where ``find`` has one, goes before the English.

    >>> failure_words(-11000001003, "exit status 3", "zh"), failure_words(-11000001003, "exit status 3", "en")
    ('退出状态 3', 'exit status 3')
    """
    known = catalogue(language, "failures")
    if not known or code is None or not message:
        return message
    facts = {"n": -code % 1000, "name": _SIGNALS.get(-code % 1000, "")}
    template = _BY_CODE.get(code) or _BY_CODE.get(entry_number(code), "")
    if template and template.format(**facts) == message:
        return known[template].format(**facts)
    entry = find(code) if find and message not in known else None
    return f"{entry.zh.title}：{message}" if entry else known.get(message, message)
