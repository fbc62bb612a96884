"""``skerry worker …``: registered, looked at, steered and removed, in a workspace where no engine runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.cli import workers
from engine.model.codes import workers as codes
from engine.model.codes.recovery import REASON_NEEDED
from tests.api.fake_service import LOCAL_WORKER, FakeService
from tests.cli.conftest import Answer, Skerry

ROW = {
    "name", "kind", "state", "reason", "why", "since", "slots", "running", "load", "memory", "disk", "skew", "groups",
    "labels",
}  # fmt: skip

ATTEMPT = {
    "job_instance": 12, "instance": 7, "task": "nightly", "node": "load", "index": 0, "attempt": 1,
    "status": "running", "pid": 99, "started_at": "2026-11-21T08:00:00.000000+08:00",
}  # fmt: skip


def add(skerry: Skerry, name: str = "build", *more: str) -> Answer:
    return skerry("worker", "add", name, "--ssh", "runner@build.example", *more, "--json")


def listed(skerry: Skerry) -> dict[str, Any]:
    return {each["name"]: each for each in skerry("worker", "list", "--json").document["workers"]}


def test_this_machine_is_always_a_worker(skerry: Skerry) -> None:
    [here] = skerry("worker", "list", "--json").document["workers"]

    assert here.keys() == ROW
    assert (here["name"], here["kind"], here["state"], here["running"]) == ("local", "local", "online", 0)
    assert min(here["slots"], here["memory"], here["disk"]) > 0


def test_a_registered_host_is_untrusted_and_listed(skerry: Skerry) -> None:
    added = add(skerry, "build", "--slots", "4", "--group", "big", "--label", "os=linux")

    assert added.status == 0
    assert listed(skerry)["build"] == added.document
    assert added.document.keys() == ROW
    assert (added.document["state"], added.document["slots"]) == ("untrusted", 4)
    assert (added.document["groups"], added.document["labels"]) == (["big"], {"os": "linux"})


def test_who_registers_a_host_reads_what_comes_next(skerry: Skerry) -> None:
    said = skerry("worker", "add", "build", "--ssh", "build.example").out.splitlines()

    assert said[0] == "worker build is registered"
    assert said[1].startswith("untrusted")
    assert "skerry worker trust build" in said[2]
    assert "skerry worker check build" in said[2]


def test_all_that_is_registered_is_shown(skerry: Skerry, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("k")
    key.chmod(0o600)
    way = ("--jump", "a@gate", "--jump", "gate2:2222", "--key", str(key), "--fence", "1m", "--root", "/srv/s")
    add(skerry, "build", *way, "--secrets", "allow", "--application", "billing", "--handler", "ledger")

    found = skerry("worker", "show", "build", "--json").document
    assert (found["ssh"], found["jumps"]) == ("runner@build.example", ["a@gate", "gate2:2222"])
    assert (found["key"], found["fence"], found["root"]) == (str(key), 60.0, "/srv/s")
    assert (found["secrets"], found["application"], found["attempts"]) == ("allow", "billing", [])
    assert found["handlers"] == ["ledger"]
    shown = skerry("worker", "show", "build").out
    assert "runner@build.example" in shown
    assert re.search(r"handlers +ledger", shown)


def test_what_is_set_changes_and_the_rest_stays(skerry: Skerry) -> None:
    add(skerry, "build", "--group", "big", "--slots", "4")

    changed = skerry("worker", "set", "build", "--slots", "auto", "--json").document
    assert (changed["slots"], changed["groups"]) == ("auto", ["big"])
    assert skerry("worker", "set", "build", "--group", "", "--json").document["groups"] == []
    given = ("--handler", "ledger", "--handler", "bills")
    assert skerry("worker", "set", "build", *given, "--json").status == 0
    assert skerry("worker", "show", "build", "--json").document["handlers"] == ["ledger", "bills"]
    assert skerry("worker", "set", "build", "--handler", "").status == 0
    assert skerry("worker", "show", "build", "--json").document["handlers"] == []
    assert skerry("worker", "set", "local", "--slots", "3", "--json").document["slots"] == 3
    assert skerry("queue", "--json").document["places"] == 3


def test_people_pause_drain_and_resume_this_machine(skerry: Skerry) -> None:
    assert skerry("worker", "pause", "local", "--reason", "repair", "--json").document["state"] == "paused"
    assert "repair" in listed(skerry)["local"]["reason"]
    assert skerry("worker", "drain", "local", "--wait", "--json").document["state"] == "draining"
    resumed = skerry("worker", "resume", "local", "--json").document
    assert (resumed["state"], resumed["reason"]) == ("online", None)


def test_what_people_did_is_in_the_audit(skerry: Skerry) -> None:
    add(skerry)
    skerry("worker", "pause", "build")
    skerry("worker", "gone", "build", "--reason", "burnt down")
    assert skerry("worker", "remove", "build", "--json").document == {"removed": "build"}

    rows = skerry("audit", "--json").document["audit"]
    assert [each["action"] for each in rows] == ["add", "pause", "gone", "remove"]
    assert {each["subject"] for each in rows} == {"worker build"}
    assert list(listed(skerry)) == ["local"]


@pytest.mark.parametrize(
    ("line", "code", "status"),
    [
        ("add local --ssh h", codes.WORKER_EXISTS, 2),
        ("add build --ssh h", codes.WORKER_EXISTS, 2),
        ("add a/b --ssh h", codes.WORKER_INVALID, 2),
        ("add other", codes.WORKER_INVALID, 2),
        ("add other --ssh a@b@", codes.ADDRESS_INVALID, 2),
        ("add other --ssh h --fence 9s", codes.FENCE_TOO_SHORT, 2),
        ("add other --ssh h --key nowhere", codes.KEY_MISSING, 2),
        ("add other --ssh h --key .", codes.KEY_MISSING, 2),
        ("add other --ssh h --slots 0", codes.WORKER_INVALID, 2),
        ("add other --ssh h --handler a/b", codes.WORKER_INVALID, 2),
        ("add other --ssh h --root a\x01b", codes.WORKER_INVALID, 2),
        ("show other", codes.NO_SUCH_WORKER, 2),
        ("set other --slots 1", codes.NO_SUCH_WORKER, 2),
        ("pause other", codes.NO_SUCH_WORKER, 2),
        ("remove other", codes.NO_SUCH_WORKER, 2),
        ("remove local", codes.THIS_MACHINE, 3),
        ("gone local --reason x", codes.THIS_MACHINE, 3),
        ("gone build", REASON_NEEDED, 2),
    ],
)
def test_bad_input_has_a_code_each_and_nothing_is_registered(
    skerry: Skerry, line: str, code: Any, status: int
) -> None:
    add(skerry)
    before = listed(skerry).keys()

    answer = skerry("worker", *line.split(), "--json")

    assert (answer.status, answer.document["error"]["code"]) == (status, code.number)
    assert listed(skerry).keys() == before


def test_a_key_that_others_can_read_is_refused(skerry: Skerry, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("k")
    key.chmod(0o640)

    answer = add(skerry, "build", "--key", str(key))

    assert (answer.status, answer.document["error"]["code"]) == (2, codes.KEY_READABLE.number)
    assert list(listed(skerry)) == ["local"]


@pytest.mark.parametrize("then", [[[]], None], ids=["empty", "removed"])
def test_draining_waits_until_nothing_runs_there(
    then: list[Any] | None, skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a worker on which a job runs that has no slot, at the next look too, and then none
    row = {**LOCAL_WORKER, "name": "build", "state": "draining", "running": 0}
    there = iter([[ATTEMPT], [ATTEMPT], *(then or ())])
    known = iter([[row], [row], [row] if then else []])
    monkeypatch.setattr(workers, "_LOOK", 0.0)
    monkeypatch.setattr(service, "want_worker", lambda name, wanted, reason: row, raising=False)
    monkeypatch.setattr(service, "workers", lambda: next(known))
    monkeypatch.setattr(service, "worker", lambda name: {**row, "attempts": next(there)})

    drained = skerry("worker", "drain", "build", "--wait", "--json")

    assert (drained.status, drained.document["running"]) == (0, 0)
    assert list(there) == list(known) == []


def test_what_runs_on_a_worker_is_shown_with_what_it_is_of(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = {**service.worker("build"), "attempts": [ATTEMPT]}
    monkeypatch.setattr(service, "worker", lambda name: shown)

    *_, head, line = skerry("worker", "show", "build").out.splitlines()

    assert head.split()[:6] == ["job", "instance", "instance", "task", "node", "attempt"]
    assert line.split()[:6] == ["12", "7", "nightly", "load[0]", "1", "running"]
