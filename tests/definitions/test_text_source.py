"""What YAML and JSON texts mean, and where they are wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.definitions.document import SourceDocument
from engine.definitions.text_source import SourceFile, parse
from engine.model.codes import definitions as codes
from engine.model.errors import ErrorCode
from tests.definitions.fakes import marked


def yaml(text: str | bytes) -> SourceDocument:
    return parse(SourceFile("x.yaml", text if isinstance(text, bytes) else text.encode()))


def json_text(text: str) -> SourceDocument:
    return parse(SourceFile("x.json", text.encode()))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("FALSE", False),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("2026-11-21", "2026-11-21"),
        ("2026-11-21T08:00:00Z", "2026-11-21T08:00:00Z"),
        ("~", None),
        ("null", None),
        ("", None),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!float 3", 3.0),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_plain_scalars_have_the_core_types_of_yaml_1_2(written: str, meant: Any) -> None:
    document = yaml(f"value: {written}\n")

    assert document.findings == ()
    assert document.value == {"value": meant}
    assert type(document.value["value"]) is type(meant)


def test_keys_are_texts_as_json_has_them() -> None:
    assert yaml("012: a\ntrue: b\n1.0: c\n1.5: d\n'no': e\n").value == {
        "12": "a",
        "true": "b",
        "1": "c",
        "1.5": "d",
        "no": "e",
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: 1\nb: 2\n^a: 3\n", codes.DUPLICATE_KEY),
        ("1: a\n^01: b\n", codes.DUPLICATE_KEY),
        ("a: ^!!python/object/apply:os.system ['true']\n", codes.TAG_REFUSED),
        ("a: ^!mine 1\n", codes.TAG_REFUSED),
        ("a: ^!!set {x}\n", codes.TAG_REFUSED),
        ("a: ^!!binary aGk=\n", codes.TAG_REFUSED),
        ("a: ^!!int x\n", codes.NUMBER_TOO_LARGE),
        ("a: ^.inf\n", codes.NUMBER_TOO_LARGE),
        ("a: ^1e999\n", codes.NUMBER_TOO_LARGE),
        (f"a: ^{'9' * 5000}\n", codes.NUMBER_TOO_LARGE),
        ("? ^[a, b]\n: 1\n", codes.KEY_NOT_TEXT),
        ("^~: 1\n", codes.KEY_NOT_TEXT),
        ("a: ^&x [1, *x]\n", codes.ALIASES_TOO_LARGE),
        ("^", codes.NOT_A_DEFINITION),
        ("^# nothing\n", codes.NOT_A_DEFINITION),
        ("a: 1\n^---\nb: 2\n", codes.SEVERAL_DOCUMENTS),
        ("a: b^: c\n", codes.YAML_SYNTAX),
        ("a: 1\n^\tb: 2\n", codes.YAML_SYNTAX),
        ("a: ^*nobody\n", codes.YAML_SYNTAX),
        ("a: 1\nb: x^\0y\n", codes.TEXT_UNREADABLE),
        ("a: 1\nb: ^\x07\n", codes.TEXT_UNREADABLE),
        ("^<<: 1\n", codes.WRONG_TYPE),
    ],
)
def test_what_is_not_plain_yaml_is_a_finding_at_its_place(text: str, code: ErrorCode) -> None:
    text, [place] = marked(text)

    [finding] = yaml(text).findings

    assert (finding.code, finding.line, finding.column) == (code.number, *place)
    assert finding.severity == "error"


def test_bytes_that_are_not_utf_8_are_shown_where_they_stand() -> None:
    [finding] = yaml("a: é\nb: ".encode() + b"\xff\n").findings

    assert (finding.code, finding.line, finding.column) == (codes.TEXT_UNREADABLE.number, 2, 4)


def test_utf_16_is_refused_and_a_byte_order_mark_of_utf_8_is_not() -> None:
    assert yaml("a: 1".encode("utf-16")).findings[0].code == codes.TEXT_UNREADABLE.number
    assert yaml(b"\xef\xbb\xbfa: 1\n").value == {"a": 1}


def test_a_tab_that_indents_is_named() -> None:
    assert "spaces, not tabs" in yaml("a:\n  b: 1\n\tc: 2\n").findings[0].message


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 50_000 + "a", "{a: " * 5_000])
def test_bottomless_nesting_is_a_finding_and_not_a_crash(text: str) -> None:
    assert yaml(text).findings[0].code == codes.NESTED_TOO_DEEP.number


def test_aliases_that_multiply_are_stopped_without_expanding_them() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30)
    )

    [finding] = yaml(bomb).findings

    assert finding.code == codes.ALIASES_TOO_LARGE.number
    assert finding.line == 5


def test_a_long_text_that_is_repeated_by_aliases_counts_by_its_length() -> None:
    bomb = f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 200)}]\n"

    assert [each.code for each in yaml(bomb).findings] == [codes.ALIASES_TOO_LARGE.number]


def test_many_values_without_aliases_are_fine() -> None:
    assert len(yaml("[" + "1, " * 150_000 + "]").value) == 150_000


def test_an_alias_stands_for_its_value() -> None:
    assert yaml("a: &p {x: 1}\nb: *p\n").value == {"a": {"x": 1}, "b": {"x": 1}}


def test_merge_keys_add_what_the_map_does_not_say_itself() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], z: 3}\n"

    assert yaml(text).value["c"] == {"z": 3, "x": 1, "y": 1}


def test_a_place_follows_merge_keys_and_aliases_to_where_the_value_is_written() -> None:
    document = yaml("a: &a\n  x: 1\nb:\n  <<: *a\nc: *a\n")

    assert document.position(("b", "x")) == (2, 6)
    assert document.position(("c", "x")) == (2, 6)
    assert document.position(("b", "x"), key=True) == (2, 3)


def test_a_map_is_shown_at_its_key_and_a_missing_part_at_what_is_there() -> None:
    document = yaml("a:\n  b: {c: 1}\n  d:\n  e: [x, {f: 2}]\n")

    assert document.position(("a",)) == (1, 1)
    assert document.position(("a", "b")) == (2, 3)
    assert document.position(("a", "b", "c")) == (2, 10)
    assert document.position(("a", "b", "nothing")) == (2, 3)
    assert document.position(("a", "d")) == (3, 3)
    assert document.position(("a", "e", 0)) == (4, 7)
    assert document.position(("a", "e", 1, "f")) == (4, 14)
    assert document.position(("a", "e", 7)) == (4, 3)
    assert document.position(()) == (1, 1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1, ^"a": 2}', codes.DUPLICATE_KEY),
        ('{"a": ^NaN}', codes.JSON_SYNTAX),
        ('{"a": -^Infinity}', codes.JSON_SYNTAX),
        ('{"a": 1,\n ^}', codes.JSON_SYNTAX),
        ("[1, ^]", codes.JSON_SYNTAX),
        ("[1 ^2]", codes.JSON_SYNTAX),
        ('{"a" ^1}', codes.JSON_SYNTAX),
        ("[01]", codes.JSON_SYNTAX),
        ("[^'a']", codes.JSON_SYNTAX),
        ('["^abc', codes.JSON_SYNTAX),
        ("[^", codes.JSON_SYNTAX),
        ("[1] ^x", codes.JSON_SYNTAX),
        ("[^1e999]", codes.NUMBER_TOO_LARGE),
        ('[^"\\ud800"]', codes.TEXT_UNREADABLE),
        ("^ ", codes.NOT_A_DEFINITION),
        ("[" * 5000, codes.NESTED_TOO_DEEP),
    ],
)
def test_what_is_not_strict_json_is_a_finding_at_its_place(text: str, code: ErrorCode) -> None:
    text, places = marked(text)

    finding = json_text(text).findings[0]

    assert finding.code == code.number
    if places and "Infinity" not in text and "abc" not in text:
        assert [(finding.line, finding.column)] == places


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_json_text_has_the_value_that_python_gives_it(value: Any, indent: Any, ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    if "\x7f" <= max(text) <= "\x9f" or "\ufffe" in text or "\uffff" in text or "\x7f" in text:
        text = json.dumps(value, indent=indent)

    document = json_text(text)

    if not document.findings:
        assert document.value == value
    else:  # what no text file may hold
        assert {each.code for each in document.findings} == {codes.TEXT_UNREADABLE.number}


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`?,.~<=0123 \n\t", max_size=60))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    yaml(text)
    json_text(text)


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    yaml(data)
