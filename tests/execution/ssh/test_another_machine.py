"""What was sent to a host is not taken for what another machine has, though a person trusts that one now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.execution.host import UNKNOWN
from engine.execution.outcomes import FENCED_UNSEEN, Exit, Lost, Unreachable
from engine.execution.ssh import leases
from engine.execution.ssh.fencing import OTHER_KEY
from engine.execution.ssh.settings import HostKey
from tests.execution.ssh.conftest import Site
from tests.runtime.site import lives
from tests.servers.private import folder
from tests.servers.ssh_workers import Sshd, serving

ROUNDS = 3  # looks at what runs
FENCE = 4.0  # seconds


@pytest.fixture
def other(ssh_workers: Sshd) -> Iterator[Sshd]:
    """A server with a key of its own that lets the same user in."""
    with folder() as place, serving(place) as server:
        (place / "authorized_keys").write_bytes((ssh_workers.place / "key.pub").read_bytes())
        yield server


def trusted(site: Site, port: int, key: HostKey, root: Path | None = None) -> None:
    """Another machine has the address, and a person vouches for its key."""
    site.wire.cut()
    site.wire.lead_to(port)
    settings = site.host.settings
    target = replace(settings.target, host_key=key)
    site.host.change(replace(settings, target=target, root=str(root or settings.root)))
    site.turns.until(lambda: site.host.standing.place is None)
    site.wire.mend()
    site.turns.until(lambda: site.host.standing.place is not None)


def rounds_pass(site: Site) -> None:
    after = site.host._rounds + ROUNDS
    site.turns.until(lambda: site.host._rounds >= after)


def test_what_runs_goes_on_until_its_own_machine_is_there_again(
    site: Site, ssh_workers: Sshd, other: Sshd
) -> None:
    # given a program that runs, and another machine in the place of its own, on which it has left nothing
    stage, directory = site.start("until [ -e ../../go ]; do sleep 0.05; done")
    site.root.rename(site.root.with_name("away"))
    trusted(site, other.port, other.host_key)
    rounds_pass(site)

    # then nothing is known of it, and nothing is certain
    mark = site.bench.marks[-1]
    assert stage.end is None
    assert site.host.is_elsewhere(mark)
    assert site.host.confirm(stage) == Unreachable(OTHER_KEY)
    assert site.host.living([(str(directory), mark)]) == (UNKNOWN,)
    assert not site.host.stop(str(directory), mark, 0.1).verified

    # when its own machine is back, and it ends
    site.root.rename(site.root.with_name("of the other machine"))
    site.root.with_name("away").rename(site.root)
    trusted(site, ssh_workers.port, ssh_workers.host_key)
    (site.root.parent / "go").touch()

    assert site.turns.end_of(site.host, stage) == Exit(0)


def test_what_was_being_sent_begins_on_no_other_machine(site: Site, ssh_workers: Sshd, other: Sshd) -> None:
    # given a start that a cut link holds up
    site.wire.cut()
    site.turns.until(lambda: site.host.standing.place is None)
    launch = site.launch("exit 0")
    stage = site.host.start(launch)

    # when another machine is there
    trusted(site, other.port, other.host_key)
    rounds_pass(site)

    # then it has not begun, and begins on its own when that is there again
    assert stage.end is None
    assert not (site.root / launch.mark).exists()
    trusted(site, ssh_workers.port, ssh_workers.host_key)
    assert site.turns.end_of(site.host, stage) == Exit(0)


def test_its_fence_counts_while_another_machine_has_its_address(
    site: Site, other: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a program with a fence, which nobody but its own machine can end
    monkeypatch.setattr(leases, "MARGIN", 2.0)
    site.host.close()
    site.host = site.connected(fence=FENCE, grace=1.0)
    stage, directory = site.start("trap '' TERM; while :; do sleep 0.05; done")
    began = site.bench.clock.monotonic()
    ends: list[tuple[object, bool]] = []
    site.host.wake(stage, lambda end: ends.append((end, lives(stage.pid))))

    # when another machine answers from now on
    trusted(site, other.port, other.host_key, site.root.with_name("of the other machine"))
    site.turns.until(lambda: bool(ends))

    # then it is known by the clock of this machine alone that nothing of it lives
    assert ends == [(Lost(FENCED_UNSEEN), False)]
    assert site.bench.clock.monotonic() - began >= FENCE + 1.0 + 2.0
    assert site.host.living([(str(directory), site.bench.marks[-1])]) == ()


def test_a_lease_without_end_stays_so_whatever_another_machine_says_of_its_own(
    site: Site, ssh_workers: Sshd, other: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a program that an engine let run as it ended
    monkeypatch.setattr(leases, "MARGIN", 0.0)
    site.host.close()
    site.host = site.connected(fence=FENCE, grace=0.0)
    stage, directory = site.start("until [ -e ../../go ]; do sleep 0.05; done")
    mark, own = site.bench.marks[-1], ssh_workers.host_key.fingerprint
    site.host.leave()
    site.host.close()

    # when the next one has to do with another machine for longer than that lease would have lasted
    site.host = site.made(term=2, endless={own}, fence=FENCE, grace=0.0)
    trusted(site, other.port, other.host_key, site.root.with_name("of the other machine"))
    until = site.bench.clock.monotonic() + FENCE + 2
    while site.bench.clock.monotonic() < until:
        assert site.host.look(str(directory), "process", mark) == Unreachable(OTHER_KEY)
        site.turns.nap(0.1)

    # then it goes on, and is found when its own is back
    assert lives(stage.pid)
    trusted(site, ssh_workers.port, ssh_workers.host_key, site.root)
    (site.root.parent / "go").touch()
    site.turns.until(lambda: not lives(stage.pid))
