"""After a power cut nothing runs again unasked: empty and missing files prove nothing about the past.

A cut as the kernel makes it: the engine and its jobs are gone at once, what a disk had not got yet is empty or
missing, the database is whole, and the machine has another boot id.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any
from zlib import crc32

import pytest

from engine.execution.stage_file import boot_id
from engine.model.codes.runtime import LOST, NOT_BEGUN
from engine.store.checksums import text_hash
from tests.runtime.site import Gate, lives, shell
from tests.runtime.test_take_up import Fallen
from tests.waiting import until

Spoil = Callable[[Path], None]


@pytest.fixture
def fallen(tmp_path: Path) -> Iterator[Fallen]:
    fallen = Fallen(tmp_path / "workspace")
    yield fallen
    if fallen.process is not None:
        fallen.process.kill()
    if fallen.site is not None:
        for instance in [] if fallen.site.closed else list(fallen.site.engine.services.runs):
            fallen.site.engine.cancel(instance)
        fallen.site.close()


def empty(path: Path) -> None:
    """A file as ext4 leaves it whose bytes were not yet on the disk."""
    path.write_bytes(b"")


def cut(fallen: Fallen, gate: Gate, *, spoil: Spoil = empty) -> None:
    """The power fails: nothing lives on, and the records of the job's stages are spoilt."""
    fallen.kill()
    _kill_jobs(gate)
    for record in fallen.reader.root.glob("instances/*/jobs/*/.skerry/*"):
        spoil(record)
    restart(fallen.reader.root)


def _kill_jobs(gate: Gate) -> None:
    for up in gate.folder.glob("*.up"):
        for pid in map(int, up.read_text().split()):
            if lives(pid):
                os.killpg(os.getpgid(pid), signal.SIGKILL)
            until(lambda pid=pid: not lives(pid))  # type: ignore[misc]


def restart(root: Path) -> None:
    """Whatever the database and the records of stages tell was in another start of the machine."""
    for record in root.glob("instances/*/jobs/*/.skerry/*"):
        if record.is_file() and (here := boot_id().encode()) in (data := record.read_bytes()):
            moment = record.stat().st_mtime_ns
            record.write_bytes(data.replace(here, b"-" * len(here)))
            os.utime(record, ns=(moment, moment))
    with closing(sqlite3.connect(root / "skerry.db")) as database, database:
        database.create_function("skerry_crc", 1, crc32, deterministic=True)
        database.create_function("skerry_hash", 1, text_hash, deterministic=True)
        database.execute("UPDATE job_run SET boot_id = 'an earlier one'")


def _started(script: str, journal: Path) -> str:
    return f"echo start >> {journal}; {script}"


@pytest.mark.parametrize("spoil", [empty, Path.unlink, lambda record: shutil.rmtree(record.parents[1], True)])
def test_a_job_that_ran_at_the_cut_is_lost_and_not_run_again(
    fallen: Fallen, gate: Gate, journal: Path, spoil: Spoil
) -> None:
    nodes = {"a": shell(_started(gate.script(), journal)), "b": shell("true", after=["a"])}
    fallen.begin(nodes)
    gate.until_up()
    cut(fallen, gate, spoil=spoil)

    seen = fallen.end()

    assert (seen["a"].status, seen["a"].error_code) == ("lost", LOST.number)
    assert "restarted" in seen["a"].error_message
    assert (seen["b"].status, seen.status) == ("skipped", "lost")
    assert journal.read_text() == "start\n"
    seen.assert_replays()


def test_its_recovery_decides_what_happens_then(fallen: Fallen, gate: Gate, journal: Path) -> None:
    again = _started(f"[ $(wc -l < {journal}) -gt 1 ] || {{ {gate.script()} }}", journal)
    fallen.begin({"a": shell(again, recovery={"strategy": "retry", "after": 0})})
    gate.until_up()
    cut(fallen, gate)

    seen = fallen.end()

    assert [str(each.status) for each in seen["a"].attempts] == ["lost", "succeeded"]
    assert journal.read_text() == "start\nstart\n"


