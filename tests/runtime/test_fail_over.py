"""Hosts behind SSH that are lost: nothing begins elsewhere while the old tree may live, and then it does."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import wiring
from engine.execution.ssh import leases
from engine.model import worker_request
from engine.model.codes.runtime import LOST
from engine.model.host_keys import fingerprint
from engine.runtime.clock import SystemClock
from engine.runtime.upkeep import worker_rows
from engine.runtime.upkeep.file_sync import MARK
from engine.store.changes import Changes
from engine.store.rebuild import rebuild_database
from tests.runtime.site import Site, shell, task
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

FENCE, MARGIN = 4.0, 2.0  # seconds; for people ten at least, and ten
# What hides in a session of its own writes until it is killed; both ignore that they are asked to end.
NOISY = """\
trap '' TERM
echo begun $SKERRY_ATTEMPT >> {ran}
setsid sh -c 'trap "" TERM; while :; do echo alive $SKERRY_ATTEMPT >> {ran}; sleep 0.05; done' &
case $SKERRY_ATTEMPT in *.1.*) while :; do sleep 1; done ;; esac
kill -KILL $!
exit 0
"""


@pytest.fixture
def workers(
    site: Site, ssh_workers: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SshWorkers]:
    monkeypatch.setattr(worker_request, "SHORTEST_FENCE", 1.0)
    monkeypatch.setattr(leases, "MARGIN", MARGIN)
    with ssh_site(site, ssh_workers, tmp_path / "remote") as made:
        yield made
        site.close()


def test_a_fenced_job_begins_elsewhere_after_its_tree_is_gone(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    # given a job with a child that hides, on one of two workers
    for name in ("a", "b"):
        workers.add(name, fence=f"{FENCE:g}s", groups=["two"])
    ran = tmp_path / "ran"
    recovery = {"strategy": "retry", "after": 0.1}
    instance = site.begin(task({"x": shell(NOISY.format(ran=ran), on={"group": "two"}, recovery=recovery)}))
    until(lambda: ran.exists() and "alive" in ran.read_text())
    first = site.see(instance)["x"].row.worker

    # when that worker is cut off for good
    workers.wires[first].cut()
    seen = site.end(instance)

    # then the other one ran it, and nothing of the first attempt was alive by then
    assert seen.status == "succeeded"
    one, two = seen["x"].attempts
    assert (one.worker, one.status, one.error_code) == (first, "lost", LOST.number)
    assert two.worker != first
    lines = ran.read_text().splitlines()
    second = lines.index(f"begun {two.mark}")
    assert [line for line in lines[second:] if one.mark in line] == []
    assert [line for line in lines[:second] if f"alive {one.mark}" == line]


def test_without_a_fence_it_is_not_given_away_until_a_person_vouches(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    ran, go = tmp_path / "ran", tmp_path / "go"
    script = f"echo $SKERRY_ATTEMPT >> {ran}; until test -e {go}; do sleep 0.1; done"
    recovery = {"strategy": "retry", "after": 0.1}
    instance = site.begin(task({"x": shell(script, on={"group": "two"}, recovery=recovery)}))
    until(lambda: ran.exists() and bool(ran.read_text()))
    first = site.see(instance)["x"].row.worker
    workers.wires[first].cut()
    workers.until_state(first, "offline")
    assert site.see(instance)["x"].status == "running"

    go.touch()
    site.engine.workers.gone(first, "burnt down", "ann")

    seen = site.end(instance)
    assert seen.status == "succeeded"
    one, two = seen["x"].attempts
    assert (one.worker, one.status, "vouched" in (one.error_message or "")) == (first, "lost", True)
    assert two.worker != first
    assert ran.read_text().split() == [one.mark, two.mark]


HELD = "echo $SKERRY_ATTEMPT >> {ran}; until test -e {go}; do sleep 0.05; done; echo done"


@pytest.fixture
def held(tmp_path: Path) -> str:
    """A script that notes its attempt in ``ran`` and goes on once there is a file ``go``."""
    return HELD.format(ran=tmp_path / "ran", go=tmp_path / "go")


def begun(site: Site, tmp_path: Path, script: str, **keys: object) -> int:
    """The instance of a job that is at work on its worker."""
    instance = site.begin(task({"x": shell(script, **keys)}))
    until(lambda: (tmp_path / "ran").exists() and bool((tmp_path / "ran").read_text()))
    return instance


def test_a_job_says_since_when_its_worker_is_not_reached_and_its_outcome_is_its_own(
    site: Site, workers: SshWorkers, tmp_path: Path, held: str
) -> None:
    workers.add("a")
    instance = begun(site, tmp_path, held, on={"workers": ["a"]})
    workers.wires["a"].cut()
    workers.until_state("a", "offline")

    until(lambda: "not reachable since" in (site.see(instance)["x"].reason or ""))
    since = site.see(instance)["x"].row.why["at"]
    site.again()
    until(lambda: "cannot be reached" in (site.see(instance)["x"].reason or ""))
    assert site.see(instance)["x"].status == "running"
    assert site.see(instance)["x"].row.why["at"] == since, "the next engine has not reached it either"

    workers.wires["a"].mend()
    until(lambda: site.see(instance)["x"].reason is None)
    (tmp_path / "go").touch()
    seen = site.end(instance)
    assert (seen.status, seen["x"].log, len(seen["x"].attempts)) == ("succeeded", "done\n", 1)


def test_the_worker_of_what_was_lost_gets_it_again_when_it_is_back(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    # given a job that is killed with all that watches it, as by a restart of its host
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    script = f"echo $SKERRY_ATTEMPT >> {tmp_path}/ran; case $SKERRY_ATTEMPT in *.1.*) kill -KILL $PPID; kill -KILL $$ ;; esac"
    recovery = {"strategy": "retry", "after": 0.1}
    instance = site.begin(task({"x": shell(script, on={"group": "two"}, recovery=recovery)}))

    seen = site.end(instance)

    one, two = seen["x"].attempts
    assert (one.status, two.status) == ("lost", "succeeded")
    assert one.worker == two.worker


def take_jobs(site: Site, *names: str) -> None:
    """These workers are resumed at once, on the loop's thread."""
    services = site.engine.services
    for live in list(services.workers):
        if live.name in names:
            worker_rows.write(services, live, wanted="online")


