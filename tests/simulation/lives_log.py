"""The log of lives: what runs of the simulator have lived, one line of JSON for each part of a run, added up."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from tests.simulation.runner import Outcome

_ROOT = Path(__file__).parents[2]
_PART = 60.0  # seconds: so much of a run that is killed is not in its log
_LONGEST = 400  # characters of a sentence

Covered = Counter[tuple[str, ...]]  # (table, from, to) or ("fault", kind, state of a job): in how many lives


@dataclass
class Part:
    """Some lives of one run."""

    how: Mapping[str, Any]  # commit, faults, needs, twice
    when: str = ""  # it ended, ISO 8601
    lives: int = 0
    cpu: float = 0.0  # seconds
    first: int | None = None  # the lowest seed
    last: int | None = None
    covered: Covered = field(default_factory=Counter)
    wrongs: dict[int, str] = field(default_factory=dict)  # by seed, the first sentence

    def add(self, outcome: Outcome) -> None:
        """One more life."""
        self.lives += 1
        self.cpu += outcome.cpu
        self.first = min(outcome.seed, self.first if self.first is not None else outcome.seed)
        self.last = max(outcome.seed, self.last if self.last is not None else outcome.seed)
        self.covered.update(covered_by(outcome))
        if outcome.wrongs:
            self.wrongs[outcome.seed] = outcome.wrongs[0].strip()[:_LONGEST]

    def line(self) -> str:
        """As it is kept."""
        covered = [[*each, count] for each, count in sorted(self.covered.items())]
        return json.dumps({**asdict(self), "covered": covered}) + "\n"

    @classmethod
    def of_line(cls, line: str) -> Self:
        """What was kept."""
        found = json.loads(line)
        covered = Counter({tuple(each[:-1]): each[-1] for each in found.pop("covered")})
        wrongs = {int(seed): text for seed, text in found.pop("wrongs").items()}
        return cls(**found, covered=covered, wrongs=wrongs)


class LivesLog:
    """Adds the lives of one run to a file, a part now and then; while entered."""

    def __init__(self, path: Path, **how: Any) -> None:
        self._path = path
        self._how = {"commit": commit(), **how}
        self._part = Part(self._how)
        self._due = time.monotonic() + _PART

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *given: object) -> None:
        self._write()

    def add(self, outcome: Outcome) -> None:
        """One more life."""
        self._part.add(outcome)
        if time.monotonic() >= self._due:
            self._write()

    def _write(self) -> None:
        if self._part.lives:
            self._part.when = datetime.now(UTC).isoformat(timespec="seconds")
            with self._path.open("a") as file:
                file.write(self._part.line())
        self._part, self._due = Part(self._how), time.monotonic() + _PART


def covered_by(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """What one life has seen."""
    yield from outcome.moves
    yield from (("fault", *each) for each in outcome.faults)


def read_log(path: Path) -> list[Part]:
    """All that was lived; nothing where there is no such file."""
    return [Part.of_line(line) for line in path.read_text().splitlines()] if path.exists() else []


def commit() -> str:
    """The commit that is checked out, by its first characters; with ``+`` when files differ from it."""
    head, differs = (
        subprocess.run(["git", *each], cwd=_ROOT, capture_output=True, text=True, check=False).stdout.strip()
        for each in (("rev-parse", "--short=10", "HEAD"), ("status", "--porcelain", "-uno"))
    )
    return f"{head or 'unknown'}{'+' if differs else ''}"


def summary(parts: Iterable[Part]) -> Iterator[str]:
    """For people: how many lives, on which commits, what was covered, what went wrong."""
    parts = list(parts)
    total = sum(each.lives for each in parts)
    twice = sum(each.lives for each in parts if each.how["twice"])
    cpu = sum(each.cpu for each in parts) / (total + twice) if total else 0.0
    wrong = sum(len(each.wrongs) for each in parts)
    yield f"{total:,} lives, {twice:,} of them twice; {wrong} wrong; {cpu:.2f} s of CPU each"
    by_commit: dict[str, list[Part]] = {}
    for part in parts:
        by_commit.setdefault(part.how["commit"], []).append(part)
    for name, of_commit in by_commit.items():
        yield from _of_commit(name, of_commit)
    yield from covered_lines(sum((each.covered for each in parts), Covered()))


def _of_commit(name: str, parts: list[Part]) -> Iterator[str]:
    lives, wrongs = (
        sum(each.lives for each in parts),
        [each for part in parts for each in part.wrongs.items()],
    )
    yield f"commit {name}: {lives:,} lives, {len(wrongs)} wrong, {parts[0].when} to {parts[-1].when}"
    for seed, text in wrongs:
        yield f"    seed {seed}: {text.splitlines()[0]}"


def covered_lines(covered: Covered) -> Iterator[str]:
    """Which moves between states were seen, and which faults came while jobs were in which states."""
    moves = sorted(each for each in covered if each[0] != "fault")
    yield f"{len(moves)} moves of states:"
    yield from (f"    {each[0]:13} {each[1]:10} -> {each[2]:10} in {covered[each]} lives" for each in moves)
    yield "faults while a job was:"
    for each in sorted(each for each in covered if each[0] == "fault"):
        yield f"    {each[1]:13} {each[2]:10} in {covered[each]} lives"
