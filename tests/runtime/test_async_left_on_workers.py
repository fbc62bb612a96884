"""What an asynchronous job left running on a host, once it has succeeded: it is in nobody's way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.model.codes.runtime import LOST
from engine.model.reason import Kind, Reason
from engine.model.reason_words import words
from tests.runtime.site import Gate, Site, shell, task, tree
from tests.runtime.ssh_site import ssh_site
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

HELD = {"after": "0s", "every": "100ms", "times": 50, "success": "1 == 1"}


def test_a_job_whose_outcome_is_checked_says_that_its_worker_is_not_reached(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path, gate: Gate
) -> None:
    # given a program whose outcome is looked at on its worker
    site = make_site()
    check = {"after": "1h", "every": "1h", "times": 9, "success": "1 == 1"}
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        workers.add("a")
        job = shell(gate.script(), on={"workers": ["a"]}, mode="async", check=check)
        instance = site.begin(task({"x": job}))
        site.until_state(instance, "x", "checking")

        def said() -> Reason:
            found = site.see(instance)["x"].row.because
            assert found
            return found

        planned = said()
        assert planned.kind is Kind.CHECK

        # when its link is cut, then that is said; and once it is back, when the outcome is looked at
        workers.wires["a"].cut()
        until(lambda: "not reachable since" in words(said()))
        assert site.see(instance)["x"].status == "checking"
        assert said().facts.items() >= planned.facts.items(), "the next engine goes on from there"
        workers.wires["a"].mend()
        until(lambda: said() == planned)
        gate.open()
        site.close()


def test_it_goes_on_saying_so_from_check_to_check(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path, gate: Gate
) -> None:
    site, flag = make_site(), tmp_path / "flag"
    is_there = {"type": "file", "uri": str(flag), "check": {"exists": True}}
    check = {"after": "0s", "every": "50ms", "times": 9999, "success": {"resource": "flag"}}
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        workers.add("a")
        job = shell(gate.script(), on={"workers": ["a"]}, mode="async", check=check)
        instance = site.begin(tree({"resources": {"flag": is_there}, "tasks": {"t": {"nodes": {"x": job}}}}))
        gate.until_up()

        def said() -> tuple[int, str]:
            found = site.see(instance)["x"].row.because
            assert found
            return found.facts["check"], words(found)

        # when its link is cut, and further checks follow
        workers.wires["a"].cut()
        until(lambda: "not reachable since" in said()[1])
        first, _ = said()
        until(lambda: said()[0] > first + 2)
        assert "not reachable since" in said()[1]

        # then that is said until it is back, though one has held
        flag.touch()
        workers.wires["a"].mend()
        assert site.end(instance).status == "succeeded"
        gate.open()
        site.close()


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_a_program_that_goes_on_after_its_job_has_succeeded_is_in_nobodys_way(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path, gate: Gate, alone: bool, again: bool
) -> None:
    # given a program whose check has held, with the engine that began it or with the next one
    site = make_site()
    on = {"workers": ["a"], "exclusive": alone}
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        workers.add("a")
        began = site.run(task({"x": shell(gate.script(), on=on, mode="async", check=HELD)}))
        assert began.status == "succeeded"
        gate.until_up()
        if again:
            site.again()
            workers.until_state("a", "online")

        # when others begin there, one of them exclusive
        others = [{"workers": ["a"], "exclusive": each} for each in (False, True)]
        seen = site.run(task({f"n{number}": shell("true", on=on) for number, on in enumerate(others)}))

        # then none of them is refused
        assert seen.status == "succeeded"
        assert [len(each.attempts) for each in seen.latest] == [1, 1]
        gate.open()
        site.close()


@pytest.mark.parametrize("at", ["engine", "worker"])
def test_a_job_whose_check_holds_or_is_made_there_once_its_worker_is_gone_is_lost(
    make_site: Callable[..., Site], ssh_workers: Sshd, tmp_path: Path, gate: Gate, at: str
) -> None:
    # given one that is checked, on a worker that burns down
    site, flag = make_site(), tmp_path / "flag"
    is_there = {"type": "file", "uri": str(flag), "at": at, "check": {"exists": True}}
    check = {"after": "0s", "every": "100ms", "times": 5000, "success": {"resource": "flag"}}
    with ssh_site(site, ssh_workers, tmp_path / "remote") as workers:
        workers.add("a")
        job = shell(gate.script(), on={"workers": ["a"]}, mode="async", check=check)
        tasks = {"t": {"nodes": {"x": job}}}
        instance = site.begin(tree({"resources": {"flag": is_there}, "tasks": tasks}))
        gate.until_up()
        site.until_state(instance, "x", "checking")
        workers.wires["a"].cut()
        site.engine.workers.gone("a", "burnt down", "ann")

        # when what is there is needed
        flag.touch()

        seen = site.end(instance)
        assert (seen["x"].status, seen["x"].error_code) == ("lost", LOST.number)
        gate.open()
        site.close()
