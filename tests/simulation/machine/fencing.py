"""Leases as another machine keeps them: what runs under one that has run out is ended there, whoever is heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.execution.ssh.leases import ENDLESS
from tests.simulation.machine.virtual_time import FOREVER, Hub

_UP_BEFORE = 90_000.0  # seconds that a machine has been up when a life begins
_LOOKS = 5.0  # seconds at most between two looks of a guard
_KILLS = 1.0


class Guarded(Protocol):
    """What ends itself so: a process there."""

    fenced: bool
    pid: int

    @property
    def program_lives(self) -> bool:
        """Whether it has not ended by itself."""

    @property
    def job_lives(self) -> bool:
        """Whether anything of it lives."""

    def ask_to_end(self) -> None:
        """TERM."""

    def kill(self) -> None:
        """KILL."""


class Fencing:
    """The lease files of one machine, and the guards that look at them. Files outlast its restarts."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._booted = -_UP_BEFORE
        self._boots = 0
        self._files: dict[str, tuple[float, int, int]] = {}  # until when, of which engine, of which boot

    @property
    def uptime(self) -> float:
        """Seconds since its boot."""
        return self._hub.now - self._booted

    def restart(self, now: float) -> None:
        """It counts its seconds from there."""
        self._booted = now
        self._boots += 1

    def lengthen(self, file: str, until: str, term: int) -> tuple[float, str]:
        """As ``lease`` of the shell there: its uptime, and what holds now."""
        moment = FOREVER if until == ENDLESS else float(until)
        known, of, boot = self._files.get(file, (0.0, 0, self._boots))
        if boot != self._boots or (of, known) < (term, moment):
            known, of = moment, term
            self._files[file] = known, of, self._boots
        return self.uptime, ENDLESS if known == FOREVER else str(int(known))

    def holds(self, file: str) -> bool:
        """Whether that lease has not run out."""
        return self._left(file) > 0

    def guard(self, process: Guarded, file: str, grace: float) -> None:
        """From now on, until nothing of it lives."""
        if not process.job_lives:
            return
        left = self._left(file)
        if left > 0:
            self._later(process, min(left, _LOOKS), lambda: self.guard(process, file, grace))
            return
        process.fenced = process.program_lives
        process.ask_to_end()
        self._later(process, grace, lambda: self._end(process))

    def _end(self, process: Guarded) -> None:
        if process.job_lives:
            process.kill()
            self._later(process, _KILLS, lambda: self._end(process))

    def _left(self, file: str) -> float:
        until, _, boot = self._files.get(file, (0.0, 0, 0))
        return until - self.uptime if boot == self._boots else 0.0

    def _later(self, process: Guarded, seconds: float, call: Callable[[], None]) -> None:
        self._hub.after(seconds, call, ("process", process.pid))
