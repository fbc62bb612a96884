"""A host that allows few channels at once: files take turns, and where there is no room for any it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.execution.outcomes import Exit
from engine.execution.ssh.requests import INLINE
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError
from tests.execution.conftest import Workbench
from tests.execution.ssh.conftest import Site
from tests.servers.cable import cable
from tests.servers.private import folder
from tests.servers.ssh_workers import serving

RESULTS = """\
for name in a b c; do head -c 300000 /dev/urandom > $SKERRY_OUTPUTS/$name; done
cat $SKERRY_OUTPUTS/* | sha256sum
"""


@pytest.mark.parametrize("sessions", [2, 3])
def test_where_few_channels_are_allowed_files_take_turns(
    bench: Workbench, tmp_path: Path, sessions: int
) -> None:
    with folder() as place, serving(place, f"MaxSessions {sessions}") as server, cable(server.port) as wire:
        # given several jobs that leave files at once, one of them with a script that is sent as a file
        site = Site(bench, server, wire, tmp_path / "remote")
        launches = [site.launch(RESULTS + f": {'x' * INLINE * (number == 0)}") for number in range(4)]
        ends: list[object] = []
        for each in launches:
            site.host.wake(site.host.start(each), ends.append)

        # when they end
        site.turns.until(lambda: len(ends) == len(launches))

        # then all of them is here
        assert ends == [Exit(0)] * len(launches)
        for each in launches:
            here = [Path(each.directory, "outputs", name) for name in "abc"]
            assert [len(path.read_bytes()) for path in here] == [300_000] * 3
        site.host.close()


def test_where_none_is_allowed_but_the_shell_a_job_with_files_ends_with_a_code(
    bench: Workbench, tmp_path: Path
) -> None:
    with folder() as place, serving(place, "MaxSessions 1") as server, cable(server.port) as wire:
        site = Site(bench, server, wire, tmp_path / "remote")

        with pytest.raises(SkerryError) as refused:
            site.run("echo something")

        assert refused.value.entry is codes.NO_SFTP
        assert site.run("exit 3")[0] == Exit(3)
        site.host.close()
