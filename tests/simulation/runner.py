"""Lives in processes of their own, one or some in turn: what was frozen in one must never run as long as that lasts."""

from __future__ import annotations

import atexit
import gc
import hashlib
import logging
import os
import pickle
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from tests.compiled_once import compiled_once
from tests.simulation.invariants.endings import broken
from tests.simulation.invariants.history import described
from tests.simulation.invariants.life import Life
from tests.simulation.patience import Patience
from tests.simulation.simulation import Simulation
from tests.simulation.workload.generations import Generation
from tests.simulation.workload.stories import Story, story

_MEMORY = Path("/dev/shm")
_LETTERS = len(str(_MEMORY))


@dataclass(frozen=True)
class Outcome:
    """What a life came to."""

    seed: int
    wrongs: tuple[str, ...]
    digest: str  # of its trace
    lines: tuple[str, ...] = ()  # the trace, where it went wrong or was asked for
    features: frozenset[str] = frozenset()
    moves: frozenset[tuple[str, str, str]] = frozenset()  # table, from, to
    faults: frozenset[tuple[str, str]] = frozenset()  # kind, in which state of a job
    steps: int = 0
    seconds: float = 0.0  # of virtual time
    cpu: float = 0.0  # seconds of this machine's that it took
    circles: bool = False  # it had no end


@cache
def warm_up() -> Life:
    """Import and compile what every life needs, once for all the processes that come from this one.

    It has no time that two backfills have: with a defect planted there it might never end, and nothing ends it here.
    The life is kept: its tasks, which never end, must not be collected. One of them may write to its log for ever:
    what is flushed at the exit of this process would find that file in use.
    """
    atexit.unregister(logging.shutdown)
    return _lived_here(story(0, generation=Generation.BACKFILLS), lambda line: None)


def lived(story: Story, *, keep_lines: bool = False) -> Outcome:
    """Run a life in a process of its own, and give what came of it."""
    [outcome] = _in_a_process([story], keep_lines)
    return outcome


def lived_in_turn(stories: Sequence[Story], *, stop: bool = False) -> list[Outcome]:
    """The same for several lives in one process, which costs less; one that goes wrong is lived again alone.

    With ``stop`` those up to the first that goes wrong. What is frozen of each is kept until that process ends.
    """
    found: list[Outcome] = []
    while len(found) < len(stories) and not (stop and any(each.wrongs for each in found)):
        left = stories[len(found) :]
        found += map(_confirmed, left, _in_a_process(left, stop=stop))
    return found


def _confirmed(story: Story, outcome: Outcome) -> Outcome:
    """A life must be the same whatever was before it in its process; a circle costs too much to be looked at again."""
    if not outcome.wrongs or outcome.circles:
        return outcome
    alone = lived(story)
    return alone if alone.wrongs else replace(outcome, wrongs=("not so alone: " + outcome.wrongs[0],))


def _in_a_process(stories: Sequence[Story], keep_lines: bool = False, *, stop: bool = False) -> list[Outcome]:
    """Those up to one that ends the process, or, with ``stop``, goes wrong: one at least."""
    warm_up()
    gc.freeze()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _in_child(stories, writing, keep_lines, stop)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        outcomes = list(_answers(answer))
    _, status = os.waitpid(pid, 0)
    if len(outcomes) < len(stories) and not (outcomes and outcomes[-1].wrongs):
        silent = f"the life ended without an answer, {_ended(status)}: see its error output"
        outcomes.append(Outcome(stories[len(outcomes)].seed, (silent,), ""))
    return outcomes


def _ended(status: int) -> str:
    """How a process ended, as ``waitpid`` says it."""
    code = os.waitstatus_to_exitcode(status)
    return f"its process with status {code}" if code >= 0 else f"its process by {signal.Signals(-code).name}"


def _answers(answer: BinaryIO) -> Iterator[Outcome]:
    with suppress(EOFError, pickle.UnpicklingError):  # cut off where the process ended
        while True:
            yield pickle.load(answer)


