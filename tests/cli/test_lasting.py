"""Engines come and go while a command asks: what nobody heard is asked of the next one."""

from __future__ import annotations

import socket
import subprocess
import threading
from pathlib import Path

import pytest

from app.cli.reconnecting import reconnecting
from engine.api.client import Client
from engine.api.documents import Document
from engine.api.listener import Listener
from engine.api.sockets import connect, listen
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.request_key import current_key
from tests import commands
from tests.api.fake_service import FakeService
from tests.cli.conftest import complaints


def test_a_question_to_an_engine_that_is_gone_is_answered_by_the_next(tmp_path: Path) -> None:
    service = reconnecting(Client(tmp_path / "gone.sock"), FakeService)

    assert service.about()["version"] == "test"


def test_a_question_that_an_engine_hung_up_on_is_asked_again_with_its_key(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    keys: list[str | None] = []

    class Next(FakeService):
        def cancel(self, instance: int, node: str | None = None) -> Document:
            keys.append(current_key())
            return super().cancel(instance, node)

    def hear_and_hang_up(bound: socket.socket) -> None:
        connection = bound.accept()[0]
        with connection, connection.makefile("rb") as lines:
            head = list(iter(lines.readline, b"\r\n"))
            keys.extend(each.split()[1].decode() for each in head if each.startswith(b"Idempotency-Key"))
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            lines.read(1)

    with listen(path) as bound:

        def engine() -> None:
            bound.accept()[0].close()
            for _ in range(2):
                hear_and_hang_up(bound)

        serving = threading.Thread(target=engine)
        serving.start()

        assert reconnecting(Client(path), FakeService).about()["version"] == "test"
        assert reconnecting(Client(path), Next).cancel(1)["instance"] == 1
        serving.join()

    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_it_does_not_ask_for_ever(tmp_path: Path) -> None:
    gone = Client(tmp_path / "gone.sock")

    with pytest.raises(SkerryError) as caught:
        reconnecting(gone, lambda: gone).about()

    assert caught.value.code == NO_ANSWER.number


@pytest.mark.parametrize("asked_before", [False, True])
def test_who_had_connected_when_the_engine_ended_is_answered(tmp_path: Path, asked_before: bool) -> None:
    """By it, if it had an asker to answer before; else by the next one: the connection waits in the kernel."""
    path = tmp_path / "engine.sock"
    reply: list[str] = []

    def ask() -> None:
        reply.append(reconnecting(Client(path), FakeService).set_state("x" * 200_000, "online")["state"])

    for _ in range(3):
        with Listener(FakeService(), path):
            if asked_before:
                Client(path).about()
            asker = threading.Thread(target=ask)
            connected = threading.Event()
            asker.start()
            connected.wait(0.01)
        asker.join()

    assert reply == ["online"] * 3


def test_who_was_let_in_before_the_end_may_still_ask(tmp_path: Path) -> None:
    """The question itself comes only when the engine has begun to end."""
    path = tmp_path / "engine.sock"
    listener = Listener(FakeService(), path)
    Client(path).about()  # the framework is there
    slow = connect(path, 30.0)
    ending = threading.Thread(target=listener.close)
    ending.start()
    while path.exists():
        ending.join(0.01)
    ending.join(0.3)

    slow.sendall(b"GET /v1/about HTTP/1.1\r\nHost: skerry\r\nConnection: close\r\n\r\n")
    answer = slow.makefile("rb").read()

    ending.join()
    assert answer.startswith(b"HTTP/1.1 200 OK")


def test_short_commands_beside_short_runs_are_all_answered(tmp_path: Path) -> None:
    """Owners that live for a moment each, and commands that look on meanwhile."""
    file = tmp_path / "quick.yaml"
    file.write_text("skerry: 1\ntasks: {t: {nodes: {a: {type: shell, process: 'true'}}}}\n")
    (tmp_path / "w").mkdir()
    skerry = [*commands.skerry(), "--workspace", str(tmp_path / "w")]
    runs = [subprocess.Popen([*skerry, "run", str(file)], stdout=subprocess.DEVNULL) for _ in range(6)]

    lists = [subprocess.run([*skerry, "list"], capture_output=True, text=True) for _ in range(4)]

    assert [each.wait() for each in runs] == [0] * 6
    assert [(each.returncode, complaints(each.stderr)) for each in lists] == [(0, "")] * 4
