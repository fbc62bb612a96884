"""What is left of an attempt whose end nobody saw: the processes that still live, and how to end them."""

from __future__ import annotations

from collections.abc import Iterable

from engine.execution import stage_file
from engine.execution.kill import stop_tree, tree
from engine.execution.proc import marked
from engine.model.clock import Clock
from engine.model.job import STAGES


def alive(directory: str | None, mark: str) -> tuple[int, ...]:
    """The living processes of an attempt; looks through /proc, so not on the engine's own thread."""
    return tuple(sorted(tree(mark, _leader(directory, mark))))


def of_all(attempts: Iterable[tuple[str | None, str]]) -> tuple[int, ...]:
    """The living processes of several attempts, each a directory and a mark."""
    known = list(attempts)
    found = set(marked({mark.encode() for _, mark in known}))
    for directory, mark in known:
        if _leader(directory, mark) is not None:
            found |= set(alive(directory, mark))
    return tuple(sorted(found))


def end(directory: str | None, mark: str, grace: float, clock: Clock) -> tuple[int, ...]:
    """TERM, ``grace`` seconds, KILL; gives the pids that remain. Blocks."""
    return stop_tree(mark, _leader(directory, mark), grace, clock)


def _leader(directory: str | None, mark: str) -> int | None:
    """The wrapper of the last stage, whose session the job's processes are in.

    After a restart of the machine the number means nothing any more.
    """
    for stage in reversed(STAGES) if directory else ():
        record = stage_file.read(f"{directory}/.skerry/{stage}")
        if record is not None and record.mark == mark and record.boot == stage_file.boot_id():
            return record.pid
    return None
