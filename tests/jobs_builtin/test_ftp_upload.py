"""ftp_upload to a real server, and to one that fails on purpose."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.jobs import MISSING, NOT_A_FILE, PARAMETER
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.plugins.resource_type import ResolvedResource
from jobs_builtin.ftp_upload import CODES, WHOLE, FtpUpload
from tests.jobs_builtin.test_ftp import Script
from tests.servers.calls import Bench, stopping_halfway
from tests.servers.vsftpd import Vsftpd

CONTENT = bytes(range(256)) * 4096  # 1 MiB
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "data 马.bin").write_bytes(CONTENT)
    return Bench(tmp_path / "job")


@pytest.fixture
def incoming(vsftpd: Vsftpd) -> Path:
    place = vsftpd.files / "incoming"
    for each in place.iterdir():
        each.unlink()
    return place


def _send(bench: Bench, server: Vsftpd, url: str = "", **keys: Any) -> dict[str, Any]:
    resource = ResolvedResource("files", "ftp", url or f"{server.url}/incoming", {}, {}, server.password)
    return bench.call(FtpUpload(), {"resource": "files", "path": "data 马.bin", **keys}, resource)


def _failure(bench: Bench, server: Vsftpd, **keys: Any) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        _send(bench, server, **keys)
    return caught.value


def _part(incoming: Path, content: bytes) -> None:
    (incoming / "x.part").write_bytes(content)
    (incoming / "x.part").chmod(0o666)


def _commands(server: Vsftpd, word: str) -> int:
    return sum(f'"{word} ' in line for line in server.log.read_text().splitlines())


def test_a_file_arrives_byte_for_byte(bench: Bench, vsftpd: Vsftpd, incoming: Path) -> None:
    result = _send(bench, vsftpd)

    assert result == {"path": "/incoming/data 马.bin", "size": len(CONTENT), "sha256": DIGEST}
    assert [(each.name, each.read_bytes()) for each in incoming.iterdir()] == [("data 马.bin", CONTENT)]
    assert bench.progress[-1] == "100 data 马.bin"


def test_a_file_arrives_over_tls(
    bench: Bench, vsftpd: Vsftpd, incoming: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(vsftpd.certificate))

    _send(bench, vsftpd, f"{vsftpd.secure_url}/incoming", target="x")

    assert (incoming / "x").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("target", "name"), [("/incoming/", "data 马.bin"), ("/incoming/y", "y"), ("y", "y")]
)
def test_the_target_begins_at_the_address(
    bench: Bench, vsftpd: Vsftpd, incoming: Path, target: str, name: str
) -> None:
    assert _send(bench, vsftpd, target=target)["path"] == f"/incoming/{name}"
    assert (incoming / name).read_bytes() == CONTENT


def test_an_older_target_is_replaced_and_an_empty_file_is_sent(
    bench: Bench, vsftpd: Vsftpd, incoming: Path
) -> None:
    (incoming / "x").write_text("old")
    (bench.directory / "empty").write_bytes(b"")

    assert _send(bench, vsftpd, path="empty", target="x")["size"] == 0
    assert (incoming / "x").read_bytes() == b""


@pytest.mark.parametrize("have", [1, 70_000, len(CONTENT) - 1, len(CONTENT)])
def test_a_part_is_continued(bench: Bench, vsftpd: Vsftpd, incoming: Path, have: int) -> None:
    _part(incoming, CONTENT[:have])
    before = _commands(vsftpd, "APPE"), _commands(vsftpd, "STOR")

    result = _send(bench, vsftpd, target="x", resume=True)

    assert (incoming / "x").read_bytes() == CONTENT
    assert result["sha256"] == DIGEST
    assert (_commands(vsftpd, "APPE"), _commands(vsftpd, "STOR")) == (before[0] + 1, before[1])
    assert not (incoming / "x.part").exists()


@pytest.mark.parametrize("part", [b"other" * 30_000, CONTENT + b"longer", CONTENT[:70_000] + b"?"])
def test_a_part_of_another_file_is_sent_again(
    bench: Bench, vsftpd: Vsftpd, incoming: Path, part: bytes
) -> None:
    _part(incoming, part)

    _send(bench, vsftpd, target="x", resume="true")

    assert (incoming / "x").read_bytes() == CONTENT


def test_a_folder_that_is_not_there_is_reported_and_the_password_never_shows(
    bench: Bench, vsftpd: Vsftpd, incoming: Path
) -> None:
    failure = _failure(bench, vsftpd, target="/gone/x")

    assert failure.entry in (CODES.answer, CODES.missing)
    assert vsftpd.password not in f"{failure.message} {failure.details}"
    assert list(incoming.iterdir()) == []


@pytest.mark.parametrize(
    ("keys", "entry"),
    [
        ({"path": "gone"}, MISSING),
        ({"path": "."}, NOT_A_FILE),
        ({"path": ""}, PARAMETER),
        ({"target": "a\r\nDELE x"}, CODES.address),
    ],
)
def test_what_cannot_be_sent_is_reported(
    bench: Bench, vsftpd: Vsftpd, incoming: Path, keys: dict[str, Any], entry: object
) -> None:
    assert _failure(bench, vsftpd, **keys).entry is entry
    assert list(incoming.iterdir()) == []


def test_a_cancel_in_the_middle_leaves_only_a_part_which_resume_completes(
    bench: Bench, vsftpd: Vsftpd, incoming: Path
) -> None:
    (bench.directory / "data 马.bin").write_bytes(CONTENT * 8)
    stopping = stopping_halfway(bench.directory)

    assert _failure(stopping, vsftpd, target="x").entry is CANCELLED
    assert [each.name for each in incoming.iterdir()] == ["x.part"]

    _send(bench, vsftpd, target="x", resume=True)
    assert (incoming / "x").read_bytes() == CONTENT * 8


# -- a server that fails on purpose


class Taker(Script):
    """Takes what is sent; its SIZE is what has come, unless ``replies`` says otherwise."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.files: dict[str, bytes] = {}
        self.deleted: list[str] = []

    def _converse(self, client: socket.socket) -> None:
        with client, client.makefile("rb") as lines, socket.create_server(("127.0.0.1", 0)) as data:
            client.sendall(b"220 hello\r\n")
            for line in lines:
                command = line.decode().strip()
                client.sendall(self._reply(command, data).encode() + b"\r\n")
                if command.startswith("STOR"):
                    self._take(command[5:], data)
                    client.sendall(self.replies.get("after", "226 done").encode() + b"\r\n")

    def _reply(self, command: str, data: socket.socket) -> str:
        word, _, path = command.partition(" ")
        if word == "DELE":
            self.deleted.append(path)
        own = {
            "STOR": "150 send it", "SIZE": f"213 {len(self.files.get(path, b''))}", "DELE": "250 gone",
            "RNFR": "350 to what", "RNTO": "250 renamed",
        }  # fmt: skip
        return self.replies.get(word) or own.get(word) or super()._reply(command, data)

    def _take(self, path: str, data: socket.socket) -> None:
        connection, _ = data.accept()
        with connection, connection.makefile("rb") as file:
            self.files[path] = file.read()


