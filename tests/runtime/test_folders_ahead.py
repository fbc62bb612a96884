"""Directories on a host for jobs that wait for it: made by one program, and never left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until


@pytest.fixture
def workers(site: Site, ssh_workers: Sshd, tmp_path: Path) -> Iterator[SshWorkers]:
    with ssh_site(site, ssh_workers, tmp_path / "remote") as made:
        yield made
        site.close()


def begun(site: Site, workers: SshWorkers, tmp_path: Path) -> int:
    """A run of five jobs on a worker with one slot: the first waits for a file."""
    workers.add("a", slots="1")
    held = f"while [ ! -e {tmp_path}/go ]; do sleep 0.02; done"
    jobs = {f"n{number}": shell(held, on={"workers": ["a"]}) for number in range(5)}
    instance = site.begin(task(jobs))
    until(lambda: len(folders(workers)) == 5)
    return instance


def folders(workers: SshWorkers) -> list[str]:
    return sorted(each.name for each in workers.roots["a"].iterdir() if each.is_dir())


def test_jobs_that_wait_begin_in_the_folders_that_were_made_for_them(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    instance = begun(site, workers, tmp_path)
    made = folders(workers)

    (tmp_path / "go").touch()
    seen = site.end(instance)

    assert seen.status == "succeeded"
    assert sorted(seen[f"n{number}"].attempts[0].mark for number in range(5)) == made
    until(lambda: folders(workers) == [])


def test_an_engine_that_ends_removes_those_of_jobs_that_have_not_begun(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    instance = begun(site, workers, tmp_path)
    running = site.see(instance)["n0"].attempts[0].mark

    site.close()

    until(lambda: folders(workers) == [running])


def test_a_later_engine_removes_what_one_that_was_killed_had_made(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    # given an engine that ends without a word to its hosts, as if it were killed
    instance = begun(site, workers, tmp_path)
    site.engine.services.hosts.of("a")._removals.finish = lambda more, seconds: None  # type: ignore[attr-defined]
    before = folders(workers)
    site.close()
    assert folders(workers) == before

    # when the next one is there
    site.again()
    (tmp_path / "go").touch()

    # then all run, once each, and nothing is left there
    seen = site.end(instance)
    assert [len(seen[f"n{number}"].attempts) for number in range(5)] == [1] * 5
    until(lambda: folders(workers) == [])
