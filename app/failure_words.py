"""What the engine, which writes English, says of a failure, to readers of another language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from app.durations import duration
from app.texts import catalogue
from engine.model.errors import ErrorCode
from engine.model.message import Message
from engine.model.reason import Reason
from engine.model.reason_words import REASON, words

if TYPE_CHECKING:
    from export_import.desk.findings import Bilingual

_STATES = frozenset({"status", "state"})  # facts of messages and reasons that are words of their own

Find = Callable[[int], ErrorCode | None]
Times = Callable[[str], str]  # an ISO 8601 time as people read it


def failure_words(
    code: int | None, message: str, language: str, find: Find | None = None, time: Times = str
) -> str:
    """The message in the reader's language, where the catalogue has its template; messages in it likewise.

    A reason in it is worded as where it is shown by itself; ``time`` says how its times are read.

    Else the Chinese title of its code, where ``find`` has one, goes before the whole of it in English.

    >>> message = Message.of("job {name!r}: {message}", name="load", message=Message.of("a job failed"))
    >>> failure_words(None, message, "zh"), failure_words(None, message, "en")
    ("作业 'load'：有作业失败", "job 'load': a job failed")
    """
    texts = catalogue(language, "failures*")
    if not (texts and message):
        return message
    entry = find(code) if find and code is not None else None
    title = f"{entry.zh.title}：" if entry else ""
    return _worded(Message.of(message), Wording(language, texts, time), title)


class Wording(NamedTuple):
    """What a message is worded with: a language, its texts by the English ones, how times are read."""

    language: str
    texts: Mapping[str, str]
    time: Times


def _worded(message: Message, wording: Wording, title: str = "") -> str:
    """Only templates of the catalogue are filled in: that of a message may come from another site."""
    if message.template == REASON and (reason := Reason.read(message.facts.get("reason"), None)):
        return words(with_failure_words(reason, wording.language), wording.language, wording.time)
    texts = wording.texts
    if template := texts.get(message.template):
        with suppress(LookupError, TypeError, ValueError):  # facts that nobody of ours wrote
            return _filled(template, message.facts, wording)
    return f"{title}{message}"


def _filled(template: str, facts: Mapping[str, Any], wording: Wording) -> str:
    texts = wording.texts
    within = {name: _worded(fact, wording) for name, fact in facts.items() if isinstance(fact, Message)}
    match facts:
        case {"error": str(error)} if "error" not in within:  # the operating system's words, a library's
            within["error"] = texts.get(error, error)
    within |= {name: texts.get(facts[name], facts[name]) for name in _STATES & facts.keys() - within.keys()}
    return template.format(**{**facts, **within}) if facts else template


def finding_words(text: Bilingual, language: str) -> str:
    """What an analyzer says, with the messages that it quotes, in the reader's language."""
    if not language.startswith("zh"):
        return text.en
    quoting = Message.of(text.zh)
    return _filled(quoting.template, quoting.facts, Wording(language, catalogue(language, "failures*"), str))


def with_failure_words(reason: Reason, language: str) -> Reason:
    """A reason whose message, that of a failure, states and length are in the reader's language."""
    texts = catalogue(language, "failures*")
    if isinstance(seconds := reason.facts.get("seconds"), int | float):
        reason = Reason(reason.kind, {**reason.facts, "length": duration(seconds, language)})
    states = {
        name: texts.get(str(reason.facts[name]), reason.facts[name]) for name in _STATES & reason.facts.keys()
    }
    reason = Reason(reason.kind, {**reason.facts, **states}) if states else reason
    for name in ("workers", "jobs"):  # each may have a reason of its own
        if isinstance(listed := reason.facts.get(name), list):
            inner = [_with_own(each, language) for each in listed]
            reason = Reason(reason.kind, {**reason.facts, name: inner})
    message = reason.facts.get("message")
    if not isinstance(message, str):
        return reason
    whole = Message.read(reason.facts.get("message_facts"), message)
    return Reason(reason.kind, {**reason.facts, "message": failure_words(None, whole, language)})


def _with_own(listed: Any, language: str) -> Any:
    why = Reason.read(listed.get("why"), None) if isinstance(listed, Mapping) else None
    return listed if why is None else {**listed, "why": with_failure_words(why, language).to_json()}
