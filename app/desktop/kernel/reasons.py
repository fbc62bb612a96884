"""Why something does not run, or went wrong, in the language that is on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from app import wiring
from app.desktop.kernel.language import code, tr
from app.desktop.kernel.times import when
from app.failure_words import failure_words, with_failure_words
from engine.model.catalogue import Catalogue
from engine.model.errors import SkerryError
from engine.model.message import Message, message_in
from engine.model.reason import Reason
from engine.model.reason_words import sentence


def reason_of(document: Mapping[str, Any]) -> Reason | None:
    """Of a job or an instance."""
    return Reason.read(document.get("why"), document.get("reason"))


def in_words(reason: Reason | None) -> str:
    """The sentence; empty without a reason."""
    if reason is None:
        return ""
    reason = with_failure_words(reason, code())
    if (choices := reason.facts.get("choices")) is not None:
        reason = Reason(
            reason.kind, {**reason.facts, "choices": [choice_word(str(each)) for each in choices]}
        )
    return sentence(reason, code(), when)


def choice_word(choice: str) -> str:
    """An answer that a job asks for: of those that every job has in the language that is on."""
    return tr(choice) if choice in ("approve", "reject") else choice


def failure_line(number: int | None, message: str | None) -> str:
    """The message of a failure where the title of its code is not beside it."""
    return failure_words(number, message or "", code(), lambda each: _catalogue().find(each), when)


def error_line(error: SkerryError) -> str:
    """The message of a refusal, or of whatever else could not be done."""
    return failure_line(error.code, error.message)


def message_then(document: Mapping[str, Any], entry: Mapping[str, Any]) -> Message:
    """What the context, which has texts, said at a moment; with facts if the document says the same."""
    text = entry.get("ERROR_MESSAGE")
    same = text is not None and text == document["error_message"]
    return message_in(document) if same else Message.of(str(text or ""))


def failure_fact(number: int | None, message: str | None) -> str:
    """The message beside the title of its code."""
    return failure_words(number, message or "", code(), time=when)


def what_is_wrong(document: Mapping[str, Any]) -> str:
    """The failure of a job or an instance, else why it does not run."""
    return failure_line(document["error_code"], message_in(document)) or in_words(reason_of(document))


@cache
def _catalogue() -> Catalogue:
    return wiring.catalogue({})
