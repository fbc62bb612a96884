"""A worker whose disk is full holds up its own jobs, and nothing of the engine that its disk is fine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import Sshd
from tests.small_disk import small_disk
from tests.waiting import until


def test_a_full_disk_on_a_worker_is_said_of_its_jobs_alone(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path
) -> None:
    site = make_site()
    with small_disk(tmp_path / "disk", "1m") as disk, ssh_site(site, ssh_workers, disk) as workers:
        # given a worker that is reached and has no room any more
        workers.add("a")
        ballast = disk / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

        # when a job is to run there
        instance = site.begin(task({"x": shell("echo ran", on={"workers": ["a"]})}))

        # then the job says since when it waits, and the engine does not pass for one that cannot write
        until(lambda: "wait for room since" in (site.see(instance)["x"].row.reason or ""), "its reason")
        first = site.see(instance)["x"].row.reason
        assert site.engine.services.writes.reason is None
        assert site.run(task({"y": shell("true")}), "t").status == "succeeded"
        assert site.see(instance)["x"].row.reason == first

        # and with room it runs, as its first attempt
        ballast.unlink()
        seen = site.end(instance)
        assert (seen.status, seen["x"].log, len(seen["x"].attempts)) == ("succeeded", "ran\n", 1)
        site.close()
