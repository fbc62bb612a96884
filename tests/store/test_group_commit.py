"""Group commit: who writes alone, who together, and that nobody is forgotten when something goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from threading import Event, Thread
from typing import Any

import pytest

from engine.store.group_commit import ApplyError, GroupCommit, Work


class Disk:
    """Remembers each transaction; the first one waits until it is let go."""

    def __init__(self) -> None:
        self.groups: list[list[Any]] = []
        self.begun, self.go_on = Event(), Event()
        self.fail_commit: BaseException | None = None

    def transact(self, works: Sequence[Work]) -> list[Any]:
        first = not self.begun.is_set()
        self.begun.set()
        if first:
            assert self.go_on.wait(10)
        try:
            results = [work(None) for work in works]
        except Exception as error:
            raise ApplyError(error) from error
        if self.fail_commit:
            raise self.fail_commit
        self.groups.append(results)
        return results


class Caller(Thread):
    """Runs one work and keeps what came of it."""

    def __init__(self, commits: GroupCommit, work: Work) -> None:
        super().__init__(daemon=True)
        self._commits, self._work = commits, work
        self.result: Any = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self._commits.run(self._work)
        except BaseException as error:
            self.error = error


def gives(value: Any) -> Work:
    return lambda cursor: value


def raises(error: BaseException) -> Work:
    def work(cursor: Any) -> None:
        raise error

    return work


def waiting(commits: GroupCommit, count: int) -> None:
    """Returns when so many wait for the one that writes."""
    pause = Event()
    while len(commits._waiting) < count:
        pause.wait(0.001)


def behind_a_slow_one(disk: Disk, *works: Work) -> list[Caller]:
    """Callers that arrive one after the other while the disk is busy with the first."""
    commits = GroupCommit(disk.transact)
    callers = [Caller(commits, gives("first"))]
    assert disk.begun.wait(10)
    for number, work in enumerate(works, start=1):
        callers.append(Caller(commits, work))
        waiting(commits, number)
    disk.go_on.set()
    for each in callers:
        each.join(10)
        assert not each.is_alive()
    return callers


def free() -> Disk:
    disk = Disk()
    disk.go_on.set()
    return disk


def test_one_alone_writes_at_once() -> None:
    disk = free()
    commits = GroupCommit(disk.transact)

    assert [commits.run(gives(number)) for number in range(3)] == [0, 1, 2]

    assert disk.groups == [[0], [1], [2]]


def test_who_comes_meanwhile_is_written_together_in_order() -> None:
    disk = Disk()

    callers = behind_a_slow_one(disk, *(gives(number) for number in range(5)))

    assert disk.groups == [["first"], [0, 1, 2, 3, 4]]
    assert [each.result for each in callers] == ["first", 0, 1, 2, 3, 4]


def test_a_work_that_fails_fails_alone() -> None:
    disk = Disk()

    callers = behind_a_slow_one(disk, gives(1), raises(KeyError("bad")), gives(3))

    assert disk.groups == [["first"], [1], [3]]
    assert [type(each.error) for each in callers] == [type(None), type(None), KeyError, type(None)]
    assert [each.result for each in callers] == ["first", 1, None, 3]


def test_a_commit_that_fails_is_reported_to_all_of_its_group() -> None:
    disk = Disk()
    disk.fail_commit = OSError("no disk")

    callers = behind_a_slow_one(disk, gives(1), gives(2))

    assert all(isinstance(each.error, OSError) for each in callers)
    assert disk.groups == []


def test_it_goes_on_after_a_failure() -> None:
    disk = free()
    commits = GroupCommit(disk.transact)
    with pytest.raises(ZeroDivisionError):
        commits.run(raises(ZeroDivisionError()))

    assert commits.run(gives(1)) == 1


def test_an_interrupt_of_the_leader_leaves_the_others_a_leader() -> None:
    """Ctrl-C reaches the main thread, which may be writing for others just then."""
    disk = Disk()

    callers = behind_a_slow_one(disk, raises(KeyboardInterrupt()), gives(2), gives(3))

    assert isinstance(callers[1].error, KeyboardInterrupt)
    assert [each.result for each in callers[2:]] == [2, 3]


def test_an_interrupt_of_one_that_waits_leaves_the_others_in_peace() -> None:
    disk = free()
    commits = GroupCommit(disk.transact)
    enter = commits._enter

    def interrupted(ticket: Any) -> None:
        enter(ticket)
        raise KeyboardInterrupt

    commits._enter = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        commits.run(gives("interrupted"))
    commits._enter = enter  # type: ignore[method-assign]

    assert commits.run(gives("next")) == "next"
    assert disk.groups == [["interrupted"], ["next"]]


def test_many_threads_get_each_their_own_result() -> None:
    disk = free()
    commits = GroupCommit(disk.transact)
    results: dict[int, list[int]] = {}

    def work(thread: int) -> None:
        results[thread] = [commits.run(gives(thread * 1000 + number)) for number in range(200)]

    threads = [Thread(target=work, args=(thread,)) for thread in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert results == {thread: [thread * 1000 + number for number in range(200)] for thread in range(16)}
    assert sorted(chain(*disk.groups)) == sorted(chain(*results.values()))
