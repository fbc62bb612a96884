"""What the process of a job does in one life: how long it takes, what it leaves, how it ends and obeys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from tests.simulation.workload.definitions import definitions
from tests.simulation.workload.features import declared
from tests.simulation.workload.random_streams import between, chance, one_of
from tests.simulation.workload.revisions import ADDED, ADDED_RESULTS

_LINE = "working on it\n"
_MOODS: Mapping[str, float] = {"calm": 2, "usual": 5, "bad": 2}
_TROUBLE: Mapping[str, float] = {"calm": 0.005, "usual": 0.04, "bad": 0.2}  # how many processes end badly
_SPANS: Mapping[str, tuple[float, float]] = {
    "moment": (0.001, 1.0), "while": (1.0, 30.0), "minutes": (30.0, 600.0), "hours": (600.0, 14_400.0)
}  # fmt: skip
_OFTEN: Mapping[str, float] = {"none": 4, "moment": 45, "while": 36, "minutes": 12, "hours": 3}


@dataclass(frozen=True)
class Behaviour:
    """One process from its start: it takes ``seconds``, leaves its outputs and status, then ends.

    ``exit`` None: it ends by ``signal``. ``term``: the seconds after which it obeys TERM (0.0: at once); None:
    it ignores TERM. ``stuck``: it hangs in the kernel, so that not even KILL ends it before its time.
    ``daemon``: for so many seconds a child that it leaves behind outlives it (0.0: it leaves none); such a
    child obeys TERM as the process does. ``outputs`` are the files in ``outputs/`` by name,
    ``status`` is the file of that name (None: not written), ``out`` and ``err`` are the bytes of its logs,
    ``progress`` the lines of its progress, each with the seconds after the start.
    """

    seconds: float
    exit: int | None = 0
    signal: int | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    status: str | None = None
    term: float | None = 0.0
    daemon: float = 0.0
    out: int = 0
    err: int = 0
    progress: tuple[tuple[float, str], ...] = ()
    stuck: bool = False

    @property
    def log(self) -> str:
        """What it prints: ``out`` bytes; the last line is ``done <n>`` where it ends well and has room for it."""
        last = f"done {self.out % 7}\n" if self.exit == 0 else "no good\n"
        if self.out <= len(last):
            return last[: self.out]
        body = self.out - len(last)
        return (_LINE * (body // len(_LINE) + 1))[: body - 1] + "\n" + last

    @property
    def error_log(self) -> str:
        """What it prints as errors: ``err`` bytes."""
        return ("careful\n" * (self.err // 8 + 1))[: self.err]


def behaviour(seed: int, task: str, node: str, stage: str, nth: int) -> Behaviour:
    """What the ``nth`` process (from 1) of that stage of that node does; a member's node is ``report.0``.

    Also for nodes that only a changed definition has, and for jobs that run alone (``task`` is then unknown).
    """
    dice = chance(seed, "process", f"{task}/{node}/{stage}/{nth}")
    trouble = _TROUBLE[mood(seed)] * (1.0 if stage == "process" else 0.4)
    exit, signal = _end(dice, trouble)
    seconds = _seconds(dice)
    results = _declared(seed, task, node) if stage == "process" else {}
    return Behaviour(
        seconds=seconds,
        exit=exit,
        signal=signal,
        outputs=_outputs(dice, results, sound=exit == 0),
        status=_status(dice) if stage == "process" else None,
        term=dice.choices((0.0, between(dice, 0.01, 30.0), None), (8, 2, 1))[0],
        daemon=between(dice, 0.1, 3600.0) if dice.random() < 0.04 else 0.0,
        out=_bytes(dice),
        err=0 if dice.random() < 0.8 else dice.randint(1, 400),
        progress=_progress(dice, seconds),
        stuck=dice.random() < 0.01,
    )


def mood(seed: int) -> str:
    """How much goes wrong in a life: calm, usual or bad."""
    return one_of(chance(seed, "mood"), _MOODS)


def _end(dice: Random, trouble: float) -> tuple[int | None, int | None]:
    if dice.random() >= trouble:
        return 0, None
    if dice.random() < 0.15:
        return None, dice.choice((1, 6, 9, 11, 15))
    return dice.choice((1, 1, 2, 3, 3, 7, 126, 127, 255)), None


def _seconds(dice: Random) -> float:
    span = one_of(dice, _OFTEN)
    return 0.0 if span == "none" else round(between(dice, *_SPANS[span]), 6)


@lru_cache(maxsize=8)
def _all_declared(seed: int) -> Mapping[tuple[str, str], Mapping[str, str]]:
    return declared(definitions(seed))


def _declared(seed: int, task: str, node: str) -> Mapping[str, str]:
    known = _all_declared(seed)
    alone = ADDED_RESULTS if node == ADDED else known.get(("", node), {})
    return known.get((task, node), alone)


def _outputs(dice: Random, results: Mapping[str, str], *, sound: bool) -> dict[str, str]:
    """The results that are declared, mostly; what fails leaves some of them or none."""
    found = {}
    for name, kind in results.items():
        fate = dice.random()
        if fate < (0.985 if sound else 0.4):
            found[name] = _written(dice, kind)
        elif fate < 0.993 and sound:
            found[name] = dice.choice(("", "nonsense", "{", "[1, 2", "NaN"))
    if dice.random() < 0.08:
        found[f"more-{dice.randint(1, 3)}.txt"] = "a file that nobody asked for\n"
    return found


def _written(dice: Random, kind: str) -> str:
    match kind:
        case "number":
            return dice.choice((str(dice.randint(0, 9)), str(dice.randint(0, 9)), "2.5"))
        case "boolean":
            return dice.choice(("true", "false"))
        case "list":
            return json.dumps([dice.randint(0, 9) for _ in range(dice.choice((0, 1, 2, 3, 4)))])
        case "map":
            return json.dumps({"depth": dice.randint(0, 9), "harbour": "Föhr"})
    return dice.choice(
        (
            "ebb",
            "flood",
            "$.JOB['a']",
            "two\nlines\n",
            "海",
            "x" * 300_000 if dice.random() < 0.02 else "spring",
        )
    )


def _status(dice: Random) -> str | None:
    return dice.choice(("1", "1\n", "0", "")) if dice.random() < 0.06 else None


def _bytes(dice: Random) -> int:
    if dice.random() < 0.25:
        return 0
    return int(between(dice, 10, 3000)) if dice.random() < 0.99 else 2_000_000


def _progress(dice: Random, seconds: float) -> tuple[tuple[float, str], ...]:
    if seconds < 0.5 or dice.random() < 0.7:
        return ()
    lines = ("10 reading", "50% half of it", "nearly there", "100 done")[: dice.randint(1, 4)]
    return tuple((round(seconds * (number + 1) / 5, 6), line) for number, line in enumerate(lines))
