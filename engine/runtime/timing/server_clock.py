"""Compares the clock of the database server with the one that schedules go by; too far apart is an alert."""

from __future__ import annotations

import logging
from datetime import timedelta

from engine.model.clock_skew import ClockAnswer
from engine.model.codes.timing import CLOCK_SKEWED
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.runtime.services import EngineServices
from engine.runtime.timing.alerts import alert

_EVERY = 600.0  # seconds between two questions


class ServerClock:
    """Loop thread only, the questions themselves on other threads. A database in a file has no clock."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._is_beyond = False

    def watch(self) -> None:
        """Ask now, and again and again."""
        if self._services.store.has_clock:
            self._services.loop.offload(self._asked, self._answered)

    def _asked(self) -> ClockAnswer:
        clock, store = self._services.clock, self._services.store
        asked = clock.now()
        return ClockAnswer(asked, store.server_time(), clock.now())

    def _answered(self, answer: ClockAnswer | None, error: BaseException | None) -> None:
        if answer is not None:
            self._compare(answer)
        elif not isinstance(error, SkerryError):  # a server that cannot be reached is told of elsewhere
            self._services.say("the clock of the database server cannot be read", logging.WARNING, error)
        self._services.loop.later(_EVERY, self.watch)

    def _compare(self, answer: ClockAnswer) -> None:
        most = self._services.workspace.settings.max_skew
        was_beyond, self._is_beyond = self._is_beyond, answer.is_beyond(timedelta(seconds=most))
        if self._is_beyond and not was_beyond:
            alert(self._services, CLOCK_SKEWED, "clock", "warning", _skewed(answer, most))
        elif was_beyond and not self._is_beyond:
            self._services.say("the clock of the database server is right again", logging.WARNING)


def _skewed(answer: ClockAnswer, most: float) -> Message:
    seconds = answer.skew.total_seconds()
    ahead = "the clock of the database server is {seconds:.1f} s ahead; max_skew is {most:g} s"
    behind = "the clock of the database server is {seconds:.1f} s behind; max_skew is {most:g} s"
    return Message.of(ahead if seconds > 0 else behind, seconds=abs(seconds), most=most)
