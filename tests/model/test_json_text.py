"""Compact JSON: what one call of the C encoder writes is what ``json.dumps`` writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.json_text import compact, read_json
from engine.model.states import JobState

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
TREES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4)
)


@given(TREES)
def test_it_is_the_text_of_the_standard_library(tree: Any) -> None:
    expected = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))

    assert compact(nan=True)(tree) == expected
    if "Infinity" not in expected:
        assert compact(nan=False)(tree) == expected


@given(TREES)
def test_what_was_written_is_read_as_by_the_standard_library(tree: Any) -> None:
    text = compact(nan=True)(tree)

    assert read_json(text) == json.loads(text)
    assert read_json(f" {text}\n") == json.loads(text)


@pytest.mark.parametrize("text", ["", " ", "{", '{"a":1} 2', "nothing", "\ufeff{}", '"a'])
def test_what_is_no_json_is_an_error_as_there(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as there:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as here:
        read_json(text)

    assert (here.value.msg, here.value.pos) == (there.value.msg, there.value.pos)


def test_a_member_of_an_enumeration_is_its_text() -> None:
    assert compact(nan=False)({"status": JobState.RUNNING}) == '{"status":"running"}'


def test_what_is_no_json_value_is_refused_and_the_next_text_is_whole() -> None:
    write = compact(nan=False)
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(TypeError, match="object is no JSON value"):
        write({"a": [object()]})
    with pytest.raises(ValueError, match="Out of range"):
        write(float("nan"))
    with pytest.raises(RecursionError):
        write(endless)

    assert write({"a": [1]}) == '{"a":[1]}'