@pytest.mark.parametrize("restarts", [False, True], ids=["the same engine", "another engine"])
def test_it_gets_it_again_also_when_no_worker_was_there_meanwhile(
    site: Site, workers: SshWorkers, tmp_path: Path, restarts: bool
) -> None:
    # given a job that is lost while nothing may begin on either worker
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    held = f"until test -e {tmp_path}/go; do sleep 0.05; done; kill -KILL $PPID; kill -KILL $$"
    script = f"echo $SKERRY_ATTEMPT >> {tmp_path}/ran; case $SKERRY_ATTEMPT in *.1.*) {held} ;; esac"
    recovery = {"strategy": "retry", "after": 0.1}
    instance = begun(site, tmp_path, script, on={"group": "two"}, recovery=recovery)
    for name in ("a", "b"):
        site.engine.workers.want(name, "paused", "", "ann")
    (tmp_path / "go").touch()
    site.until_state(instance, "x", "no_worker")

    # when both take jobs again
    if restarts:
        site.again()
    site.engine.services.loop.ask(lambda: take_jobs(site, "a", "b"))

    # then its own worker has it
    one, two = site.end(instance)["x"].attempts
    assert (one.status, two.status) == ("lost", "succeeded")
    assert one.worker == two.worker


def test_an_engine_that_begins_waits_for_its_workers_before_others_get_their_work(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    site.close()
    workers.wires["a"].cut()
    with (site.root / "workspace.yaml").open("a") as settings:
        settings.write("settle: 4\n")
    clock = SystemClock()
    began = clock.monotonic()
    site.again()
    workers.until_state("b", "online")

    seen = site.run(task({"x": shell("true", on={"group": "two"})}))

    assert seen["x"].attempts[0].worker == "b"
    assert clock.monotonic() - began >= 4
    assert site.engine.store.exceptions() == []


def test_nothing_is_given_to_a_worker_that_an_engine_which_begins_has_not_reached(
    site: Site, workers: SshWorkers
) -> None:
    # given two workers that were online, one of which now takes connections and says nothing
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    site.close()
    workers.wires["a"].stall()
    with (site.root / "workspace.yaml").open("a") as settings:
        settings.write("settle: 1\n")
    site.again()

    # when the engine does not wait for it any longer, though no try to connect has ended
    seen = site.run(task({f"n{n}": shell("true", on={"group": "two"}) for n in range(8)}))

    # then it is known not to be reached, and the other one ran all
    assert workers.state("a") == "offline"
    assert {each.row.worker for each in seen.latest} == {"b"}


def test_an_engine_that_begins_does_not_wait_longer_than_it_must(site: Site, workers: SshWorkers) -> None:
    workers.add("a")
    with (site.root / "workspace.yaml").open("a") as settings:
        settings.write("settle: 1h\n")
    site.again()

    seen = site.run(task({"x": shell("true", on={"workers": ["a"]}), "y": shell("true")}))

    assert seen.status == "succeeded"
    assert site.engine.store.exceptions() == []


def test_what_an_attempt_left_on_its_host_is_removed_by_a_later_engine(
    site: Site, workers: SshWorkers, tmp_path: Path, held: str
) -> None:
    # given an engine that ends before it could have the folder of an ended attempt removed
    workers.add("a")
    instance = begun(site, tmp_path, held, on={"workers": ["a"]})
    host = site.engine.services.hosts.of("a")
    host.forget = lambda directory, mark: None  # type: ignore[method-assign]
    (tmp_path / "go").touch()
    site.end(instance)
    folders = [each.name for each in workers.roots["a"].iterdir() if each.is_dir()]
    assert len(folders) == 1

    site.again()

    until(lambda: not any(each.is_dir() for each in workers.roots["a"].iterdir()))


def test_a_folder_on_a_host_is_removed_after_all_of_it_is_here_and_its_end_is_durable(
    site: Site, workers: SshWorkers
) -> None:
    # given a host that notes what is known here when it is told to forget an attempt
    workers.add("a")
    host = site.engine.services.hosts.of("a")
    real, known = host.forget, list[tuple[object, ...]]()

    def forget(directory: str, mark: str) -> None:
        with closing(sqlite3.connect(site.root / "skerry.db")) as database:
            [row] = database.execute("SELECT status, exit_code FROM job_run WHERE mark = ?", [mark])
        there = workers.roots["a"] / mark / "outputs" / "x"
        known.append((*row, Path(directory, "outputs", "x").read_text(), there.read_text()))
        real(directory, mark)

    host.forget = forget  # type: ignore[method-assign]

    # when jobs end there, well and badly
    on = {"workers": ["a"]}
    scripts = {f"n{end}": f'echo {end} > "$SKERRY_OUTPUTS/x"; exit {end}' for end in (0, 3)}
    site.run(task({id: shell(script, on=on) for id, script in scripts.items()}))

    # then it was all in the database and in files, and after that nothing is left there
    assert sorted(known) == [("failed", 3, "3\n", "3\n"), ("succeeded", 0, "0\n", "0\n")]
    until(lambda: not any(each.is_dir() for each in workers.roots["a"].iterdir()))


def test_a_worker_whose_slots_go_by_its_machine_has_one_for_each_core_there(
    site: Site, workers: SshWorkers
) -> None:
    workers.add("a", slots="auto")
    live = site.engine.services.workers.find("a")
    assert live is not None

    cores = Path("/proc/cpuinfo").read_text().count("processor\t:")

    assert (live.slots, live.known_slots) == (cores, cores)


def test_what_lives_is_not_swept(site: Site, workers: SshWorkers, tmp_path: Path, held: str) -> None:
    workers.add("a")
    instance = begun(site, tmp_path, held, on={"workers": ["a"]})

    site.again()
    workers.until_state("a", "online")
    until(lambda: site.see(instance)["x"].reason is None)

    (tmp_path / "go").touch()
    assert site.end(instance)["x"].log == "done\n"


def test_a_host_with_another_key_is_untrusted_and_an_alert_until_a_person_trusts_it(
    site: Site, workers: SshWorkers
) -> None:
    workers.add("a")
    services = site.engine.services
    live = services.workers.find("a")
    assert live is not None
    (place, key), *_ = live.row.host_keys.items()
    other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPt8cWbyC1Xr9sGFJ3eQ1lQfnuTzLQ0jBi4aG3UQWkjb"

    services.loop.ask(lambda: worker_rows.write(services, live, host_keys={place: other}))
    workers.until_state("a", "untrusted")

    prints = [fingerprint(base64.b64decode(each.split()[1])) for each in (key, other)]
    assert all(each in (live.row.reason or "") for each in prints)
    until(lambda: any(each.kind == "host_key" for each in site.engine.store.alerts()))
    [alert] = [each for each in site.engine.store.alerts() if each.kind == "host_key"]
    assert all(each in alert.message for each in prints)
    site.engine.workers.trust("a", None, "ann")
    workers.until_state("a", "online")


def test_a_rebuilt_database_has_the_workers_again_and_what_ran_there(
    site: Site, workers: SshWorkers, tmp_path: Path, held: str
) -> None:
    workers.add("a", labels=["os=linux"])
    workers.add("b")
    site.engine.workers.gone("b", "burnt down", "ann")
    site.engine.workers.remove("b", "ann")
    instance = begun(site, tmp_path, held, on={"workers": ["a"]})
    site.close()

    rebuild_database(site.engine.workspace.database_url, site.engine.workspace.instances, clock=SystemClock())
    site.again()

    workers.until_state("a", "online")
    live = site.engine.services.workers.find("a")
    assert live is not None
    assert live.worker.labels == {"os": "linux"}
    assert site.engine.services.workers.find("b") is None
    assert site.engine.services.hosts.vouched == {"b": 1}
    (tmp_path / "go").touch()
    seen = site.end(instance)
    assert (seen.status, len((tmp_path / "ran").read_text().split())) == ("succeeded", 1)


def test_a_worker_that_is_drained_ends_what_it_has_and_gets_nothing_more(
    site: Site, workers: SshWorkers, tmp_path: Path, held: str
) -> None:
    for name in ("a", "b"):
        workers.add(name, groups=["two"])
    instance = begun(site, tmp_path, held, on={"workers": ["a"]})

    site.engine.workers.want("a", "draining", "", "ann")
    others = site.run(task({f"n{n}": shell("true", on={"group": "two"}) for n in range(6)}))

    assert {others[f"n{n}"].row.worker for n in range(6)} == {"b"}
    (tmp_path / "go").touch()
    assert site.end(instance).status == "succeeded"


@pytest.mark.parametrize(("success", "status"), [("single", "succeeded"), ("all", "failed")])
def test_of_three_hosts_two_fail_and_only_those_are_tried_again(
    site: Site, workers: SshWorkers, tmp_path: Path, success: str, status: str
) -> None:
    for name in ("a", "b", "c"):
        workers.add(name, groups=["three"])
    script = f"case $PWD in *//*) ;; */b/*) exit 0 ;; esac; echo $PWD >> {tmp_path}/failed; exit 3"
    on = {"group": "three", "strategy": "all", "success": success}

    seen = site.run(task({"x": shell(script, on=on, retry={"times": 2})}))

    assert seen.status == status
    assert {name: len(seen[f"x@{name}"].attempts) for name in ("a", "b", "c")} == {"a": 3, "b": 1, "c": 3}
    assert len((tmp_path / "failed").read_text().split()) == 6


def test_the_next_engine_goes_on_with_the_records_of_each_worker_that_there_are(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    # given an engine that ends when one of three records has, and there is a fourth worker since
    for name in "abc":
        workers.add(name, groups=["big"])
    ran, go = tmp_path / "ran", tmp_path / "go"
    script = f"""\
echo ran >> {ran}; case $PWD in */b/*) who=b ;; */a/*) who=a ;; *) who=c ;; esac
echo $who > "$SKERRY_OUTPUTS/who"; [ $who = b ] || until test -e {go}; do sleep 0.05; done"""
    on = {"group": "big", "strategy": "all"}
    instance = site.begin(task({"x": shell(script, on=on, results={"who": {"kind": "text"}})}))
    site.until_state(instance, "x@b", "succeeded")
    until(lambda: ran.read_text() == "ran\n" * 3)
    workers.add("d", groups=["big"])

    # when the next one goes on
    site.again()
    go.touch()

    # then each of the three ran once, and the first of them gives the results
    seen = site.end(instance)
    records = {each.node: (each.status, len(each.attempts)) for each in seen.latest if each.node != "x"}
    assert records == {f"x@{name}": ("succeeded", 1) for name in "abc"}
    assert ran.read_text() == "ran\n" * 3
    assert seen.job("x")["RESULT"]["who"] == "a\n"


def test_a_link_that_flaps_twenty_times_starts_nothing_twice(
    site: Site, workers: SshWorkers, tmp_path: Path
) -> None:
    workers.add("a", slots="8")
    nodes = {f"n{n}": shell(f"echo n{n} >> {tmp_path}/ran; sleep 0.3; echo n{n}") for n in range(20)}
    instance = site.begin(task({id: {**node, "on": {"workers": ["a"]}} for id, node in nodes.items()}))
    for _ in range(20):
        workers.wires["a"].cut()
        workers.wires["a"].mend()
        workers.until_state("a", "online")

    seen = site.end(instance)

    assert seen.status == "succeeded"
    assert sorted((tmp_path / "ran").read_text().split()) == sorted(nodes)
    assert {seen[id].log for id in nodes} == {f"{id}\n" for id in nodes}


@pytest.mark.parametrize("left", [None, b"", b"boot "])
@pytest.mark.parametrize("more", [{}, {"ready": {"group": [shell("true")]}}])
def test_what_a_power_cut_here_took_the_record_of_is_asked_for_at_its_host(
    site: Site, workers: SshWorkers, tmp_path: Path, held: str, left: bytes | None, more: dict[str, object]
) -> None:
    # given a job at work on its worker
    workers.add("a")
    recovery = {"strategy": "retry", "after": 0.1}
    instance = begun(site, tmp_path, held, on={"workers": ["a"]}, recovery=recovery, **more)
    seen = site.see(instance)["x"]
    record, attempt = seen.folder / ".skerry/process", seen.attempts[0]

    # when the power fails here, with the record of what was sent not on the disk yet
    site.close()
    _restart_of_this_machine(site, (attempt.job_instance, attempt.attempt))
    record.unlink() if left is None else record.write_bytes(left)
    site.start()

    # then the host is asked, and what lives there goes on
    (tmp_path / "go").touch()
    seen = site.end(instance)
    assert seen.status == "succeeded"
    assert [each.status for each in seen["x"].attempts] == ["succeeded"]
    assert len((tmp_path / "ran").read_text().split()) == 1


def test_the_engine_after_one_that_could_not_ask_a_host_after_a_power_cut_asks_it(
    site: Site, workers: SshWorkers, tmp_path: Path, held: str
) -> None:
    # given a job at work on its worker, whose record a power cut here took
    workers.add("a")
    recovery = {"strategy": "retry", "after": 0.1}
    instance = begun(site, tmp_path, held, on={"workers": ["a"]}, recovery=recovery)
    until(lambda: site.see(instance)["x"].attempts[0].pid is not None)
    seen = site.see(instance)["x"]
    attempt = seen.attempts[0]
    site.close()
    _restart_of_this_machine(site, (attempt.job_instance, attempt.attempt), attempt.pid)
    (seen.folder / ".skerry/process").unlink()

    # when the next engine does not reach the worker, and is followed by one that does
    workers.wires["a"].cut()
    site.start()
    until(lambda: (seen.folder / ".skerry/process").exists(), "the record that it was sent")
    site.again()
    workers.wires["a"].mend()

    # then what lives there goes on
    (tmp_path / "go").touch()
    seen = site.end(instance)["x"]
    assert [each.status for each in seen.attempts] == ["succeeded"]
    assert len((tmp_path / "ran").read_text().split()) == 1


def _restart_of_this_machine(site: Site, attempt: tuple[int, int], pid: int | None = None) -> None:
    """What is synced was so in an earlier start; without a ``pid`` the host had not yet answered with it."""
    site.engine = wiring.open_engine(site.root)
    changes = Changes()
    changes.setting(MARK, {**site.engine.store.setting(MARK), "boot": "an earlier one"})
    changes.update("job_run", attempt, {"pid": pid})
    site.engine.store.commit(changes)
