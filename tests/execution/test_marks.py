"""The marks of attempts: each is of one, also where it was chosen before that begins."""

from __future__ import annotations

from engine.execution.marks import Marks


def test_a_mark_says_whose_it_is_and_two_of_the_same_numbers_differ() -> None:
    marks = Marks()

    one, two = marks.of(12, 3), marks.of(12, 3)

    assert one != two
    assert {each.rpartition(".")[0] for each in (one, two)} == {"12.3"}
    assert len(one.rpartition(".")[2]) == 16


def test_an_attempt_gets_the_mark_that_was_reserved_for_it_once() -> None:
    marks = Marks()
    reserved = marks.reserve(12, 1)

    assert marks.reserve(12, 1) == reserved
    assert marks.of(12, 1) == reserved
    assert marks.of(12, 1) != reserved


def test_a_mark_that_is_released_is_given_to_no_attempt() -> None:
    marks = Marks()
    reserved, taken = marks.reserve(12, 1), marks.reserve(13, 1)
    marks.of(13, 1)

    assert marks.release(reserved)
    assert marks.of(12, 1) != reserved
    assert not marks.release(taken)  # its attempt has it already


def test_those_of_a_workspace_can_be_told_from_others() -> None:
    marks = Marks()
    marks.workspace = "0badcafe"

    assert marks.of(1, 1).startswith("1.1.0badcafe")
    assert len(marks.of(1, 1)) == len("1.1.") + 16
