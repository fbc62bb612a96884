"""What may go wrong around an engine: its end, the machine's, the disk's, the database's, the clock's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.simulation.workload import fleet, worker_troubles
from tests.simulation.workload.random_streams import between

Facts = Mapping[str, Any]


def _blow(dice: Random) -> dict[str, Any]:
    """At that moment, or at one of the next things that the engine does: ``after`` 1 is the very next."""
    when = dice.choice(("now", "file", "file", "before commit", "after commit"))
    return {"when": when, "after": 0 if when == "now" else dice.choice((1, 1, 2, 3, 5, 8, 20, 60))}


def _kill(dice: Random) -> Facts:
    return _blow(dice) | {"down": round(between(dice, 0.001, 600.0), 3)}


def _power(dice: Random) -> Facts:
    return _blow(dice) | {"down": round(between(dice, 1.0, 40_000.0), 1)}


def _reboot(dice: Random) -> Facts:
    return {"down": round(between(dice, 5.0, 600.0), 1)}


def _restart(dice: Random) -> Facts:
    return {"down": round(between(dice, 0.001, 600.0), 3)}


def _full(dice: Random) -> Facts:
    """Of the files alone, where the database has room left in what it has taken before, or is elsewhere."""
    found = {"seconds": _while(dice), "left": dice.choice((0, 0, 4096, 100_000))}
    return found | {"database": dice.random() < 0.6}


def _locked(dice: Random) -> Facts:
    return {"seconds": _while(dice)}


def _commit_fails(dice: Random) -> Facts:
    return {"after": dice.choice((1, 1, 2, 5)), "times": dice.choice((1, 1, 1, 3))}


def _clock(dice: Random) -> Facts:
    years = 365.25 * 86_400.0
    by = dice.choice((1.0, 61.0, 3600.0, 86_400.0, years, 10 * years))
    return {"by": by * dice.choice((1, -1))}


def _slow(dice: Random) -> Facts:
    return {"seconds": _while(dice), "delay": dice.choice((0.01, 0.2, 3.0))}


def _io_error(dice: Random) -> Facts:
    operation = dice.choice(("write", "sync", "rename", "open", "mkdir", "read"))
    return {"operation": operation, "after": dice.choice((1, 1, 2, 5, 20)), "times": dice.choice((1, 1, 3))}


def _while(dice: Random) -> float:
    return round(between(dice, 0.5, 900.0), 3)


Fault = tuple[float, str, Callable[[Random], Facts]]  # how often, who does it, what
FAULTS: Mapping[str, Fault] = {
    "kill": (10, "the system", _kill),
    "power": (7, "the mains", _power),
    "reboot": (3, "the system", _reboot),
    "restart": (4, "the system", _restart),
    "disk full": (4, "the disk", _full),
    "locked": (3, "the database", _locked),
    "commit fails": (3, "the database", _commit_fails),
    "clock": (3, "the clock", _clock),
    "slow disk": (2, "the disk", _slow),
    "io error": (3, "the disk", _io_error),
}
ALL = frozenset(FAULTS) | fleet.FAULTS | worker_troubles.FAULTS
