"""Stopping an attempt on another machine, by its mark and its sessions, until a look finds nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.execution.outcomes import Left
from engine.execution.ssh.link import Answer, Text
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace
from engine.model.clock import Clock
from engine.model.threads import Event

_LOOK_AGAIN = 0.1  # seconds between two looks
_KILL_SECONDS = 10.0
_QUIET = 2  # looks without a process until none is believed to be there
UNREACHABLE = "its host cannot be reached, so its processes may live"

Ask = Callable[[Text], Answer]


class Tree:
    """The processes of one attempt; ``ask`` waits for an answer, ``pause`` is never set."""

    def __init__(
        self, ask: Ask, mark: str, files: Callable[[RemotePlace], Sequence[str]], clock: Clock, pause: Event
    ) -> None:
        self._ask = ask
        self._mark = mark
        self._files = files  # those of its stages there
        self._clock = clock
        self._pause = pause
        self._asked: set[str] = set()

    def members(self) -> list[str] | None:
        """``pid:ticks`` of each; None: the host does not answer."""
        answer = self._ask(lambda number, place: call("members", number, self._mark, *self._files(place)))
        return None if answer is None else [each for each in answer[1:] if each]

    def stop(self, grace: float) -> Left:
        """TERM, ``grace`` seconds, KILL, and look until nothing is left."""
        left = self._until_gone(self._clock.monotonic() + grace, self._ask_to_end)
        if left:
            left = self._until_gone(self._clock.monotonic() + _KILL_SECONDS, lambda members: self.kill_now())
        if left is None:
            return Left(doubt=UNREACHABLE)
        return Left(tuple(sorted(map(pid_of, left))))

    def kill_now(self) -> None:
        """Everything is frozen first: what cannot see its fellow die cannot start another one."""
        self._ask(lambda number, place: call("freeze", number, self._mark, *self._files(place)))

    def _until_gone(self, until: float, act: Callable[[list[str]], None]) -> list[str] | None:
        """Who is left when two looks found nobody, or the time is up."""
        quiet = 0
        while (members := self.members()) is not None:
            quiet = 0 if members else quiet + 1
            if quiet == _QUIET or self._clock.monotonic() >= until:
                return members
            if members:
                act(members)
            self._pause.wait(_LOOK_AGAIN)
        return None

    def _ask_to_end(self, members: list[str]) -> None:
        """TERM, each once; what was stopped goes on, so that it can end."""
        news = [each for each in members if each not in self._asked]
        self._asked.update(news)
        for name in ("TERM", "CONT") if news else ():
            self._ask(partial(_signal, name, news))


def pid_of(member: str) -> int:
    """Of ``pid:ticks``."""
    return int(member.partition(":")[0])


def _signal(name: str, members: Sequence[str], number: str, place: RemotePlace) -> bytes:
    return call("signal", number, name, *members)
