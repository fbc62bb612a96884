"""Where a file resource is looked at: on the engine's machine, or with `at: worker` on the one that runs the job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.runtime import RESOURCE_FAILED
from engine.plugins.resource_type import FileFacts
from tests.runtime.site import Site, shell, tree
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.ssh_workers import Sshd


@pytest.fixture
def workers(site: Site, ssh_workers: Sshd, tmp_path: Path) -> Iterator[SshWorkers]:
    with ssh_site(site, ssh_workers, tmp_path / "remote") as made:
        made.add("a")
        yield made
        site.close()


def definitions(path: Path, at: str, **keys: Any) -> Any:
    node = shell("true", resources=["table"], **keys)
    resources = {"table": {"type": "file", "uri": str(path), "at": at}}
    return tree({"resources": resources, "tasks": {"t": {"nodes": {"x": node}}}})


def test_it_is_looked_at_where_the_job_runs(
    workers: SshWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a worker whose files are seen to be asked for
    table, asked = tmp_path / "table", list[str]()
    host = workers.site.engine.services.hosts.of("a")
    real = host.look_at_file

    def look(path: str, digest: bool) -> FileFacts:
        asked.append(path)
        return real(path, digest)

    monkeypatch.setattr(host, "look_at_file", look)

    # when a job there needs a file that is not there, then one that is
    missing = workers.site.run(definitions(table, "worker", on={"workers": ["a"]}))
    table.write_text("1")
    there = workers.site.run(definitions(table, "worker", on={"workers": ["a"]}))

    assert (missing["x"].row.error_code, there.status) == (RESOURCE_FAILED.number, "succeeded")
    assert asked == [str(table)] * 2

    # and the engine's own machine is looked at where that is meant, or where the job runs on it
    for at, keys in (("engine", {"on": {"workers": ["a"]}}), ("worker", {})):
        assert workers.site.run(definitions(table, at, **keys)).status == "succeeded"
    assert len(asked) == 2


def test_a_worker_out_of_reach_is_waited_for(
    workers: SshWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a link that is cut just when the file is to be looked at
    table = tmp_path / "table"
    table.write_text("1")
    host = workers.site.engine.services.hosts.of("a")
    real, cuts = host.look_at_file, [1]

    def look(path: str, digest: bool) -> FileFacts:
        if cuts:
            cuts.pop()
            workers.wires["a"].cut()
            workers.wires["a"].mend()
        return real(path, digest)

    monkeypatch.setattr(host, "look_at_file", look)

    assert workers.site.run(definitions(table, "worker", on={"workers": ["a"]})).status == "succeeded"
