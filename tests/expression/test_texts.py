"""Texts with expressions (contract 3): whole values, interpolation, escapes, files, limits."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.expressions import (
    EXPRESSION_TOO_BIG,
    MISSING_VALUE,
    NULL_IN_TEXT,
    SYNTAX,
    VALUE_TOO_BIG,
)
from engine.model.errors import Invalid, SkerryError
from engine.model.expression import FileText, UsedText, compile_value, render
from tests.expression.scopes import Values, value_of

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(ANY)
def test_a_value_that_is_one_path_keeps_its_type(value: Any) -> None:
    found = value_of("$.ITEM.v", v=value)
    assert found == value
    assert type(found) is type(value)


def test_a_value_can_be_changed_without_changing_where_it_came_from() -> None:
    source = {"rows": [{"n": 1}]}
    value_of("$.ITEM.v", v=source)["rows"][0]["n"] = 2
    assert source == {"rows": [{"n": 1}]}


def test_a_trailing_newline_of_a_block_scalar_is_not_part_of_the_path() -> None:
    assert value_of("$.ITEM.v\n", v=3) == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "<a>"),
        (3, "<3>"),
        (3.0, "<3>"),
        (-2.5, "<-2.5>"),
        (True, "<true>"),
        (False, "<false>"),
        ([1, "é", None], '<[1,"é",null]>'),
        ({"a": {"b": [True]}}, '<{"a":{"b":[true]}}>'),
        ("", "<>"),
    ],
)
def test_in_other_text_a_path_in_braces_is_replaced_by_the_value_as_text(value: Any, text: str) -> None:
    assert value_of("<{$.ITEM.v}>", v=value) == text


def test_a_path_in_braces_alone_is_text_too() -> None:
    assert value_of("{$.ITEM.v}", v=[1]) == "[1]"


def test_null_inside_text_is_an_error_that_names_the_path_and_the_text() -> None:
    with pytest.raises(SkerryError) as caught:
        value_of("a {$.ITEM.v} b", v=None)
    assert caught.value.entry is NULL_IN_TEXT
    assert "$.ITEM.v" in caught.value.message
    assert caught.value.where == "a {$.ITEM.v} b"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}', "${x}", "${file1}", "{}", "{", "}", "{{", "}}", "{{x}}", "{x}", "{0}", "%s", "{$x}",
        "{$ .x}",
        "$", "$x", "$(x)", "$TASK", "a $.TASK.ID b", " $.TASK.ID", "x$$.y", "$$x", "{@.x}", "File (x)",
        "File(x) y",
        "a:REGEX:b", "{x}:REGEX:(", "$[0]", "$['JOB']",
    ],
)  # fmt: skip
def test_all_other_texts_are_left_alone(text: str) -> None:
    template = compile_value(text)
    assert template.literal
    assert value_of(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$$.TASK.ID", "$.TASK.ID"),
        ("$$.a {$.ITEM.v}", "$.a 1"),
        ("$$$.a", "$$$.a"),
        ("a {{$.TASK.ID} b", "a {$.TASK.ID} b"),
        ("{{$.ITEM.v}}", "{$.ITEM.v}}"),
        ("{{{$.x", "{{$.x"),
        ("{{$.a}{$.ITEM.v}", "{$.a}1"),
        ('{"a": {$.ITEM.v}, "b": {"c": {$.ITEM.v}}}', '{"a": 1, "b": {"c": 1}}'),
        ("${$.ITEM.v}", "$1"),
        ("{$.ITEM.v}{$.ITEM.v}", "11"),
        ("{$.ITEM['v']}:80:REGEX:x", "1:80:REGEX:x"),
        ("x {$.ITEM['v']}:REGEX:(.)", "x 1:REGEX:(.)"),
        ("x {$.ITEM['v']}:DATE:0d:%Y", "x 1:DATE:0d:%Y"),
    ],
)
def test_braces_and_dollars_have_escapes(text: str, expected: str) -> None:
    assert value_of(text, v=1) == expected


def test_a_brace_in_a_quoted_key_does_not_end_the_path() -> None:
    assert value_of("<{$.ITEM['}{']}>", **{"}{": "x"}) == "<x>"


def test_values_are_never_evaluated_again() -> None:
    assert value_of("{$.ITEM.v}", v="{$.TASK.ID}") == "{$.TASK.ID}"
    assert value_of("$.ITEM.v", v="$.TASK.ID") == "$.TASK.ID"
    assert value_of("{$.ITEM.v}", v="$$.x {{$.y") == "$$.x {{$.y"


def test_an_unclosed_path_is_an_error() -> None:
    with pytest.raises(Invalid) as caught:
        compile_value("a {$.ITEM.v b")
    assert caught.value.entry is SYNTAX


def test_a_file_is_a_file_result() -> None:
    literal = value_of("File(/home/x/y.zip)")
    built = value_of("File({$.ITEM.dir}/a (1).zip)", dir="/d")
    whole = value_of("File($.ITEM.dir)", dir="/d/e")
    assert (literal, built, whole) == ("/home/x/y.zip", "/d/a (1).zip", "/d/e")
    assert all(isinstance(each, FileText) for each in (literal, built, whole))


def test_a_file_holds_no_extract() -> None:
    with pytest.raises(Invalid):
        compile_value("File({$.ITEM.v}:REGEX:x)")


def test_lists_and_maps_are_walked_and_each_text_says_what_it_read() -> None:
    tree = {"a": ["x", "$.ITEM.n"], "b": {"$.ITEM.n": "{$.ITEM.n}{$.ITEM.t}"}, "c": 1}
    value, used = render(compile_value(tree), Values(n=2, t="z"))
    assert value == {"a": ["x", 2], "b": {"$.ITEM.n": "2z"}, "c": 1}
    assert used == (
        UsedText(("a", 1), "$.ITEM.n", {"$.ITEM.n": 2}),
        UsedText(("b", "$.ITEM.n"), "{$.ITEM.n}{$.ITEM.t}", {"$.ITEM.n": 2, "$.ITEM.t": "z"}),
    )


def test_a_literal_is_given_back_as_it_is() -> None:
    tree = {"a": [1, "x", None]}
    template = compile_value(tree)
    assert template.literal
    assert render(template, Values()) == (tree, ())
    assert render(template, Values()).value is tree
    assert render(compile_value(("a", "$.ITEM.n")), Values(n=1)).value == ["a", 1]


def test_an_error_names_the_whole_text() -> None:
    with pytest.raises(SkerryError) as caught:
        value_of("name: {$.ITEM.gone}!")
    assert caught.value.entry is MISSING_VALUE
    assert caught.value.where == "name: {$.ITEM.gone}!"
    assert "name: {$.ITEM.gone}!" in caught.value.message


def test_produced_text_has_a_limit() -> None:
    with pytest.raises(SkerryError) as caught:
        value_of("{$.ITEM.v}" * 70, v="x" * 1024 * 1024)
    assert caught.value.entry is VALUE_TOO_BIG


def test_lists_within_lists_have_a_limit() -> None:
    deep: Any = "$.ITEM.v"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(Invalid) as caught:
        compile_value(deep)
    assert caught.value.entry is EXPRESSION_TOO_BIG


def test_a_long_text_is_read_as_fast_as_a_short_one() -> None:
    text = "'\\" * 200_000 + "{$.ITEM.v}"
    assert value_of(text, v=1).endswith("1")
    with pytest.raises(Invalid):
        compile_value("{$.ITEM['" + "\\'" * 500_000)


@given(st.text(alphabet=st.sampled_from("{}$.'[]ITEMv \\")))
def test_any_text_is_read_or_refused_with_a_code(text: str) -> None:
    with suppress(SkerryError):
        assert value_of(text, v=1) is not None
