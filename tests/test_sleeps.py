"""A test waits for what happens, never for time to pass: only the helper that looks again and again sleeps."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ALLOWED = {"waiting.py"}


def sleeps(source: str) -> list[int]:
    """The lines that name ``time.sleep``; what a text has for another program to run does not count."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and ast.unparse(node) == "time.sleep")
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "time"
            and "sleep" in {each.name for each in node.names}
        )
    ]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import time\ntime.sleep(1)\n", [2]),
        ("from time import monotonic, sleep as rest\n", [1]),
        ("rest = time.sleep\n", [1]),
        ("text = 'time.sleep(1)'\nhub.sleep(1)\n", []),
    ],
)
def test_a_sleep_is_found(source: str, lines: list[int]) -> None:
    assert sleeps(source) == lines


def test_only_the_helper_sleeps() -> None:
    found = [
        f"{file.relative_to(TESTS)}:{line}"
        for file in sorted(TESTS.rglob("*.py"))
        if str(file.relative_to(TESTS)) not in ALLOWED
        for line in sleeps(file.read_text("utf-8"))
    ]

    assert found == [], "use until of tests/waiting.py, or an event"
