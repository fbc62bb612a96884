"""What a job that was given a secret prints on a worker is masked here, whichever engine brings it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.model.definitions import Definitions
from tests.runtime.site import Gate, Site, tree
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

SECRET = "s3cr€t/Pa ss+'\"word"
ON = {"workers": ["build"]}


@pytest.fixture
def passphrase(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open sesame")
    return "open sesame"


@pytest.fixture
def build(passphrase: str, site: Site, ssh_workers: Sshd, tmp_path: Path) -> Iterator[SshWorkers]:
    """A worker of that name that takes secrets."""
    with ssh_site(site, ssh_workers, tmp_path / "there") as workers:
        workers.add("build", secrets="allow")
        yield workers
        site.close()


def of(job: dict[str, Any], **task: Any) -> Definitions:
    return tree({"jobs": {"j": {"on": ON, **job}}, "tasks": {"t": {"nodes": {"a": {"job": "j"}}, **task}}})


def script(gate: Gate) -> str:
    return 'echo "before $pw"; ' + gate.script(then='echo "after $pw"; exit 7')


def logs(site: Site) -> str:
    return "".join(each.read_text() for each in site.root.rglob("job.log"))


def texts(site: Site) -> Iterator[tuple[Path, bytes]]:
    for each in site.root.rglob("*"):
        if each.is_file() and each.name != "secrets.vault":
            yield each, each.read_bytes()


def assert_nowhere(site: Site) -> None:
    """Neither the first of its words nor all of it is in any file of the workspace."""
    assert [path for path, data in texts(site) if "s3cr€t".encode() in data] == []


def test_a_stored_secret_is_masked_by_the_next_engine_too(
    build: SshWorkers, gate: Gate, passphrase: str
) -> None:
    # given a job with a stored secret that has printed it
    site = build.site
    vault = wiring.open_vault(site.engine.workspace)
    vault.unlock(passphrase=passphrase)
    vault.set("db", SECRET)
    instance = site.begin(of({"type": "shell", "process": script(gate), "params": {"pw": {"secret": "db"}}}))
    until(lambda: logs(site) == "before ******\n", "its first line")

    # when another engine takes it up, and it prints it again
    site.again()
    gate.open()

    # then both lines are here, masked
    assert site.end(instance)["a"].exit_code == 7
    assert logs(site) == "before ******\nafter ******\n"
    assert_nowhere(site)


def test_what_is_printed_stays_there_where_a_typed_secret_is_not_known_any_more(
    build: SshWorkers, gate: Gate
) -> None:
    # given a job with a secret that was typed for its run
    site = build.site
    job = {
        "type": "shell",
        "process": script(gate),
        "params": {"pw": {"secret": True, "value": "$.TASK.PARAMS['pw']"}},
    }
    instance = site.begin(of(job, params={"pw": {"secret": True}}), texts={"pw": SECRET})
    until(lambda: logs(site) == "before ******\n", "its first line")

    # when another engine takes it up, which does not have it
    site.again()
    gate.open()

    # then its outcome counts, and what it printed since is not brought
    assert site.end(instance)["a"].exit_code == 7
    assert logs(site) == "before ******\n"
    assert_nowhere(site)


def test_what_it_printed_is_there_only_until_it_has_ended(build: SshWorkers, gate: Gate) -> None:
    # given a job that has printed and written the secret that it was given
    site, there = build.site, build.roots["build"]
    job = {
        "type": "shell",
        "process": 'echo "$pw" | tee "$SKERRY_OUTPUTS/x"; ' + gate.script(),
        "params": {"pw": {"secret": True, "value": "$.TASK.PARAMS['pw']"}},
        "results": {"x": {"kind": "file"}},
    }
    instance = site.begin(of(job, params={"pw": {"secret": True}}), texts={"pw": SECRET})
    gate.until_up()
    assert [each.name for each in there.rglob("*") if each.is_file() and SECRET.encode() in each.read_bytes()]

    # when it ends
    gate.open()
    site.end(instance)

    # then nothing of it is left on the worker
    until(lambda: not any(each.is_dir() for each in there.iterdir()), "its folder to be removed")


@pytest.mark.parametrize("where", [ON, {}], ids=["on a worker", "here"])
@pytest.mark.parametrize(
    "job",
    [
        {"type": "command", "ready": "true", "argv": ["echo", "it is $.TASK", "$.TASK.PARAMS['pw']"]},
        {"type": "shell", "env": {"PW": "<{$.TASK.PARAMS['pw']}>"}, "process": 'echo "it is $PW"'},
    ],
    ids=["argv", "env"],
)
def test_a_typed_secret_in_arguments_and_variables_is_masked_in_what_is_printed(
    build: SshWorkers, job: dict[str, Any], where: dict[str, Any]
) -> None:
    site = build.site

    seen = site.run(of({**job, "on": where}, params={"pw": {"secret": True}}), texts={"pw": SECRET})

    assert seen.status == "succeeded"
    assert logs(site).startswith("it is ")
    assert "******" in logs(site)
    assert_nowhere(site)


# -- a worker that refuses them ------------------------------------------------------------------------


@pytest.fixture
def refusing(passphrase: str, site: Site, ssh_workers: Sshd, tmp_path: Path) -> Iterator[Site]:
    """A site whose worker of that name takes no secrets."""
    with ssh_site(site, ssh_workers, tmp_path / "there") as workers:
        workers.add("build")
        yield site
        site.close()


def test_a_job_whose_resource_needs_a_secret_is_given_none(
    refusing: Site, passphrase: str, tmp_path: Path
) -> None:
    # given a resource that the engine asks with a secret
    vault = wiring.open_vault(refusing.engine.workspace)
    vault.unlock(passphrase=passphrase)
    vault.set("db", SECRET)
    database = {
        "type": "database",
        "uri": f"sqlite:///{tmp_path}/in.db",
        "request": {"secret": "db"},
    }
    job = {"type": "shell", "process": "echo on", "on": ON, "resources": ["in"]}
    nodes = {"a": {"job": "j"}}

    seen = refusing.run(
        tree({"resources": {"in": database}, "jobs": {"j": job}, "tasks": {"t": {"nodes": nodes}}})
    )

    assert (seen["a"].status, seen["a"].row.worker, seen["a"].log) == ("succeeded", "build", "on\n")


@pytest.mark.parametrize(
    "job",
    [
        {"type": "shell", "process": "true", "params": {"pw": {}}},
        {"type": "shell", "process": "true", "params": {"x": "<{$.TASK.PARAMS['pw']}>"}},
        {"type": "shell", "process": "true", "env": {"PW": "<{$.TASK.PARAMS['pw']}>"}},
        {"type": "command", "argv": ["echo", "it is {$.TASK.PARAMS}"]},
        {"type": "command", "argv": ["echo", "$..PARAMS"]},
    ],
    ids=["the task's parameter", "parameter", "env", "argv", "query"],
)
def test_of_a_run_with_a_typed_secret_only_jobs_that_may_read_it_are_refused(
    refusing: Site, job: dict[str, Any]
) -> None:
    jobs = {"j": {**job, "on": ON, "recovery": {"strategy": "discard"}}}
    other = {"type": "command", "argv": ["echo", "{$.TASK.ID}", "{$.TASK.PARAMS['day']}"], "on": ON}
    nodes = {"asks": {"job": "j"}, "other": other}
    tasks = {"t": {"nodes": nodes, "params": {"pw": {"secret": True}, "day": "7"}}}

    seen = refusing.run(tree({"jobs": jobs, "tasks": tasks}), texts={"pw": SECRET})

    assert (seen["other"].status, seen["other"].row.worker) == ("succeeded", "build")
    assert (seen["asks"].status, seen["asks"].attempts) == ("discarded", [])
    assert "secret" in (seen["asks"].row.error_message or "")
