"""Links that take their time: what can be asked together is, so that files come in few round trips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import paramiko
import pytest

from engine.execution.outcomes import Exit
from engine.execution.ssh import rounds, ssh_host
from engine.execution.ssh.endings import Endings
from engine.execution.ssh.stage import SshStage
from tests.execution.ssh.conftest import Site

SCRIPT = """\
echo out; echo err >&2; echo 1 > "$SKERRY_STATUS"; echo 10 > "$SKERRY_PROGRESS"
for each in 1 2 3 4 5 6 7 8 9; do echo $each > "$SKERRY_OUTPUTS/x$each"; done
exit 3
"""


def test_whatever_a_job_leaves_comes_in_six_round_trips(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    # given a link that has its channel for files, and a job that leaves something of every kind
    assert site.run("echo first")[0] == Exit(0)
    monkeypatch.setattr(ssh_host, "_EACH", 1000.0)  # nothing is brought while it runs
    waited: list[str] = []

    def counted(place: Any, name: str) -> None:
        real = getattr(place, name)
        monkeypatch.setattr(place, name, lambda *args: waited.append(name) or real(*args))

    counted(rounds, "_round")
    counted(paramiko.SFTPClient, "_request")

    # when it ends
    end, directory = site.run(SCRIPT)

    # then all of it is here; each step was one of all files
    assert end == Exit(3)
    assert (directory / "job-error.log").read_text() == "err\n"
    assert (directory / "status").read_text() == "1\n"
    found = {each.name: each.read_text() for each in (directory / "outputs").iterdir()}
    assert found == {f"x{n}": f"{n}\n" for n in range(1, 10)}
    assert waited == ["_round"] * 6


def test_what_an_attempt_prints_is_not_asked_for_again_while_it_is_on_its_way(tmp_path: Path) -> None:
    # given a link over which one look at what has grown takes longer than the time between two of them
    carried: list[Callable[[Any], None]] = []
    transfers = Mock(carry=lambda work, done: carried.append(done))
    endings = Endings(Mock(), Mock(), transfers, Mock(), Mock(), Mock(), Mock())
    stage = SshStage(str(tmp_path), "process", "1.1.a", Mock())

    for _ in range(5):
        endings.grow(stage, (1, 0, 0))
    assert len(carried) == 1

    carried[0](None)
    endings.grow(stage, (2, 0, 0))
    assert len(carried) == 2
