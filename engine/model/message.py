"""What went wrong, in a sentence that keeps its template and its facts beside the English text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

# the texts of rows, documents and events that keep their facts, and under which name beside them
FACTS = {"error_message": "error_facts", "message": "message_facts", "note": "note_facts"}
_DEPTH = 20  # messages within messages; what is deeper, in a bundle that nobody of ours wrote, is text


class Message(str):
    """English for rows, logs and documents; an edge words ``template`` and ``facts`` in another language.

    Facts are JSON values, or messages again. A text without facts is its own template.
    """

    __slots__ = ("facts", "template")
    template: str
    facts: Mapping[str, Any]

    def __new__(cls, text: str, template: str, facts: Mapping[str, Any]) -> Self:
        made = super().__new__(cls, text)
        made.template, made.facts = template, facts
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.template, dict(self.facts))

    @classmethod
    def of(cls, template: str, /, **facts: Any) -> Message:
        """From a template as ``str.format`` has it; without facts it is taken as it is, braces and all.

        >>> Message.of("job {name!r}: {message}", name="load", message=Message.of("exit status {n}", n=3))
        "job 'load': exit status 3"
        """
        if not facts:
            return template if isinstance(template, Message) else cls(template, template, {})
        return cls(template.format(**facts), template, facts)

    @classmethod
    def read(cls, tree: Any, text: str, depth: int = _DEPTH) -> Message:
        """The text with what ``to_json`` kept of it; alone where that is missing or not as it was written."""
        match tree:
            case {"template": str(template), "facts": Mapping() as facts} if depth:
                return cls(text, template, {name: _read(value, depth - 1) for name, value in facts.items()})
        return cls(text, text, {})

    def to_json(self) -> dict[str, Any] | None:
        """``{"template": "exit status {n}", "facts": {"n": 3}}``; None without facts."""
        if not self.facts:
            return None
        return {
            "template": self.template,
            "facts": {name: _kept(value) for name, value in self.facts.items()},
        }

    def masked(self, mask: Callable[[Any], Any]) -> Message:
        """The same after ``mask`` went over text and facts."""
        tree = self.to_json()
        return Message.read(mask(tree), mask(str(self))) if tree else Message.of(mask(str(self)))


def facts_of(message: str | None) -> dict[str, Any] | None:
    """What is kept beside a text, so that it can be worded again; None if there is nothing."""
    return message.to_json() if isinstance(message, Message) else None


def with_facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """A document or an event, its messages with their facts beside them."""
    return {**values, **{FACTS[name]: facts_of(values[name]) for name in FACTS.keys() & values.keys()}}


def message_in(document: Mapping[str, Any], name: str = "error_message") -> Message:
    """The message of a document under this name; empty where it has none."""
    return Message.read(document.get(FACTS.get(name, f"{name}_facts")), document.get(name) or "")


def _kept(value: Any) -> Any:
    if isinstance(value, Message):
        return {"text": str(value), **(value.to_json() or {"template": value.template, "facts": {}})}
    return value if isinstance(value, int | float | dict) else str(value)


def _read(value: Any, depth: int) -> Any:
    is_message = isinstance(value, Mapping) and "template" in value
    return Message.read(value, str(value.get("text")), depth) if is_message else value
