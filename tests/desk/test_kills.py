"""An engine killed at any step of applying a fix or a delivery or taking it back: all was done, or nothing.

The tests kill it at some steps, this at every single one, or at those from one to another (some 15 minutes in all):

    python -m tests.desk.test_kills [apply|undo|deliver|withdraw]... [--from 1] [--to 999]
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.context import TaskContext
from engine.definitions.writer import dump
from engine.runtime.clock import SystemClock
from export_import.delivery.content import of_tree, write_delivery
from export_import.fix.fix_content import FixDefinition
from tests import commands
from tests.desk.test_fix_refusals import Bench
from tests.effort import effort
from tests.runtime.site import Site

WORK = ("apply", "undo", "deliver", "withdraw")
_NEVER = 10**9
_KILLS = effort(6, all=9)  # of each kind, spread over the steps
ROOT = Path(__file__).parents[2]


def child(root: Path, fix: Path, what: str, last: int) -> subprocess.CompletedProcess[str]:
    command = [*commands.module("tests.desk.killed"), str(root), str(fix), what, str(last)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def state(root: Path) -> Any:
    """What is in a workspace that nobody owns: definitions, the log, the records."""
    store = wiring.open_reader(root)
    try:
        records = [(each["id"], each["undone_at"] is None) for each in store.setting("amendments", [])]
        files = [(root / "deliveries" / id[:12] / "book.txt").is_file() for id, _ in records]
        acts = [row.action for row in store.audit() if row.action in ("apply", "undo")]
        assert not store.verify_audit()
        return dump(store.raw_definitions()), len(list(store.lines(1))), records, files, acts
    finally:
        store.close()


def check_files(root: Path) -> None:
    """The next engine brings the files up to the database."""
    with wiring.open_engine(root, resume=False) as engine:
        lines = list(engine.store.lines(1))
    folder = root / "instances" / "task-nightly-1"
    assert (folder / "ctx.log").read_text().splitlines() == lines
    replayed = TaskContext.replay(lines, SystemClock())
    assert (folder / "ctx.json").read_bytes() == replayed.canonical()


def bundle_for(bench: Bench, site: Site, what: str) -> Path:
    if what in ("deliver", "withdraw"):
        book = bench.folder / "book.txt"
        book.write_text("how to")
        jobs = {f"j{number}": {"type": "shell", "process": "true"} for number in range(3)}
        made = of_tree({"skerry": 1, "jobs": jobs}, "three jobs", "", SystemClock())
        return write_delivery(made, bench.folder / "d", bench.at_desk, SystemClock(), {"book.txt": book}, [])
    row = site.engine.store.definition("task", "nightly")
    assert row is not None
    new = {**row.content, "params": {**row.content["params"], "limit": 30}}
    entry = FixDefinition("error", "-11000001003", None, {"title": "Too many rows"})
    definitions = (FixDefinition("task", "nightly", row.content, new), entry)
    return bench.write(bench.fix(definitions=definitions))


@pytest.mark.parametrize("what", WORK)
def test_it_is_before_or_after_and_never_between(site: Site, tmp_path: Path, what: str) -> None:
    assert killed_at(site, tmp_path, what, _KILLS) == {False, True}


def killed_at(site: Site, tmp_path: Path, what: str, kills: int) -> set[bool]:
    """Whether it was done, for each of so many kills; the first is at the first step, the last at the last."""
    trial = Trial(site, tmp_path, what)
    return {trial.killed(1 + number * (trial.steps - 1) // (kills - 1)) for number in range(kills)}


class Trial:
    """A workspace before and after something, to be killed on the way; counts the steps from 1."""

    def __init__(self, site: Site, folder: Path, what: str) -> None:
        bench = Bench(site, folder / "desk")
        self._fix = bundle_for(bench, site, what)
        self._root, self._folder, self._what = site.root, folder, what
        site.close()
        first = {"undo": "apply", "withdraw": "deliver"}.get(what)
        if first:
            assert child(site.root, self._fix, first, _NEVER).returncode == 0
        self._before = state(site.root)
        self.steps, self._after = self._done()
        assert self._before != self._after

    def _done(self) -> tuple[int, Any]:
        whole = shutil.copytree(self._root, self._folder / "whole", symlinks=True)
        ended = child(whole, self._fix, self._what, _NEVER)
        assert ended.returncode == 0, ended.stderr
        after = state(whole)
        check_files(whole)
        return int(ended.stdout), after

    def killed(self, step: int) -> bool:
        """Kill it at a step; whether it was done."""
        place = shutil.copytree(self._root, self._folder / "killed", symlinks=True)
        ended = child(place, self._fix, self._what, step)
        assert ended.returncode == -signal.SIGKILL, (step, ended.stderr)
        found = state(place)
        assert found in (self._before, self._after), step
        check_files(place)
        shutil.rmtree(place)
        return bool(found == self._after)


def main() -> None:
    """Every step of what is asked for, or of all four."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", choices=[[], *WORK])
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--to", dest="last", type=int, default=_NEVER)
    given = parser.parse_args()
    for what in given.what or WORK:
        with tempfile.TemporaryDirectory() as folder:
            trial = Trial(Site(Path(folder) / "site").start(), Path(folder), what)
            steps = range(given.first, min(given.last, trial.steps) + 1)
            done = sum([trial.killed(step) for step in steps])
        message = f"{what}: {len(steps)} of {trial.steps} steps, {done} of them after it was done"
        sys.stdout.write(f"{message}; none between\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
