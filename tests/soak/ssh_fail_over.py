"""``python -m tests.soak.ssh_fail_over fence|settle|flap``: an engine whose hosts are cut off, in real time.

``fence``: a host with a fence of 20 s is cut off for good, and its job begins elsewhere. ``settle``: the link is
cut while an engine that has just begun waits for its workers. ``flap``: a link that breaks twenty times.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.runtime.site import Site, close_quietly, shell, task
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.private import folder
from tests.servers.ssh_workers import serving
from tests.waiting import until

_LOST = {"strategy": "retry", "after": 0.1}


def fence(site: Site, workers: SshWorkers, place: Path) -> list[str]:
    """The last sign of life of the tree that was cut off, and the first one of the attempt after it."""
    for name in ("a", "b"):
        workers.add(name, fence="20s", groups=["two"])
    beats, second, program = place / "beats", place / "second", place / "beat"
    program.write_text(f"trap '' TERM; while :; do date +%s.%N >> {beats}; sleep 0.05; done\n")
    # one process leaves the session; both ignore that they are asked to end
    script = (
        f"case $SKERRY_ATTEMPT in *.1.*) setsid sh {program} & sh {program} ;; esac; date +%s.%N > {second}"
    )
    instance = site.begin(task({"x": shell(script, on={"group": "two"}, recovery=_LOST)}))
    until(lambda: beats.exists() and beats.read_text().count("\n") > 50)
    first = site.see(instance)["x"].row.worker
    workers.wires[first].cut()
    cut = time.time()
    seen = site.end(instance)
    last, begun = float(beats.read_text().split()[-1]), float(second.read_text())
    print(
        f"fence: cut at 0 s, the tree's last sign of life at {last - cut:.1f} s, "
        f"the other attempt at {begun - cut:.1f} s; {[each.status for each in seen['x'].attempts]}"
    )
    tried = [(each.worker == first, each.status) for each in seen["x"].attempts]
    right = last < begun and tried == [(True, "lost"), (False, "succeeded")]
    return [] if right and seen.status == "succeeded" else ["fence: not as it should be"]


def settle(site: Site, workers: SshWorkers, place: Path) -> list[str]:
    """What ran stays its own worker's; what is new is given to the other one, once ``settle`` is over."""
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    ran, go = place / "ran", place / "go"
    script = f"echo ran >> {ran}; until test -e {go}; do sleep 0.1; done; echo done"
    instance = site.begin(task({"x": shell(script, on={"group": "two"}, recovery=_LOST)}))
    until(ran.exists)
    first = site.see(instance)["x"].row.worker
    workers.wires[first].stall()
    site.close()
    began = time.monotonic()
    site.again()
    for _ in range(3):  # it is cut again whenever the engine tries
        _let_pass(1)
        workers.wires[first].cut()
    others = site.run(task({f"n{n}": shell("true", on={"group": "two"}) for n in range(4)}))
    waited = time.monotonic() - began
    status = site.see(instance)["x"].status
    workers.wires[first].mend()
    workers.until_state(first, "online")
    go.touch()
    seen = site.end(instance)
    where = {each.row.worker for each in others.latest}
    print(f"settle: others went elsewhere after {waited:.1f} s; meanwhile {status}, then {seen.status}, once")
    right = first not in where and waited >= 10 and status == "running" and seen["x"].log == "done\n"
    once = ran.read_text() == "ran\n" and len(seen["x"].attempts) == 1
    return [] if right and once and seen.status == "succeeded" else ["settle: not as it should be"]


def flap(site: Site, workers: SshWorkers, place: Path) -> list[str]:
    """Jobs of all lengths over a link that is away for up to three seconds, twenty times."""
    workers.add("a", slots="6")
    dice, ran = random.Random(20), place / "ran"
    nodes = {
        f"n{n}": shell(
            f"echo n{n} >> {ran}; sleep {dice.randrange(1, 90) / 10}; echo n{n}",
            on={"workers": ["a"]},
            recovery=_LOST,
        )
        for n in range(100)
    }
    instance, began = site.begin(task(nodes)), time.monotonic()
    for _ in range(20):
        workers.wires["a"].cut()
        _let_pass(dice.uniform(0, 3))
        workers.wires["a"].mend()
        workers.until_state("a", "online")
        _let_pass(dice.uniform(0, 3))
    seconds, left = time.monotonic() - began, site.waiting(instance)
    open_ = sum(state not in ("succeeded", "failed") for _, state, _ in left)
    seen = site.end(instance)
    lines = ran.read_text().split()
    logs = all(seen[id].log == f"{id}\n" for id in nodes)
    print(
        f"flap: 20 cuts in {seconds:.0f} s, {open_} of 100 jobs after them; {len(lines)} starts, {seen.status}"
    )
    right = sorted(lines) == sorted(nodes) and logs and seen.status == "succeeded"
    return [] if right else ["flap: not as it should be"]


def _let_pass(seconds: float) -> None:
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() >= end)


def main() -> int:
    proofs = {"fence": fence, "settle": settle, "flap": flap}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proof", choices=proofs)
    chosen = proofs[parser.parse_args().proof]
    with tempfile.TemporaryDirectory() as here, folder() as place, serving(place) as server:
        site = Site(Path(here, "workspace")).start()
        with ssh_site(site, server, Path(here, "remote")) as workers:
            wrong = chosen(site, workers, Path(here))
            close_quietly(site)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
