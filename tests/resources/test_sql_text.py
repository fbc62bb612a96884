"""What is a parameter in a statement and what is not, for each family of databases and each driver."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.clients.sql_text import Family, MissingParameter, first_word, prepare

VALUES = {"a": 1, "b": "two", "名": 3}


@pytest.mark.parametrize(
    ("paramstyle", "statement", "values"),
    [
        ("qmark", "select ?, ?, ?", (1, "two", 1)),
        ("format", "select %s, %s, %s", (1, "two", 1)),
        ("pyformat", "select %(a)s, %(b)s, %(a)s", {"a": 1, "b": "two"}),
        ("named", "select :a, :b, :a", {"a": 1, "b": "two"}),
        ("numeric", "select :1, :2, :3", (1, "two", 1)),
        ("numeric_dollar", "select $1, $2, $3", (1, "two", 1)),
    ],
)
def test_each_driver_gets_its_own_spelling(paramstyle: str, statement: str, values: object) -> None:
    assert prepare("select :a, :b, :a", VALUES, "other", paramstyle) == (statement, values)


@pytest.mark.parametrize(
    ("family", "statement"),
    [
        ("postgresql", "select '12:30', ' :a', \"x :a\", x::text, e'\\' :a', $$ :a $$, $t$ :a $$ :a $t$"),
        ("postgresql", "select y[1:2] -- :a\n /* :a /* :a */ :a */"),
        ("mysql", "select '\\' :a', \"\\\" :a\", `x :a`, @v:=1 # :a\n -- :a\n /* :a */"),
        ("sqlite", "select ' :a', [x :a], `:a`, \"a:a\" -- :a"),
        ("other", "select 'it''s :a', n::int"),
    ],
)
def test_quotes_remarks_and_casts_hold_no_parameters(family: Family, statement: str) -> None:
    assert prepare(statement, {}, family, "qmark") == (statement, ())


def test_a_minus_before_a_parameter_is_no_remark_of_mysql() -> None:
    assert prepare("select 1--:a", VALUES, "mysql", "qmark") == ("select 1--?", (1,))


def test_names_may_be_chinese_and_a_backslash_makes_a_plain_colon() -> None:
    assert prepare(r"select :名, \:a", VALUES, "other", "qmark") == ("select ?, :a", (3,))


def test_percent_signs_are_doubled_only_where_the_driver_reads_them() -> None:
    assert prepare("x like '5%'", {}, "other", "pyformat").statement == "x like '5%%'"
    assert prepare("x like '5%'", {}, "other", "qmark").statement == "x like '5%'"


def test_a_name_without_a_value_is_reported() -> None:
    with pytest.raises(MissingParameter, match="nobody"):
        prepare("select :nobody", VALUES, "other", "qmark")


@given(
    st.text(st.sampled_from("'\"`:$-/*#[]\\ aé%\n"), max_size=40),
    st.sampled_from(["postgresql", "mysql", "sqlite"]),
)
def test_nothing_of_a_statement_is_lost(statement: str, family: Family) -> None:
    ready = prepare(statement, {"a": 1, "é": 2, "aa": 3}, family, "qmark") if ":" not in statement else None

    assert ready is None or ready == (statement, ())


@given(st.text(max_size=30))
def test_a_quoted_text_is_never_touched(text: str) -> None:
    quoted = "'" + text.replace("'", "''") + "'"

    assert prepare(f"select {quoted}, :a", VALUES, "sqlite", "qmark") == (f"select {quoted}, ?", (1,))


@pytest.mark.parametrize(
    ("statement", "word"),
    [("select 1", "select"), (" -- x\n/* y */ (WITH a as", "with"), ("", ""), ("--", ""), ("/* open", "")],
)
def test_the_first_word_says_what_a_statement_does(statement: str, word: str) -> None:
    assert first_word(statement) == word
