"""The real engine on a simulated machine: many lives, or one of them step by step.

python -m tests.simulation --seed 13               one life with its trace; 13 again is the same life
python -m tests.simulation --lives 1000            fresh seeds from --first on
python -m tests.simulation --minutes 5 --faults power,kill
python -m tests.simulation --lives 1000 --twice    each of them two times, which must be the same to the byte
python -m tests.simulation --minutes 60 --log lives.jsonl     added to those of earlier runs, and all summed up
python -m tests.simulation --lives 0 --log lives.jsonl        what that log has so far
python -m tests.simulation --seed 13 --shrink      the fewest actions with which it still goes wrong
"""

from __future__ import annotations

import argparse
import atexit
import logging
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path

from tests.simulation.lives_log import LivesLog, Part, covered_lines, read_log, summary
from tests.simulation.runner import Outcome, lived, lived_in_turn, lived_twice, shrunk, warm_up
from tests.simulation.workload.faults import ALL
from tests.simulation.workload.stories import Story, lines, story, without

_IN_TURN = 32  # lives in one process: each compiles and imports what the next ones find done


def main() -> int:
    """See the module; 1 when a promise was broken."""
    given = _options().parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is part of a life
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    faults = frozenset(given.faults.split(",")) if given.faults else ALL
    if unknown := faults - ALL - {"none"}:
        print(f"no such faults: {', '.join(sorted(unknown))}; there are {', '.join(sorted(ALL))}")
        return 2
    atexit.unregister(logging.shutdown)  # a killed engine flushes nothing, and may hold its file's lock
    warm_up()
    if given.seed is not None:
        return _one(story(given.seed, faults & ALL), shrink=given.shrink, replay=_replay(given))
    return _many(given, faults & ALL)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--seed", type=int, help="one life, with its trace")
    options.add_argument("--without", default="", help="leave these of its actions out: 0,3,4")
    options.add_argument("--shrink", action="store_true", help="leave out what it goes wrong without")
    options.add_argument("--lives", type=int, default=1000, help="so many seeds")
    options.add_argument("--minutes", type=float, help="as many as can be lived in that time")
    options.add_argument("--first", type=int, default=None, help="the first seed; else by the time of day")
    options.add_argument("--faults", default="", help="only these kinds, by commas; none: none")
    options.add_argument(
        "--with",
        dest="needs",
        default="",
        help="only lives with these features, actions, faults: parallel,kill",
    )
    options.add_argument("--stop", action="store_true", help="end with the first life that goes wrong")
    options.add_argument("--twice", action="store_true", help="each two times: a difference is wrong")
    options.add_argument("--log", help="add these lives to that file, and sum up all that it has")
    options.add_argument("--processes", type=int, default=2)
    return options


def _replay(given: argparse.Namespace) -> frozenset[int]:
    return frozenset(int(each) for each in given.without.split(",") if each)


def _one(life: Story, *, shrink: bool, replay: frozenset[int]) -> int:
    life = without(life, replay)
    if shrink:
        life = _shrunk(life)
    outcome = lived(life, keep_lines=True)
    print(*outcome.lines, sep="\n")
    _tell(life, outcome)
    return 1 if outcome.wrongs else 0


def _shrunk(life: Story) -> Story:
    """As long as the same promise is broken."""
    kinds = {_kind(each) for each in lived(life).wrongs}
    return shrunk(life, lambda each: bool(kinds & {_kind(wrong) for wrong in lived(each).wrongs}), without)


def _kind(wrong: str) -> str:
    return re.sub(r"\d+", "N", wrong.partition(":")[0])


def _tell(life: Story, outcome: Outcome) -> None:
    print(
        f"seed {life.seed}: {outcome.seconds:.0f} s of virtual time, {outcome.steps} steps, trace {outcome.digest[:16]}"
    )
    print(*(f"    {each}" for each in lines(life)), sep="\n")
    print(
        *(f"WRONG: {each}" for each in outcome.wrongs) if outcome.wrongs else ["every promise was kept"],
        sep="\n",
    )


def _many(given: argparse.Namespace, faults: frozenset[str]) -> int:
    first = given.first if given.first is not None else int(time.time()) * 1000
    end = None if given.minutes is None else time.monotonic() + given.minutes * 60
    how = {"faults": given.faults, "needs": given.needs, "twice": given.twice}
    log, began, total = Path(given.log or os.devnull), time.monotonic(), Part(how)
    needs = frozenset(filter(None, given.needs.split(",")))
    seeds = (
        each for each in _seeds(first, given.lives, end) if not needs or needs <= _parts(story(each, faults))
    )
    with LivesLog(log, **how) as kept, get_context("fork").Pool(given.processes) as pool:
        lives = _Lives(faults, given.twice, given.stop, end)
        for outcome in chain.from_iterable(pool.imap_unordered(lives, _parted(seeds))):
            total.add(outcome)
            kept.add(outcome)
            if outcome.wrongs:
                _tell_wrong(outcome, given.faults)
                if given.stop:
                    break
            if total.lives % 500 == 0:
                print(_so_far(total, began), flush=True)
    print(f"from seed {first} on: {_so_far(total, began)}")
    print(*(summary(read_log(log)) if given.log else covered_lines(total.covered)), sep="\n")
    return 1 if total.wrongs else 0


def _so_far(total: Part, began: float) -> str:
    took, lives = time.monotonic() - began, max(total.lives, 1)
    speed = f"{total.lives / took:.1f} a second, {total.cpu / lives:.2f} s of CPU each"
    return f"{total.lives} lives in {took:.0f} s ({speed}), {len(total.wrongs)} wrong"


class _Lives:
    def __init__(self, faults: frozenset[str], twice: bool, stop: bool, end: float | None) -> None:
        self._faults = faults
        self._twice = twice
        self._stop = stop
        self._end = end

    def __call__(self, seeds: Sequence[int]) -> list[Outcome]:
        if self._end is not None and time.monotonic() >= self._end:
            return []  # thousands are handed out ahead
        stories = [story(each, self._faults) for each in seeds]
        if self._twice:
            return [lived_twice(each) for each in stories]
        return lived_in_turn(stories, stop=self._stop)


def _parted(seeds: Iterator[int]) -> Iterator[list[int]]:
    while part := list(islice(seeds, _IN_TURN)):
        yield part


def _parts(life: Story) -> frozenset[str]:
    return (
        life.features
        | life.timetable.features
        | life.fleet.features
        | life.settings.keys()
        | {each.what for each in life.actions}
        | {f"{each.what} {each.facts['when']}" for each in life.actions if "when" in each.facts}
    )


def _seeds(first: int, lives: int, end: float | None) -> Iterator[int]:
    number = first
    while number < first + lives if end is None else time.monotonic() < end:
        yield number
        number += 1


def _tell_wrong(outcome: Outcome, faults: str) -> None:
    more = f" --faults {faults}" if faults else ""
    print(f"WRONG: python -m tests.simulation --seed {outcome.seed}{more}", flush=True)
    for each in outcome.wrongs[:3]:
        print(f"    {each if len(each) < 400 else f'{each[:100]} … {each[-300:]}'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
