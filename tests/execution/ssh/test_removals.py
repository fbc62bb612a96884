"""Directories of attempts that have ended are removed together, in a quiet moment but soon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.execution.ssh.removals import Removal, Removals
from engine.execution.ssh.session import RemotePlace
from engine.runtime.threads import SystemThreads

HERE = RemotePlace("boot", "/root", "K", "/home/ann")


class Turns:
    """Time that a test holds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.due: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self.due.append((self.now + seconds, call))

    def pass_until(self, moment: float) -> None:
        while due := [each for each in self.due if each[0] <= moment]:
            first = min(due, key=lambda each: each[0])
            self.due.remove(first)
            self.now = first[0]
            first[1]()
        self.now = moment


class Link:
    """Notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def ask(self, text: Callable[[str, RemotePlace], bytes], *more: Any, **how: Any) -> None:
        self.asked.append(text("1", HERE))


@pytest.fixture
def turns() -> Turns:
    return Turns()


@pytest.fixture
def link() -> Link:
    return Link()


def removals(link: Link, turns: Turns, busy: Callable[[], bool]) -> Removals:
    return Removals(link, turns, SystemThreads().event(), busy)  # type: ignore[arg-type]


def test_where_nothing_runs_they_are_removed_together_after_a_moment(link: Link, turns: Turns) -> None:
    made = removals(link, turns, lambda: False)

    made.add(Removal("/root", "1.1.a"))
    made.add(Removal("/root", "2.1.b"))
    assert link.asked == []
    turns.pass_until(0.5)

    [asked] = link.asked
    assert b"/root/1.1.a" in asked
    assert b"/root/2.1.b" in asked


def test_while_others_run_they_wait_but_for_ten_seconds_only(link: Link, turns: Turns) -> None:
    made = removals(link, turns, lambda: True)

    made.add(Removal("/root", "1.1.a"))
    turns.pass_until(10.0)
    assert link.asked == []
    turns.pass_until(11.0)

    assert len(link.asked) == 1


def test_while_others_run_they_wait_until_they_are_many(link: Link, turns: Turns) -> None:
    made = removals(link, turns, lambda: True)

    for number in range(1000):
        made.add(Removal("/root", f"{number}.1.a"))
    turns.pass_until(0.5)

    assert len(link.asked) == 1
