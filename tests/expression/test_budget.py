"""What an expression may take: steps, what it finds, and the time of the thread that works it out."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.codes.expressions import FINDS_TOO_MUCH, PATTERN_TOO_SLOW, TOO_LONG
from engine.model.errors import ErrorCode, SkerryError
from engine.model.expression import ASIDE, AT_ONCE, Patience, limits
from engine.model.expression.pattern import compile_pattern
from engine.model.expression.query import compile_query
from tests.effort import ALL, effort

ENDLESS = Patience(float("inf"))


def nested(levels: int, leaf: Any = 1) -> Any:
    """A map within a map, ``levels`` deep."""
    for _ in range(levels):
        leaf = {"a": leaf}
    return leaf


def refusal(query: str, tree: Any, patience: Patience) -> ErrorCode:
    with pytest.raises(SkerryError) as caught:
        compile_query(query).values(tree, patience)
    assert query in caught.value.message
    return caught.value.entry


@pytest.mark.parametrize("patience", [AT_ONCE, *([ASIDE] if ALL else [])])
def test_descendants_of_descendants_end_with_an_error(patience: Patience) -> None:
    assert refusal("$" + "..*" * 8, nested(45), patience) in (TOO_LONG, FINDS_TOO_MUCH)


def test_what_is_looked_at_is_counted_whatever_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_STEPS", effort(100_000, all=limits.MAX_STEPS))

    assert refusal("$" + "..*" * 8, nested(45), ENDLESS) == FINDS_TOO_MUCH


def test_matches_that_share_their_parts_are_weighed_as_they_are_written_out() -> None:
    shared = nested(900, leaf="x" * 1_000_000)

    assert refusal("$..a", shared, ENDLESS) == FINDS_TOO_MUCH


def test_a_query_over_many_rows_is_answered_where_it_has_the_time() -> None:
    rows = [{"n": number, "word": f"w{number}"} for number in range(20_000)]

    found = compile_query("$.rows[?(@.n >= 19990)].word").values({"rows": rows}, ENDLESS)

    assert found == [f"w{number}" for number in range(19_990, 20_000)]


def test_the_same_query_is_used_by_several_threads_with_limits_of_their_own() -> None:
    query, rows = compile_query("$.rows[*].n"), {"rows": [{"n": 1}] * 5_000}

    with pytest.raises(SkerryError):
        query.values(rows, Patience(0.0))

    assert query.values(rows, ENDLESS) == [1] * 5_000


def test_a_pattern_ends_when_its_time_is_up() -> None:
    with pytest.raises(SkerryError) as caught:
        compile_pattern(r"(?:a|a)+$").search("a" * 60 + "b", AT_ONCE.seconds)

    assert caught.value.entry == PATTERN_TOO_SLOW
    assert "0.1 s" in caught.value.message