def test_a_further_attempt_that_ran_at_the_cut_is_lost_too(fallen: Fallen, gate: Gate, journal: Path) -> None:
    script = _started(f"[ $(wc -l < {journal}) -gt 1 ] || exit 3; {gate.script()}", journal)
    fallen.begin({"a": shell(script, retry={"times": 3, "interval": 0})})
    gate.until_up()
    cut(fallen, gate)

    seen = fallen.end()

    assert [str(each.status) for each in seen["a"].attempts] == ["failed", "lost"]
    assert journal.read_text() == "start\nstart\n"


@pytest.mark.parametrize("keys", [{"ready": "true"}, {"end": "true"}], ids=["ready", "end"])
def test_so_is_one_with_other_stages(fallen: Fallen, gate: Gate, journal: Path, keys: dict[str, Any]) -> None:
    fallen.begin({"a": shell(_started(gate.script(), journal), **keys)})
    gate.until_up()
    cut(fallen, gate)

    assert fallen.end()["a"].status == "lost"
    assert journal.read_text() == "start\n"


def test_an_end_stage_that_may_have_begun_is_not_run_again(fallen: Fallen, gate: Gate, journal: Path) -> None:
    # given a cut during an end stage, of which the disk has nothing though it has the end of the process
    fallen.begin({"a": shell("true", end=_started(gate.script(), journal))})
    gate.until_up()
    cut(fallen, gate, spoil=lambda record: empty(record) if record.name == "end" else None)

    assert fallen.end()["a"].status == "lost"
    assert journal.read_text() == "start\n"


@pytest.mark.parametrize("spoil", [empty, Path.unlink])
def test_an_end_stage_of_an_asynchronous_job_that_may_have_begun_is_not_run_again(
    fallen: Fallen, gate: Gate, journal: Path, spoil: Spoil
) -> None:
    # given a cut during an end stage, of whose start the disk has nothing, after the check has held
    check = {"after": "0s", "every": "1h", "times": 1, "success": "1 < 2"}
    fallen.begin({"a": shell("true", mode="async", check=check, end=_started(gate.script(), journal))})
    gate.until_up()
    cut(fallen, gate, spoil=lambda record: spoil(record) if record.name == "end" else None)

    seen = fallen.end()

    assert (seen["a"].status, seen["a"].error_code) == ("lost", LOST.number)
    assert journal.read_text() == "start\n"
    seen.assert_replays()


