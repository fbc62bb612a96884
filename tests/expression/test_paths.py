"""Paths are read and written: the round trip, names, quotes, columns of mistakes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.model.codes.expressions import EXPRESSION_TOO_BIG, SYNTAX, UNKNOWN_NAME
from engine.model.errors import Invalid
from engine.model.expression import (
    Members,
    Path,
    Reference,
    compile_value,
    format_path,
    parse_path,
    read_path,
)

HOSTILE = st.text(alphabet=st.sampled_from("a'\\\"[]{}$.`* \n\t\0é作业\U0001f600#:@-9")) | st.text()


@given(st.lists(HOSTILE | st.integers(0, 10**9 - 1), max_size=6).map(tuple))
@example(("JOB", "x", "RESULT", "a'b", 0))
@example(("JOB", "", 3, "RESULT", "\\'"))
@example(("TASK", "PARAMS", "']['"))
def test_every_path_survives_being_written_and_read(path: Path) -> None:
    assert parse_path(format_path(path)) == path


@given(st.lists(HOSTILE, min_size=1, max_size=2), st.integers(0, 99))
def test_an_expression_reads_the_same_path_as_the_log(keys: list[str], index: int) -> None:
    path = ("JOB", keys[0], "RESULT", keys[-1], index)
    assert read_path(format_path(path)).steps == path


def test_a_path_is_written_as_the_contract_shows_it() -> None:
    assert format_path(("JOB", "x", "RESULT", "a'b", 0)) == r"$.JOB['x'].RESULT['a\'b'][0]"
    assert format_path(("JOB", "x", "RESULT", "a\\b")) == r"$.JOB['x'].RESULT['a\\b']"
    assert format_path(("JOB", "x", 2, "PARAMS", "p")) == "$.JOB['x'][2].PARAMS['p']"
    assert format_path(("ROUNDS", "x", 0, 1, "STATUS")) == "$.ROUNDS['x'][0][1].STATUS"
    assert format_path(("TASK", "PARAMS", "dir")) == "$.TASK.PARAMS['dir']"
    assert format_path(()) == "$"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$.JOB['x'].RESULT['y'][0]", ("JOB", "x", "RESULT", "y", 0)),
        ('$.JOB["x"].RESULT["y\'z"]', ("JOB", "x", "RESULT", "y'z")),
        ("$.JOB.x.RESULT.y", ("JOB", "x", "RESULT", "y")),
        ("$.JOB['323'].OUTPUT", ("JOB", "323", "OUTPUT")),
        ("$.JOB.323.OUTPUT", ("JOB", "323", "OUTPUT")),
        ("$.JOB['作业'].RESULT['结果']", ("JOB", "作业", "RESULT", "结果")),
        ("$.JOB['report.0'].RESULT[-1]", ("JOB", "report.0", "RESULT", -1)),
        ("$", ()),
    ],
)
def test_a_place_is_read(text: str, path: Path) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    "text", ["", "x", "JOB.x", "$x", "$.JOB['x'", "$.JOB[x]", "$.JOB['x'] ", "$.a[*]", "$.JOB['x'][*]"]
)
def test_what_is_not_one_place_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_path(text)
    assert caught.value.entry is SYNTAX


def test_members_of_a_batch_are_chosen_by_star_and_slice() -> None:
    assert read_path("$.JOB['x'][*].RESULT['y']").steps == ("JOB", "x", Members(), "RESULT", "y")
    assert read_path("$.JOB['x'][1:3].STATUS").steps[2] == Members(1, 3)
    assert read_path("$.ROUNDS['x'][-1][*].STATUS").steps[2:4] == (-1, Members())


@pytest.mark.parametrize("chosen", ["[*]", "[1:3]", "[:2]", "[-2:]", "[0:9:2]", "[::2]"])
def test_a_choice_of_members_is_written_back(chosen: str) -> None:
    text = f"$.ROUNDS['x']{chosen}[0].STATUS"
    assert format_path(read_path(text).steps) == text


def test_what_only_jsonpath_understands_stays_text() -> None:
    path = read_path("$.JOB['x'].RESULT['rows'][?(@.n > 3)].name")
    assert path.steps == ("JOB", "x", "RESULT", "rows")
    assert path.rest == "[?(@.n > 3)].name"


@pytest.mark.parametrize(
    "text",
    [
        "$.FOO",
        "$.job['x']",
        "$.TASK.FOO",
        "$.TASK[0]",
        "$.JOB['x'].FOO",
        "$.JOB['x'][0].RESULTS",
        "$.ROUNDS['x'][0].Y",
    ],
)
def test_a_name_that_does_not_exist_is_found_before_anything_runs(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        compile_value(text)
    assert caught.value.entry is UNKNOWN_NAME
    assert caught.value.where == text


def test_an_id_without_quotes_is_reported_with_how_to_write_it() -> None:
    with pytest.raises(Invalid, match=r"\$\.JOB\['323'\]"):
        compile_value("$.JOB[323].OUTPUT")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("$.JOB['x'", 1),
        ("see {$.JOB['x'].OUTPUT", 5),
        ("$.JOB['x'].RESULT['a'] is it", 1),
        ("$.TASK.PARAMS['p'][?(@.a =~ 'x')]", 26),
        ("$.TASK.PARAMS['p']..", 1),
        ("$.TASK.DIRECTORY/a.txt", 1),
    ],
)
def test_a_mistake_names_its_column(text: str, column: int) -> None:
    with pytest.raises(Invalid) as caught:
        compile_value(text)
    assert caught.value.entry is SYNTAX
    assert int(str(caught.value.details["column"])) >= column
    assert f"(column {caught.value.details['column']})" in caught.value.message


def test_a_path_that_is_too_long_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        compile_value("$.TASK.PARAMS" + "['a']" * 1000)
    assert caught.value.entry is EXPRESSION_TOO_BIG


def test_references_say_what_a_value_depends_on() -> None:
    template = compile_value({"a": "$.JOB['x'].RESULT['y']", "b": ["{$.TASK.ID}-{$.ITEM}", 3]})
    assert [(each.root, each.key) for each in template.references] == [
        ("JOB", "x"),
        ("TASK", None),
        ("ITEM", None),
    ]
    assert template.references[0] == Reference(
        "JOB", "x", "$.JOB['x'].RESULT['y']", ("JOB", "x", "RESULT", "y")
    )
    assert compile_value("$.ROUNDS['r'][0].STATUS").references[0].key == "r"
    assert compile_value("$..STATUS").references[0].root == ""
    assert compile_value("$.UPSTREAM['t'].X").references[0][:2] == ("UPSTREAM", "t")
