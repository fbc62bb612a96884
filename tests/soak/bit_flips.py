"""Single bits that flip in the database and in ctx.log: each is noticed, or changes nothing.

    python -m tests.soak.bit_flips [--flips 1000] [--seed N]

A workspace is filled by real runs. Then, again and again on a fresh copy, one bit of ``skerry.db`` or of a
``ctx.log`` flips. It is noticed when opening or verifying the database, or replaying a log, says so; else
everything that can be read must be what it was. A changed ``status`` file must change nothing at all.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from app import wiring
from engine.context import TaskContext
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.submission import Submission
from engine.store.opening import open_store
from engine.store.sql_store import Store
from tests.runtime.site import SETTINGS, shell, task

NODES = {
    "a": shell("echo out; echo 42 > outputs/n"),
    "b": {**shell("exit 3", continue_on_failure=True), "after": ["a"]},
    "c": {**shell("echo $n", params={"n": "$.JOB['a'].RESULT['n']"}), "after": ["b"]},
}
_INSTANCES = 6


def fill(root: Path) -> None:
    """Real runs, and definitions."""
    root.mkdir()
    (root / "workspace.yaml").write_text(SETTINGS)
    with wiring.open_engine(root) as engine:
        engine.store.save_definitions({"tasks": {"t": {"nodes": NODES}}})
        for _ in range(_INSTANCES):
            engine.wait(engine.submit(Submission("t", task(NODES))))


def flipped(file: Path, place: random.Random) -> str:
    """Flip one bit; gives where."""
    data = bytearray(file.read_bytes())
    at, bit = place.randrange(len(data)), place.randrange(8)
    data[at] ^= 1 << bit
    file.write_bytes(data)
    return f"{file.name} byte {at} bit {bit}"


def everything(store: Store) -> Any:
    """All that the database gives: rows, lines, definitions."""
    instances = store.instances(limit=1000)
    kinds = ("task", "job", "resource")
    return (
        instances,
        [(store.runs(row.id), store.jobs(row.id), list(store.lines(row.id))) for row in instances],
        [store.attempts(job.id) for row in instances for job in store.jobs(row.id)],
        [store.snapshot(row.id, 1) for row in instances],
        store.exceptions(),
        store.alerts(),
        [store.history(kind, row.id) for kind in kinds for row in store.definitions(kind)],
    )


def database_tells(root: Path, before: Any) -> str:
    """``noticed``, ``without effect``, or what changed silently."""
    try:
        store = open_store(f"sqlite:///{root / 'skerry.db'}", clock=SystemClock())
        try:
            if store.verify():
                return "noticed"
            after = everything(store)
            for row in after[0]:
                TaskContext.replay(store.lines(row.id), SystemClock())
        finally:
            store.close()
    except (SkerryError, ValueError):
        return "noticed"
    return "without effect" if after == before else "silent"


def log_tells(log: Path, before: bytes) -> str:
    """The same of a context log, by its replay."""
    try:
        replayed = TaskContext.replay(log.read_bytes().splitlines(), SystemClock())
    except (SkerryError, ValueError):
        return "noticed"
    if replayed.torn is not None:
        return "noticed"
    return "without effect" if replayed.canonical() == before else "silent"


def soak(folder: Path, flips: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How the flips came out, and those that nobody noticed."""
    place, sound = random.Random(seed), folder / "sound"
    fill(sound)
    store = open_store(f"sqlite:///{sound / 'skerry.db'}", clock=SystemClock())
    before = everything(store)
    store.close()
    logs = sorted(sound.glob("instances/*/ctx.log"))
    counts: Counter[str] = Counter()
    silent: list[str] = []
    for number in range(flips):
        spoilt = folder / "spoilt"
        spoilt.mkdir(exist_ok=True)
        if number % 2:
            shutil.copy(sound / "skerry.db", spoilt / "skerry.db")
            where = flipped(spoilt / "skerry.db", place)
            outcome = database_tells(spoilt, before)
        else:
            log = place.choice(logs)
            shutil.copy(log, spoilt / "ctx.log")
            where = flipped(spoilt / "ctx.log", place)
            outcome = log_tells(spoilt / "ctx.log", (log.parent / "ctx.json").read_bytes())
        shutil.rmtree(spoilt)
        counts[f"{'database' if number % 2 else 'ctx.log'}: {outcome}"] += 1
        if outcome == "silent":
            silent.append(where)
    return counts, silent


def statuses_change_nothing(folder: Path) -> bool:
    """Whether every instance and job is as before when all ``status`` files say the opposite."""
    root = folder / "sound"

    def seen() -> Any:
        with wiring.open_engine(root) as engine:
            return everything(engine.store)  # type: ignore[arg-type]

    before = seen()
    for file in root.glob("instances/*/jobs/*/status"):
        file.write_bytes(b"1\n" if b"0" in file.read_bytes() else b"0\n")
    return bool(json.dumps(repr(seen())) == json.dumps(repr(before)))


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--flips", type=int, default=1000)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts, silent = soak(Path(folder), given.flips, given.seed)
        unmoved = statuses_change_nothing(Path(folder))
    for name, count in sorted(counts.items()):
        print(f"{count:5} {name}")
    print(f"seed {given.seed}; unnoticed: {silent or 'none'}; status files change nothing: {unmoved}")
    raise SystemExit(bool(silent) or not unmoved)


if __name__ == "__main__":
    main()
