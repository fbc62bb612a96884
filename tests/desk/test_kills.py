"""An engine killed at any step of applying a fix or a delivery or taking it back: all was done, or nothing.

``python -m tests.desk.test_kills`` kills it at every single step; the tests at some.
"""

from __future__ import annotations

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


@pytest.mark.parametrize("what", ["apply", "undo", "deliver", "withdraw"])
def test_it_is_before_or_after_and_never_between(site: Site, tmp_path: Path, what: str) -> None:
    assert killed_at(site, tmp_path, what, _KILLS) == {False, True}


def killed_at(site: Site, tmp_path: Path, what: str, kills: int) -> set[bool]:
    """Whether it was done, for each of so many kills; the first is at the first step, the last at the last."""
    bench = Bench(site, tmp_path / "desk")
    fix = bundle_for(bench, site, what)
    site.close()
    first = {"undo": "apply", "withdraw": "deliver"}.get(what)
    if first:
        assert child(site.root, fix, first, _NEVER).returncode == 0
    before = state(site.root)
    whole = shutil.copytree(site.root, tmp_path / "whole", symlinks=True)
    ended = child(whole, fix, what, _NEVER)
    assert ended.returncode == 0, ended.stderr
    steps, after = int(ended.stdout), state(whole)
    assert before != after
    check_files(whole)

    seen = set()
    kills = min(kills, steps)
    for number in range(kills):
        place = shutil.copytree(site.root, tmp_path / "killed", symlinks=True)
        killed = child(place, fix, what, 1 + number * (steps - 1) // (kills - 1))
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        found = state(place)
        assert found in (before, after), number
        seen.add(found == after)
        check_files(place)
        shutil.rmtree(place)
    return seen


def main() -> None:
    """Every step of all four."""
    for what in ("apply", "undo", "deliver", "withdraw"):
        with tempfile.TemporaryDirectory() as folder:
            site = Site(Path(folder) / "site").start()
            assert killed_at(site, Path(folder), what, _NEVER) == {False, True}
        sys.stdout.write(f"{what}: before or after at every step\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