@pytest.fixture
def taker() -> Iterator[Taker]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = Taker(listener.getsockname()[1])
        threading.Thread(target=started.serve, args=(listener,), daemon=True).start()
        yield started


def _give(bench: Bench, taker: Taker) -> dict[str, Any]:
    return bench.call(
        FtpUpload(), {"url": f"ftp://127.0.0.1:{taker.port}", "path": "data 马.bin", "target": "x"}
    )


def test_a_server_that_cannot_rename_gets_the_file_under_its_name(bench: Bench, taker: Taker) -> None:
    taker.replies = {"RNFR": "502 no such command"}

    assert _give(bench, taker)["sha256"] == DIGEST
    assert taker.files["x"] == CONTENT
    assert taker.deleted == ["x.part"]


def test_a_rename_that_is_refused_fails(bench: Bench, taker: Taker) -> None:
    taker.replies = {"RNTO": "553 not that name"}

    with pytest.raises(SkerryError, match="not that name"):
        _give(bench, taker)
    assert "x" not in taker.files


@pytest.mark.parametrize(
    "replies",
    [
        {"SIZE": "213 7"},
        {"FEAT": "211 XSHA256", "XSHA256": f"250 {'0' * 64}"},
        {
            "FEAT": "211 HASH SHA-1;SHA-256*",
            "OPTS": "200 SHA-256",
            "HASH": f"213 SHA-256 0-9 {'0' * 64} x.part",
        },
    ],
)
def test_another_file_on_the_server_is_noticed(bench: Bench, taker: Taker, replies: dict[str, str]) -> None:
    taker.replies = replies

    with pytest.raises(SkerryError) as caught:
        _give(bench, taker)
    assert caught.value.entry is WHOLE.unlike


@pytest.mark.parametrize(
    "replies",
    [
        {"FEAT": "211 XSHA256", "XSHA256": f"250 {DIGEST.upper()}"},
        {"FEAT": "211 XSHA256", "XSHA256": "550 not now"},
        {"SIZE": "502 no such command"},
    ],
)
def test_the_same_file_or_a_server_that_does_not_say_is_accepted(
    bench: Bench, taker: Taker, replies: dict[str, str]
) -> None:
    taker.replies = replies

    assert _give(bench, taker)["size"] == len(CONTENT)


def test_the_servers_words_are_reported_when_it_has_no_room(bench: Bench, taker: Taker) -> None:
    taker.replies = {"after": "452 no room"}

    with pytest.raises(SkerryError, match="no room") as caught:
        _give(bench, taker)
    assert caught.value.code == CODES.answer.number - 452
