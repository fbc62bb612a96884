"""A host whose sshd gives no files: what needs none runs there, the rest ends with a code instead of waiting."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.execution.outcomes import Exit
from engine.execution.ssh.requests import INLINE
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError
from engine.model.worker import Address, Worker
from engine.runtime.upkeep.shown_keys import log_in
from tests.execution.conftest import Workbench
from tests.execution.ssh.conftest import Site
from tests.servers.cable import cable
from tests.servers.private import folder
from tests.servers.ssh_workers import Sshd, serving

SUBSYSTEMS = {"there is none": "none /bin/false", "its program is missing": "sftp /nowhere/sftp-server"}


@pytest.fixture(params=list(SUBSYSTEMS.values()), ids=list(SUBSYSTEMS))
def server(request: pytest.FixtureRequest) -> Iterator[Sshd]:
    with folder() as place, serving(place, subsystem=request.param) as made:
        yield made


@pytest.fixture
def site(bench: Workbench, server: Sshd, tmp_path: Path) -> Iterator[Site]:
    with cable(server.port) as wire:
        made = Site(bench, server, wire, tmp_path / "remote")
        yield made
        made.host.close()


def test_a_job_that_leaves_nothing_runs_there(site: Site) -> None:
    end, _ = site.run("exit 3")

    assert end == Exit(3)


@pytest.mark.parametrize(
    "script", ["echo something", f": {'x' * INLINE}"], ids=["to be fetched", "to be sent"]
)
def test_a_job_with_files_ends_with_a_code(site: Site, script: str) -> None:
    with pytest.raises(SkerryError) as refused:
        site.run(script)

    assert refused.value.entry is codes.NO_SFTP
    assert not refused.value.entry.retryable


def test_it_is_not_registered_by_the_assistant(server: Sshd, tmp_path: Path) -> None:
    address = Address("127.0.0.1", getpass.getuser(), server.port)
    worker = Worker("a", address=address, key_file=str(server.key), root=str(tmp_path / "root"))
    keys = {address.place: f"{server.host_key.kind} {server.host_key.data}"}

    with pytest.raises(SkerryError) as refused:
        log_in(worker, keys, lambda name: "", "")

    assert refused.value.entry is codes.NO_SFTP
