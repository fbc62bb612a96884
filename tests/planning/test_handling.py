"""Which rules are for a failure, and in which order they act."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.rules import Rule
from engine.planning.handling import Trouble, chosen, matches

LOAD = Trouble(-11000001003, "exit status 3: too many rows: 25", "nightly", "load", "load.0", "schedule")


def rule(id: str = "r", action: Any = "skip", priority: int = 0, **match: Any) -> Rule:
    return Rule.model_validate({"id": id, "match": match, "action": action, "priority": priority})


@pytest.mark.parametrize(
    "match",
    [
        {"code": -11000001003},
        {"code": -11000001000},
        {"code": -11000000000},
        {"code": [-12000000000, -11000000000]},
        {"domain": 10},
        {"domain": ["01", "10"]},
        {"task": "nightly"},
        {"job": ["a", "load"]},
        {"node": "load.0"},
        {"message": r"too many rows: \d+"},
        {"message": "^exit"},
        {"trigger": ["manual", "schedule"]},
        {"task": "nightly", "job": "load", "code": -11000001003, "message": "25$"},
    ],
)
def test_a_rule_is_for_what_its_match_names(match: dict[str, Any]) -> None:
    assert matches(rule(**match), LOAD)


@pytest.mark.parametrize(
    "match",
    [
        {"code": -11000001004},
        {"code": -11000002000},
        {"code": -12000000000},
        {"domain": 1},
        {"task": "night"},
        {"job": "load.0"},
        {"node": "load"},
        {"message": "^too"},
        {"trigger": "manual"},
        {"task": "nightly", "job": "other"},
    ],
)
def test_everything_that_is_given_must_hold(match: dict[str, Any]) -> None:
    assert not matches(rule(**match), LOAD)


def test_a_pattern_that_takes_too_long_does_not_match() -> None:
    slow = LOAD._replace(message="a" * 60 + "!")

    assert not matches(rule(message=r"^(a|a|aa)+$"), slow)


def test_the_highest_priority_comes_first_and_equal_ones_as_given() -> None:
    rules = [rule("a", task="nightly"), rule("b", priority=5, task="nightly"), rule("c", task="nightly")]

    assert [each.id for each in chosen(rules, LOAD, {})] == ["b", "a", "c"]


def test_a_rule_that_is_switched_off_or_used_up_does_not_act() -> None:
    off = rule("off", task="nightly").model_copy(update={"enabled": False})
    thrice = rule("thrice", {"retry": {"times": 3}}, task="nightly")

    assert chosen([off], LOAD, {}) == []
    assert chosen([thrice], LOAD, {"thrice": 2}) == [thrice]
    assert chosen([thrice], LOAD, {"thrice": 3}) == []


@given(st.lists(st.tuples(st.sampled_from(["retry", "skip", "alert", "pause"]), st.integers(-2, 2))))
def test_rules_that_try_again_are_used_up_at_last(actions: list[tuple[str, int]]) -> None:
    """However many there are: each acts at most ``times`` times, so no job is tried for ever."""
    rules = [rule(str(i), action, priority, task="nightly") for i, (action, priority) in enumerate(actions)]
    used: dict[str, int] = {}

    for _ in range(3 * len(rules) + 1):
        retries = [each for each in chosen(rules, LOAD, used) if each.times is not None]
        if not retries:
            break
        used[retries[0].id] = used.get(retries[0].id, 0) + 1

    assert not [each for each in chosen(rules, LOAD, used) if each.times is not None]
