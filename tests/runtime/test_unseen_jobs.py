"""A job on a worker that is not reached for long is an alert, once; it goes on and is started nowhere else."""

from __future__ import annotations

from pathlib import Path

from engine.model.codes.ssh import HOST_UNREACHABLE
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until


def test_a_job_on_a_worker_that_is_not_reached_for_long_is_an_alert(
    site: Site, gate: Gate, ssh_workers: Sshd, tmp_path: Path
) -> None:
    with ssh_site(site, ssh_workers, tmp_path / "there") as workers:
        # given a job that runs on a worker
        workers.add("build")
        job = shell(gate.script("x"), on={"workers": ["build"]}, recovery={"after": 0.3})
        instance = site.begin(task({"x": job}))
        gate.until_up("x")

        # when its worker is not reached for longer than its recovery waits
        workers.wires["build"].cut()
        until(lambda: site.engine.store.alerts(instance=instance), "the alert")

        # then that is said once, and the job runs on
        [alert] = site.engine.store.alerts(instance=instance)
        assert (alert.kind, alert.code) == ("out_of_reach", HOST_UNREACHABLE.number)
        assert "worker 'build' is not reached" in str(alert.message)
        assert site.state(instance, "x") == "running"
        gate.open("x")
        workers.wires["build"].mend()
        assert len(site.end(instance)["x"].attempts) == 1
        assert len(site.engine.store.alerts(instance=instance)) == 1
        site.close()


def test_a_worker_that_is_back_soon_is_no_alert(
    site: Site, gate: Gate, ssh_workers: Sshd, tmp_path: Path
) -> None:
    with ssh_site(site, ssh_workers, tmp_path / "there") as workers:
        workers.add("build")
        job = shell(gate.script("x"), on={"workers": ["build"]}, recovery={"after": 5})
        instance = site.begin(task({"x": job}))
        gate.until_up("x")

        workers.wires["build"].cut()
        workers.until_state("build", "offline")
        workers.wires["build"].mend()
        workers.until_state("build", "online")
        limit = site.engine.services.loop.clock.monotonic() + 5.2
        until(lambda: site.engine.services.loop.clock.monotonic() > limit)

        assert site.engine.store.alerts(instance=instance) == []
        gate.open("x")
        assert site.end(instance).states == {"x": "succeeded"}
        site.close()
