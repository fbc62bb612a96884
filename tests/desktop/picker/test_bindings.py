"""Expressions as parts, and back to the very text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.design.picker.bindings import PathBinding, joined, node_of, pieces, read_binding
from app.desktop.design.picker.conditions import Comparison, Joint, Operand, read, write
from app.desktop.design.picker.regex_builder import around, read_around, tried
from app.desktop.design.picker.value_parts import with_steps
from engine.model.expression import compile_condition


@pytest.mark.parametrize(
    "text",
    [
        "$.JOB['words'].RESULT['count']",
        "{$.JOB['a'].OUTPUT}:REGEX:(?<=start ).*?(?= end)",
        "{$.JOB['a'].OUTPUT}:REGEX?:x(.)",
        "{$.TASK.SCHEDULED_TIME}:DATE:-1d:%Y%m%d",
    ],
)
def test_a_binding_is_read_and_written_as_it_was(text: str) -> None:
    found = read_binding(text)

    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    "text", ["plain", "$$.x", "{$.TASK.PARAMS['d']}/a", "{$.JOB[}", "", "{{$.TASK.ID}", 7]
)
def test_what_is_no_binding_as_a_whole_is_none(text: object) -> None:
    assert read_binding(text) is None


def test_a_text_is_taken_apart_at_its_paths_and_joined_to_the_same() -> None:
    text = "{$.TASK.PARAMS['d']}/a-{$.JOB['x'].RESULT['n']}.txt {{$.TASK.ID} {not}"

    found = pieces(text)

    assert [each.text for each in found if each.path] == ["$.TASK.PARAMS['d']", "$.JOB['x'].RESULT['n']"]
    assert joined(found) == text


@given(st.text(alphabet="{}$.[]'aT JOB:", max_size=40))
def test_any_text_survives_being_taken_apart(text: str) -> None:
    assert joined(pieces(text)) == text


def test_the_nodes_that_a_value_comes_from_are_known() -> None:
    assert node_of("$.JOB['x'].OUTPUT") == "x"
    assert node_of("$.TASK.ID") is None


def test_steps_into_a_value_are_written_as_the_contract_does() -> None:
    assert with_steps("$.JOB['q'].RESULT['rows']", (0, "it's")) == "$.JOB['q'].RESULT['rows'][0]['it\\'s']"


@pytest.mark.parametrize(
    "text",
    [
        "{$.JOB['a'].RESULT['x']} > 3",
        "{$.JOB['a'].RESULT['x']} > 3 and {$.JOB['b'].OUTPUT} # 'it\\'s'",
        "{$.JOB['a'].STATUS} == 'failed' or ({$.JOB['b'].EXIT_CODE} != 0 and true)",
        "not ({$.TASK.PARAMS['x']} == null)",
        "not ({$.TASK.RUN} > 1 or {$.TASK.RUN} < 0)",
        "{$.JOB['b'].OUTPUT}:REGEX:'n=(\\d+)' >= 5",
        "",
    ],
)
def test_a_condition_becomes_rows_and_the_same_text_again(text: str) -> None:
    found = read(text)

    assert found is not None
    assert write(found) == text


def test_what_rows_cannot_show_is_none() -> None:
    assert read("{$.JOB['a'].OUTPUT} >") is None
    assert read("'' == {$.JOB['a'].OUTPUT}") is None, "an empty left side looks like a row not filled in"


_LITERALS = st.one_of(st.text(max_size=8), st.booleans(), st.none(), st.integers().map(str))
_TESTS = st.builds(
    Comparison,
    st.builds(Operand, st.just(PathBinding("$.TASK.ID"))),
    st.sampled_from(["==", "!=", "<", "#"]),
    st.builds(Operand, st.none(), _LITERALS),
    st.booleans(),
)
_JOINTS = st.recursive(
    st.builds(Joint, st.booleans(), st.lists(_TESTS, min_size=2, max_size=3).map(tuple), st.booleans()),
    lambda inner: st.builds(
        Joint, st.booleans(), st.tuples(_TESTS, inner), st.booleans()
    ),
    max_leaves=3,
)  # fmt: skip


@given(_JOINTS)
def test_whatever_rows_say_the_engine_reads_and_rows_show_again(joint: Joint) -> None:
    text = write(joint)

    compile_condition(text)
    again = read(text)
    assert again is not None
    assert write(again) == text


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [("start ", " end", "4"), ("", " 4", "start"), ("4 ", "", "end"), ("nothing", "", None)],
)
def test_what_is_between_two_texts_is_taken(before: str, after: str, found: str | None) -> None:
    assert tried(around(before, after), "start 4 end") == found


@given(st.text(min_size=1, max_size=6), st.text(max_size=6))
def test_the_two_texts_are_read_back_from_the_pattern(before: str, after: str) -> None:
    assert read_around(around(before, after)) == (before, after)


def test_the_pattern_of_the_tour_is_the_one_that_is_built() -> None:
    assert around("start ", " end") == "(?<=start ).*?(?= end)"
