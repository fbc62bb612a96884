"""What a supporter chooses for the jobs of a stand-in run that the record cannot answer for."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.model.codes.desk import OUTCOME_WRONG
from engine.model.errors import Invalid
from engine.model.plain_words import quoted

How = Literal["recorded", "by_hand", "run", "unknown"]


@dataclass(frozen=True, slots=True)
class ChosenOutcome:
    """How a job shall end, given by hand."""

    status: Literal["succeeded", "failed"] = "succeeded"
    results: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choices:
    """``by_hand`` and ``run`` apply to nodes, whatever was recorded; ``others`` to jobs that differ.

    ``recorded`` has nodes, ``others`` all that differ: with "recorded" such a job is taken to do what it did
    at the site, and what else would differ is seen.
    """

    by_hand: Mapping[str, ChosenOutcome] = field(default_factory=dict)
    run: Collection[str] = frozenset()
    others: Literal["unknown", "recorded", "run"] = "unknown"
    recorded: Collection[str] = frozenset()


def outcome_of(text: str) -> ChosenOutcome:
    """``succeeded``, ``failed``, or JSON ``{"status", "results"}``; Invalid otherwise.

    >>> outcome_of('{"results": {"rows": 3}}').results
    {'rows': 3}
    """
    tree = _read(text)
    known = isinstance(tree, dict) and tree.keys() <= {"status", "results"}
    if not known or tree.get("status", "succeeded") not in ("succeeded", "failed"):
        message = "{text} is neither succeeded nor failed"
        raise Invalid(OUTCOME_WRONG, message, where=text[:80], text=quoted(text))
    if not isinstance(tree.get("results", {}), dict):
        raise Invalid(OUTCOME_WRONG, "{text}: results are a map", where=text[:80], text=quoted(text))
    return ChosenOutcome(tree.get("status", "succeeded"), tree.get("results", {}))


def _read(text: str) -> Any:
    if text in ("succeeded", "failed"):
        return {"status": text}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def check_nodes(choices: Choices, known: Iterable[str]) -> None:
    """Invalid when a choice names a node that the task does not have."""
    there = set(known)
    for node in (*choices.by_hand, *choices.run, *choices.recorded):
        if node.partition(".")[0] not in there:
            raise Invalid.at(OUTCOME_WRONG, "the task has no node {where!r}", node)
