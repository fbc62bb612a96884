"""Limits and samples of jobs on SSH hosts are those of jobs here: for the whole tree, each second."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.processes import CPU_LIMIT, MEMORY_LIMIT, OUTPUT_LIMIT
from engine.model.errors import ErrorCode
from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import SshWorkers, processes_of, ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

SPREAD = """python3 -c '
import os, time
for _ in range(3):
    if os.fork() == 0:
        break
block = bytearray(30 << 20)
time.sleep(600)
'"""
BUSY = """for each in 1 2 3; do
  python3 -c 'import time
while time.process_time() < 0.7: pass
time.sleep(600)' &
done
wait"""
FILLS = 'head -c 3000000 /dev/urandom > "$SKERRY_OUTPUTS/big"; sleep 600'


@pytest.fixture
def monitored(make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path) -> Iterator[SshWorkers]:
    """One worker, and samples."""
    site = make_site(monitor=True)
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        workers.add("a")
        yield workers
        site.close()


@pytest.mark.parametrize(
    ("text", "limits", "entry"),
    [
        pytest.param(SPREAD, {"memory": "90MB"}, MEMORY_LIMIT, id="memory"),
        pytest.param(BUSY, {"cpu": 1}, CPU_LIMIT, id="cpu"),
        pytest.param(FILLS, {"output": "1MB"}, OUTPUT_LIMIT, id="output"),
    ],
)
def test_a_tree_that_passes_a_limit_there_is_ended_with_its_code(
    monitored: SshWorkers, text: str, limits: dict[str, Any], entry: ErrorCode
) -> None:
    seen = monitored.site.run(task({"x": shell(text, on={"workers": ["a"]}, limits=limits)}))

    assert (seen.status, seen["x"].row.error_code) == ("failed", entry.number)
    assert not processes_of(monitored.roots["a"])


def test_what_runs_there_is_sampled_each_second_into_its_monitor_csv(monitored: SshWorkers) -> None:
    text = "python3 -c 'import time\nblock = bytearray(30 << 20)\nwhile True: time.process_time()'"
    instance = monitored.site.begin(task({"x": shell(text, on={"workers": ["a"]})}))

    def samples() -> list[dict[str, str]]:
        folder = monitored.site.see(instance)["x"].row.directory
        file = monitored.site.root / folder / "monitor.csv" if folder else Path("none")
        return list(csv.DictReader(file.open())) if file.exists() else []

    until(lambda: len(samples()) >= 3, "three samples")
    monitored.site.engine.cancel(instance)

    found = samples()
    assert [int(each["processes"]) for each in found[:3]] == [2, 2, 2]
    assert all(int(each["memory"]) > 30 << 20 for each in found[1:3])
    assert any(float(each["cpu"]) > 1 for each in found)
    assert not processes_of(monitored.roots["a"])
