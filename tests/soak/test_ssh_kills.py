"""The short version of the soak of jobs over SSH."""

from __future__ import annotations

from pathlib import Path

from tests.effort import effort
from tests.soak import ssh_kills


def test_an_engine_that_is_killed_runs_every_job_over_ssh_once(tmp_path: Path) -> None:
    assert ssh_kills.soak(tmp_path, effort(12, all=100), effort(4, all=30), seed=7) == []
