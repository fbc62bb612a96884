"""A worker is added from nothing, runs a job and is drained: with a real pointer, with the keys alone, by a real sshd."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.desktop.xvfb.walking import walked
from tests.desktop.xvfb.worker_stories import STORIES
from tests.servers.ssh_workers import Sshd

CLICKS = {"worker from nothing": 12, "worker from nothing by keys": 0}


@pytest.mark.parametrize("story", STORIES)
def test_a_worker_is_added_from_nothing_runs_a_job_and_is_drained(
    story: str, display: str, ssh_workers: Sshd, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    shutil.copyfile(ssh_workers.key, key)
    key.chmod(0o600)
    (tmp_path / "sshd.json").write_text(json.dumps({"port": ssh_workers.port, "key": str(key)}), "utf-8")

    took = walked("worker_stories", story, "usual", display, tmp_path)

    assert took["clicks"] <= CLICKS[story], took["steps"]
