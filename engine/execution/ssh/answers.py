"""What a host says of a stage, in the words of ``shell.sh``: pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.execution.outcomes import RESTARTED, Lost

ABSENT: Final = ("never", "nothing")  # words of a host that has nothing of it
NO_FORK: Final = "nofork"  # it began nothing: the host could start no process
NOT_KNOWN: Final = Lost("whether it began on its host is not known")
FOLDER_GONE: Final = Lost("its directory on the host is gone")
NEVER: Final = Lost("its process was never started", begun=False)
_LOST: Final = {
    "never": NEVER,
    NO_FORK: NEVER,
    "restarted": Lost(RESTARTED),
    "lost": Lost("what writes down its outcome was killed before it could"),
}


class EndThere(NamedTuple):
    """How a program ended; ``flags`` say which files have something in them, ``pid`` is 0 if it never began.

    ``status`` None: its fence ended it.
    """

    status: int | None
    flags: str
    pid: int


def end_in(answer: Sequence[str]) -> EndThere | None:
    """The end that a look, or a report, has in it."""
    match answer:
        case ["exit", status, pid, flags]:
            return EndThere(int(status), flags, int(pid))
        case ["fenced", pid, flags]:
            return EndThere(None, f"{flags}f", int(pid))
        case ["end", status, pid, flags]:
            return EndThere(None if "f" in flags else int(status), flags, int(pid))
    return None


def lost_in(answer: Sequence[str]) -> Lost | None:
    """That it is gone without an end."""
    return _LOST.get(answer[0])
