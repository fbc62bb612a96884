"""A worker that does not let its user in is left alone for long, since that locks accounts, and says so."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from app import wiring
from engine.api.local import LocalService
from engine.model.codes.ssh import LOGIN_REFUSED
from engine.model.reason_words import words
from engine.model.worker_request import WorkerRequest
from engine.runtime.upkeep import worker_hosts
from tests.runtime.site import Site
from tests.runtime.ssh_site import ssh_site
from tests.servers.login_recorder import recorder
from tests.servers.ssh_workers import Sshd, make_key
from tests.waiting import until


def _register(site: Site, port: int, **registered: str) -> None:
    request = WorkerRequest(ssh=f"{getpass.getuser()}@127.0.0.1:{port}", **registered)
    site.engine.workers.add("a", request, "ann")
    site.engine.workers.trust("a", None, "ann")


def _why(site: Site) -> str:
    live = site.engine.services.workers.find("a")
    assert live is not None
    return "" if live.row.because is None else words(live.row.because)


def test_a_check_that_gets_in_has_the_engine_try_at_once(
    site: Site, ssh_workers: Sshd, tmp_path: Path
) -> None:
    # given a worker whose key is not let in, so that it is left alone for ten minutes
    key = tmp_path / "key"
    make_key(key)
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        _register(site, ssh_workers.port, key=str(key), root=str(tmp_path / "remote"))
        until(lambda: "does not let the user in; tried again at" in _why(site), lambda: _why(site))
        assert "or at once by skerry worker check" in _why(site)

        # when it is let in there, and somebody checks that
        check = LocalService(site.engine).check_worker
        assert [each["code"] for each in check("a")["remarks"]] == [LOGIN_REFUSED.number]
        with (ssh_workers.place / "authorized_keys").open("ab") as keys:
            keys.write(key.with_suffix(".pub").read_bytes())
        check("a")

        # then the engine is in as well
        workers.until_state("a", "online")
        assert _why(site) == ""
        site.close()


def test_another_password_is_tried_at_once(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a worker whose password is refused
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open sesame")
    monkeypatch.setattr(worker_hosts, "_LOOK", 0.05)
    vault = wiring.open_vault(site.engine.workspace)
    vault.set("pw", "first")
    site.again()
    with recorder() as (port, _, seen):
        _register(site, port, password_secret="pw")
        until(lambda: "tried again at" in _why(site), lambda: _why(site))

        # when another one is stored, and when the next engine finds none before a third one is stored
        vault.set("pw", "second")
        until(lambda: "password second" in seen, lambda: str(seen))
        vault.remove("pw")
        site.again()
        until(lambda: "there is no secret 'pw'" in _why(site), lambda: _why(site))
        vault.set("pw", "third")
        until(lambda: "password third" in seen, lambda: str(seen))
        until(lambda: "tried again at" in _why(site), lambda: _why(site))

        # then each was tried once
        tried = [each.removeprefix("password ") for each in seen if each.startswith("password")]
        assert tried == ["first", "second", "third"]
        site.close()
