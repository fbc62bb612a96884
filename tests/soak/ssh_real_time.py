"""``python -m tests.soak.ssh_real_time cut|reboot|big``: hosts behind SSH in real time, which tests cannot spare.

``cut``: a link that is cut for half a minute in mid-job. ``reboot``: a server with another boot id, made by a
mount over the kernel's in a namespace of its own (needs root). ``big``: a result of ``--gib``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import file_digest
from pathlib import Path
from statistics import median
from uuid import uuid4

from engine.execution.outcomes import RESTARTED, Exit, Lost
from tests.execution.conftest import Workbench
from tests.execution.ssh.conftest import Site
from tests.servers.cable import Cable, cable
from tests.servers.private import answers, folder, free_port, program, running
from tests.servers.ssh_workers import Sshd, serving
from tests.waiting import until

_CUT = 30.0  # seconds
_MOST = 64 << 20  # bytes by which this process may grow
_LONGEST = 3600.0  # seconds for a big result


def cut(site: Site, wire: Cable) -> list[str]:
    """A job that writes a line every half second, and a link that is away for half a minute of it."""
    ran = Path(site.bench.instance.path, "ran")
    ends: list[object] = []
    script = f"echo ran >> {ran}; n=0; while [ $n -lt 80 ]; do n=$((n + 1)); echo $n; sleep 0.5; done; exit 3"
    launch = site.launch(script)
    stage = site.host.start(launch)
    site.host.wake(stage, ends.append)
    log = Path(launch.directory, "job.log")
    site.turns.until(lambda: log.read_text().count("\n") > 4)
    wire.cut()
    back = time.monotonic() + _CUT
    while time.monotonic() < back:
        site.turns.turn()
    here = log.read_text().count("\n")
    wire.mend()
    site.turns.until(lambda: bool(ends))
    lines = log.read_text().split()
    print(f"cut: {here} lines were here when the link came back, {len(lines)} at the end; {ends}")
    whole = lines == [str(number) for number in range(1, 81)]
    return [] if whole and ends == [Exit(3)] and ran.read_text() == "ran\n" else ["cut: not as it should be"]


def reboot(server: Sshd, site: Site, wire: Cable) -> list[str]:
    """What runs when a host goes down is gone, what ended before has its end, and nothing runs twice."""
    ran, go = (Path(site.bench.instance.path, name) for name in ("ran", "go"))
    wait = f"until test -e {go}; do sleep 0.1; done"
    scripts = {"lives": f"echo lives >> {ran}; sleep 10000", "ends": f"echo ends >> {ran}; {wait}; exit 5"}
    stages = {name: site.host.start(site.launch(script)) for name, script in scripts.items()}
    ends: dict[str, object] = {}
    for name, stage in stages.items():
        site.host.wake(stage, partial(ends.__setitem__, name))
    site.turns.until(lambda: all(each.pid for each in stages.values()))
    wire.cut()
    site.turns.until(lambda: site.host.standing.place is None)
    go.touch()
    until(lambda: "exit 5" in (site.root / stages["ends"].mark / ".skerry" / "process").read_text())
    for pid in (_parent(stages["lives"].pid), *_tree(stages["lives"].mark)):
        os.kill(pid, signal.SIGKILL)
    with started_again(server) as port:
        wire.lead_to(port)
        wire.mend()
        site.turns.until(lambda: len(ends) == 2)
    print(f"reboot: {ends}; ran {ran.read_text().split()}")
    right = ends == {"lives": Lost(RESTARTED), "ends": Exit(5)}
    return [] if right and sorted(ran.read_text().split()) == ["ends", "lives"] else ["reboot: wrong"]


def big(gib: float, site: Site, wire: Cable) -> list[str]:
    """A result of random bytes, and jobs of the same host while it is on its way."""
    blocks, kept = int(gib * 1024), site.root / "kept"
    script = (
        f'dd if=/dev/urandom of="$SKERRY_OUTPUTS/x" bs=1M count={blocks} iflag=fullblock status=none; '
        f'ln "$SKERRY_OUTPUTS/x" {kept}'
    )
    quick = [_seconds_of_a_job(site) for _ in range(20)]
    launch = site.launch(script)
    ends: list[object] = []
    stage = site.host.start(launch)
    site.host.wake(stage, ends.append)
    part = Path(launch.directory, "outputs", "x.part")
    while not part.exists():
        site.turns.turn()
    before, began, beside = _memory(), time.monotonic(), list[float]()
    while not ends and time.monotonic() < began + _LONGEST:
        beside.append(_seconds_of_a_job(site))
        site.turns.nap(1)
    grown, seconds = _memory() - before, time.monotonic() - began
    there, here = _digest(kept), _digest(part.with_name("x"))
    print(f"big: {gib:g} GiB in {seconds:.0f} s; sha256 there {there}, here {here}; {ends}")
    print(f"big: peak memory {_memory() >> 20} MiB, {grown >> 10} KiB more than before")
    print(
        f"big: a job took {median(quick):.2f} s before; {len(beside)} beside it "
        f"{median(beside):.2f} s, {max(beside):.2f} s at most"
    )
    return [] if there == here and grown < _MOST and ends == [Exit(0)] else ["big: not as it should be"]


def _seconds_of_a_job(site: Site) -> float:
    began = time.monotonic()
    site.run("true")
    return time.monotonic() - began


@contextmanager
def started_again(server: Sshd) -> Iterator[int]:
    """The same server with another boot id; its port."""
    port, config, boot = free_port(), server.place / "again_config", server.place / "boot_id"
    text = (server.place / "sshd_config").read_text()
    config.write_text(re.sub(r"^Port .*$", f"Port {port}", text, flags=re.MULTILINE))
    boot.write_text(f"{uuid4()}\n")
    sshd = f"{program('sshd', 'openssh-server')} -D -e -f {config}"
    script = f"mount --bind {boot} /proc/sys/kernel/random/boot_id && exec {sshd}"
    command = [shutil.which("unshare") or "unshare", "--mount", "sh", "-c", script]
    with running(command, server.place / "again.log", lambda: answers(port)):
        yield port


def _tree(mark: str) -> list[int]:
    wanted = f"SKERRY_ATTEMPT={mark}".encode()
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (each / "environ").read_bytes().split(b"\0"):
                found.append(int(each.name))
        except OSError:
            continue
    return found


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _memory() -> int:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) << 10


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proof", choices=["cut", "reboot", "big"])
    parser.add_argument("--gib", type=float, default=10)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as here,
        folder() as place,
        serving(place) as server,
        cable(server.port) as wire,
    ):
        site = Site(Workbench(Path(here)), server, wire, Path(here, "remote"))
        proofs: dict[str, Callable[[Site, Cable], list[str]]] = {
            "cut": cut,
            "reboot": partial(reboot, server),
            "big": partial(big, options.gib),
        }
        wrong = proofs[options.proof](site, wire)
        site.host.close()
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
