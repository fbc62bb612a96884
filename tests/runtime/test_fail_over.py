"""Hosts behind SSH that are lost: nothing begins elsewhere while the old tree may live, and then it does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.execution.ssh import leases
from engine.model import worker_request
from engine.model.codes.runtime import LOST
from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

FENCE, MARGIN = 4.0, 2.0  # seconds; for people ten at least, and ten
# What hides in a session of its own writes until it is killed; both ignore that they are asked to end.
NOISY = """\
trap '' TERM
echo begun $SKERRY_ATTEMPT >> {ran}
setsid sh -c 'trap "" TERM; while :; do echo alive $SKERRY_ATTEMPT >> {ran}; sleep 0.05; done' &
case $SKERRY_ATTEMPT in *.1.*) while :; do sleep 1; done ;; esac
kill -KILL $!
exit 0
"""


@pytest.fixture
def workers(
    site: Site, ssh_workers: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SshWorkers]:
    monkeypatch.setattr(worker_request, "SHORTEST_FENCE", 1.0)
    monkeypatch.setattr(leases, "MARGIN", MARGIN)
    with ssh_site(site, ssh_workers, tmp_path / "remote") as made:
        yield made
        site.close()


def test_a_fenced_job_begins_elsewhere_after_its_tree_is_gone(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    # given a job with a child that hides, on one of two workers
    for name in ("a", "b"):
        workers.add(name, fence=f"{FENCE:g}s", groups=["two"])
    ran = tmp_path / "ran"
    recovery = {"strategy": "retry", "after": 0.1}
    instance = site.begin(task({"x": shell(NOISY.format(ran=ran), on={"group": "two"}, recovery=recovery)}))
    until(lambda: ran.exists() and "alive" in ran.read_text())
    first = site.see(instance)["x"].row.worker

    # when that worker is cut off for good
    workers.wires[first].cut()
    seen = site.end(instance)

    # then the other one ran it, and nothing of the first attempt was alive by then
    assert seen.status == "succeeded"
    one, two = seen["x"].attempts
    assert (one.worker, one.status, one.error_code) == (first, "lost", LOST.number)
    assert two.worker != first
    lines = ran.read_text().splitlines()
    second = lines.index(f"begun {two.mark}")
    assert [line for line in lines[second:] if one.mark in line] == []
    assert [line for line in lines[:second] if f"alive {one.mark}" == line]


def test_without_a_fence_it_is_not_given_away_until_a_person_vouches(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    ran, go = tmp_path / "ran", tmp_path / "go"
    script = f"echo $SKERRY_ATTEMPT >> {ran}; until test -e {go}; do sleep 0.1; done"
    recovery = {"strategy": "retry", "after": 0.1}
    instance = site.begin(task({"x": shell(script, on={"group": "two"}, recovery=recovery)}))
    until(lambda: ran.exists() and bool(ran.read_text()))
    first = site.see(instance)["x"].row.worker
    workers.wires[first].cut()
    workers.until_state(first, "offline")
    assert site.see(instance)["x"].status == "running"

    go.touch()
    site.engine.workers.gone(first, "burnt down", "ann")

    seen = site.end(instance)
    assert seen.status == "succeeded"
    one, two = seen["x"].attempts
    assert (one.worker, one.status, "vouched" in (one.error_message or "")) == (first, "lost", True)
    assert two.worker != first
    assert ran.read_text().split() == [one.mark, two.mark]
