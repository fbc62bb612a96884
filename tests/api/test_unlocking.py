"""An engine that was started without the passphrase is given it later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import wiring
from engine.api.client import Client
from engine.api.documents import RunRequest
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.secrets import VAULT_ALTERED, VAULT_LOCKED, WRONG_PASSPHRASE
from engine.model.errors import Refused, SkerryError
from engine.runtime.engine import Engine
from engine.secrets.credentials import VARIABLES

TASK = """\
skerry: 1
jobs:
  ask: {type: shell, params: {word: {secret: pin}}, process: 'test "${word}" = 1234-5678'}
tasks:
  t: {nodes: {a: {job: ask}}}
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """One whose workspace has a secret that nothing in its environment opens."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    vault = wiring.open_vault(wiring.open_workspace(tmp_path))
    vault.unlock(passphrase="open sesame")
    vault.set("pin", "1234-5678")
    with wiring.open_engine(tmp_path) as engine:
        yield engine


@pytest.fixture
def client(engine: Engine) -> Iterator[Client]:
    with Listener(LocalService(engine), engine.workspace.socket):
        yield Client(engine.workspace.socket)


def run(client: Client, engine: Engine) -> str:
    number = client.run(RunRequest("t", [{"name": "t.yaml", "text": TASK}]))
    assert engine.wait(number, 60)
    return client.instance(number)["status"]


def test_jobs_fail_until_the_passphrase_is_given(client: Client, engine: Engine) -> None:
    assert client.secrets() == {"stored": 1, "locked": True}
    assert run(client, engine) == "failed"
    assert client.instance(1)["error_code"] == VAULT_LOCKED.number

    assert client.unlock("open sesame") == {"stored": 1, "locked": False}

    assert run(client, engine) == "succeeded"


def test_a_wrong_passphrase_is_refused_and_leaves_them_locked(client: Client) -> None:
    with pytest.raises(Refused) as caught:
        client.unlock("open barley")

    assert caught.value.entry.number == WRONG_PASSPHRASE.number
    assert client.secrets()["locked"]


def test_unlocking_a_file_that_lost_a_record_is_refused_and_so_are_its_jobs(
    client: Client, engine: Engine
) -> None:
    tree = json.loads(engine.workspace.secret_file.read_bytes())
    tree["records"].clear()
    engine.workspace.secret_file.write_text(json.dumps(tree))

    with pytest.raises(Refused) as caught:
        client.unlock("open sesame")

    assert caught.value.entry.number == VAULT_ALTERED.number
    assert run(client, engine) == "failed"
    assert client.instance(1)["error_code"] == VAULT_ALTERED.number


def test_what_was_sent_is_in_no_error(client: Client) -> None:
    with pytest.raises(SkerryError) as caught:
        client.unlock({"open": "sesame"})  # type: ignore[arg-type]

    assert caught.value.entry.number == WRONG_USE.number
    assert "sesame" not in str(caught.value)


def test_where_nothing_is_stored_nothing_is_locked(tmp_path: Path) -> None:
    with wiring.open_engine(tmp_path) as engine:
        service = LocalService(engine)

        assert service.unlock("anything") == {"stored": 0, "locked": False}
        assert not (tmp_path / "secrets.vault").exists()


def test_a_job_that_has_a_secret_cannot_print_the_passphrase_that_was_given(
    client: Client, engine: Engine
) -> None:
    client.unlock("open sesame")
    says = TASK.replace('test "${word}" = 1234-5678', "echo is open sesame; echo -n open sesame | base64")

    number = client.run(RunRequest("t", [{"name": "t.yaml", "text": says}]))
    assert engine.wait(number, 60)

    [job] = client.instance(number)["jobs"]
    assert Path(job["directory"], "job.log").read_text() == "is ******\n******\n"
