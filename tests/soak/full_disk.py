"""A disk that is full at every single write of a run: no outcome is lost, no file is spoilt.

    python -m tests.soak full_disk [--writes 200] [--lasting 1,7] [--fresh]

For each write of the engine in turn, that one (and the next few) fails with ENOSPC. The run must come to
the end that its jobs really had, each job run once, and every file must be what the store says.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from app import wiring
from engine.context import TaskContext
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.engine import Engine
from engine.runtime.runs import turn_commit
from engine.runtime.submission import Submission
from engine.runtime.write_health import WriteHealth
from tests.runtime.site import Seen, shell, task
from tests.soak.shim import Shim

_PATIENCE = 20.0
_SETTINGS = "places: 2\ntimezone: UTC\nmonitor: false\ngrace: 1\n"
_WANTED = {"a": "succeeded", "b": "failed", "c": "succeeded"}


def soak(folder: Path, writes: int, lasting: int, *, every: int = 1, fresh: bool = False) -> Iterator[str]:
    """What went wrong, for every write in turn; ``fresh``: of a run that has to make its database too."""
    shim = Shim()
    for number in range(1, writes + 1, every):
        root, truth = folder / f"{lasting}-{number}", folder / f"{lasting}-{number}.truth"
        truth.touch()
        for problem in _one(shim, root, truth, number, lasting, fresh):
            yield f"write {number} (and {lasting - 1} more): {problem}"


def _one(shim: Shim, root: Path, truth: Path, number: int, lasting: int, fresh: bool) -> Iterator[str]:
    root.mkdir()
    (root / "workspace.yaml").write_text(_SETTINGS)
    if not fresh:
        with wiring.open_engine(root):
            pass
    shim.watch(root)
    shim.arm(number, lasting)
    instance = None
    try:
        instance = _run(root, truth)
    except SkerryError as error:
        if not error.entry.retryable:  # a full disk also shows as other errors of the disk
            yield f"{error.code}: {error}"
    finally:
        shim.disarm()
    if instance is None:  # it could not even begin, and said why: the next one must
        instance = _run(root, truth)
    with wiring.open_engine(root) as engine:
        yield from _wrong(engine, instance, truth)


def _run(root: Path, truth: Path) -> int:
    done = "echo $SKERRY_JOB_DIR >> " + str(truth)
    nodes = {
        "a": shell(f"{done}; echo out; echo 42 > outputs/n", results={"n": {"kind": "number"}}),
        "b": shell(f"{done}; exit 3"),
        "c": {
            **shell(f"{done}; echo $n > outputs/m", params={"n": "$.JOB['a'].RESULT['n']"}),
            "after": ["a"],
        },
    }
    with wiring.open_engine(root) as engine:
        instance = engine.submit(Submission("t", task(nodes)))
        assert engine.wait(instance, _PATIENCE), _hanging(engine, instance)
    return instance


def _hanging(engine: Engine, instance: int) -> str:
    log = (engine.workspace.logs / "execution.log").read_text()
    states = [(row.node, row.status, row.reason) for row in engine.store.jobs(instance)]
    return f"the run hangs: {states}\n{log}"


def _wrong(engine: Engine, instance: int, truth: Path) -> Iterator[str]:
    seen = Seen(engine, instance)
    if seen.states != _WANTED or seen.status != "failed":
        yield f"{seen.status} {seen.states} {[(row.node, row.error_message) for row in seen.rows]}"
        return
    started = truth.read_text().split()
    if len(started) != len(_WANTED):
        yield f"started {len(started)} times: {started}"
    if seen["b"].exit_code != 3 or seen["a"].results.get("n") != 42:
        yield "an exit status or a result was lost"
    if seen["c"].outputs != {"m": b"42\n"}:
        yield f"outputs {seen['c'].outputs}"
    yield from _files(seen)
    if damage := engine.store.verify():
        yield f"database: {damage}"


def _files(seen: Seen) -> Iterator[str]:
    stored = "".join(f"{line}\n" for line in seen.engine.store.lines(seen.id)).encode()
    filed = (seen.folder / "ctx.log").read_bytes()
    if filed != stored:
        yield f"ctx.log: {len(filed)} bytes, the store has {len(stored)}"
    replayed = TaskContext.replay(filed.splitlines(), SystemClock()).canonical()
    if replayed != (seen.folder / "ctx.json").read_bytes():
        yield "ctx.json is not what ctx.log gives"
    for file in seen.folder.rglob("*"):
        if file.suffix == ".json":
            json.loads(file.read_bytes())
        elif file.suffix == ".new":
            yield f"{file} was left behind"
    for row in seen.rows:
        status = (row.folder / "status").read_text().strip()
        if status != str(int(row.row.status == "succeeded")):
            yield f"status of {row.node}: {status}"
        lines = (row.folder / "ctx.log").read_bytes()
        if lines and not lines.endswith(b"\n"):
            yield f"ctx.log of {row.node} is torn"


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--writes", type=int, default=200)
    options.add_argument("--lasting", default="1,7")
    options.add_argument("--every", type=int, default=1, help="only each so manyth write")
    options.add_argument("--fresh", action="store_true", help="the database has to be made too")
    given = options.parse_args()
    turn_commit._RETRY_SECONDS = 0.02
    WriteHealth.retry_seconds = 0.02
    problems: list[str] = []
    for lasting in map(int, given.lasting.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            problems += soak(Path(folder), given.writes, lasting, every=given.every, fresh=given.fresh)
    print("\n".join(problems))
    print(f"{len(problems)} problems in {given.writes} writes, each failing {given.lasting} times")
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
