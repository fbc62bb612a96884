"""What exceptions say to people: the system's words with a path, ours, a library's; never those of Python."""

from __future__ import annotations

import binascii
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.model.codes.runtime import INTERNAL
from engine.model.codes.store import DISK_FULL
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted, unforeseen, wording


def _deep() -> object:
    return json.loads("[" * 100_000)


def _refuse() -> object:
    raise SkerryError(DISK_FULL, "no room")


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: os.stat("/none/there"), "/none/there: No such file or directory"),
        (lambda: json.loads("{\n 1}"), "it is no JSON (line 2, column 2)"),
        (lambda: b"\xff".decode(), "it is no text in UTF-8"),
        (lambda: __import__("no_such_driver"), "the package 'no_such_driver' is not installed here"),
        (lambda: binascii.unhexlify(b"x"), "Odd-length string"),
        (_deep, "it is nested too deeply"),
        (_refuse, "no room"),
        (lambda: {}["x"], "it is none of its form"),
        (lambda: None + 1, "it is none of its form"),  # type: ignore[operator]
    ],
)
def test_an_exception_is_put_in_words(act: Callable[[], object], message: str) -> None:
    with pytest.raises(Exception) as caught:
        act()

    assert wording(caught.value, "it is none of its form") == message


def test_what_an_error_is_made_from_is_kept_in_its_words() -> None:
    error = ValueError(Message.of("more than {most} parts", most=3))

    assert wording(error).facts == {"most": 3}


def test_an_error_with_its_place_has_it_in_the_message_too() -> None:
    error = SkerryError.at(DISK_FULL, "{where} has no room for {size} bytes", Path("/data"), size=5)

    assert (error.where, error.message) == ("/data", "/data has no room for 5 bytes")
    assert error.message.template == "{where} has no room for {size} bytes"


def test_a_mistake_of_the_program_says_where_and_keeps_the_rest_for_its_makers() -> None:
    with pytest.raises(KeyError) as caught:
        dict[str, int]()["x"]

    error = unforeseen(caught.value)

    assert error.entry is INTERNAL
    assert error.message == f"a mistake of the program, at {error.where}"
    assert str(error.where).startswith("test_plain_words.py:")
    assert error.details == {"exception": "KeyError: 'x'"}
    assert unforeseen(error) is error


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (r"\d+ rows", r"'\d+ rows'"),
        ("it's", '"it\'s"'),
        ("two\nlines\x1b", r"'two\nlines\x1b'"),
        ("港口", "'港口'"),
        (["a", None, True], '["a", null, true]'),
        (1.5, "1.5"),
    ],
)
def test_a_value_in_a_message_is_as_it_was_written(value: object, shown: str) -> None:
    assert quoted(value) == shown
