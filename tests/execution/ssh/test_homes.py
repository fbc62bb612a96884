"""Hosts whose user has a home with an odd path, in which the folder for jobs is by default."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.execution.outcomes import Exit
from engine.model.codes.ssh import ROOT_READ_ONLY
from tests.execution.conftest import Workbench
from tests.execution.ssh.test_examination import wrong
from tests.execution.ssh.test_login_shells import host


def with_home(path: str) -> str:
    """A line of configuration of sshd; the path as printf writes it."""
    return f"""ForceCommand HOME=$(printf '{path}x'); HOME=${{HOME%%x}}; export HOME; exec sh -c "$SSH_ORIGINAL_COMMAND" """


@pytest.mark.parametrize("name", ["no text \\377\\376", 'a "quoted" $(touch X)  ;', "\\\\ *"], ids=ascii)
def test_jobs_run_below_any_home(name: str, bench: Workbench, tmp_path: Path) -> None:
    # given a worker that has no folder named
    home = os.fsencode(f"{tmp_path}/") + name.encode("latin-1").decode("unicode_escape").encode("latin-1")
    os.mkdir(home)
    with host(bench, tmp_path, with_home(f"{tmp_path}/{name}")) as site:
        site.host.close()
        site.host = site.connected(root="jobs")

        # when it is checked and a job runs there
        found = wrong(replace(site.settings, root="jobs"))
        end, here = site.run('pwd; head -c 300000 /dev/zero > "$SKERRY_OUTPUTS/n"; exit 3')

    # then its files are here
    assert found == []
    assert end == Exit(3)
    assert (here / "job.log").read_bytes().startswith(home + b"/jobs/")
    assert (here / "outputs" / "n").stat().st_size == 300_000
    assert not list(tmp_path.rglob("X"))


@pytest.mark.parametrize("home", ["{place}/two\\nlines", "relative", "."], ids=ascii)
def test_a_home_that_no_path_can_be_made_of_is_found(home: str, bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "two\nlines").mkdir()
    with host(bench, tmp_path, with_home(home.format(place=tmp_path))) as site:
        [remark] = wrong(replace(site.settings, root="jobs"))

    assert (remark.step, remark.code) == ("folder", ROOT_READ_ONLY.number)
    assert list((tmp_path / "two\nlines").iterdir()) == []