def lived_twice(story: Story) -> Outcome:
    """Run a life two times: where the traces differ, that is wrong, whatever else was."""
    first, again = lived(story, keep_lines=True), lived(story, keep_lines=True)
    if first.digest == again.digest:
        return replace(first, lines=first.lines if first.wrongs else (), cpu=first.cpu + again.cpu)
    pairs = enumerate(zip_longest(first.lines, again.lines), 1)
    number, (line, other) = next(each for each in pairs if each[1][0] != each[1][1])
    return replace(
        first, wrongs=(*first.wrongs, f"another life the second time, line {number}: {line} | {other}")
    )


def _in_child(stories: Sequence[Story], writing: int, keep_lines: bool, stop: bool) -> None:
    gc.disable()
    status, lives = 1, list[Life]()
    try:
        with os.fdopen(writing, "wb") as answer:
            patience = Patience(partial(_tell_circle, answer, keep_lines))
            for story in stories:
                begin = time.process_time()
                lives.append(_lived_here(story, lambda line: None, patience.begin))
                outcome = _outcome(lives[-1], keep_lines)
                pickle.dump(replace(outcome, cpu=time.process_time() - begin), answer)
                answer.flush()
                if stop and outcome.wrongs:
                    break
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _tell_circle(answer: BinaryIO, keep_lines: bool, life: Life, where: str) -> None:
    """The last word of a process: nothing but its end leads out of a circle."""
    life.history.wrong(f"it goes round in a circle: {where}")
    pickle.dump(replace(_outcome(life, keep_lines), circles=True), answer)
    answer.flush()
    shutil.rmtree(life.root.parent, ignore_errors=True)
    os._exit(0)


def here(
    story: Story, *, keep_lines: bool = False, trace: Callable[[str], None] = lambda line: None
) -> Outcome:
    """The same in this process, which should end soon after."""
    return _outcome(_lived_here(story, trace), keep_lines)


def _outcome(life: Life, keep_lines: bool) -> Outcome:
    story, wrongs = life.story, tuple(life.history.wrongs)
    return Outcome(
        story.seed,
        wrongs,
        hashlib.sha256("\n".join(life.lines).encode()).hexdigest(),
        tuple(life.lines) if wrongs or keep_lines else (),
        story.features,
        frozenset(life.history.moves),
        frozenset(life.history.faults),
        life.hub.steps,
        life.hub.now,
    )


def _lived_here(
    story: Story, trace: Callable[[str], None], begins: Callable[[Life], None] = lambda life: None
) -> Life:
    folder = _folder(_MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir()))
    root = folder / "workspace"
    root.mkdir()
    life = Life(story, root, trace)
    begins(life)
    try:
        with compiled_once():
            _live(life)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return life


def _folder(parent: Path) -> Path:
    """A new one, whose path has as many letters on every machine: it is in files, which are cut off."""
    prefix, missing = "skerry-life-", _LETTERS - len(str(parent))
    prefix = prefix.ljust(len(prefix) + missing, "-") if missing >= 0 else prefix[:missing]
    return Path(tempfile.mkdtemp(prefix=prefix, dir=parent))


def _live(life: Life) -> None:
    simulation = Simulation(life)
    try:
        simulation.live()
        if not life.history.wrongs:
            simulation.look_at(broken)
    except Exception as error:
        life.history.wrong(described(error))


def shrunk(
    story: Story, wrong: Callable[[Story], bool], without: Callable[[Story, Collection[int]], Story]
) -> Story:
    """The story with as few actions as still go wrong: halves, quarters … are left out as long as it does."""
    size = max(len(story.actions) // 2, 1)
    while True:
        smaller = _smaller(story, size, wrong, without)
        if smaller is not None:
            story = smaller
        elif size > 1:
            size //= 2
        else:
            return story


def _smaller(
    story: Story,
    size: int,
    wrong: Callable[[Story], bool],
    without: Callable[[Story, Collection[int]], Story],
) -> Story | None:
    for start in range(0, len(story.actions), size):
        candidate = without(story, range(start, min(start + size, len(story.actions))))
        if candidate.actions and wrong(candidate):
            return candidate
    return None
