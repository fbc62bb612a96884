"""Stopping a job with everything that it started, and being certain of it."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterable
from contextlib import suppress

from engine.execution.files import close_all
from engine.execution.proc import Proc, below, everybody, mark_of, start_ticks, stat
from engine.model.clock import Clock

_LOOK_AGAIN = 0.1  # seconds; a process may start another one between two looks
_KILL_SECONDS = 5.0  # how long KILL may take: longer hangs in the kernel


def tree(mark: str, leader: int | None = None) -> set[int]:
    """The living processes of one attempt.

    Its session and group, every process that carries its mark in the environment (it survives double
    forks and new sessions), and all their descendants. Zombies do not live. What clears its environment,
    leaves the session and loses its parent is not found: that needs a cgroup.
    """
    return set(_Tree(mark, leader).members())


def stop_tree(mark: str, leader: int | None, grace: float, clock: Clock) -> tuple[int, ...]:
    """TERM, ``grace`` seconds, KILL, and look until nothing is left. Blocks: call it on a thread.

    The wrapper is left out while anything else lives, so that it writes down how the job ended.
    Returns the pids that remain: of other users, or hanging in the kernel.
    """
    wanted = _Tree(mark, leader)
    _rounds(wanted, signal.SIGTERM, clock.monotonic() + grace, clock)
    wanted.kill_groups()
    left = _rounds(wanted, signal.SIGKILL, clock.monotonic() + _KILL_SECONDS, clock)
    return tuple(sorted(left))


class _Tree:
    """The processes of one attempt, and every process group in which one was seen."""

    def __init__(self, mark: str, leader: int | None) -> None:
        self._mark = mark.encode()
        self.leader = leader
        self._groups = set() if leader is None else {leader}

    def members(self) -> dict[int, Proc]:
        """Who lives now."""
        living = everybody()
        found = below(self._of_session(living) | self._carrying(living), living)
        found.discard(os.getpid())
        members = {pid: living[pid] for pid in found if pid in living}
        self._groups |= {each.group for each in members.values()}
        return members

    def kill_groups(self) -> None:
        """KILL by group reaches at once what forks faster than anybody can look."""
        for group in self._groups - {os.getpgrp()}:
            if self._ours(group):
                with suppress(OSError):
                    os.killpg(group, signal.SIGKILL)

    def _of_session(self, living: dict[int, Proc]) -> set[int]:
        if self.leader is None or not self._ours(self.leader):
            return set()
        return {each.pid for each in living.values() if self.leader in (each.session, each.group)}

    def _carrying(self, living: dict[int, Proc]) -> set[int]:
        return {pid for pid in living if mark_of(pid) == self._mark}

    def _ours(self, leader: int) -> bool:
        """Whether a group is still the job's: its leader is gone, or carries the mark.

        The number of a group that has members is not given away; a living leader without the mark
        is another process that got the number after the group had ended.
        """
        return stat(leader) is None or mark_of(leader) == self._mark


def _rounds(wanted: _Tree, number: signal.Signals, until: float, clock: Clock) -> set[int]:
    """Signal whoever is there, each once, until nobody is left or the time is up; gives who is left.

    TERM spares the wrapper until it was seen alone twice: it may be about to write down the end.
    """
    told: set[tuple[int, int]] = set()
    alone = False
    while members := wanted.members():
        left = until - clock.monotonic()
        if left <= 0:
            return set(members)
        was_alone, alone = alone, set(members) == {wanted.leader}
        spared = wanted.leader if number is signal.SIGTERM and not (alone and was_alone) else None
        chosen = [each for each in _parents_first(members) if each.pid != spared]
        news = [each for each in chosen if (each.pid, each.started) not in told]
        told |= {(each.pid, each.started) for each in news}
        _tell(news, number)
        _until_one_ends(members.values(), min(left, _LOOK_AGAIN))
        if number is signal.SIGKILL:
            wanted.kill_groups()
    return set()


def _parents_first(members: dict[int, Proc]) -> list[Proc]:
    return sorted(members.values(), key=lambda each: (each.started, each.pid))


def _tell(members: Iterable[Proc], number: signal.Signals) -> None:
    """Send the signal; a pid that was given to another process meanwhile is left alone."""
    for each in members:
        with suppress(OSError):
            pidfd = os.pidfd_open(each.pid)
            try:
                if start_ticks(each.pid) == each.started:
                    signal.pidfd_send_signal(pidfd, number)
                    signal.pidfd_send_signal(pidfd, signal.SIGCONT)
            finally:
                os.close(pidfd)


def _until_one_ends(members: Iterable[Proc], seconds: float) -> None:
    """Wait until a process ends, at most ``seconds``."""
    poll, opened = select.poll(), []
    for each in members:
        with suppress(OSError):
            opened.append(pidfd := os.pidfd_open(each.pid))
            poll.register(pidfd, select.POLLIN)
    try:
        poll.poll(seconds * 1000)
    finally:
        close_all(opened)
