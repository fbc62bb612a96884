"""Requests with a key, over the socket: done once, also when the engine was killed in between."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.api.client import Client
from engine.api.documents import InstanceQuery, Kind, Rerun, RunRequest
from engine.api.sockets import connect, listen
from engine.model.request_key import with_key
from tests import commands
from tests.waiting import until

TASKS = """
skerry: 1
tasks:
  quick: {params: {a: {value: x}}, nodes: {n: {type: shell, process: 'true'}}}
  other: {nodes: {n: {type: shell, process: 'true'}}}
  hourly: {schedule: {level: hour, every: 1}, nodes: {n: {type: shell, process: 'true'}}}
"""
Serve = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Begins an engine in ``w``, which can be killed."""
    begun: list[subprocess.Popen[str]] = []

    def begin() -> subprocess.Popen[str]:
        command = [*commands.skerry(), "--workspace", str(tmp_path / "w"), "serve"]
        begun.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert begun[-1].stdout is not None
        assert begun[-1].stdout.readline() == "ready\n"
        return begun[-1]

    yield begin
    for each in begun:
        with suppress(ProcessLookupError):
            each.terminate()
        each.communicate()


def _post(root: Path, path: str, body: Any, key: str) -> tuple[int, Any]:
    return _send(root, "POST", path, body, key)


