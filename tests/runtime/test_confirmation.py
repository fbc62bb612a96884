"""Each minute what runs is confirmed at its worker and in the database; what differs is an alert, once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.execution.host import Host, LivingStage
from engine.execution.outcomes import Exit, Lost, Unreachable
from engine.model.codes.confirmation import END_UNNOTICED, GONE_UNNOTICED, NOT_FOLLOWED, STORED_OTHERWISE
from engine.model.states import InstanceState
from engine.runtime.recovery import confirmation
from engine.runtime.recovery.pictures import (
    Discrepancy,
    Followed,
    PictureDifference,
    Seen,
    differences,
    lasting,
)
from engine.store.changes import Changes
from engine.store.rows import AlertRow, AttemptRow, InstanceRow
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.ssh_site import SshWorkers, ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

ATTEMPT = Followed(7, 2, "a", "7.2.x")
ROW = AttemptRow(7, 2, "running", "", worker="a", mark="7.2.x")


class DeafHost:
    """A host whose reports of ends never arrive; see :class:`engine.execution.host.Host`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.asked = 0

    def wake(self, stage: LivingStage, ended: Callable[..., None]) -> None:
        self._host.wake(stage, lambda end: None)

    def confirm(self, stage: LivingStage) -> Seen:
        self.asked += 1
        return self._host.confirm(stage)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)


def deafen(site: Site, worker: str) -> DeafHost:
    hosts = site.engine.services.hosts
    deaf = DeafHost(hosts.of(worker))
    hosts.put(deaf)
    return deaf


def alerts(site: Site) -> list[AlertRow]:
    return [row for row in site.engine.store.alerts() if row.kind == "confirmation"]


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "_EACH", 0.2)
    monkeypatch.setattr(confirmation, "_LONG", 0.1)


@pytest.fixture
def confirmed(often: None, tmp_path: Path) -> Iterator[Site]:
    """A workspace whose engine confirms five times a second."""
    site = Site(tmp_path / "workspace").start()
    yield site
    for instance in list(site.engine.services.runs):
        site.engine.cancel(instance)
    site.close()


# -- what counts as a difference ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "row", "found"),
    [
        (None, ROW, []),
        (Unreachable("the link is cut"), ROW, []),
        (Exit(0), ROW, [Discrepancy.ENDED]),
        (Lost("killed"), ROW, [Discrepancy.GONE]),
        (None, None, [Discrepancy.STORED]),
        (None, AttemptRow(7, 2, "lost", "", worker="a", mark="7.2.x"), [Discrepancy.STORED]),
        (None, AttemptRow(7, 2, "running", "", worker="b", mark="7.2.x"), [Discrepancy.STORED]),
        (Exit(1), None, [Discrepancy.ENDED, Discrepancy.STORED]),
    ],
)
def test_an_attempt_differs_where_its_worker_or_its_row_says_otherwise(
    seen: Seen, row: AttemptRow | None, found: list[Discrepancy]
) -> None:
    now = differences([ATTEMPT], {ATTEMPT.key: seen}, {ATTEMPT.key: row}, [], [])

    assert now == {PictureDifference(each, 7, 2) for each in found}


def test_an_instance_that_runs_in_the_database_alone_differs_unless_it_was_set_aside() -> None:
    def row(id: int, status: InstanceState, code: int | None = None) -> InstanceRow:
        return InstanceRow(
            id=id,
            task="t",
            status=status,
            trigger="manual",
            scheduled_time="",
            created_at="",
            error_code=code,
        )

    rows = [
        row(1, InstanceState.RUNNING),
        row(2, InstanceState.RUNNING),
        row(3, InstanceState.WAITING),
        row(4, InstanceState.RUNNING, -17001001000),
    ]

    assert differences([], {}, {}, {1}, rows) == {PictureDifference(Discrepancy.UNFOLLOWED, 2)}


def test_what_is_over_at_the_next_look_was_no_difference() -> None:
    ending = frozenset({PictureDifference(Discrepancy.ENDED, 7, 2)})

    assert not lasting(ending, frozenset())
    assert not lasting(frozenset(), ending)
    assert lasting(ending, ending) == ending


# -- what follows -------------------------------------------------------------------------------------


def test_an_end_that_was_not_noticed_is_taken_and_said_once(confirmed: Site) -> None:
    deafen(confirmed, "local")

    seen = confirmed.run(task({"x": shell("echo done; exit 3")}))

    assert (seen["x"].exit_code, seen["x"].log) == (3, "done\n")
    [alert] = alerts(confirmed)
    assert (alert.code, alert.job_instance) == (END_UNNOTICED.number, seen["x"].id)
    assert "job 'x' of instance 1: it has ended on local" in alert.message


