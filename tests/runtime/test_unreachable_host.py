"""A host that cannot be asked changes no outcome: it is asked until it can be."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.execution.host import Found
from engine.execution.outcomes import Unreachable
from engine.runtime.jobs import stage_looks
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.ssh_site import ssh_site
from tests.servers.private import folder
from tests.servers.ssh_workers import Sshd, serving
from tests.waiting import until


@pytest.mark.parametrize("ended", [False, True], ids=["it lives on", "it ended meanwhile"])
def test_what_runs_on_a_host_out_of_reach_is_neither_lost_nor_started_again(
    site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    # given a job that runs when its engine ends
    monkeypatch.setattr(stage_looks, "_ASK_AGAIN", 0.001)
    instance = site.begin(task({"j": shell(gate.script(then="exit 7"))}))
    gate.until_up()
    site.close()
    if ended:
        gate.open()

    # when the next engine's host cannot be reached at first
    site.engine = wiring.open_engine(site.root)
    host = site.engine.services.host
    look, asked = host.look, []

    def out_of_reach(*args: Any, **more: Any) -> Found | None:
        asked.append(args[1])
        if len(asked) <= 5:
            return Unreachable("no route to it")
        gate.open()
        return look(*args, **more)

    monkeypatch.setattr(host, "look", out_of_reach)
    site.start()
    seen = site.end(instance)

    # then its own end is what counts, and it ran once
    assert (seen["j"].status, seen["j"].exit_code) == ("failed", 7)
    assert len(seen["j"].attempts) == 1
    assert len((gate.folder / "g.up").read_text().split()) == 1
    assert len(asked) > 5


def test_hosts_out_of_reach_on_which_jobs_are_stopped_hold_up_nothing_here(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path
) -> None:
    # given ten jobs on hosts that are cut off, which are being stopped there
    site, names, jobs = make_site(), ("a", "b"), [f"n{n}" for n in range(10)]
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        for name in names:
            workers.add(name, slots="5")
        far = {job: shell(f"touch {tmp_path}/{job}; sleep 600", on={"workers": [*names]}) for job in jobs}
        instance = site.begin(task(far))
        until(lambda: all((tmp_path / job).exists() for job in jobs))
        for name in names:
            workers.wires[name].cut()
            workers.until_state(name, "offline")
        with ThreadPoolExecutor(1) as person:
            cancelled = person.submit(site.engine.cancel, instance)

            # when a job is stopped here, and another one runs to its end
            here = site.begin(task({"x": shell("sleep 600")}))
            site.until_state(here, "x", "running")
            site.engine.cancel(here)
            assert site.end(here).status == "cancelled"
            assert site.run(task({"x": shell("true")})).status == "succeeded"

            # then the ten were still being stopped, and are once their hosts are back
            assert not cancelled.done()
            for name in names:
                workers.wires[name].mend()
            assert cancelled.result()["verified"]
        site.close()


def test_a_job_whose_host_is_another_machine_now_says_so_until_a_person_vouches_for_its_end(
    site: Site, gate: Gate, ssh_workers: Sshd, tmp_path: Path
) -> None:
    with (
        ssh_site(site, ssh_workers, tmp_path / "remote") as workers,
        folder() as place,
        serving(place) as other,
    ):
        # given a job that runs on a worker
        (place / "authorized_keys").write_bytes((ssh_workers.place / "key.pub").read_bytes())
        workers.add("a")
        script = gate.script(then="echo done")
        instance = site.begin(
            task({"j": shell(script, on={"workers": ["a"]}, recovery={"strategy": "discard"})})
        )
        gate.until_up()

        # when another machine has its address, and a person trusts that one
        wire = workers.wires["a"]
        wire.cut()
        wire.lead_to(other.port)
        wire.mend()
        workers.until_state("a", "untrusted")
        site.engine.workers.trust("a", None, "ann")
        workers.until_state("a", "online")

        # then nobody knows how it is
        until(lambda: "another key than when it was sent there" in (_reason(site, instance) or ""))

        # when somebody vouches that nothing of it lives
        site.engine.workers.gone("a", "it was switched off", "ann")
        assert site.end(instance).status == "failed"
        gate.open()


def _reason(site: Site, instance: int) -> str | None:
    return site.engine.services.store.jobs(instance)[0].reason
