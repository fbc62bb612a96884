"""What Ctrl-C does while something is started, followed and cancelled: at no moment between is it lost."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENT = 2  # a person presses it twice; the third one is for a start that hangs
_POOL = logging.getLogger("sqlalchemy.pool")


class Interrupts:
    """Ctrl-C is only noted until :meth:`follow`: what is being started must be known to be cancelled.

    The second one there calls ``starting``, which says that the third one leaves it as it is. Then each is
    raised until one is :meth:`answered`, since Python drops exceptions within some callbacks; further ones
    call ``still``: to leave now would leave it half stopped.
    """

    def __init__(self, still: Callable[[], None], starting: Callable[[], None]) -> None:
        self._still = still
        self._starting = starting
        self._noted = 0
        self._following = self._answered = False

    def __call__(self, *_: object) -> None:
        if self._answered:
            self._still()
            return
        self._noted += 1
        if self._following or self._noted > _PATIENT:
            raise KeyboardInterrupt
        if self._noted == _PATIENT:
            self._starting()

    def follow(self) -> None:
        """It has started: KeyboardInterrupt for the one that was noted, or as soon as one comes."""
        self._following = True
        if self._noted:
            raise KeyboardInterrupt

    def answered(self) -> None:
        """What was started is being cancelled."""
        self._answered = True


@contextmanager
def interruptible(still: Callable[[], None], starting: Callable[[], None]) -> Iterator[Interrupts]:
    """For as long as this lasts."""
    interrupts = Interrupts(still, starting)
    unsaid = logging.NullHandler()  # else the library prints the traceback of a read that is interrupted
    _POOL.addHandler(unsaid)
    before = signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
        _POOL.removeHandler(unsaid)