def test_what_its_worker_does_not_have_is_lost_and_goes_by_its_recovery(confirmed: Site, gate: Gate) -> None:
    # given a job that is killed with what writes its end down, and nobody hears of it
    recovery = {"strategy": "retry", "after": 0.1}
    text = f"case $SKERRY_ATTEMPT in *.1.*) {gate.script()} ;; esac"
    deafen(confirmed, "local")
    instance = confirmed.begin(task({"x": shell(text, recovery=recovery)}))
    shell_pid = gate.until_up()
    supervisor = confirmed.see(instance)["x"].attempts[0].pid
    assert supervisor is not None
    os.kill(supervisor, signal.SIGKILL)
    os.kill(shell_pid, signal.SIGKILL)

    seen = confirmed.end(instance)

    assert [row.status for row in seen["x"].attempts] == ["lost", "succeeded"]
    assert [alert.code for alert in alerts(confirmed)][-1] == GONE_UNNOTICED.number


def test_an_end_on_another_worker_that_was_not_noticed_is_taken_with_its_output(
    confirmed: Site, ssh_workers: Sshd, tmp_path: Path
) -> None:
    with ssh_site(confirmed, ssh_workers, tmp_path / "remote") as workers:
        _end_unnoticed(confirmed, workers)
        confirmed.close()


def _end_unnoticed(site: Site, workers: SshWorkers) -> None:
    workers.add("a")
    deafen(site, "a")

    node = shell(
        'echo done; echo 5 > "$SKERRY_OUTPUTS/n"', on={"workers": ["a"]}, results={"n": {"kind": "number"}}
    )
    seen = site.run(task({"x": node}))

    assert (seen.status, seen["x"].log, seen["x"].outputs) == ("succeeded", "done\n", {"n": b"5\n"})
    assert [(alert.code, alert.job_instance) for alert in alerts(site)] == [
        (END_UNNOTICED.number, seen["x"].id)
    ]


def test_what_runs_and_is_stored_as_that_is_no_alert(confirmed: Site, gate: Gate) -> None:
    deaf = deafen(confirmed, "local")
    confirmed.begin(task({"x": shell(gate.script())}))
    gate.until_up()

    until(lambda: deaf.asked >= 4, "four confirmations")

    assert not alerts(confirmed)


def test_an_attempt_is_asked_for_only_when_it_has_run_for_long(
    monkeypatch: pytest.MonkeyPatch, often: None, tmp_path: Path, gate: Gate
) -> None:
    monkeypatch.setattr(confirmation, "_LONG", 3600.0)
    site = Site(tmp_path / "workspace").start()
    deaf = deafen(site, "local")
    looks: list[int] = []
    unfinished = site.engine.store.unfinished
    monkeypatch.setattr(site.engine.store, "unfinished", lambda: looks.append(1) or unfinished())
    instance = site.begin(task({"x": shell(gate.script())}))
    gate.until_up()

    until(lambda: len(looks) >= 3, "three confirmations")

    assert deaf.asked == 0
    site.engine.cancel(instance)
    site.close()


def test_a_row_that_somebody_changed_is_said_once_and_the_job_goes_on(confirmed: Site, gate: Gate) -> None:
    instance = confirmed.begin(task({"x": shell(gate.script())}))
    gate.until_up()
    job = confirmed.see(instance)["x"].id
    changes = Changes()
    changes.update("job_run", (job, 1), {"worker": "elsewhere"})
    confirmed.engine.store.commit(changes)

    until(lambda: alerts(confirmed), "the alert")
    deaf = deafen(confirmed, "local")
    assert deaf is not None
    gate.open()

    assert confirmed.end(instance).status == "succeeded"
    assert [(each.code, each.job_instance) for each in alerts(confirmed)] == [(STORED_OTHERWISE.number, job)]


def test_an_instance_that_only_the_database_has_is_said_once(confirmed: Site) -> None:
    instance = confirmed.run(task({"x": shell("true")})).id
    changes = Changes()
    changes.move("instance", instance, "succeeded", "running", {})
    confirmed.engine.store.commit(changes)

    until(lambda: alerts(confirmed), "the alert")
    looks: list[int] = []
    confirmed.engine.services.loop.ask(
        lambda: confirmed.engine.services.loop.later(1.0, lambda: looks.append(1))
    )
    until(lambda: looks, "five more confirmations")

    assert [(each.code, each.instance) for each in alerts(confirmed)] == [(NOT_FOLLOWED.number, instance)]
