"""Stopping a job with everything that it started, and being certain of it."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterable
from contextlib import suppress

from engine.execution.files import close_all
from engine.execution.proc import Proc, below, everybody, mark_of, start_ticks
from engine.model.clock import Clock

_LOOK_AGAIN = 0.1  # seconds; a process may start another one between two looks
_KILL_SECONDS = 5.0  # how long KILL may take: longer hangs in the kernel


def tree(mark: str, leader: int | None = None) -> set[int]:
    """The living processes of one attempt.

    Its session and group, every process that carries its mark in the environment (it survives double
    forks and new sessions), and all their descendants. Zombies do not live. What clears its environment,
    leaves the session and loses its parent is not found: that needs a cgroup.
    """
    return set(_members(mark, leader))


def stop_tree(mark: str, leader: int | None, grace: float, clock: Clock) -> tuple[int, ...]:
    """TERM, ``grace`` seconds, KILL, and look until nothing is left. Blocks: call it on a thread.

    The wrapper is left out while anything else lives, so that it writes down how the job ended.
    Returns the pids that remain: of other users, or hanging in the kernel.
    """
    left = _rounds(mark, leader, signal.SIGTERM, clock.monotonic() + grace, clock)
    if left:
        left = _rounds(mark, leader, signal.SIGKILL, clock.monotonic() + _KILL_SECONDS, clock)
    return tuple(sorted(left))


def _rounds(mark: str, leader: int | None, number: signal.Signals, until: float, clock: Clock) -> set[int]:
    """Signal whoever is there, each once, until nobody is left or the time is up."""
    told: set[tuple[int, int]] = set()
    while members := _members(mark, leader):
        left = until - clock.monotonic()
        if left <= 0:
            return set(members)
        chosen = members
        if number is signal.SIGTERM and leader is not None and len(members) > 1:
            chosen = {pid: each for pid, each in members.items() if pid != leader}
        news = [each for each in chosen.values() if (each.pid, each.started) not in told]
        told |= {(each.pid, each.started) for each in news}
        _tell(news, number)
        _until_one_ends(chosen, min(left, _LOOK_AGAIN))
    return set()


def _members(mark: str, leader: int | None) -> dict[int, Proc]:
    living = everybody()
    wanted = mark.encode()
    of_session = {each.pid for each in living.values() if leader in (each.session, each.group)}
    carrying = {pid for pid in living if pid not in of_session and mark_of(pid) == wanted}
    found = below(of_session | carrying, living)
    found.discard(os.getpid())
    return {pid: living[pid] for pid in found if pid in living}


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


def _until_one_ends(pids: Iterable[int], seconds: float) -> None:
    """Wait until a process ends, at most ``seconds``."""
    poll, opened = select.poll(), []
    for pid in pids:
        with suppress(OSError):
            opened.append(pidfd := os.pidfd_open(pid))
            poll.register(pidfd, select.POLLIN)
    try:
        poll.poll(seconds * 1000)
    finally:
        close_all(opened)
