"""Stopping a job with everything that it started, and being certain of it.

What is looked at: everything below the supervisors of its stages, whatever carries its mark, the stages'
sessions, and whoever was seen at an earlier look. See docs/decisions/0033 for what each of these is for.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from engine.execution import stage_file
from engine.execution.files import close_all
from engine.execution.outcomes import Left
from engine.execution.proc import Proc, below, everybody, mark_of, pids, start_ticks, stat
from engine.execution.stage_file import StageRecord
from engine.execution.supervisor import is_supervisor
from engine.model.clock import Clock
from engine.model.job import STAGES

_LOOK_AGAIN = 0.1  # seconds; a process may start another one between two looks
_KILL_SECONDS = 10.0  # how long KILL may take: longer hangs in the kernel
_SWEEPS = 500  # looks for what is new while everything is being frozen
_TOO_FAST = "its supervisor still has processes, which start others faster than they can be ended"
_HUNT = 100  # looks without news, when an earlier round was not enough
_QUIET = 2  # looks without a process until none is believed to be there


class ProcessLook(NamedTuple):
    """Who lives, and which of them carry a mark."""

    living: Mapping[int, Proc]
    marks: Mapping[int, bytes]


def look() -> ProcessLook:
    living = everybody()
    return ProcessLook(living, {pid: mark for pid in living if (mark := mark_of(pid)) is not None})


def tree(directory: str | None, mark: str, seen: ProcessLook | None = None) -> set[int]:
    """The living processes of the attempt ``mark`` in ``directory``; supervisors and zombies do not count.

    ``seen`` is everybody, if that was looked up already.
    """
    return set(_Tree(directory, mark).members(seen or look()))


def alive(directory: str | None, mark: str) -> tuple[int, ...]:
    """The living processes of an attempt; looks through /proc, so not on the engine's own thread."""
    return tuple(sorted(tree(directory, mark)))


def alive_of_all(attempts: Iterable[tuple[str | None, str]]) -> tuple[int, ...]:
    """The living processes of several attempts, each a directory and a mark."""
    seen = look()
    return tuple(sorted({pid for directory, mark in attempts for pid in tree(directory, mark, seen)}))


def kill_now(directory: str, mark: str) -> None:
    """KILL for what lives of an attempt, but for the wrapper that writes down how its program ended.

    Everything is frozen first: a script that saw its program die would go on with its next line.
    """
    wanted = _Tree(directory, mark)
    wrappers = wanted.wrappers()
    _frozen(wanted, wanted.members(), wrappers, 1)
    _tell((each for each in wanted.members().values() if each.pid not in wrappers), signal.SIGKILL)


def stop_tree(directory: str | None, mark: str, grace: float, clock: Clock) -> Left:
    """TERM, ``grace`` seconds, STOP, KILL, and look until nothing is left. Blocks: call it on a thread.

    A wrapper is left out while anything else lives, so that it writes down how the job ended.
    """
    wanted = _Tree(directory, mark)
    _ask(wanted, clock.monotonic() + grace, clock)
    left = _kill(wanted, clock.monotonic() + _KILL_SECONDS, clock)
    there = tuple(sorted(pid for pid in left if stat(pid) is not None))
    return Left(there, wanted.doubt(known=bool(there)))


class _Tree:
    """The processes of one attempt, and every process and group of it that was ever seen."""

    def __init__(self, directory: str | None, mark: str) -> None:
        self._mark = mark.encode()
        self._directory = directory
        self._supervisors: set[int] = set()
        self._seen: dict[int, int] = {}  # pid -> start ticks
        self.groups: set[int] = set()

    def records(self) -> list[StageRecord]:
        """What the stages of this attempt wrote down since the machine was started."""
        read = (stage_file.read(f"{self._directory}/.skerry/{each}") for each in STAGES if self._directory)
        mark, boot = self._mark.decode(), stage_file.boot_id()
        return [each for each in read if each is not None and (each.mark, each.boot) == (mark, boot)]

    def wrappers(self) -> set[int]:
        """The pids, living or not, of what writes down the end of programs without a supervisor."""
        return {each.wrapper for each in self.records() if each.wrapper is not None}

    def supervisors(self) -> set[int]:
        """Those of the latest look that still live; no other process changes their environment."""
        return {pid for pid in self._supervisors if is_supervisor(pid, self._mark.decode())}

    def members(self, seen: ProcessLook | None = None) -> dict[int, Proc]:
        """Who lives now."""
        living, marks = seen or look()
        carrying = {pid for pid, mark in marks.items() if mark == self._mark}
        self._supervisors = {pid for pid in carrying if is_supervisor(pid, self._mark.decode())}
        roots = carrying | self._of_sessions(living) | self._seen_before(living)
        found = below(roots, living) - self._supervisors - {os.getpid()}
        members = {pid: living[pid] for pid in found if pid in living}
        self.remember(members.values())
        return members

    def remember(self, members: Iterable[Proc]) -> None:
        """Whoever was seen is known again, whatever becomes of its parents."""
        for each in members:
            self._seen[each.pid] = each.started
            self.groups.add(each.group)

    def kill_groups(self) -> None:
        """KILL by group reaches at once what forks faster than anybody can look."""
        for group in self.groups - {os.getpgrp()}:
            if self._ours(group):
                with suppress(OSError):
                    os.killpg(group, signal.SIGKILL)

    def doubt(self, *, known: bool) -> str | None:
        """Why there may be more than is ``known`` to remain; None when the supervisors can say."""
        if self.supervisors():
            return None if known else _TOO_FAST
        for each in self.records():
            if each.pid is not None and not each.supervised:
                return "it was started without a supervisor, so processes may have left it unseen"
            if each.pid is not None and not each.clean:
                return "its supervisor was killed, so processes may have left it unseen"
        return None

    def _seen_before(self, living: Mapping[int, Proc]) -> set[int]:
        return {pid for pid, at in self._seen.items() if pid in living and living[pid].started == at}

    def _of_sessions(self, living: Mapping[int, Proc]) -> set[int]:
        leaders = {each.leader for each in self.records() if each.leader and self._ours(each.leader)}
        return {each.pid for each in living.values() if leaders & {each.session, each.group}}

    def _ours(self, leader: int) -> bool:
        """Whether a group is still the job's: its leader is gone, or known, or carries the mark.

        The number of a group that has members is not given away; a living leader without the mark
        is another process that got the number after the group had ended.
        """
        found = stat(leader)
        return found is None or self._seen.get(leader) == found.started or mark_of(leader) == self._mark


