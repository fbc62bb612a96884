"""How much CPU a life may take: one that goes round in a circle is seen soon, and says where."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.simulation.invariants.life import Life

_STEP = 15  # seconds of CPU for one step: most take a millisecond, the looks at the end of a life up to two seconds
_LIFE = 60  # seconds of CPU for a life, most of which take less than one
_AT_MOST = 7200  # real seconds
_LOOK = 1.0  # seconds of CPU between two looks
_INNERMOST = 8  # calls that are named


class Patience:
    """Of a process whose lives follow one another; ``circle`` gets a life that takes no more steps, and where it is.

    A life that is too long otherwise, or is in a circle where no code of Python runs, ends the process with a
    traceback; so does, without a word, the end of who waits for the answer.
    """

    def __init__(self, circle: Callable[[Life, str], None]) -> None:
        self._circle = circle
        self._parent = os.getppid()
        self._life: Life | None = None
        self._steps, self._since = 0, 0.0
        faulthandler.dump_traceback_later(_AT_MOST, exit=True)
        faulthandler.register(signal.SIGXCPU, chain=True)
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, _LOOK, _LOOK)

    def begin(self, life: Life) -> None:
        """It has all of the patience."""
        self._life, self._steps, self._since = life, 0, time.process_time()
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(self._since) + _LIFE, hard))

    def _look(self, _: int, frame: FrameType | None) -> Any:
        if os.getppid() != self._parent:
            os._exit(1)
        life, now = self._life, time.process_time()
        if life is None:
            return
        if life.hub.steps != self._steps:
            self._steps, self._since = life.hub.steps, now
        elif now - self._since > _STEP:
            self._circle(life, _place(frame))


def _place(frame: FrameType | None) -> str:
    calls = traceback.extract_stack(frame)[-_INNERMOST:]
    return " > ".join(f"{os.path.basename(each.filename)}:{each.lineno} {each.name}" for each in calls)
