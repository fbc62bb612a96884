"""Values as text and text as values: numbers, kinds, comparisons."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.expressions import NOT_COMPARABLE, NULL_IN_TEXT, WRONG_KIND
from engine.model.errors import SkerryError
from engine.model.expression import FileText, as_kind, as_number, as_text, compact_json, equal
from engine.model.expression.values import contains, less

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS)
def test_a_number_reads_back_from_its_text(number: float) -> None:
    text = as_text(number)
    assert not text.endswith(".0")
    assert as_number(text) is not None
    assert equal(text, number)
    assert json.loads(text) == number


@given(st.text(alphabet=st.sampled_from("0123456789.eE+- \n\tx")) | st.text())
def test_a_text_reads_as_a_number_exactly_if_trimmed_it_is_a_json_number(text: str) -> None:
    is_json_number = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", text.strip()) is not None
    assert (as_number(text) is not None) == is_json_number


@pytest.mark.parametrize(
    "text", ["0012", "+1", "1.", ".5", "0x10", "1_000", "١٢", "NaN", "Infinity", "", " ", "1 2", "true"]
)
def test_what_only_looks_like_a_number_is_text(text: str) -> None:
    assert as_number(text) is None


def test_numbers_too_big_for_a_machine_word_compare_exactly() -> None:
    assert not equal("9007199254740993", 9007199254740992)
    assert equal("0.1", 0.1)
    assert less("1e999999", "1e1000000")
    assert as_number("1e999999999999999999999") is None
    assert as_number("9" * 6000) == Decimal("9" * 6000)


def test_null_has_no_text() -> None:
    with pytest.raises(SkerryError) as caught:
        as_text(None)
    assert caught.value.entry is NULL_IN_TEXT


def test_what_is_no_json_value_is_refused() -> None:
    for value in (float("nan"), float("inf"), object(), {1j: 2}):
        with pytest.raises(SkerryError) as caught:
            compact_json(value)
        assert caught.value.entry is WRONG_KIND


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("12\n", "number", 12),
        ("1.5e3", "number", 1500.0),
        (7, "number", 7),
        ("true", "boolean", True),
        (" false ", "boolean", False),
        (True, "boolean", True),
        ('["a", 1]', "list", ["a", 1]),
        ([1], "list", [1]),
        ('{"a": null}', "map", {"a": None}),
        ({}, "map", {}),
        (3.0, "text", "3"),
        ([1], "text", "[1]"),
        (" as it is\n", "text", " as it is\n"),
        ("/a/b\n", "file", "/a/b"),
        ("c.txt", "document", "c.txt"),
        ("./c.txt", "file", "./c.txt"),
        (FileText("/x"), "file", "/x"),
        (None, "number", None),
        ("x", None, "x"),
    ],
)
def test_a_value_becomes_its_kind(value: Any, kind: Any, expected: Any) -> None:
    found = as_kind(value, kind)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("0012", "number"), ("", "number"), ("abc", "number"), ("true", "number"), (True, "number"),
        ("1e999", "number"),
        ("NaN", "number"), ("-Infinity", "number"), ("[1]", "number"), ("9" * 5000, "number"),
        ("True", "boolean"), ("1", "boolean"), (1, "boolean"), ("yes", "boolean"),
        ("{}", "list"), ("a,b", "list"), (3, "list"), ("[" * 100_000, "list"), ("[]", "map"), ([], "map"),
        ("", "file"), (3, "file"), ("a\0b", "document"),
    ],
)  # fmt: skip
def test_text_that_does_not_fit_is_an_error(value: Any, kind: Any) -> None:
    with pytest.raises(SkerryError) as caught:
        as_kind(value, kind)
    assert caught.value.entry is WRONG_KIND
    assert kind in caught.value.message


def test_a_message_never_shows_a_part_of_a_long_text() -> None:
    with pytest.raises(SkerryError) as caught:
        as_kind("secret" * 100, "number")
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("3", 3, True), (" 3.0\n", 3, True), ("3", "3.0", True), ("0012", 12, False), ("0012", "12", False),
        ("a", "a", True), ("a", "A", False), (True, "true", True), (True, True, True), (True, 1, False),
        (False, "false", True), ("[1]", [1], True), ({"a": 1}, '{"a":1}', True),
        (None, None, True), (None, "", False), (None, "null", False), (None, 0, False), ("", "", True),
    ],
)  # fmt: skip
def test_equal_compares_as_numbers_if_both_read_as_numbers_else_as_text(
    left: Any, right: Any, same: bool
) -> None:
    assert equal(left, right) is same
    assert equal(right, left) is same


def test_less_compares_as_numbers_if_both_read_as_numbers_else_as_text() -> None:
    assert less("9", "10")
    assert not less("9", "10x")
    assert less("10x", "9")
    assert less(-1, "0.5")
    assert not less("b", "a")
    for pair in ((None, 1), (1, None), (None, None)):
        with pytest.raises(SkerryError) as caught:
            less(*pair)
        assert caught.value.entry is NOT_COMPARABLE


def test_contains_looks_into_texts_lists_and_maps() -> None:
    assert contains("all succeeded", "success") is False
    assert contains("all success", "success")
    assert contains(12345, 34)
    assert contains("a5", "5")
    assert contains([4, "b", None], "4")
    assert contains(["b"], "b")
    assert not contains(["bb"], "b")
    assert contains([None], None)
    assert not contains([1], None)
    assert contains({"a": 1}, "a")
    assert not contains({"a": 1}, "1")
    for left, right in ((None, "a"), ("a", None), ({}, None)):
        with pytest.raises(SkerryError):
            contains(left, right)


@given(NUMBERS | st.text(), NUMBERS | st.text())
def test_exactly_one_of_less_equal_greater_holds(left: Any, right: Any) -> None:
    assert [less(left, right), equal(left, right), less(right, left)].count(True) == 1
