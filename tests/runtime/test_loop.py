"""What comes at the same moment as something else: a cancel in the turn in which a pause is over."""

from __future__ import annotations

import os
import struct
import threading
from datetime import UTC, datetime
from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest

from engine.execution.child import Child
from engine.execution.supervised import Supervised
from engine.model.codes.processes import TIMED_OUT
from engine.model.errors import Failure
from engine.runtime.fibers import Coroutine, Fiber, Sleep, Stopped
from engine.runtime.loop import Loop
from engine.runtime.run_state.pause import PAUSED
from tests.waiting import LONGEST, until

_LATE = Failure.new(TIMED_OUT, "it took longer than its timeout")


class HeldClock:
    """Does not move until the test moves it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


@pytest.fixture
def loop(clock: HeldClock) -> Loop:
    """A loop that is turned by the test."""
    return Loop(clock, lambda: None)


def test_a_timer_that_is_cancelled_in_the_turn_in_which_it_is_due_does_not_happen(
    loop: Loop, clock: HeldClock
) -> None:
    happened: list[str] = []
    timer = loop.later(60, lambda: happened.append("it"))
    clock.seconds = 61
    loop.post(timer.cancel)

    loop._turn()

    assert happened == []


def test_a_life_whose_pause_is_over_when_it_is_cancelled_ends_once(loop: Loop, clock: HeldClock) -> None:
    ends: list[tuple[Any, BaseException | None]] = []

    def life() -> Coroutine[None]:
        yield Sleep(60)
        yield Sleep(60)

    fiber = Fiber(loop, life(), lambda value, error: ends.append((value, error)))
    fiber.start()
    clock.seconds = 61
    stopped = Stopped("cancelled", "me")
    loop.post(lambda: fiber.interrupt(stopped))

    for _ in range(3):
        loop._turn()
        loop.post(lambda: None)  # so that the next one does not wait for something to happen

    assert ends == [(None, stopped)]


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        (Stopped("timed_out", failure=_LATE), Stopped("timed_out"), True),
        (Stopped("limit", failure=_LATE), Stopped("timed_out"), True),
        (Stopped(PAUSED), Stopped("timed_out"), True),
        (Stopped("timed_out"), Stopped("cancelled"), True),
        (Stopped("cancelled"), Stopped("cancelled", "me"), True),
        (Stopped("cancelled"), Stopped("timed_out"), False),
        (Stopped("timed_out"), Stopped("timed_out", failure=_LATE), False),
        (Stopped("timed_out"), Stopped(PAUSED), False),
        (Stopped("timed_out", failure=_LATE), Stopped("limit", failure=_LATE), False),
    ],
)
def test_what_ends_a_job_goes_before_what_only_ends_its_attempt(
    loop: Loop, first: Stopped, second: Stopped, counts: bool
) -> None:
    # given something that is being stopped
    ends: list[BaseException | None] = []
    fiber = Fiber(loop, (each for each in [Sleep(60)]), lambda value, error: ends.append(error))
    fiber.start()
    fiber.interrupt(first)
    kinds = first.kind, second.kind

    # when another stop comes meanwhile
    assert fiber.interrupt(second) is counts
    loop.post(lambda: None)
    loop._turn()

    # then it ends once, by the one that counts
    assert [(end.kind, end.failure) for end in ends if isinstance(end, Stopped)] == [
        (kinds[counts], (second if counts else first).failure)
    ]


def test_a_report_that_comes_with_the_end_of_its_supervisor_takes_no_other_report_with_it(loop: Loop) -> None:
    # given two jobs whose programs have ended while others of theirs lived
    errors: list[BaseException] = []
    loop.on_error = errors.append
    reports, report = os.pipe2(os.O_NONBLOCK)
    supervisor = Mock(news_fd=reports, news=lambda: list(struct.iter_unpack("ii", os.read(reports, 64))))
    supervised = Supervised(loop, supervisor)
    supervised.start()
    looks: list[int] = []
    ends = {pid: os.pipe() for pid in (4_000_001, 4_000_002)}
    for pid, (end, _) in ends.items():
        supervised.watch(Child(pid, end, "", "", own=False), partial(looks.append, pid))
        os.write(report, struct.pack("ii", pid, 3))

    # when the last of the first job ends too, before the engine has looked
    os.write(ends[4_000_001][1], b"x")
    loop._turn()

    # then both are looked at, each once
    assert errors == []
    assert sorted(looks) == [4_000_001, 4_000_002]
    os.close(reports)
    os.close(report)
    for pair in ends.values():
        for fd in pair:
            os.close(fd)


def test_a_big_batch_is_written_apart_and_what_waits_for_it_comes_after_it(clock: HeldClock) -> None:
    # given a batch that takes as long as the test likes
    batch, may_end, happened = Mock(is_big=True), threading.Event(), list[str]()
    batch.write.side_effect = lambda: (may_end.wait(LONGEST), happened.append("written"))
    batches: list[Any] = [batch]
    loop = Loop(clock, lambda: batches.pop() if batches else None)
    loop.after_commit(lambda: happened.append("after"))

    # when it is written
    loop._turn()
    loop.post(lambda: happened.append("meanwhile"))
    loop._turn()
    may_end.set()
    until(lambda: (loop._turn(), "after" in happened)[1])

    # then the loop has done something else
    assert happened == ["meanwhile", "written", "after"]
    batch.try_write.assert_not_called()