def test_an_attempt_whose_directory_was_not_announced_is_begun(fallen: Fallen, journal: Path) -> None:
    """The store proves that nothing of it can have started: its text was still being fetched."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        nodes = {"a": shell({"link": f"http://127.0.0.1:{port}/a.sh"}), "b": shell("true", after=["a"])}
        fallen.begin(nodes).until_state("a", "running")
        fallen.kill()
        restart(fallen.reader.root)
        Thread(target=_serve, args=(server, f"echo start >> {journal}"), daemon=True).start()

        seen = fallen.end()

    first, second = seen["a"].attempts
    assert (first.error_code, str(second.status)) == (NOT_BEGUN.number, "succeeded")
    assert journal.read_text() == "start\n"


def _serve(server: socket.socket, text: str) -> None:
    """Answer whoever asked before or asks now."""
    while True:
        try:
            client, _ = server.accept()
            with client:
                client.recv(65536)
                client.sendall(f"HTTP/1.0 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        except OSError:
            if server.fileno() < 0:
                return


def test_an_end_that_was_written_down_with_all_its_results_counts(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    script = gate.script(then="printf 5 > outputs/n")
    nodes = {"a": shell(_started(script, journal), results={"n": {"kind": "number"}})}
    fallen.begin(nodes)
    pid = gate.until_up()
    fallen.kill()
    gate.open()
    until(lambda: not lives(pid))
    restart(fallen.reader.root)

    seen = fallen.end()

    assert (seen["a"].status, seen["a"].results["n"]) == ("succeeded", 5)
    assert journal.read_text() == "start\n"


def test_but_not_where_a_result_did_not_reach_the_disk(fallen: Fallen, gate: Gate) -> None:
    script = gate.script(then="printf 5 > outputs/n; printf text > outputs/t")
    fallen.begin({"a": shell(script, results={"n": {"kind": "number"}})})
    pid = gate.until_up()
    fallen.kill()
    gate.open()
    until(lambda: not lives(pid))
    [result] = fallen.reader.root.glob("instances/*/jobs/*/outputs/t")
    empty(result)
    restart(fallen.reader.root)

    assert fallen.end()["a"].status == "lost"


def test_an_asynchronous_job_is_checked_on(fallen: Fallen, gate: Gate, journal: Path) -> None:
    check = {"every": "50ms", "times": 2000, "success": "'1' == '1'", "after": "1s"}
    fallen.begin({"a": shell(_started(gate.script(), journal), mode="async", check=check)})
    fallen.until_state("a", "checking")
    gate.until_up()
    cut(fallen, gate)

    assert fallen.end()["a"].status == "succeeded"
    assert journal.read_text() == "start\n"


def test_an_asynchronous_job_is_lost_where_a_result_of_it_did_not_reach_the_disk(
    fallen: Fallen, gate: Gate
) -> None:
    """It may have been there: no program that goes on writes it now, and its retry would do all of it twice."""
    check = {"every": "50ms", "times": 2000, "success": "'1' == '1'", "after": "1s"}
    script, results = gate.script(then="printf 5 > outputs/n"), {"n": {"kind": "number"}}
    fallen.begin({"a": shell(script, mode="async", check=check, results=results, retry={"times": 1})})
    fallen.until_state("a", "checking")
    pid = gate.until_up()
    fallen.kill()
    gate.open()
    until(lambda: not lives(pid))
    [result] = fallen.reader.root.glob("instances/*/jobs/*/outputs/n")
    result.unlink()
    restart(fallen.reader.root)

    job = fallen.end()["a"]

    assert (job.status, job.attempt) == ("lost", 1)
    assert "power cut" in job.error_message


def test_the_members_of_a_group_and_jobs_of_a_stage_run_once(
    fallen: Fallen, gate: Gate, journal: Path
) -> None:
    first, second = shell(f"echo first >> {journal}"), shell(_started(gate.script("s"), journal))
    last = shell(f"echo last >> {journal}")
    ready = {"group": [first, {"type": "wait", "for": "2s"}, last]}
    nodes = {
        "g": {"type": "group", "jobs": [first, second]},
        "r": shell(f"echo process >> {journal}", ready=ready),
    }
    fallen.begin(nodes).until_state("r.ready.1", "waiting")
    gate.until_up("s")
    cut(fallen, gate)

    seen = fallen.end()

    assert (seen["g.1"].status, seen["g"].status) == ("lost", "failed")
    assert seen["r"].status == "succeeded"
    assert sorted(journal.read_text().split()) == ["first", "first", "last", "process", "start"]


@pytest.mark.parametrize("code", [0, 7])
def test_what_was_begun_after_the_cut_is_taken_up_by_a_further_engine(
    fallen: Fallen, gate: Gate, journal: Path, code: int
) -> None:
    # given a job whose ready stage goes on after the cut, so that its own process begins
    ready = {"group": [shell(_started(gate.script("r"), journal))]}
    work = _started(gate.script("w", then=f"exit {code}"), journal)
    fallen.begin(
        {"a": shell(work, ready={"group": [{"type": "wait", "for": "1s"}]}), "b": shell("true", ready=ready)}
    )
    gate.until_up("r")
    cut(fallen, gate)
    second = fallen.again()
    gate.until_up("w")

    # when that engine ends, too
    second.close()
    fallen.again()
    gate.open("w")

    # then the end of that process counts
    job = fallen.end()["a"]
    assert (job.exit_code, job.attempt) == (code, 1)
    assert job.status == ("failed" if code else "succeeded")
    assert journal.read_text().split() == ["start", "start"]


def test_a_rebuilt_database_starts_nothing_again(fallen: Fallen, gate: Gate, journal: Path) -> None:
    fallen.begin({"a": shell(_started(gate.script(), journal))})
    gate.until_up()
    cut(fallen, gate)
    for each in fallen.reader.root.glob("instances/*/environment.json"):
        each.write_text(each.read_text().replace("boot_id", "no_id"))
    for each in fallen.reader.root.glob("skerry.db*"):
        each.unlink()

    seen = fallen.end()

    assert seen["a"].status == "lost"
    assert journal.read_text() == "start\n"
