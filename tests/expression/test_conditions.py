"""Conditions (contract 3): operands, operators, precedence; a reference model; limits."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.expressions import (
    EXPRESSION_TOO_BIG,
    MISSING_VALUE,
    NO_MATCH,
    NOT_COMPARABLE,
    NOT_TRUE_OR_FALSE,
    SYNTAX,
)
from engine.model.errors import Invalid, SkerryError
from engine.model.expression import UsedText, compile_condition, decide, looks_like_condition
from tests.expression.scopes import Values, holds


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("{$.ITEM.n} == 3", True),
        ("$.ITEM.n == 3", True),
        ("$.ITEM['n']==3.0", True),
        ("{$.ITEM.n} != 3", False),
        ("$.ITEM.n<4 and $.ITEM.n<=3 and $.ITEM.n>2 and $.ITEM.n>=3", True),
        ("{$.ITEM.n} < 3", False),
        ("{$.ITEM.n} >= '10'", False),
        ("{$.ITEM.t} # 'success'", True),
        ("$.ITEM.t#'success'", True),
        ("{$.ITEM.t} # 'failed'", False),
        ("{$.ITEM.list} # 2", True),
        ("{$.ITEM.list} # '3'", False),
        ("{$.ITEM.t}:REGEX:'all (\\w+)' == 'success'", True),
        ("{$.ITEM.t}:REGEX:'(?<=all ).' == 's'", True),
        ("{$.ITEM.t}:REGEX?:'nothing' == null", True),
        ("{$.ITEM.nothing} == null", True),
        ("{$.ITEM.t} == null", False),
        ("null != $.ITEM.t", True),
        ("{$.ITEM.yes} == true", True),
        ("{$.ITEM.yes} == 'true'", True),
        ("$.ITEM.yes", True),
        ("{$.ITEM.yes} != false", True),
        ("$.ITEM.said", True),
        ("not $.ITEM.yes", False),
        ("true", True),
        ("false or true", True),
        ("'0012' == 12", False),
        ("' 12 ' == 12", True),
        ("-1 < 0.5e1", True),
        ("'a b' == 'a b'", True),
        ("'it''s' == 1 or true", None),
        (r"'it\'s' == {$.ITEM.quoted}", True),
        (r"'a\\' == {$.ITEM.slashed}", True),
        (r"'\d\n' == '\d\n'", True),
        ("$.ITEM['作业'] == '完成'", True),
        ("not 1 == 2", True),
        ("not not 1 == 1", True),
        ("not (1 == 1 and 1 == 2)", True),
        ("1 == 2 and 1 == 2 or 1 == 1", True),
        ("1 == 1 or 1 == 2 and 1 == 2", True),
        ("(1 == 1 or 1 == 2) and 1 == 2", False),
        ("not 1 == 2 and 1 == 2", False),
        ("(1 == 1) == true", True),
        ("('a') == 'a'", True),
        ("\n 1 == 1\t", True),
    ],
)
def test_conditions_hold_or_not(condition: str, answer: bool | None) -> None:
    values: dict[str, Any] = {
        "n": 3, "t": "all success", "list": [1, "2"], "nothing": None, "yes": True, "said": "true\n",
        "quoted": "it's", "slashed": "a\\", "作业": "完成",
    }  # fmt: skip
    if answer is None:
        with pytest.raises(Invalid):
            holds(condition, **values)
    else:
        assert holds(condition, **values) is answer


def test_an_operand_is_a_value_and_never_read_again_as_code() -> None:
    hostile = "' or 'a' == 'a"
    assert not holds("{$.ITEM.v} == 'x'", v=hostile)
    assert not holds("{$.ITEM.v} == 'x'", v="x' == 'x")
    assert holds("{$.ITEM.v} == '{$.ITEM.w}'", v="{$.ITEM.w}", w="1")
    with pytest.raises(SkerryError):
        holds("$.ITEM.v", v="1 == 1")


def test_equal_null_tests_a_value_and_not_a_path() -> None:
    with pytest.raises(SkerryError) as caught:
        holds("{$.ITEM.gone} == null")
    assert caught.value.entry is MISSING_VALUE
    assert caught.value.where == "{$.ITEM.gone} == null"


def test_what_need_not_be_known_is_not_looked_at() -> None:
    assert holds("true or $.ITEM.gone")
    assert not holds("false and $.ITEM.gone")


def test_a_condition_says_what_it_read() -> None:
    answer, use = decide(compile_condition("{$.ITEM.a} == 1 and $.ITEM.b # 'x'"), Values(a=1, b="axb"))
    assert answer is True
    assert use == UsedText((), "{$.ITEM.a} == 1 and $.ITEM.b # 'x'", {"$.ITEM.a": 1, "$.ITEM.b": "axb"})


def test_references_of_every_operand_are_known_before() -> None:
    condition = compile_condition("{$.JOB['a'].LOG}:REGEX:'x' == 'x' and ($.JOB['b'].EXIT_CODE == 0)")
    assert [each.key for each in condition.references] == ["a", "b"]


@pytest.mark.parametrize("value", [0, 1, "yes", "", [], None, "1"])
def test_what_is_neither_true_nor_false_is_an_error(value: Any) -> None:
    for condition in ("$.ITEM.v", "not $.ITEM.v", "$.ITEM.v and true"):
        with pytest.raises(SkerryError) as caught:
            holds(condition, v=value)
        assert caught.value.entry is NOT_TRUE_OR_FALSE


def test_null_has_no_order() -> None:
    for operator in ("<", "<=", ">", ">=", "#"):
        with pytest.raises(SkerryError) as caught:
            holds(f"{{$.ITEM.v}} {operator} 3", v=None)
        assert caught.value.entry is NOT_COMPARABLE


def test_a_pattern_without_a_match_is_an_error() -> None:
    with pytest.raises(SkerryError) as caught:
        holds("{$.ITEM.v}:REGEX:'z' == 'z'", v="abc")
    assert caught.value.entry is NO_MATCH


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1), ("==", 1), ("1 ==", 5), ("1 == == 1", 6), ("(1 == 1", 8), ("1 == 1)", 7),
        ("1 == 2 == 3", 8), ("a == 1", 1),
        ("1 = 1", 3), ("1 && 1", 3), ("1 == 1 || 1", 8), ("!1", 1), ('1 == "a"', 6), ("1 == ‘a’", 6),
        ("1 == 'a", 6),
        ("0012 == 12", 1), ("1 == 0x1", 6), ("1 == 1 and", 11), ("and 1", 1), ("1 not 2", 3),
        ("{$.ITEM.v == 1", 1),
        ("$.ITEM['v' == 1", 7), ("{$.ITEM.v}:REGEX:abc == 'a'", 11), ("$.ITEM.v 3", 10), ("True", 1),
        ("1 == 1 AND true", 8),
        ("()", 2), ("not", 4), ("{x} == 1", 1), ("+1 == 1", 1), ("1 # # 1", 5), ("import os", 1),
    ],
)  # fmt: skip
def test_a_mistake_names_its_column(text: str, column: int) -> None:
    with pytest.raises(Invalid) as caught:
        compile_condition(text)
    assert caught.value.entry is SYNTAX
    assert caught.value.details["column"] == column


def test_a_condition_is_recognised_by_its_operator() -> None:
    for text in (
        "{$.JOB['a'].OUTPUT} == '4'",
        "not true",
        "$.JOB['a'].LOG # 'x'",
        "1 < 2",
        "(true and false)",
    ):
        assert looks_like_condition(text)
    for text in (
        "$.JOB['query'].RESULT['rows'][0]['n']", "true", "'a'", "5", "a == b", "plain text", "", "(true)",
        "{$.JOB['a'].OUTPUT}:REGEX:a == b", "x = 1", "{$.JOB['a'].OUTPUT} and more",
    ):  # fmt: skip
        assert not looks_like_condition(text)


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000 + "true" + ")" * 10_000, "not " * 10_000 + "true", "1 == " + "(" * 61 + "1" + ")" * 61,
     "true and " * 1500 + "true", "'" + "x" * 30_000 + "' == 1", "not (" * 40 + "true" + ")" * 40],
)  # fmt: skip
def test_a_condition_that_is_too_big_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        compile_condition(text)
    assert caught.value.entry is EXPRESSION_TOO_BIG


def test_many_alternatives_are_no_nesting() -> None:
    assert holds(" or ".join(["not not false"] * 300 + ["(true)"]))


# -- a reference model ----------------------------------------------------------------------------

ATOMS = st.sampled_from(["0", "1", "10", "9", "'a'", "'10'", "'0012'", "' 9 '", "true", "false", "''"])
COMPARISON = st.tuples(ATOMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), ATOMS)
TREE = st.recursive(
    COMPARISON,
    lambda inner: st.tuples(st.just("not"), inner) | st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    max_leaves=8,
)


def _written(tree: Any, outer: str = "or") -> str:
    """The text of a tree with as few parentheses as the precedence allows."""
    if tree[0] == "not":
        return f"not {_written(tree[1], 'not')}"
    if tree[0] in ("and", "or"):
        text = f"{_written(tree[1], tree[0])} {tree[0]} {_written(tree[2], tree[0])}"
        return f"({text})" if outer == "not" or (outer == "and" and tree[0] == "or") else text
    return " ".join(tree)


def _truth(tree: Any) -> bool:
    if tree[0] == "not":
        return not _truth(tree[1])
    if tree[0] == "and":
        return _truth(tree[1]) and _truth(tree[2])
    if tree[0] == "or":
        return _truth(tree[1]) or _truth(tree[2])
    left, operator, right = (part.strip("'") if part[0] == "'" else part for part in tree)
    numbers = all(side.strip() in ("0", "1", "10", "9") for side in (left, right))
    a, b = (float(left), float(right)) if numbers else (left, right)
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


@given(TREE)
def test_conditions_mean_what_a_plain_reading_of_them_means(tree: Any) -> None:
    assert holds(_written(tree)) is _truth(tree)


@given(st.text(alphabet=st.sampled_from("'\\ab( =<")))
def test_every_text_can_be_quoted(text: str) -> None:
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    assert holds(f"{{$.ITEM.v}} == {quoted}", v=text)


def test_importing_the_packages_imports_nothing_heavy() -> None:
    code = "import sys, engine.model.expression, engine.context; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"lark", "jsonpath_ng", "regex", "zoneinfo", "sqlalchemy", "pydantic"} & set(loaded)
