"""A handling rule as the flat fields of a form, and back; no Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import yaml

from engine.definitions.writer import dump
from engine.model.plain_words import wording
from engine.model.rules import Rule

if TYPE_CHECKING:
    from engine.api.documents import Document, Source
    from engine.api.service import Service

Fields = Mapping[str, str]
MATCHES = ("code", "domain", "task", "job", "node", "message", "trigger")
_NUMBERS = ("code", "domain")
STEPS = {
    "retry": ("after", "times"),
    "skip": (),
    "succeed": (),
    "pause": (),
    "alert": ("level", "text"),
    "set": ("path", "value", "after", "times"),
    "run": ("task", "times"),
}
_KEPT = ("id", "name", "priority")


def tree(fields: Fields) -> dict[str, Any]:
    """The rule as a definition file has it; what is empty is left out.

    >>> tree({"id": "r", "match.job": "load, audit", "does": "skip"})
    {'id': 'r', 'match': {'job': ['load', 'audit']}, 'action': 'skip'}
    """
    found: dict[str, Any] = {
        key: fields[key].strip() for key in ("id", "name") if fields.get(key, "").strip()
    }
    found["match"] = {
        key: value for key in MATCHES if (value := _matched(key, fields.get(f"match.{key}", "")))
    }
    found["action"] = _action(fields)
    if priority := _number(fields.get("priority", "")):
        found["priority"] = priority
    return found


def fields_of(rule: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a rule.

    >>> fields_of({"id": "r", "match": {"job": "a"}, "action": {"retry": {"times": 2}}})["step.times"]
    '2'
    """
    found = {key: str(rule[key]) for key in _KEPT if rule.get(key) is not None}
    for key, value in (rule.get("match") or {}).items():
        found[f"match.{key}"] = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    action = rule.get("action", "retry")
    does, step = (action, {}) if isinstance(action, str) else next(iter(action.items()))
    found["does"] = does
    return found | {f"step.{key}": str(value) for key, value in (step or {}).items()}


def source(rule: Mapping[str, Any]) -> Source:
    return {"name": f"rule {rule.get('id', '')}", "text": dump({"rules": [dict(rule)]})}


def preview(service: Service, rule: Mapping[str, Any]) -> Document | list[str]:
    """Try a rule that is not saved yet, on a worker thread; of an invalid one what is wrong with it."""
    whole = {"id": "preview", **rule}
    try:
        Rule.model_validate(whole)
    except ValueError as error:
        return list(_problems(error)) or [wording(error)]
    return service.try_rule(whole)


def _problems(error: Exception) -> Iterator[str]:
    """A line each, without the parser's own decoration."""
    for each in getattr(error, "errors", list)():
        place = ".".join(str(part) for part in each["loc"] if isinstance(part, str) and part.islower())
        yield f"{place}: {each.get('ctx', {}).get('error') or each['msg']}"


def _matched(key: str, text: str) -> Any:
    if key == "message":
        return text
    parts: list[Any] = [part.strip() for part in text.split(",") if part.strip()]
    if key in _NUMBERS:
        parts = [part if (number := _number(part)) is None else number for part in parts]
    return parts[0] if len(parts) == 1 else parts


def _action(fields: Fields) -> Any:
    does = fields.get("does", "retry")
    step = {key: _value(key, text) for key in STEPS[does] if (text := fields.get(f"step.{key}", "").strip())}
    return {does: step} if step else does


def _value(key: str, text: str) -> Any:
    if key == "value":
        return yaml.safe_load(text)
    return text if key != "times" or _number(text) is None else _number(text)


def _number(text: str) -> int | None:
    try:
        return int(text.strip())
    except ValueError:
        return None
