"""An engine killed at any step of applying a fix or taking it back: all of it was done, or nothing."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.context import TaskContext
from engine.definitions.writer import dump
from engine.runtime.clock import SystemClock
from export_import.fix.plan import FixDefinition
from tests.desk.test_fix_refusals import Bench
from tests.runtime.site import Site

_NEVER = 10**9
_KILLS = 9  # of each kind, spread over the steps
ROOT = Path(__file__).parents[2]


def child(root: Path, fix: Path, what: str, last: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.desk.killed", str(root), str(fix), what, str(last)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def state(root: Path) -> Any:
    """What stands in a workspace that nobody owns: definitions, the log, the records."""
    store = wiring.open_reader(root)
    try:
        records = [(each["id"], each["undone_at"] is None) for each in store.setting("amendments", [])]
        return dump(store.raw_definitions()), len(list(store.lines(1))), records
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


@pytest.mark.parametrize("what", ["apply", "undo"])
def test_it_is_before_or_after_and_never_between(site: Site, tmp_path: Path, what: str) -> None:
    bench = Bench(site, tmp_path / "desk")
    row = site.engine.store.definition("task", "nightly")
    assert row is not None
    new = {**row.content, "params": {**row.content["params"], "limit": 30}}
    entry = FixDefinition("error", "-11000001003", None, {"title": "Too many rows"})
    definitions = (FixDefinition("task", "nightly", row.content, new), entry)
    fix = bench.write(bench.fix(definitions=definitions))
    site.close()
    if what == "undo":
        assert child(site.root, fix, "apply", _NEVER).returncode == 0
    before = state(site.root)
    whole = shutil.copytree(site.root, tmp_path / "whole", symlinks=True)
    ended = child(whole, fix, what, _NEVER)
    assert ended.returncode == 0, ended.stderr
    steps, after = int(ended.stdout), state(whole)
    assert before != after
    check_files(whole)

    seen = set()
    for number in range(_KILLS):
        place = shutil.copytree(site.root, tmp_path / f"kill{number}", symlinks=True)
        killed = child(place, fix, what, 1 + number * (steps - 1) // (_KILLS - 1))
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        found = state(place)
        assert found in (before, after)
        seen.add(found == after)
        check_files(place)
    assert seen == {False, True}
