"""ftp_download from a real server, and from one that fails on purpose."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.jobs import DENIED, MISSING, NO_SPACE, NOT_A_FILE, PARAMETER, TROUBLE
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.plugins.resource_type import ResolvedResource
from jobs_builtin.ftp_download import CODES, WHOLE, FtpDownload
from tests.servers.calls import Bench
from tests.servers.vsftpd import Vsftpd
from tests.waiting import until

CONTENT = bytes(range(256)) * 4096  # 1 MiB
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "job").mkdir()
    return Bench(tmp_path / "job")


@pytest.fixture
def server(vsftpd: Vsftpd) -> Vsftpd:
    (vsftpd.files / "folder").mkdir(exist_ok=True)
    (vsftpd.files / "folder" / "data 马.bin").write_bytes(CONTENT)
    (vsftpd.files / "empty").write_bytes(b"")
    return vsftpd


def _resource(server: Vsftpd, path: str = "", **request: Any) -> ResolvedResource:
    return ResolvedResource("files", "ftp", server.url + path, request, {}, server.password)


def _fetch(bench: Bench, resource: ResolvedResource | None, /, **keys: Any) -> dict[str, Any]:
    return bench.call(FtpDownload(), keys, resource)


def _failure(action: Callable[[], object]) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        action()
    return caught.value


def test_a_file_arrives_byte_for_byte(bench: Bench, server: Vsftpd) -> None:
    result = _fetch(bench, _resource(server), resource="files", path="folder/data 马.bin")

    path = bench.outputs / "data 马.bin"
    assert result == {"path": str(path), "size": len(CONTENT), "sha256": DIGEST}
    assert path.read_bytes() == CONTENT
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in bench.outputs.iterdir()] == [path.name]
    assert bench.progress[-1] == "100 data 马.bin"


def test_a_file_arrives_over_tls(bench: Bench, server: Vsftpd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    secure = ResolvedResource("files", "ftp", server.secure_url, {}, {}, server.password)

    result = _fetch(bench, secure, resource="files", path="folder/data 马.bin")

    assert Path(result["path"]).read_bytes() == CONTENT


def test_an_empty_file_arrives(bench: Bench, server: Vsftpd) -> None:
    assert _fetch(bench, _resource(server), resource="files", path="/empty")["size"] == 0


@pytest.mark.parametrize(
    ("target", "place"),
    [("x.bin", "x.bin"), ("outputs/", "outputs/data 马.bin"), (".", "data 马.bin"), ("outputs/../y", "y")],
)
def test_the_target_is_taken_from_the_jobs_directory(
    bench: Bench, server: Vsftpd, target: str, place: str
) -> None:
    result = _fetch(bench, _resource(server, "/folder/"), resource="files", path="data 马.bin", target=target)

    assert Path(result["path"]) == bench.directory / place
    assert Path(result["path"]).read_bytes() == CONTENT


def test_an_address_may_stand_in_the_parameters(bench: Bench, server: Vsftpd, tmp_path: Path) -> None:
    url = server.url.replace("//", f"//anonymous:{server.password.replace('@', '%40')}@")
    params = {"url": f"{url}/folder", "path": "data%20x", "target": str(tmp_path / "there"), "resume": False}
    (server.files / "folder" / "data%20x").write_bytes(b"percent")

    bench.call(FtpDownload(), {}, None, params)

    assert (tmp_path / "there").read_bytes() == b"percent"


def test_an_older_target_is_replaced_only_by_a_whole_file(bench: Bench, server: Vsftpd) -> None:
    (bench.directory / "x").write_text("old")

    _failure(lambda: _fetch(bench, _resource(server), resource="files", path="/gone", target="x"))
    assert (bench.directory / "x").read_text() == "old"
    _fetch(bench, _resource(server), resource="files", path="/empty", target="x")
    assert (bench.directory / "x").read_bytes() == b""


def _restarted(server: Vsftpd) -> list[str]:
    """The places at which the server was asked to begin."""
    return [
        line.split("REST ")[1].strip('" \n')
        for line in server.log.read_text().splitlines()
        if '"REST ' in line
    ]


@pytest.mark.parametrize("have", [1, 70_000, len(CONTENT) - 1, len(CONTENT)])
def test_a_part_is_continued(bench: Bench, server: Vsftpd, have: int) -> None:
    (bench.directory / "x.part").write_bytes(CONTENT[:have])
    before = len(_restarted(server))

    result = _fetch(
        bench, _resource(server), resource="files", path="/folder/data 马.bin", target="x", resume=True
    )

    assert (bench.directory / "x").read_bytes() == CONTENT
    assert result["size"] == len(CONTENT)
    start = max(have - 65536, 0)
    assert _restarted(server)[before:] == ([str(start)] if start else [])
    assert not (bench.directory / "x.part").exists()


@pytest.mark.parametrize("part", [b"other" * 30_000, CONTENT + b"longer", CONTENT[:70_000] + b"?"])
def test_a_part_of_another_file_is_fetched_again(bench: Bench, server: Vsftpd, part: bytes) -> None:
    (bench.directory / "x.part").write_bytes(part)

    _fetch(bench, _resource(server), resource="files", path="/folder/data 马.bin", target="x", resume="true")

    assert (bench.directory / "x").read_bytes() == CONTENT


def test_without_resume_a_part_is_forgotten(bench: Bench, server: Vsftpd) -> None:
    (bench.directory / "x.part").write_bytes(CONTENT[:100_000])
    before = len(_restarted(server))

    _fetch(bench, _resource(server), resource="files", path="/folder/data 马.bin", target="x")

    assert (bench.directory / "x").read_bytes() == CONTENT
    assert _restarted(server)[before:] == []


def test_a_missing_file_is_reported_and_leaves_nothing(bench: Bench, server: Vsftpd) -> None:
    failure = _failure(lambda: _fetch(bench, _resource(server), resource="files", path="/gone"))

    assert failure.entry is CODES.missing
    assert list(bench.outputs.iterdir()) == []


def test_a_wrong_password_never_shows(bench: Bench, server: Vsftpd) -> None:
    wrong = ResolvedResource("files", "ftp", server.url, {}, {}, "wrong-Passw0rd")

    failure = _failure(lambda: _fetch(bench, wrong, resource="files", path="/empty"))

    assert failure.entry is CODES.login
    assert "wrong-Passw0rd" not in f"{failure.message} {failure.details}"


@pytest.mark.parametrize(
    ("keys", "entry"),
    [
        ({"path": "/empty", "target": "no/such/folder/x"}, MISSING),
        ({"path": "/empty", "target": "a\0b"}, PARAMETER),
        ({"path": "/empty", "target": "/dev/null"}, NOT_A_FILE),
        ({"path": ""}, CODES.address),
        ({"path": "/folder/.."}, CODES.address),
        ({"path": "/a\r\nDELE /empty"}, CODES.address),
        ({"path": "/folder"}, CODES.missing),
    ],
)
def test_what_cannot_be_done_is_reported(
    bench: Bench, server: Vsftpd, keys: dict[str, Any], entry: object
) -> None:
    assert _failure(lambda: _fetch(bench, _resource(server), resource="files", **keys)).entry is entry
    assert (server.files / "empty").exists()


@pytest.mark.parametrize("params", [{}, {"url": ""}, {"url": 7}])
def test_an_address_is_needed(bench: Bench, params: dict[str, Any]) -> None:
    assert _failure(lambda: bench.call(FtpDownload(), {}, None, params)).entry is PARAMETER


def test_a_link_in_the_place_of_the_part_is_not_followed(
    bench: Bench, server: Vsftpd, tmp_path: Path
) -> None:
    (tmp_path / "victim").write_text("mine")
    (bench.directory / "x.part").symlink_to(tmp_path / "victim")

    failure = _failure(lambda: _fetch(bench, _resource(server), resource="files", path="/empty", target="x"))

    assert failure.entry in (TROUBLE, DENIED)
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_full_disk_is_reported_and_the_part_stays(
    bench: Bench, server: Vsftpd, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jobs_builtin.transfers.fetching.os.fsync", full)

    failure = _failure(lambda: _fetch(bench, _resource(server), resource="files", path="/folder/data 马.bin"))

    assert failure.entry is NO_SPACE
    assert (bench.outputs / "data 马.bin.part").exists()


# -- a server that fails on purpose


@dataclass
class Script:
    """An FTP server for one file of ten bytes; ``replies`` replaces what it says to a command."""

    port: int
    replies: dict[str, str] = field(default_factory=dict)
    send: bytes = b"0123456789"
    hang: bool = False
    asked: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"ftp://127.0.0.1:{self.port}/file"

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with suppress(OSError):
            self._converse(client)

    def _converse(self, client: socket.socket) -> None:
        with client, client.makefile("rb") as lines, socket.create_server(("127.0.0.1", 0)) as data:
            client.sendall(b"220 hello\r\n")
            for line in lines:
                command = line.decode().strip()
                client.sendall(self._reply(command, data).encode() + b"\r\n")
                if command.startswith("RETR"):
                    self._send(client, data)

    def _reply(self, command: str, data: socket.socket) -> str:
        port = data.getsockname()[1]
        word = command.split()[0]
        own = {
            "USER": "331 password", "PASS": "230 in", "TYPE": "200 ok", "SIZE": "213 10", "REST": "350 ok",
            "EPSV": f"229 Entering Extended Passive Mode (|||{port}|)", "RETR": "150 here it comes",
            "PASV": f"227 Entering Passive Mode (127,0,0,1,{port // 256},{port % 256})",
        }  # fmt: skip
        return self.replies.get(word, own.get(word, "502 what?"))

    def _send(self, client: socket.socket, data: socket.socket) -> None:
        if not self.replies.get("RETR", "150").startswith("150"):
            return
        connection, _ = data.accept()
        with connection:
            connection.sendall(self.send)
            self.asked.set()
            if self.hang:
                connection.recv(1)
                self.gone.set()
        client.sendall(self.replies.get("after", "226 done").encode() + b"\r\n")


@pytest.fixture
def script() -> Iterator[Script]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = Script(listener.getsockname()[1])
        threading.Thread(target=started.serve, args=(listener,), daemon=True).start()
        yield started


def test_a_file_that_breaks_off_is_reported_and_its_part_is_kept(bench: Bench, script: Script) -> None:
    script.send = b"01234"

    failure = _failure(lambda: _fetch(bench, None, url=script.url))

    assert failure.entry is WHOLE.incomplete
    assert (bench.outputs / "file.part").read_bytes() == b"01234"


def test_the_servers_words_are_reported(bench: Bench, script: Script) -> None:
    script.replies = {"RETR": "451 try later"}
    assert _failure(lambda: _fetch(bench, None, url=script.url)).code == CODES.answer.number - 451

    script.replies = {"after": "426 broken off"}
    failure = _failure(lambda: _fetch(bench, None, url=script.url))
    assert failure.code == CODES.answer.number - 426
    assert "broken off" in failure.message


def test_a_server_may_keep_the_size_to_itself(bench: Bench, script: Script) -> None:
    script.replies = {"SIZE": "502 no such command"}

    assert _fetch(bench, None, url=script.url)["size"] == 10


def test_a_server_that_cannot_begin_in_the_middle_begins_again(
    bench: Bench, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs_builtin.transfers.fetching._OVERLAP", 2)
    (bench.directory / "x.part").write_bytes(b"01234")
    script.replies = {"REST": "502 no such command"}

    _fetch(bench, None, url=script.url, target="x", resume=True)

    assert (bench.directory / "x").read_bytes() == b"0123456789"


def test_a_part_longer_than_what_the_server_sends_is_fetched_again(bench: Bench, script: Script) -> None:
    script.replies = {"SIZE": "502 no such command"}
    (bench.directory / "x.part").write_bytes(b"0123456789and more")

    _fetch(bench, None, url=script.url, target="x", resume=True)

    assert (bench.directory / "x").read_bytes() == b"0123456789"


def test_a_cancel_closes_both_connections_and_keeps_the_part(bench: Bench, script: Script) -> None:
    script.send, script.hang = b"01234", True
    caught: list[SkerryError] = []
    thread = threading.Thread(
        target=lambda: caught.append(_failure(lambda: _fetch(bench, None, url=script.url)))
    )
    thread.start()
    assert script.asked.wait(10)
    until((bench.outputs / "file.part").exists, "the part")

    bench.cancel.request()
    thread.join()  # the server says nothing more: only the cancel ends it

    assert caught[0].entry is CANCELLED
    assert script.gone.wait(5)
    assert (bench.outputs / "file.part").read_bytes() == b"01234"


def test_the_timeout_closes_them_too(bench: Bench, script: Script) -> None:
    script.send, script.hang = b"01234", True

    failure = _failure(lambda: bench.call(FtpDownload(), {"url": script.url}, timeout=0.3))

    assert failure.entry is CODES.timed_out


def test_a_silent_server_is_given_up(bench: Bench, script: Script) -> None:
    script.hang, script.send = True, b"0"
    place = ResolvedResource("files", "ftp", script.url, {"timeout": "200ms"})

    assert _failure(lambda: _fetch(bench, place, resource="files")).entry is CODES.timed_out


def test_a_cancel_before_the_start_asks_nobody(bench: Bench, script: Script) -> None:
    bench.cancel.request()

    assert _failure(lambda: _fetch(bench, None, url=script.url)).entry is CANCELLED
    assert not script.asked.is_set()
