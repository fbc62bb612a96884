"""Interrupting blocking work from outside: on request, or when its time is up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, Timer
from typing import Literal

from engine.model.codes.runtime import CANCELLED
from engine.model.errors import ErrorCode, SkerryError
from resources.clients.checking import OnCancel

_AGAIN = 0.2  # seconds


class Breaker:
    """Strikes again and again until the work is over: the first strike may fall between two steps of it."""

    def __init__(self, strike: Callable[[], None]) -> None:
        self._strike = strike
        self._over = Event()
        self.reason: Literal["cancelled", "timed out"] | None = None

    def trip(self, reason: Literal["cancelled", "timed out"]) -> None:
        """Begin to strike; returns at once."""
        if self.reason is None and not self._over.is_set():
            self.reason = reason
            Thread(target=self._strike_on, name="breaker", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Sleep, but not once the breaker was tripped; whether the work may go on."""
        if self.reason is None:
            self._over.wait(seconds)
        return self.reason is None

    def check(self) -> None:
        """Raise when it was tripped; ``breakable`` says why."""
        if self.reason is not None:
            raise InterruptedError

    def close(self) -> None:
        self._over.set()

    def _strike_on(self) -> None:
        while not self._over.is_set():
            with suppress(Exception):
                self._strike()
            self._over.wait(_AGAIN)


@contextmanager
def breakable(
    strike: Callable[[], None], on_cancel: OnCancel | None, seconds: float | None, timed_out: ErrorCode
) -> Iterator[Breaker]:
    """Work that ``strike`` breaks off; what it then raises becomes "cancelled" or ``timed_out``."""
    breaker = Breaker(strike)
    timer = Timer(seconds or 0, breaker.trip, ["timed out"])
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        if on_cancel:
            on_cancel(lambda: breaker.trip("cancelled"))
        yield breaker
    except Exception as error:
        if breaker.reason == "cancelled":
            raise SkerryError(CANCELLED, "stopped on request") from error
        if breaker.reason == "timed out":
            raise SkerryError(timed_out, "not done within {seconds:g} s", seconds=seconds) from error
        raise
    finally:
        breaker.close()
        timer.cancel()
