"""``python -m tests.soak.ssh_kills``: jobs on a host behind SSH, and an engine that is killed again and again.

Each job writes a line into one file; each must end as it says, and have written its line once. Some are
exclusive: each looks whether it is beside something that it may not be beside.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from engine.runtime.run_state.job_rows import UNBEGUN
from engine.store.rows import AttemptRow
from tests.runtime.engine_process import EngineProcess
from tests.runtime.site import Site
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import serving
from tests.waiting import until

_ROOTS = ("a", "b", "c")
_SLOTS = "3"
_LATEST = 1.0  # seconds after its start in which an engine is killed, at most
_END = 600.0  # seconds for what is left at the end


# A folder for each root, in which each job has a file as long as it runs.
_SCRIPT = """\
here={place}/at/$(basename "$(dirname "$SKERRY_JOB_DIR")")
mkdir -p $here
: > $here/{kind}.{id}
if [ {kind} = alone ]; then [ "$(ls $here)" = alone.{id} ]; else [ -z "$(ls $here | grep alone)" ]; fi || echo {id} >> {place}/beside
echo {id} >> {place}/ran
sleep {seconds}
rm $here/{kind}.{id}
echo {id}
exit {status}
"""


def definitions(random: Random, jobs: int, place: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """A task of so many jobs without order, and the exit status of each."""
    ends = {f"n{number}": random.choice([0, 0, 0, 3]) for number in range(jobs)}
    nodes = {id: _node(random, id, status, place) for id, status in ends.items()}
    return {"skerry": 1, "tasks": {"t": {"nodes": nodes}}}, ends


def _node(random: Random, id: str, status: int, place: Path) -> dict[str, Any]:
    alone, seconds = random.random() < 0.15, random.choice(["0", "0.2", "1"])
    kind = "alone" if alone else "plain"
    script = _SCRIPT.format(place=place, kind=kind, id=id, seconds=seconds, status=status)
    return {"type": "shell", "process": script, "on": {"group": "all", "exclusive": alone}}


def soak(place: Path, jobs: int, kills: int, seed: int) -> list[str]:
    """What went wrong, a line each."""
    random, ran = Random(seed), place / "ran"
    raw, ends = definitions(random, jobs, place)
    (place / "sshd").mkdir()
    site = Site(place / "workspace").start()
    with ExitStack() as stack:
        server = stack.enter_context(serving(place / "sshd"))
        workers = stack.enter_context(ssh_site(site, server, place / "remote"))
        for name in _ROOTS:
            workers.add(name, groups=["all"], slots=_SLOTS)
        site.close()
        instance, engine, killed = 1, EngineProcess(site.root, raw).until_up(), 0
        while killed < kills and not engine.idle_within(random.uniform(0.05, _LATEST)):
            engine.kill()
            killed += 1
            engine = EngineProcess(site.root).until_up()
        until(lambda: engine.idle_within(_END), "the end of all jobs")
        engine.kill()
        site.again()
        seen = site.see(instance)
        wrong = _wrong(seen, ends, Counter(ran.read_text().split()))
        if (place / "beside").exists():
            wrong.append(f"exclusive ones overlapped: {(place / 'beside').read_text().split()}")
        site.close()
    print(f"seed {seed}: {jobs} jobs, {killed} kills, {len(wrong)} wrong")
    return wrong


def _wrong(seen: Any, ends: dict[str, int], ran: Counter[str]) -> list[str]:
    found = [f"{id} ran {ran[id]} times" for id in ends if ran[id] != 1]
    for id, status in ends.items():
        row = seen[id]
        state = "succeeded" if status == 0 else "failed"
        if (row.status, row.exit_code, row.log, len(_begun(row))) != (state, status, f"{id}\n", 1):
            tries = [(each.status, each.error_message) for each in row.attempts]
            found.append(f"{id}: {row.status} {row.exit_code} {row.log!r} {tries}")
    return found


def _begun(row: Any) -> list[AttemptRow]:
    """Its attempts, but for those whose engine was killed before it had sent anything: they began nothing."""
    return [each for each in row.attempts if each.error_code not in UNBEGUN]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = soak(Path(folder), options.jobs, options.kills, options.seed)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
