"""What a job says while it is being stopped: why, and that its worker is out of reach meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.model.reason import Kind
from engine.store.rows import JobRow
from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

DEAF = "trap '' TERM; while :; do sleep 60; done"
LEAVES_A_DEAF_ONE = {
    "process": f"( {DEAF} ) > /dev/null 2>&1 &",
    "end": {"group": [shell("sleep 60")]},
}


@pytest.mark.parametrize(
    ("keys", "state"),
    [({"process": DEAF}, "running"), (LEAVES_A_DEAF_ONE, "waiting")],
    ids=["process", "end"],
)
def test_an_attempt_that_is_out_of_time_says_so_while_what_it_started_still_lives(
    site: Site, keys: dict[str, Any], state: str
) -> None:
    instance = site.begin(task({"a": {"type": "shell", **keys, "timeout": 1}}))

    stopping = until(lambda: _being_stopped(site, instance))

    assert str(stopping.status) == state
    assert stopping.reason == "being stopped: it took longer than its timeout of 1 s"
    assert site.end(instance).states["a"] == "timed_out"
    assert _job(site, instance).reason is None


def test_a_job_that_is_cancelled_on_a_worker_out_of_reach_says_both(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path
) -> None:
    site = make_site()
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        # given a job on a worker that is cut off
        workers.add("far")
        up = tmp_path / "up"
        instance = site.begin(task({"a": shell(f"touch {up}; sleep 600", on={"workers": ["far"]})}))
        until(up.exists)
        workers.wires["far"].cut()
        workers.until_state("far", "offline")

        # when it is cancelled
        with ThreadPoolExecutor(1) as person:
            cancelled = person.submit(site.engine.cancel, instance, actor="ann")

            # then it says who did that, and since when its worker is not reached
            reason = "being stopped: cancelled by ann; its worker is not reachable since 2"
            until(lambda: (_job(site, instance).reason or "").startswith(reason))
            workers.wires["far"].mend()
            assert cancelled.result()["verified"]
        site.close()


def _being_stopped(site: Site, instance: int) -> JobRow | None:
    job = _job(site, instance)
    return job if job.because is not None and job.because.kind is Kind.BEING_STOPPED else None


def _job(site: Site, instance: int) -> JobRow:
    return site.engine.services.store.jobs(instance)[0]
