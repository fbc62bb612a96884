"""Differences by lines: what difflib tells, and texts that it would never come to an end with."""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from unittest.mock import patch

import pytest

from engine.model.line_diff import MOST, line_diff


def patched(old: Sequence[str], lines: Sequence[str]) -> list[str]:
    """What becomes of ``old`` by a unified difference."""
    made, at = [], 0
    for line in lines[2:]:
        if line.startswith("@@"):
            answer = line.split()[1][1:]
            start, length = (int(each) for each in (answer.split(",") if "," in answer else (answer, "1")))
            begin = start - 1 if length else start
            made += old[at:begin]
            at = begin
        elif line[0] in " -":
            assert old[at] == line[1:]
            made += [line[1:]] if line[0] == " " else []
            at += 1
        else:
            made.append(line[1:])
    return made + list(old[at:])


@pytest.mark.parametrize("seed", range(40))
def test_small_texts_are_reported_as_difflib_reports_them(seed: int) -> None:
    chance = random.Random(seed)
    old = [chance.choice("abcdefgh") * 2 for _ in range(chance.randrange(30))]
    new = [line for line in old if chance.random() > 0.1] + ["x"] * chance.randrange(3)

    found = list(line_diff(old, new, "a", "b"))

    assert patched(old, found) == new if found else old == new
    if seed % 2:
        new = [*old, "only this"]
        expected = list(difflib.unified_diff(old, new, "a", "b", lineterm=""))
        assert list(line_diff(old, new, "a", "b")) == expected


def test_large_texts_are_never_compared_line_with_line_and_nothing_is_left_out() -> None:
    old = [f"{number % 7}" for number in range(20_000)]
    new = [*old[:10], *reversed(old[10:-10]), *old[-10:]]

    with patch("engine.model.line_diff.SequenceMatcher", side_effect=AssertionError("compared")):
        found = list(line_diff(old, new, "a", "b"))

    assert patched(old, found) == new
    assert len(old) > MOST
