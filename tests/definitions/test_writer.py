"""What is written reads back to the same tree, and people like to read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.definitions.text_source import SourceFile, parse
from engine.definitions.writer import dump
from tests.definitions.fakes import read_text
from tests.effort import effort

HOSTILE = st.sampled_from([
    "no", "Yes", "y", "012", "0o7", "1e3", "1:30", "2026-01-01", ".inf", "~", "null", "", "<<", "=", "30s",
    " leading", "trailing ", "a\n", "a\n\n", "\n", "\na", "  a\nb\n", "a\r\nb", "\ta\nb", "a\n\tb\n", "a \nb",
    "a\n   \nb", "a\n  ", "a\n\n\n  b\n", "a\n#b", "--- a", "---", "...", "a: b\nc: d\n", "x: |\n  y\n",
    "y: z", "a:", "a :b", ":a", "# c", "a # b", "-", "- a", "? a", "!t", "&a", "*a", "%a", "@a", "`a",
    "|", ">", "'", '"', "{a}", "[a]", "a, b", "a\\b", "it's", "$.JOB['x']",
    "{$.a}:REGEX:(\\d+)", 'echo "$x"', "\\",
    "\u2028", "\x85", "\ufeff", "a\u2028b\nc", "a\x85\nb", "\x7f\n", "\x01", "\x1b[0m\n", "\ud7ff", "\ufffe",
    "é", "作业", "\U0001f600\nx", "k" * 2000, "long " * 300 + "\nb", "a" * 150,
])  # fmt: skip
TEXTS = (
    HOSTILE
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.text(alphabet=" \n\ta#:-'\"\\|>{}[],&*!%@`?~0no")
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=20,
)


def read_back(text: str) -> Any:
    document = parse(SourceFile("x.yaml", text.encode()))
    assert document.findings == ()
    return document.value


@settings(max_examples=effort(40, all=2000))
@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_a_tree_reads_back_as_it_was_written(tree: dict[str, Any]) -> None:
    tree = {"skerry": 1, **tree}

    assert json.dumps(read_back(dump(tree))) == json.dumps(tree)


@pytest.mark.parametrize(
    "example", sorted((Path(__file__).parents[2] / "examples").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_example_reads_back_as_it_was_written(example: Path) -> None:
    tree = read_back(example.read_text())

    assert read_back(dump(tree)) == tree


def test_definitions_survive_being_written_and_read() -> None:
    text = "skerry: 1\nproject: p\njobs: {012: {type: argv, argv: ['no', '012']}}\nrules: [{id: 7, %s}]\n"
    text %= "match: {code: -11000000000, message: 'no.*'}, action: {retry: {after: 5s}}"
    definitions = read_text(text).valid()

    again = read_text(dump(definitions.raw)).valid()

    assert again == definitions
    assert dump(again.raw) == dump(definitions.raw)


def test_a_person_likes_to_read_it() -> None:
    tree = {
        "jobs": {
            "load": {
                "name": "Load the rows",
                "type": "shell",
                "params": {"dir": "$.TASK.PARAMS['dir']", "limit": {"kind": "number", "value": 10}},
                "process": 'if true; then\n\techo "x"\nfi\n',
                "retry": {"times": 1, "interval": "1s"},
                "success": "{$.JOB['load'].LOG} # 'done'",
            }
        },
        "tasks": {
            "t": {"nodes": {"one": {"job": "load", "after": ["m"], "params": [{"dir": "no"}, {"dir": ""}]}}}
        },
    }

    assert dump(tree) == (
        "skerry: 1\n"
        "jobs:\n"
        "  load:\n"
        "    name: Load the rows\n"
        "    type: shell\n"
        "    params: {dir: \"$.TASK.PARAMS['dir']\", limit: {kind: number, value: 10}}\n"
        "    process: |\n"
        "      if true; then\n"
        '      \techo "x"\n'
        "      fi\n"
        "    retry: {times: 1, interval: 1s}\n"
        "    success: \"{$.JOB['load'].LOG} # 'done'\"\n"
        "tasks:\n"
        "  t:\n"
        "    nodes:\n"
        "      one:\n"
        "        job: load\n"
        "        after: [m]\n"
        '        params: [{dir: "no"}, {dir: ""}]\n'
    )


@pytest.mark.parametrize(
    ("text", "head"),
    [("a\nb", "|-"), ("a\nb\n", "|"), ("a\nb\n\n", "|+"), (" a\nb\n", "|2"), ("\n\na", "|2-")],
)
def test_a_text_of_lines_is_a_block_that_keeps_its_ends(text: str, head: str) -> None:
    assert dump({"x": text}).splitlines()[1] == f"x: {head}"
    assert read_back(dump({"x": text}))["x"] == text


def test_a_map_in_a_list_begins_beside_its_dash() -> None:
    text = dump({"jobs": {"g": {"jobs": [{"type": "shell", "process": "a\nb\n"}]}}})

    assert "    jobs:\n      - type: shell\n        process: |\n          a\n          b\n" in text


def test_half_a_surrogate_pair_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        dump({"x": "\ud800"})
    with pytest.raises(ValueError, match="JSON compliant"):
        dump({"x": float("nan")})
