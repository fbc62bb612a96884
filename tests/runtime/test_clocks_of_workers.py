"""A worker whose clock is off gets no jobs until it is right: times from there could not be compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.execution.ssh import condition
from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.private import folder
from tests.servers.ssh_workers import serving
from tests.waiting import until

# What the host says is the time: hours ahead as long as a file says so.
DATE = """#!/bin/sh
exec /bin/date -d "$(cat {off}) seconds" "$@"
"""


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_worker_whose_clock_is_off_gets_no_job_until_it_is_right(
    make_site: Callable[..., Site], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    monkeypatch.setattr(condition, "_HEARTBEAT", 1)
    off, there = tmp_path / "off", tmp_path / "bin"
    there.mkdir()
    off.write_text(str(seconds))
    (there / "date").write_text(DATE.format(off=off))
    (there / "date").chmod(0o755)
    site = make_site()
    command = f"ForceCommand PATH={there}:$PATH exec sh"
    with (
        folder() as place,
        serving(place, command) as server,
        ssh_site(site, server, tmp_path / "x") as workers,
    ):
        # given a host that answers, but shows another time
        workers.add("build")

        # when a job is to run there
        instance = site.begin(task({"x": shell("true", on={"workers": ["build"]})}))
        site.until_state(instance, "x", "no_worker")

        # then it waits and names the figures, and nothing has begun
        why = site.see(instance)["x"].reason or ""
        assert re.search(r"build \(its clock is (3599|3600) s off, more than 5 s\)", why)
        assert site.see(instance)["x"].attempts == []

        # and when the clock there is right, it runs
        off.write_text("0")
        assert site.end(instance).states == {"x": "succeeded"}
        until(lambda: workers.reason("build") is None, "the worker to have nothing in its way")
        site.close()
