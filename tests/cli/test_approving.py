"""``skerry approve``: the open questions, and what is wrong use; answers are in tests/runtime."""

from __future__ import annotations

import pytest

from tests.api.fake_service import FakeService
from tests.api.fake_troubles import question
from tests.cli.conftest import Skerry


def test_without_arguments_the_open_questions_are_listed(skerry: Skerry, service: FakeService) -> None:
    service.open_questions = [question(), question(9, index=2, until=None, question="Go\x1b[2J on?")]

    answer = skerry("approve")

    head, first, second = answer.out.splitlines()
    assert answer.status == 0
    assert head.split() == ["instance", "task", "node", "index", "question", "choices", "until"]
    assert first.split()[:3] == ["7", "nightly", "ask"]
    assert "Load the figures?" in first
    assert "approve, reject" in first
    assert "2026-11-21 12:00:00 +08:00" in first
    assert "\x1b" not in second
    assert skerry("approve", "--json").document == {"questions": service.questions()}


def test_no_question_is_a_sentence(skerry: Skerry) -> None:
    assert skerry("approve").out == "no question is open\n"
    assert skerry("approve", "--json").document == {"questions": []}


@pytest.mark.parametrize("line", ["7", "7 ask"])
def test_half_an_answer_is_wrong_use(skerry: Skerry, line: str) -> None:
    answer = skerry("approve", *line.split())

    assert answer.status == 2
    assert "NODE and CHOICE" in answer.err
