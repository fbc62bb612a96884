"""Places on a host that nobody would choose: roots with odd names, disks that fill up in mid-job."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.execution.outcomes import Exit
from tests.execution.ssh.conftest import Site
from tests.execution.ssh.test_inputs import small_disk

__all__ = ["small_disk"]

ROOTS = (
    'it\'s "odd" $(touch X) `touch X`',
    " blank at both ends ",
    "*",
    "-n",
    "马 \\ %s",
    "$HOME;touch X#",
    ".skerry/alone",
)


@pytest.mark.parametrize("name", ROOTS)
def test_a_root_with_an_odd_name_is_used_as_it_is(site: Site, tmp_path: Path, name: str) -> None:
    # given an engine whose root has that name, and one job that it runs there
    root = tmp_path / "roots" / name
    root.parent.mkdir(parents=True)
    site.host = host = site.connected(root=str(root))

    # when a job leaves output and a result, and one is stopped
    end, folder = site.run('pwd; echo 5 > "$SKERRY_OUTPUTS/n"')
    stage, _ = site.start("sleep 600")
    assert host.living([(stage.directory, stage.mark)])
    assert host.stop(stage.directory, stage.mark, 0.2).verified

    # then all of it is here, and nothing was executed or made elsewhere
    assert end == Exit(0)
    assert (folder / "job.log").read_text().startswith(f"{root}/")
    assert (folder / "outputs" / "n").read_text() == "5\n"
    assert not list(tmp_path.rglob("X"))


def test_a_disk_that_fills_up_in_mid_job_loses_neither_its_end_nor_its_output(
    site: Site, small_disk: Path
) -> None:
    site.host = site.connected(root=str(small_disk / "root"))

    end, folder = site.run('echo before; dd if=/dev/zero of="$SKERRY_OUTPUTS/big" bs=64k 2>/dev/null; exit 7')

    assert end == Exit(7)
    assert (folder / "job.log").read_text() == "before\n"
    assert (folder / "outputs" / "big").stat().st_size > 0
    assert not list((folder / "outputs").glob("*.part"))