def _ask(wanted: _Tree, until: float, clock: Clock) -> None:
    """TERM to every process, each once, until none is left or the time is up.

    It spares a wrapper until that was seen alone twice: it may be about to write down the end.
    """
    asked: set[tuple[int, int]] = set()
    alone = False
    while members := wanted.members():
        left = until - clock.monotonic()
        if left <= 0:
            return
        was_alone, alone = alone, set(members) <= wanted.wrappers()
        spared = set() if alone and was_alone else wanted.wrappers()
        parents_first = sorted(members.values(), key=lambda each: (each.started, each.pid))
        chosen = [each for each in parents_first if each.pid not in spared]
        news = [each for each in chosen if (each.pid, each.started) not in asked]
        asked |= {(each.pid, each.started) for each in news}
        _tell(news, signal.SIGTERM, signal.SIGCONT)
        _until_one_ends(members.values(), min(left, _LOOK_AGAIN))


def _kill(wanted: _Tree, until: float, clock: Clock) -> set[int]:
    """KILL every process until two looks find none, or the time is up; gives those that are left.

    Everything is frozen first: what cannot see its fellow die cannot start another one. A wrapper is
    spared once, to write down the end. A supervisor that lives has processes below it, also when no look
    finds them; it is left alone, since without it they would stay unknown.
    """
    quiet = rounds = 0
    spared = False
    while True:
        members = wanted.members()
        supervisors = {pid: found for pid in wanted.supervisors() if (found := stat(pid)) is not None}
        quiet = 0 if members or supervisors else quiet + 1
        if quiet == _QUIET or (not quiet and clock.monotonic() > until):
            return set(members)
        wrappers = set() if spared else wanted.wrappers()
        if not _frozen(wanted, members, wrappers, _HUNT if rounds else 1) or rounds:
            wanted.kill_groups()
        spared = spared or set(members) <= wrappers
        doomed = [each for each in wanted.members().values() if each.pid not in wrappers]
        _tell(doomed, signal.SIGKILL)
        _tell(supervisors.values(), signal.SIGCONT)
        _until_one_ends([*members.values(), *supervisors.values()], _LOOK_AGAIN)
        rounds += 1


def _frozen(wanted: _Tree, members: Mapping[int, Proc], spared: set[int], still: int) -> bool:
    """STOP every process until ``still`` looks find no new one; False when there always is one.

    Between two looks only what was not there before is looked at: that takes a tenth of a millisecond.
    """
    strangers = set(pids()) - members.keys()
    ours = wanted.supervisors() | members.keys()
    news = [each for each in members.values() if each.pid not in spared]
    for _ in range(_SWEEPS):
        _tell(news, signal.SIGSTOP)
        wanted.remember(news)
        ours |= {each.pid for each in news}
        born = [stat(pid) for pid in pids() if pid not in strangers and pid not in ours]
        news = [each for each in born if each is not None and {each.parent, each.session} & ours]
        still = still if news else still - 1
        if not still:
            return True
    return False


def _tell(members: Iterable[Proc], *numbers: signal.Signals) -> None:
    """Send the signals; a pid that was given to another process meanwhile is left alone."""
    for each in members:
        with suppress(OSError):
            pidfd = os.pidfd_open(each.pid)
            try:
                if start_ticks(each.pid) == each.started:
                    for number in numbers:
                        signal.pidfd_send_signal(pidfd, number)
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
