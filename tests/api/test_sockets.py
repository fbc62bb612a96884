"""The socket in the workspace."""

import socket
import stat
from pathlib import Path

import pytest

from engine.api import sockets
from engine.model.errors import Refused


def long_folder(tmp_path: Path) -> Path:
    folder = tmp_path / ("d" * 200) / ("e" * 200)
    folder.mkdir(parents=True)
    return folder


def test_a_long_path_is_no_obstacle(tmp_path: Path) -> None:
    path = long_folder(tmp_path) / "engine.sock"

    with sockets.listen(path) as bound, sockets.connect(path) as caller:
        answering, _ = bound.accept()
        answering.sendall(b"hello")
        answering.close()

        assert caller.recv(10) == b"hello"


def test_only_the_owner_may_connect(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"

    with sockets.listen(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_one_left_behind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    sockets.listen(path).close()

    with pytest.raises(ConnectionRefusedError):
        sockets.connect(path)
    with sockets.listen(path), sockets.connect(path) as caller:
        assert caller.family == socket.AF_UNIX


def test_a_file_of_that_name_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    path.write_text("mine")

    with pytest.raises(Refused, match="it is in the way"):
        sockets.listen(path)

    assert path.read_text() == "mine"


def test_nobody_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sockets.connect(long_folder(tmp_path) / "engine.sock")