def _send(root: Path, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
    """A request as any program makes it."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: s\r\nConnection: close\r\nContent-Length: {len(data)}\r\n"
    head += "Content-Type: application/json\r\n"
    with connect(root / "w" / "engine.sock") as connection:
        connection.sendall(f"{head}Idempotency-Key: {key}\r\n\r\n".encode() + data)
        answer = connection.makefile("rb").read()
    return int(answer.split()[1]), json.loads(answer.partition(b"\r\n\r\n")[2])


def _ended(client: Client, instance: int, run: int = 1) -> bool:
    found = client.instance(instance)
    return found["run"] == run and found["status"] == "succeeded"


def test_a_request_delivered_again_is_answered_with_what_was_begun(tmp_path: Path, serve: Serve) -> None:
    # given an engine that has started a task for a request with a key, and was killed
    engine = serve()
    client = Client(tmp_path / "w" / "engine.sock")
    client.load([{"name": "tasks.yaml", "text": TASKS}])
    wanted = {"task": "quick"}
    first = _post(tmp_path, "/v1/instances", wanted, "k1")
    assert first[0] == 200
    commands.kill(engine)

    # when the request comes again to the next one, many times at once
    serve()
    with ThreadPoolExecutor(8) as pool:
        again = list(pool.map(lambda _: _post(tmp_path, "/v1/instances", wanted, "k1"), range(8)))
        other = list(pool.map(lambda _: _post(tmp_path, "/v1/instances", wanted, "k2"), range(8)))

    # then each is answered as the first one of its key, and nothing was begun again
    number = first[1]["instance"]
    assert again == [first] * 8
    assert other == [other[0]] * 8
    assert [each["instance"] for each in client.instances(InstanceQuery())] == [
        other[0][1]["instance"],
        number,
    ]

    # and the key is refused with another request, but holds for none that was wrong
    assert _post(tmp_path, "/v1/instances", {"task": "other"}, "k1")[0] == 400
    assert _post(tmp_path, "/v1/instances", wanted, "k" * 201)[0] == 400
    assert _post(tmp_path, "/v1/instances", {"task": "none"}, "k3")[0] == 400
    assert _post(tmp_path, "/v1/instances", wanted, "k3")[0] == 200


def test_a_backfill_delivered_again_is_answered_with_the_one_that_was_begun(
    tmp_path: Path, serve: Serve
) -> None:
    # given a backfill that was begun for a request with a key
    serve()
    client = Client(tmp_path / "w" / "engine.sock")
    client.load([{"name": "tasks.yaml", "text": TASKS}])
    wanted = {"task": "hourly", "since": "2026-01-01T00:00", "until": "2026-01-01T01:00"}
    first = _post(tmp_path, "/v1/backfills", wanted, "k1")

    # when the request comes again
    again = _post(tmp_path, "/v1/backfills", wanted, "k1")

    # then it has the same answer, and there is one backfill
    assert first == again == (200, {"backfill": 1})
    assert len(client.backfills()) == 1


def test_a_rerun_delivered_again_begins_no_further_run(tmp_path: Path, serve: Serve) -> None:
    engine = serve()
    client = Client(tmp_path / "w" / "engine.sock")
    client.load([{"name": "tasks.yaml", "text": TASKS}])
    number = client.run(RunRequest("quick"))
    until(lambda: _ended(client, number))

    # when one rerun is delivered many times at once, and again after its engine was killed
    wanted = {"reruns": [{"instance": number, "mode": "all"}]}
    with ThreadPoolExecutor(8) as pool:
        begun = list(pool.map(lambda _: _post(tmp_path, "/v1/reruns", wanted, "again"), range(8)))
    until(lambda: _ended(client, number, run=2))
    commands.kill(engine)
    serve()
    begun.append(_post(tmp_path, "/v1/reruns", wanted, "again"))

    # then there is one further run
    assert begun == [(200, {"runs": [{"instance": number, "run": 2}]})] * 9
    with with_key("more"):
        assert client.rerun([Rerun(number, "all")]) == [{"instance": number, "run": 3}]


CHANGES = """
skerry: 1
jobs:
  alone: {type: shell, process: 'true'}
tasks:
  bad: {params: {a: {value: x}}, nodes: {n: {type: shell, process: 'false'}}}
  spare: {nodes: {n: {type: shell, process: 'true'}}}
rules:
- {id: r, match: {task: spare}, name: hello, action: pause}
"""
REPEATED = [
    ("PUT", "/v1/instances/1/context", {"path": "$.TASK.PARAMS['a']", "text": "y", "reason": "why"}),
    ("POST", "/v1/load", {"sources": [{"name": "more.yaml", "text": CHANGES.replace("hello", "more")}]}),
    ("POST", "/v1/queue", {"job": "alone"}),
    ("POST", "/v1/exceptions/1/handle", {"reason": "seen"}),
    ("POST", "/v1/instances/1/force", {"node": "n", "state": "succeeded", "reason": "looked at"}),
    ("POST", "/v1/alerts/acknowledge", {"alerts": None}),
    ("PUT", "/v1/tasks/bad/state", {"state": "deleted"}),
    ("PUT", "/v1/rules/r/enabled", {"enabled": False}),
    ("DELETE", "/v1/definitions/rule/r", None),
    ("PUT", "/v1/queue/size", {"size": 3}),
    ("POST", "/v1/instances", {"task": "spare"}),
    ("POST", "/v1/reruns", {"reruns": [{"instance": 1, "mode": "all"}]}),
    ("POST", "/v1/instances/1/cancel", {}),
]


def test_whatever_changes_something_is_done_once_for_a_key(tmp_path: Path, serve: Serve) -> None:
    # given every kind of change, asked for with a key each, and the engine killed after that
    engine = serve()
    client = Client(tmp_path / "w" / "engine.sock")
    client.load([{"name": "changes.yaml", "text": CHANGES}])
    client.run(RunRequest("bad"))
    until(lambda: client.instance(1)["status"] == "failed")
    first = _all_of_them(tmp_path)
    until(lambda: all(each["ended_at"] for each in client.instances(InstanceQuery())))
    before = _what_there_is(client)
    commands.kill(engine)

    # when all of them are delivered again to the next one
    serve()
    again = _all_of_them(tmp_path)

    # then each is answered as before, errors as well, and nothing was done again
    assert again == first
    assert [status for status, _ in first[:-1]] == [200] * (len(first) - 1)
    assert _what_there_is(client) == before


def _all_of_them(root: Path) -> list[tuple[int, Any]]:
    return [_send(root, *each, key=f"change-{place}") for place, each in enumerate(REPEATED)]


def _what_there_is(client: Client) -> Any:
    """Instances with their runs, lines of the log, revisions, the audit."""
    kinds: tuple[Kind, ...] = ("task", "job", "rule")
    instances = client.instances(InstanceQuery())
    return (
        [(each["instance"], client.instance(each["instance"])["run"]) for each in instances],
        [client.context(each["instance"]) for each in instances],
        [(each["id"], each["revision"]) for kind in kinds for each in client.definitions(kind)],
    )


def test_the_commands_take_a_key(tmp_path: Path) -> None:
    file = tmp_path / "quick.yaml"
    file.write_text(TASKS)
    skerry = [*commands.skerry(), "--workspace", str(tmp_path / "w"), "--json"]

    def skerry_run(*arguments: str) -> Any:
        found = subprocess.run([*skerry, *arguments], capture_output=True, text=True)
        return json.loads(found.stdout)

    found = [skerry_run("run", str(file), "--task", "quick", "--key", "one") for _ in range(2)]
    found += [skerry_run("rerun", "1", "--all", "--key", "two") for _ in range(2)]

    assert [(each["instance"], each["run"]) for each in found] == [(1, 1), (1, 1), (1, 2), (1, 2)]


def test_the_client_asks_once_more_with_the_same_key_when_its_answer_got_lost(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    heard: list[bytes] = []

    def answer(connection: socket.socket, last: bytes) -> None:
        with connection, connection.makefile("rb") as lines:
            heard.extend(
                line for line in iter(lines.readline, b"\r\n") if line.startswith(b"Idempotency-Key")
            )
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            lines.read(2)
            connection.sendall(last)

    def engine() -> None:
        answer(bound.accept()[0], b"")
        answer(bound.accept()[0], b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"instance":7}')

    with listen(path) as bound:
        serving = threading.Thread(target=engine)
        serving.start()
        number = Client(path).run(RunRequest("quick"))
        serving.join()

    assert number == 7
    assert len(heard) == 2
    assert heard[0] == heard[1]
