"""``{path}:REGEX:pattern``: what is extracted, and that no pattern can stop the engine."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.expressions import (
    BAD_PATTERN,
    EXPRESSION_TOO_BIG,
    NO_MATCH,
    NULL_IN_TEXT,
    PATTERN_TOO_BIG,
    PATTERN_TOO_SLOW,
)
from engine.model.errors import Invalid, SkerryError
from engine.model.expression import compile_value
from engine.model.expression.pattern import compile_pattern
from tests.expression.scopes import value_of


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"(\d+) lines after", "3 lines before\n15 lines after\n", "15"),
        (r"\d+ lines", "15 lines after", "15 lines"),
        ("(?<=start ).*?(?= end)", "start 4 end", "4"),
        ("(?<=开始).*?(?=结束)", "开始四结束", "四"),
        ("(?<=a+)b", "aaab", "b"),
        ("a.c", "a\nc abc", "abc"),
        ("(?s)a.c", "a\nc abc", "a\nc"),
        ("(x)|none", "none", "none"),
        ("(a)(b)", "ab", "a"),
        ("()", "ab", ""),
        (" trailing ", "x trailing y", " trailing "),
        ("a}:REGEX:b", "a}:REGEX:b", "a}:REGEX:b"),
        ("{$.ITEM.v}", "x", None),
        ("(?i)ERROR: (.*)", "error: disk full\nmore", "disk full"),
        (r"\p{Lu}+", "ab CD", "CD"),
        (r"'(\w)'", "'a'", "a"),
    ],
)
def test_group_1_if_there_is_one_else_the_match(pattern: str, text: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(SkerryError):
            value_of(f"{{$.ITEM.v}}:REGEX:{pattern}", v=text)
    else:
        assert value_of(f"{{$.ITEM.v}}:REGEX:{pattern}", v=text) == found


def test_no_match_is_an_error_that_names_path_and_pattern() -> None:
    with pytest.raises(SkerryError) as caught:
        value_of("{$.ITEM.v}:REGEX:(z)", v="abc")
    assert caught.value.entry is NO_MATCH
    assert "$.ITEM.v" in caught.value.message
    assert "(z)" in caught.value.message


def test_no_match_may_be_allowed_and_gives_null() -> None:
    assert value_of("{$.ITEM.v}:REGEX?:(z)", v="abc") is None
    assert value_of("{$.ITEM.v}:REGEX?:(b)", v="abc") == "b"
    assert value_of("{$.ITEM.v}:REGEX?:(b)", v=None) is None
    with pytest.raises(SkerryError) as caught:
        value_of("{$.ITEM.v}:REGEX:(b)", v=None)
    assert caught.value.entry is NULL_IN_TEXT


def test_other_values_are_searched_as_their_text() -> None:
    assert value_of("{$.ITEM.v}:REGEX:b.", v={"a": ["b1"]}) == "b1"
    assert value_of("{$.ITEM.v}:REGEX:.*", v=3.0) == "3"


@pytest.mark.parametrize("pattern", ["(", "a)", "[a", "*", "(?<x", "(?P<1>a)", "\\", "(?zz)", "a{2,1}"])
def test_a_wrong_pattern_is_found_before_anything_runs(pattern: str) -> None:
    with pytest.raises(Invalid) as caught:
        compile_value(f"{{$.ITEM.v}}:REGEX:{pattern}")
    assert caught.value.entry in (BAD_PATTERN, PATTERN_TOO_BIG)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("^(a|aa)+$", "a" * 60 + "b"), ("(x+x+)+y", "x" * 5000), ("(?:(?:ab?){2,30}){1,30}c", "a" * 500)],
)
def test_a_pattern_that_runs_longer_than_a_second_is_stopped_with_its_own_code(
    pattern: str, text: str
) -> None:
    started = time.process_time()
    with pytest.raises(SkerryError) as caught:
        value_of(f"{{$.ITEM.v}}:REGEX:{pattern}", v=text)
    assert caught.value.entry is PATTERN_TOO_SLOW
    assert time.process_time() - started < 10


def test_a_hostile_text_needs_no_more_time_than_a_hostile_pattern() -> None:
    started = time.process_time()
    with pytest.raises(SkerryError) as caught:
        value_of("{$.ITEM.v}:REGEX:^(a+)+$", v="a" * 100 + "b")
    assert caught.value.entry in (NO_MATCH, PATTERN_TOO_SLOW)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:a{1000}){1000}){1000}",
        "(?:a{1000}){1000}",
        "a{4000000000}",
        "a{,4000000000}",
        "a{1000,}{1000}",
        "(?:a{99}b{99}){99}",
        "((((a{10}){10}){10}){10}){10}",
        "(?x) ( a{100} # [\n ){1000}",
        "(?#[)(?:a{1000}){1000}(?#])",
        "(?-i:(?x:a{1000})){1000}",
        "[[]{1000}(?:b{1000}]){1000}",
        "|".join(["a"] * 600),
        "(" * 200 + ")" * 200,
        "a" * 1001,
        "a{99999999999999999999}",
        "(?:" + "ab" * 400 + "){100}",
    ],
)
def test_a_pattern_that_would_explode_while_compiling_is_refused_at_once(pattern: str) -> None:
    started = time.process_time()
    with pytest.raises(Invalid) as caught:
        compile_value(f"{{$.ITEM.v}}:REGEX:{pattern}")
    assert caught.value.entry is PATTERN_TOO_BIG
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}", r"(\d{1,3}\.){3}\d{1,3}",
        "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
        "(?:a{100}){50}", "x{0,1000}", ".{0,500}foo.{0,500}", "a{e}", "{", "a{}", r"\{100000\}",
        "(?x) a {3} # three", "a{,}",
    ],
)  # fmt: skip
def test_ordinary_counted_repeats_are_allowed(pattern: str) -> None:
    compile_pattern(pattern)


@given(st.text(alphabet=st.sampled_from("ab(){}[]|?*+\\,^$.:#x129<=!-")))
def test_any_pattern_compiles_quickly_or_is_refused(pattern: str) -> None:
    started = time.process_time()
    with suppress(Invalid):
        compile_pattern(pattern)
    assert time.process_time() - started < 2


def test_a_condition_quotes_its_pattern() -> None:
    with pytest.raises(Invalid) as caught:
        compile_value("$.JOB['x'].RESULT" + "['a']" * 500)
    assert caught.value.entry is EXPRESSION_TOO_BIG


def test_a_replacing_query_is_stopped_too() -> None:
    pattern = compile_pattern("(a|aa)+$")
    assert pattern.sub("x", "baa") == "bx"
    with pytest.raises(SkerryError) as caught:
        pattern.sub("x", "a" * 80 + "b")
    assert caught.value.entry is PATTERN_TOO_SLOW
