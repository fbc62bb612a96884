"""A question of an ``approve`` job as it is open, and which answers fit it; pure."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.model.codes.recovery import ANSWER_UNFIT
from engine.model.errors import Invalid, SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.model.reason import Kind, Reason


@dataclass(frozen=True, slots=True)
class Question:
    """What a waiting job asks; it is kept as the facts of the job's reason.

    ``note`` is optional, required or none, ``value`` the kind of what is typed in, ``until`` ISO 8601.
    """

    question: str
    choices: tuple[str, ...]
    fails_on: tuple[str, ...]
    note: str = "optional"
    value: str | None = None
    until: str | None = None

    def reason(self) -> Reason:
        """Why the job waits."""
        return Reason.of(
            Kind.QUESTION,
            question=self.question,
            choices=list(self.choices),
            fails_on=list(self.fails_on),
            note=self.note,
            value=self.value,
            until=self.until,
        )

    @classmethod
    def of(cls, reason: Reason | None) -> Question | None:
        """What a reason asks; None when it asks nothing.

        >>> asked = Question("Go on?", ("approve", "reject"), ("reject",))
        >>> Question.of(asked.reason()) == asked
        True
        """
        if reason is None or reason.kind is not Kind.QUESTION:
            return None
        facts = reason.facts
        choices, fails_on = tuple(facts.get("choices", ())), tuple(facts.get("fails_on", ()))
        more = {name: facts[name] for name in ("note", "value", "until") if name in facts}
        return cls(str(facts.get("question", "")), choices, fails_on, **more)

    def is_over(self, now: datetime) -> bool:
        """Whether its deadline has passed."""
        return self.until is not None and datetime.fromisoformat(self.until) <= now

    def needs_value(self, choice: str) -> bool:
        """Whether a value belongs to ``choice``: one that fails the job needs none."""
        return self.value is not None and choice not in self.fails_on


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person chose; ``by`` None: the deadline did."""

    choice: str
    note: str | None = None
    value: Any = None
    by: str | None = None

    def results(self) -> dict[str, Any]:
        """The results of the job by name."""
        return {"choice": self.choice, "note": self.note, "value": self.value, "by": self.by}

    @classmethod
    def read(cls, tree: Mapping[str, Any]) -> Answer:
        """From what ``results`` gave."""
        return cls(tree["choice"], tree.get("note"), tree.get("value"), tree.get("by"))


def fitting(
    question: Question, choice: str, note: str | None, value: str | None, by: str, folder: str | None = None
) -> Answer:
    """The answer, its value converted; Invalid when it does not fit the question.

    A blank note or value is none. A relative path of a file starts at ``folder``.
    """
    note = note if note and note.strip() else None
    value = value if value and value.strip() else None
    if choice not in question.choices:
        message = "{where} is none of the choices: {choices}"
        raise Invalid.at(ANSWER_UNFIT, message, quoted(choice), choices=", ".join(question.choices))
    if question.note == "required" and note is None:
        raise Invalid.at(ANSWER_UNFIT, "{where} needs a note: --note TEXT", quoted(choice))
    if question.note == "none" and note is not None:
        raise Invalid.at(ANSWER_UNFIT, "no note is asked for with {where}", quoted(choice))
    if question.value is None and value is not None:
        raise Invalid.at(ANSWER_UNFIT, "no value is asked for with {where}", quoted(choice))
    if question.needs_value(choice) and value is None:
        raise Invalid.at(
            ANSWER_UNFIT, "{where} needs a value ({kind}): --value V", quoted(choice), kind=question.value
        )
    return Answer(choice, note, _value(question.value, value, folder), by)


def _value(kind: Any, text: str | None, folder: str | None) -> Any:
    from engine.model.expression import as_kind

    if text is None:
        return None
    if kind in ("file", "document"):
        return os.path.normpath(os.path.join(folder or "", text))
    try:
        return as_kind(text, kind)
    except SkerryError as error:
        raise Invalid.at(
            ANSWER_UNFIT, "the value {where}: {message}", quoted(text), message=Message.of(error.message)
        ) from error
