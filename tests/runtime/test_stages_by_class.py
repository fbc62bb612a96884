"""Stages that are calls by class, beside asynchronous jobs and over a kill of the engine: what had not begun begins."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.runtime import LOST
from tests.runtime.site import Gate, Site, lives, shell, task
from tests.runtime.test_calls_taken_up import calls
from tests.runtime.test_take_up import Fallen, fallen
from tests.waiting import LONGEST, until

__all__ = ["calls", "fallen"]
_LARGE = 1 << 40  # bytes, of which the disk has none: to pack them takes hours
BY_CLASS = {"class": "archive"}


def _packs(tmp_path: Path, size: int = 5, **keys: Any) -> dict[str, Any]:
    """A job that packs a file as one of its stages."""
    file, target = tmp_path / "file", tmp_path / "file.tar.gz"
    with file.open("wb") as made:
        made.truncate(size)
    return {"type": "shell", "params": {"files": [str(file)], "target": str(target)}, **keys}


def _checked(success: Any, **keys: Any) -> dict[str, Any]:
    return {
        "mode": "async",
        "check": {"after": "0s", "every": "50ms", "times": 2000, "success": success, **keys},
    }


def _until_packing(tmp_path: Path) -> None:
    until(lambda: list(tmp_path.glob("workspace/instances/*/jobs/*/.skerry/progress")), "it reports progress")


# -- asynchronous -----------------------------------------------------------------------------------


@pytest.mark.parametrize("restarts", [False, True], ids=["the same engine", "another engine"])
def test_a_call_whose_outcome_is_checked_has_no_slot(
    make_site: Callable[..., Site], tmp_path: Path, restarts: bool
) -> None:
    site = make_site(places=1)
    job = _packs(tmp_path, process=BY_CLASS, **_checked("1 > 2", every="1h"))
    first = site.begin(task({"a": job}))
    site.until_state(first, "a", "checking")
    if restarts:
        site.again()

    assert site.run(task({"b": shell("true")})).states == {"b": "succeeded"}
    assert site.state(first, "a") == "checking"


@pytest.mark.parametrize("restarts", [False, True], ids=["the same engine", "another engine"])
def test_nothing_of_it_runs_beside_an_exclusive_job_while_it_is_checked(
    site: Site, tmp_path: Path, restarts: bool
) -> None:
    job = _packs(tmp_path, process=BY_CLASS, **_checked("1 > 2", every="1h"))
    first = site.begin(task({"a": job}))
    site.until_state(first, "a", "checking")
    if restarts:
        site.again()

    assert site.run(task({"x": shell("true", on={"exclusive": True})})).states == {"x": "succeeded"}


@pytest.mark.parametrize("restarts", [False, True], ids=["the same engine", "another engine"])
def test_but_its_end_stage_does_not(site: Site, gate: Gate, tmp_path: Path, restarts: bool) -> None:
    job = _packs(tmp_path, process=BY_CLASS, end=gate.script(), **_checked("1 < 2"))
    first = site.begin(task({"a": job}))
    gate.until_up()
    if restarts:
        site.again()

    later = site.begin(task({"x": shell("true", on={"exclusive": True})}))
    site.until_state(later, "x", "busy")

    gate.open()
    assert [site.end(each).status for each in (first, later)] == ["succeeded"] * 2


def test_its_check_and_what_follows_read_its_results(site: Site, tmp_path: Path) -> None:
    check = _checked("{$.JOB['a'].RESULT['path']} # 'file.tar'")
    results = {"listed": {"kind": "list", "value": "$.JOB['a'].RESULT['files']"}}
    first = shell("true", params={"first": "$.JOB['a'].RESULT[0]"}, after=["a"])

    seen = site.run(task({"a": _packs(tmp_path, process=BY_CLASS, results=results, **check), "b": first}))

    assert seen.states == {"a": "succeeded", "b": "succeeded"}, seen["a"].error_message
    assert list(seen["a"].results) == ["listed", "path", "size", "files"]
    assert seen["a"].results["listed"] == seen["a"].results["files"] == ["file"]
    assert seen.job("b")["PARAMS"] == {"first": ["file"]}
    seen.assert_replays()


@pytest.mark.parametrize("ready", [None, "true", BY_CLASS], ids=["alone", "after a program", "after a call"])
def test_the_check_of_a_call_goes_on_under_the_next_engine(
    fallen: Fallen, tmp_path: Path, calls: list[str], ready: Any
) -> None:
    file, keys = tmp_path / "go", {} if ready is None else {"ready": ready}
    is_there = {"type": "file", "uri": str(file), "check": {"exists": True}}
    job = _packs(tmp_path, process=BY_CLASS, **keys, **_checked({"resource": "go"}))
    fallen.begin({"a": job}, resources={"go": is_there}).until_state("a", "checking")
    fallen.kill()
    fallen.again()
    file.touch()

    seen = fallen.end()

    assert seen.states == {"a": "succeeded"}, seen["a"].error_message
    assert calls == []
    assert seen["a"].results["path"] == str(tmp_path / "file.tar.gz")
    seen.assert_replays()


# -- not begun --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "by_class", [{"type": "shell", "process": BY_CLASS}, {"type": "archive"}], ids=["a stage", "a job"]
)
def test_a_call_behind_a_program_that_ended_while_no_engine_was_there_is_made(
    fallen: Fallen, gate: Gate, tmp_path: Path, calls: list[str], by_class: dict[str, Any]
) -> None:
    fallen.begin({"a": {**_packs(tmp_path, ready=gate.script()), **by_class}})
    pid = gate.until_up()
    fallen.kill()
    gate.open()
    until(lambda: not lives(pid))

    seen = fallen.end()

    assert seen.states == {"a": "succeeded"}, seen["a"].error_message
    assert (len(calls), seen["a"].attempt) == (1, 1)


def test_a_call_of_a_further_attempt_that_waited_for_its_text_is_made(
    fallen: Fallen, tmp_path: Path, calls: list[str]
) -> None:
    # given a job whose first attempt failed in the program behind its call, and whose second one waits for that
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LONGEST)
        link = f"http://127.0.0.1:{server.getsockname()[1]}/a.sh"
        retry = {"times": 1, "interval": 0}
        fallen.begin({"a": _packs(tmp_path, ready=BY_CLASS, process={"link": link}, retry=retry)})
        _answer(server, "exit 3")
        waiting, _ = server.accept()
        until(lambda: len(fallen.reader.see(fallen.instance)["a"].attempts) == 2)
        fallen.kill()
        waiting.close()

        # when the next engine gets it
        fallen.again()
        _answer(server, "true")
        seen = fallen.end()

    # then nothing was lost
    assert seen.states == {"a": "succeeded"}, seen["a"].error_message
    assert [str(each.status) for each in seen["a"].attempts] == ["failed", "failed", "succeeded"]
    assert len(calls) == 1


def _answer(server: socket.socket, text: str) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
        connection.sendall((head + text).encode())


# -- under way --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stages",
    [
        {"process": BY_CLASS},
        {"process": BY_CLASS, "ready": "true"},
        {"process": BY_CLASS, "ready": {"group": [shell("true")]}},
        {"process": "true", "ready": BY_CLASS},
    ],
    ids=["alone", "after a program", "after jobs", "ready"],
)
def test_a_call_that_was_being_made_is_lost_and_not_made_again(
    fallen: Fallen, tmp_path: Path, calls: list[str], stages: Mapping[str, Any]
) -> None:
    fallen.begin({"a": _packs(tmp_path, _LARGE, **stages)})
    _until_packing(tmp_path)
    fallen.kill()

    seen = fallen.end()

    assert (seen["a"].status, seen["a"].error_code) == ("lost", LOST.number)
    assert calls == []


def test_a_call_that_a_further_attempt_was_making_is_lost(
    fallen: Fallen, tmp_path: Path, calls: list[str]
) -> None:
    once = f"[ -e {tmp_path}/second ] || {{ touch {tmp_path}/second; exit 3; }}"
    job = _packs(tmp_path, _LARGE, process=BY_CLASS, ready=once, retry={"times": 2, "interval": 0})
    fallen.begin({"a": job})
    _until_packing(tmp_path)
    fallen.kill()

    seen = fallen.end()

    assert [str(each.status) for each in seen["a"].attempts] == ["failed", "lost"]
    assert calls == []
