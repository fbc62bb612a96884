"""A handling rule as the flat fields of a form, as the model has them, and back; no Qt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.definitions.writer import dump
from engine.model import rules
from engine.model.expression import format_path
from engine.model.plain_words import wording
from engine.model.rules import Match, Rule
from engine.planning.outline import map_of

if TYPE_CHECKING:
    from engine.api.documents import Document, Source
    from engine.api.service import Service

Fields = Mapping[str, str]
MATCHES = tuple(Match.model_fields)
_NUMBERS = ("code", "domain")
STEPS = {word: tuple(step.model_fields) for word, step in rules.STEPS.items()}
_TEXTS = ("id", "name", "description")
_KEPT = (*_TEXTS, "priority")
_STEP_KEYS = {key for keys in STEPS.values() for key in keys}
_JSON = ("value", "params")  # of a step: values of any kind
_MOST = 500  # tasks whose nodes are offered
_WRONG = "This value does not fit here."
_WORDS = {  # by the validator's own word for it; these texts are looked up when they are shown
    "missing": "This is needed.",
    "int_parsing": "A whole number is expected.",
    "int_type": "A whole number is expected.",
    "float_parsing": "A number is expected.",
    "greater_than_equal": "At least {ge}.",
    "less_than_equal": "At most {le}.",
    "literal_error": "One of: {expected}.",
    "enum": "One of: {expected}.",
}


def tree(fields: Fields) -> dict[str, Any]:
    """The rule as a definition file has it; what is empty is left out.

    >>> tree({"id": "r", "match.job": "load, audit", "does": "skip"})
    {'id': 'r', 'match': {'job': ['load', 'audit']}, 'action': 'skip'}
    """
    found: dict[str, Any] = {key: fields[key].strip() for key in _TEXTS if fields.get(key, "").strip()}
    found["match"] = {
        key: value for key in MATCHES if (value := _matched(key, fields.get(f"match.{key}", "")))
    }
    found["action"] = _action(fields)
    if priority := fields.get("priority", "").strip():
        found["priority"] = _whole(priority)
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
    return found | {f"step.{key}": _text(key, value) for key, value in (step or {}).items()}


def source(rule: Mapping[str, Any]) -> Source:
    return {"name": f"rule {rule.get('id', '')}", "text": dump({"rules": [dict(rule)]})}


class Problem(NamedTuple):
    """What is wrong with a field (its key; empty: with the whole), as an English text with its facts."""

    key: str
    text: str
    facts: Mapping[str, object] = {}


def choices(service: Service) -> dict[str, list[tuple[str, str]]]:
    """What there is to pick from by field, on a worker thread: each a value with its words.

    ``step.params`` has the parameters of every task instead: (task, name).
    """
    ids = [str(each["id"]) for each in service.definitions("task")]
    tasks = {id: service.definition("task", id)["definition"] for id in ids[:_MOST]}
    given = [(task, str(name)) for task, tree in tasks.items() for name in map_of(tree.get("params"))]
    paths = [format_path(("TASK", "PARAMS", name)) for _task, name in given]
    found: dict[str, Iterable[str]] = {
        "match.task": ids,
        "match.node": {str(node) for tree in tasks.values() for node in tree["nodes"]},
        "match.job": [str(each["id"]) for each in service.definitions("job")],
        "step.task": ids,
        "step.path": {*paths, *_results(tasks.values())},
    }
    offered = {key: [(name, name) for name in sorted(names)] for key, names in found.items()}
    return {**offered, "step.params": given}


def _results(tasks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The paths of the results that nodes declare."""
    for tree in tasks:
        for node, raw in tree["nodes"].items():
            for name in map_of(map_of(raw).get("results")):
                yield format_path(("JOB", str(node), "RESULT", str(name)))


def preview(service: Service, rule: Mapping[str, Any]) -> Document | list[Problem]:
    """Try a rule that is not saved yet, on a worker thread; of an invalid one what is wrong with it."""
    whole = {"id": "preview", **rule}
    try:
        Rule.model_validate(whole)
    except ValueError as error:
        return list(_problems(error)) or [Problem("", wording(error))]
    return service.try_rule(whole)


def _problems(error: Exception) -> Iterator[Problem]:
    """For each field the first one; what a validator would say is said in our words."""
    seen: set[str] = set()
    for each in getattr(error, "errors", list)():
        key, facts = _field_at(each["loc"]), each.get("ctx", {})
        if key not in seen and not (key == "" and seen):
            seen.add(key)
            own = facts.get("error")
            yield Problem(key, str(own) if own else _WORDS.get(each["type"], _WRONG), facts)


def _field_at(place: tuple[Any, ...]) -> str:
    """The field of a place in the model.

    >>> _field_at(("match", "code", 0)), _field_at(("action", "Action", "retry", "times"))
    ('match.code', 'step.times')
    """
    if place[:1] == ("match",):
        return f"match.{place[1]}" if len(place) > 1 else "match.code"
    if place[:1] == ("action",):
        last = next((part for part in reversed(place) if part in _STEP_KEYS), None)
        return f"step.{last}" if last else ""
    return str(place[0]) if place else ""


def _matched(key: str, text: str) -> Any:
    if key == "message":
        return text
    parts: list[Any] = [part.strip() for part in text.split(",") if part.strip()]
    if key in _NUMBERS:
        parts = [_whole(part) for part in parts]
    return parts[0] if len(parts) == 1 else parts


def _action(fields: Fields) -> Any:
    does = fields.get("does", "retry")
    step = {key: _value(key, text) for key in STEPS[does] if (text := fields.get(f"step.{key}", "").strip())}
    return {does: step} if step else does


def _value(key: str, text: str) -> Any:
    return value_of(text) if key in _JSON else _whole(text) if key == "times" else text


def _text(key: str, value: Any) -> str:
    return value_text(value) if key in _JSON else str(value)


def value_text(value: Any) -> str:
    """A value of any kind as a field has it.

    >>> value_text(30), value_text("many"), value_text("30")
    ('30', 'many', '"30"')
    """
    plain = isinstance(value, str) and value_of(value) == value
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


def value_of(text: str) -> Any:
    """A number, a list … as JSON has it; anything else is the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _whole(text: str) -> int | str:
    """A whole number; what is none stays, for the model to say so."""
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> int | None:
    try:
        return int(text.strip())
    except ValueError:
        return None
