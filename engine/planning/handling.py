"""Which handling rules are for a failure, and which of them comes first; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from engine.model.errors import SkerryError, covers
from engine.model.expression import AT_ONCE
from engine.model.expression.pattern import compile_pattern
from engine.model.rules import Rule

_DOMAIN = 100_000_000  # what a code's domain is counted in


class Trouble(NamedTuple):
    """One failure as rules see it; ``trigger`` is what made the run in the end."""

    code: int
    message: str
    task: str
    job: str | None
    node: str | None
    trigger: str


def chosen(rules: Iterable[Rule], trouble: Trouble, used: Mapping[str, int]) -> list[Rule]:
    """The rules that may act now, the first one first: by priority, equal ones as they were given.

    ``used`` says how often each has acted on this JobInstance already: one that has used up its ``times``
    is left out. A rule whose pattern takes too long does not match.
    """
    fit = [each for each in rules if each.enabled and _left(each, used) and matches(each, trouble)]
    return sorted(fit, key=lambda rule: -rule.priority)


def _left(rule: Rule, used: Mapping[str, int]) -> bool:
    return rule.times is None or used.get(rule.id, 0) < rule.times


def matches(rule: Rule, trouble: Trouble) -> bool:
    match = rule.match
    return (
        _is_one(trouble.task, match.task)
        and _is_one(trouble.job, match.job)
        and _is_one(trouble.node, match.node)
        and _is_one(trouble.trigger, match.trigger)
        and _is_one(domain_of(trouble.code), match.domain)
        and (match.code is None or any(covers(each, trouble.code) for each in match.code))
        and (match.message is None or _found(match.message, trouble.message))
    )


def _is_one(value: object, allowed: Collection[object] | None) -> bool:
    return allowed is None or value in allowed


def domain_of(code: int) -> int:
    """The domain of an error code.

    >>> domain_of(-11000001003)
    10
    """
    return -code // _DOMAIN % 100


def _found(pattern: str, message: str) -> bool:
    try:
        return compile_pattern(pattern).search(message, AT_ONCE.seconds) is not None
    except SkerryError:
        return False
