"""Attempts that end themselves when their engine is not heard, and what is certain of them then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.execution.host import UNKNOWN, LivingStage
from engine.execution.outcomes import FENCED, FENCED_UNSEEN, VOUCHED, Exit, Lost, Unreachable
from engine.execution.ssh import leases
from engine.execution.ssh.ssh_host import SshHost
from tests.execution.ssh.conftest import Site

FENCE = 3.0  # seconds; those of people are ten at least
HIDES = "setsid sh -c '{trap} while :; do sleep 0.1; done' & {trap} echo up; while :; do sleep 0.1; done"


@pytest.fixture
def fenced(site: Site) -> Site:
    """Its host ends what its engine forgets, a second after it was asked to end."""
    site.host.close()
    site.settings = replace(site.settings, fence=FENCE, grace=1.0)
    site.host = site.connected()
    return site


def begun(site: Site, text: str) -> tuple[LivingStage, Path, list[object]]:
    """A job that has printed its first line; and its end, once there is one."""
    stage, directory = site.start(text)
    ends: list[object] = []
    site.host.wake(stage, ends.append)
    site.turns.until(lambda: "up" in (directory / "job.log").read_text())
    return stage, directory, ends


def living_there(site: Site, stage: LivingStage) -> list[str]:
    """What carries its mark on this machine, which is the host."""
    mark = f"SKERRY_ATTEMPT={stage.mark}".encode()
    found = []
    for each in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in each.read_bytes().split(b"\0"):
                found.append(each.parent.name)
        except OSError:
            continue
    return found


def next_engine(site: Site, **more: object) -> SshHost:
    site.host.close()
    site.host = site.made(**{"term": 2, **more})  # type: ignore[arg-type]
    return site.host


@pytest.mark.parametrize("trap", ["", 'trap "" TERM;'], ids=["ends when asked", "must be killed"])
def test_what_does_not_hear_its_engine_ends_itself_with_all_it_started(fenced: Site, trap: str) -> None:
    stage, directory, ends = begun(fenced, HIDES.format(trap=trap))
    assert living_there(fenced, stage)

    fenced.wire.cut()
    fenced.turns.until(lambda: not living_there(fenced, stage))

    # then who looks for it finds that out, with its output
    assert ends == []
    fenced.wire.mend()
    fenced.turns.until(lambda: bool(ends))
    assert ends == [Lost(FENCED)]
    assert (directory / "job.log").read_text() == "up\n"
    assert fenced.host.living([(stage.directory, stage.mark)]) == ()


def test_the_next_engine_finds_what_has_ended_itself(fenced: Site) -> None:
    stage, _, _ = begun(fenced, HIDES.format(trap=""))
    fenced.wire.cut()
    fenced.turns.until(lambda: not living_there(fenced, stage))

    host = next_engine(fenced)
    fenced.wire.mend()
    fenced.turns.until(lambda: host.standing.place is not None)
    found = None
    while found is None or isinstance(found, Unreachable):
        found = host.look(stage.directory, "process", stage.mark)
        fenced.turns.nap(0.01)

    assert not isinstance(found, (Exit, Lost))
    assert fenced.turns.end_of(host, found) == Lost(FENCED)


def test_a_lease_of_before_its_host_was_restarted_does_not_hold_longer(fenced: Site) -> None:
    stage, _, _ = begun(fenced, HIDES.format(trap=""))
    [lease] = Path(fenced.settings.root).glob(".skerry-lease.*")

    lease.write_text(f"{'9999999999':<19} {'99999999999':<11} another-boot\n")
    fenced.turns.until(lambda: "another-boot" not in lease.read_text())
    fenced.wire.cut()

    fenced.turns.until(lambda: not living_there(fenced, stage))


def test_as_long_as_its_engine_is_heard_it_goes_on(fenced: Site) -> None:
    stage, _, ends = begun(fenced, f"echo up; sleep {2 * FENCE}; exit 4")

    fenced.turns.until(lambda: bool(ends))

    assert ends == [Exit(4)]
    assert stage.pid


def test_a_job_is_given_away_only_when_its_tree_cannot_live(
    fenced: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a job that must be killed, whose host is cut off for good
    monkeypatch.setattr(leases, "MARGIN", 3.0)
    launch = fenced.launch(HIDES.format(trap='trap "" TERM;'))
    stage = fenced.host.start(launch)
    ends: list[object] = []
    fenced.host.wake(stage, lambda end: ends.append((end, living_there(fenced, stage))))
    log = Path(launch.directory, "job.log")
    fenced.turns.until(lambda: "up" in log.read_text())
    assert living_there(fenced, stage)

    fenced.wire.cut()
    fenced.turns.until(lambda: bool(ends))

    # then its tree had gone before that was said
    assert ends == [(Lost(FENCED_UNSEEN), [])]
    assert fenced.host.living([(stage.directory, stage.mark)]) == ()


def test_an_engine_that_ends_in_an_orderly_way_lets_it_run(
    fenced: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "MARGIN", 0.0)
    stage, _, _ = begun(fenced, f"echo up; sleep {3 * FENCE}; echo done; exit 4")

    fenced.host.leave()
    # the next engine, without contact, does not believe that it is gone however long that takes
    fenced.wire.cut()
    host = next_engine(fenced, endless={""})
    fenced.turns.nap(0.1)
    until = fenced.bench.clock.monotonic() + FENCE + 2
    while fenced.bench.clock.monotonic() < until:
        assert isinstance(host.look(stage.directory, "process", stage.mark), Unreachable)
        fenced.turns.nap(0.1)
    fenced.wire.mend()
    found = None
    while found is None or isinstance(found, Unreachable):
        found = host.look(stage.directory, "process", stage.mark)
        fenced.turns.nap(0.01)
    assert not isinstance(found, Lost)
    assert (found if isinstance(found, Exit) else fenced.turns.end_of(host, found)) == Exit(4)


def test_the_next_engine_waits_as_long_as_a_lease_of_the_one_before_may_last(
    fenced: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "MARGIN", 1.0)
    stage, _, _ = begun(fenced, HIDES.format(trap=""))
    fenced.wire.cut()

    began = fenced.bench.clock.monotonic()
    host = next_engine(fenced)
    while isinstance(found := host.look(stage.directory, "process", stage.mark), Unreachable):
        fenced.turns.nap(0.1)

    assert found == Lost(FENCED_UNSEEN)
    assert fenced.bench.clock.monotonic() - began >= FENCE + 1.0 + 1.0
    assert not living_there(fenced, stage)


def test_what_a_person_vouches_for_is_gone_and_what_comes_later_is_not(site: Site) -> None:
    stage, _, ends = begun(site, "echo up; exec sleep 1000")
    site.wire.cut()
    site.turns.until(lambda: site.host.standing.place is None)

    site.host.change(replace(site.settings, vouched=1))
    site.turns.until(lambda: bool(ends))

    assert ends == [Lost(VOUCHED)]
    assert site.host.living([(stage.directory, stage.mark)]) == ()
    site.wire.mend()
    site.turns.until(lambda: site.host.standing.place is not None)
    later, _, _ = begun(site, "echo up; exec sleep 1000")
    assert site.host.living([(later.directory, later.mark)]) == (later.pid,)
    for each in (stage, later):
        site.made().stop(each.directory, each.mark, 0)


def test_a_root_that_was_changed_meanwhile_hides_nothing(site: Site) -> None:
    stage, _, _ = begun(site, "echo up; exec sleep 1000")
    site.host.close()

    site.settings = replace(site.settings, root=f"{site.root}-other")
    site.host = host = site.connected(term=2)
    found = None
    while found is None:
        found = host.look(stage.directory, "process", stage.mark)
        site.turns.nap(0.01)

    assert not isinstance(found, (Exit, Lost, Unreachable))
    assert found.pid == stage.pid
    host.stop(stage.directory, stage.mark, 0)
    assert site.turns.end_of(host, found) == Exit(137, 9)


def test_what_was_sent_to_a_machine_with_another_key_is_not_looked_for_here(site: Site) -> None:
    stage, directory, _ = begun(site, "echo up; exec sleep 1000")
    record = directory / ".skerry" / "process"
    record.write_text(record.read_text().replace("SHA256:", "SHA256:x"))
    site.host.close()

    site.host = host = site.connected(term=2)

    assert isinstance(host.look(stage.directory, "process", stage.mark), Unreachable)
    assert host.living([(stage.directory, stage.mark)]) == (UNKNOWN,)
    record.write_text(record.read_text().replace("SHA256:x", "SHA256:"))
    host.stop(stage.directory, stage.mark, 0)
