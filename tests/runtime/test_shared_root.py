"""Two engines with one root on a host: a job that may not begin beside the other's is busy, and no attempt counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.execution.ssh import condition
from engine.model.codes.confirmation import BUSY_THERE
from engine.runtime.upkeep.worker_hosts import root_of
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import Sshd


def test_an_exclusive_job_is_busy_until_what_another_engine_runs_has_ended(
    make_site: Callable[..., Site],
    ssh_workers: Sshd,
    tmp_path: Path,
    gate: Gate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # given two workspaces with one root, of which neither looks what the other runs until it is refused
    monkeypatch.setattr(condition, "_HEARTBEAT", 10_000)
    one, other = make_site(), make_site()
    with ExitStack() as stack:
        for site in (one, other):
            stack.enter_context(ssh_site(site, ssh_workers, tmp_path / "remote")).add("a")
        first = one.begin(task({"x": shell(gate.script(), on={"workers": ["a"]})}))
        gate.until_up()

        # when an exclusive job begins in the other one
        on = {"workers": ["a"], "exclusive": True}
        alone = other.begin(task({"x": shell("echo ran", on=on, recovery={"after": 3600})}))
        other.until_state(alone, "x", "busy")
        assert one.see(first)["x"].status == "running"
        gate.open()

        # then it runs once the first has ended; what was refused counts as no attempt, and asks nobody
        seen = other.end(alone)
        assert (seen.status, seen["x"].log) == ("succeeded", "ran\n")
        assert [row.error_code for row in seen["x"].attempts] == [BUSY_THERE.number, None]
        assert [row.status for row in other.engine.store.exceptions()] == ["handled"]
        assert not other.engine.store.alerts()
        assert one.end(first).status == "succeeded"
        for site in (one, other):
            site.close()


def test_workspaces_of_one_name_have_folders_of_their_own(tmp_path: Path) -> None:
    roots = [root_of(Site(tmp_path / each / "it's mine").engine.workspace) for each in ("a", "b")]

    assert len(set(roots)) == 2
    assert all(each.startswith(".skerry-jobs/it_s_mine-") for each in roots)
    assert roots[0] == root_of(Site(tmp_path / "a" / "it's mine").engine.workspace), (
        "the same for the next engine"
    )
