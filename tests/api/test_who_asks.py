"""Who asked for a change is the account at the other end of the socket, whatever the engine runs as."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engine.api.client import Client
from engine.api.listener import Listener
from engine.api.local import LocalService
from tests.runtime.site import Site

TASK = "skerry: 1\ntasks: {t: {nodes: {a: {type: shell, process: 'true'}}}}\n"
SOURCES = [{"name": "t.yaml", "text": TASK}]
ASK = """
import os, sys
from engine.api.client import Client
client = Client(sys.argv[1])
client.about()
os.setuid(int(sys.argv[2]))
os.environ["USER"] = os.environ["LOGNAME"] = "mallory"
client.load([{"name": "t.yaml", "text": sys.argv[3]}])
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "workspace").start()
    yield site
    site.close()


def authors(site: Site) -> list[str | None]:
    return [row.actor for row in site.engine.store.history("task", "t")]


def test_the_account_at_the_other_end_is_named_not_the_one_of_the_service(site: Site) -> None:
    service = LocalService(site.engine, actor="ann")
    with Listener(service, site.engine.workspace.socket):
        service.load(SOURCES)
        Client(site.engine.workspace.socket).load([{"name": "t.yaml", "text": TASK.replace("true", "false")}])

    assert authors(site) == [pwd.getpwuid(os.geteuid()).pw_name, "ann"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else")
@pytest.mark.parametrize(("uid", "name"), [(pwd.getpwnam("nobody").pw_uid, "nobody"), (4_000_000, "4000000")])
def test_another_account_is_named_by_the_kernel_not_by_itself(site: Site, uid: int, name: str) -> None:
    with TemporaryDirectory() as folder, Listener(LocalService(site.engine), Path(folder, "s")):
        os.chmod(folder, 0o755)  # the folders of pytest are closed again by every other run
        os.chmod(f"{folder}/s", 0o666)
        subprocess.run([sys.executable, "-c", ASK, f"{folder}/s", str(uid), TASK], check=True)

    assert authors(site) == [name]
