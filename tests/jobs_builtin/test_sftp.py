"""sftp_download and sftp_upload with a real sshd: whole files, resumed parts, host keys, hashes."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.jobs import MISSING, PARAMETER
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.plugins.resource_type import ResolvedResource
from jobs_builtin import sftp_download, sftp_upload
from jobs_builtin.sftp_download import SftpDownload
from jobs_builtin.sftp_upload import SftpUpload
from resources.clients import sftp
from tests.servers.calls import Bench, stopping_halfway
from tests.servers.sshd import PASSPHRASE, Sshd

CONTENT = bytes(range(256)) * 18_000 + b"end"  # 4.6 MB: more than a window, and no whole number of blocks
DIGEST = hashlib.sha256(CONTENT).hexdigest()
DOWN, UP = sftp_download.CODES, sftp_upload.CODES


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "data 马.bin").write_bytes(CONTENT)
    return Bench(tmp_path / "job")


@pytest.fixture
def there(sshd: Sshd) -> Path:
    """The server's folder, with one file."""
    shutil.rmtree(sshd.files)
    sshd.files.mkdir()
    (sshd.files / "data 马.bin").write_bytes(CONTENT)
    return sshd.files


def _resource(server: Sshd, url: str = "", secret: str | None = None, **request: Any) -> ResolvedResource:
    login = {"key": str(server.key), "host_key": server.fingerprint, **request}
    return ResolvedResource("files", "sftp", url or server.url, login, {}, secret)


def _fetch(bench: Bench, resource: ResolvedResource, **keys: Any) -> dict[str, Any]:
    return bench.call(SftpDownload(), {"resource": "files", "path": "data 马.bin", **keys}, resource)


def _send(bench: Bench, resource: ResolvedResource, **keys: Any) -> dict[str, Any]:
    return bench.call(SftpUpload(), {"resource": "files", "path": "data 马.bin", **keys}, resource)


def _failure(action: Callable[[], object]) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        action()
    return caught.value


@pytest.mark.parametrize("bare", [False, True])
def test_a_file_arrives_byte_for_byte(bench: Bench, sshd: Sshd, there: Path, bare: bool) -> None:
    result = _fetch(bench, _resource(sshd, sshd.bare_url if bare else sshd.url))

    path = bench.outputs / "data 马.bin"
    assert result == {"path": str(path), "size": len(CONTENT), "sha256": DIGEST}
    assert path.read_bytes() == CONTENT
    assert [each.name for each in bench.outputs.iterdir()] == [path.name]
    assert bench.progress[-1] == "100 data 马.bin"


@pytest.mark.parametrize("bare", [False, True])
def test_a_file_is_sent_byte_for_byte(bench: Bench, sshd: Sshd, there: Path, bare: bool) -> None:
    (there / "new").write_text("an older one")

    result = _send(bench, _resource(sshd, sshd.bare_url if bare else sshd.url), target="new")

    assert result == {"path": f"{there}/new", "size": len(CONTENT), "sha256": DIGEST}
    assert (there / "new").read_bytes() == CONTENT
    assert not (there / "new.part").exists()


def test_empty_files_go_both_ways(bench: Bench, sshd: Sshd, there: Path) -> None:
    (there / "empty").touch()

    assert _fetch(bench, _resource(sshd), path="empty", target="got")["size"] == 0
    assert _send(bench, _resource(sshd), path="got", target="sent")["size"] == 0
    assert (there / "sent").read_bytes() == b""


@pytest.mark.parametrize("have", [1, 70_000, len(CONTENT) - 1, len(CONTENT)])
def test_parts_are_continued_both_ways(bench: Bench, sshd: Sshd, there: Path, have: int) -> None:
    for place in (bench.directory / "got.part", there / "sent.part"):
        place.write_bytes(CONTENT[:have])
    identity = (there / "sent.part").stat().st_ino

    got = _fetch(bench, _resource(sshd), target="got", resume=True)
    sent = _send(bench, _resource(sshd), target="sent", resume=True)

    assert (bench.directory / "got").read_bytes() == (there / "sent").read_bytes() == CONTENT
    assert (got["sha256"], sent["sha256"]) == (DIGEST, DIGEST)
    assert (there / "sent").stat().st_ino == identity


@pytest.mark.parametrize(
    "part",
    [
        b"other" * 30_000,
        CONTENT + b"longer",
        CONTENT[:70_000] + b"?",
        b"?" + CONTENT[1:],
        b"?" + CONTENT[1:200_000],
    ],
)
def test_parts_of_another_file_are_begun_again(bench: Bench, sshd: Sshd, there: Path, part: bytes) -> None:
    """Those that differ at their beginning alone are found by the hash."""
    for place in (bench.directory / "got.part", there / "sent.part"):
        place.write_bytes(part)

    _fetch(bench, _resource(sshd), target="got", resume=True)
    _send(bench, _resource(sshd), target="sent", resume="true")

    assert (bench.directory / "got").read_bytes() == (there / "sent").read_bytes() == CONTENT


# -- host keys


@pytest.mark.parametrize("form", ["fingerprint", "ed25519", "rsa", "known_hosts", "several"])
def test_a_pinned_host_key_lets_the_login_begin(bench: Bench, sshd: Sshd, there: Path, form: str) -> None:
    pins = {
        "fingerprint": sshd.fingerprint,
        "ed25519": sshd.public_key("ed25519"),
        "rsa": sshd.public_key("rsa"),
        "known_hosts": f"[127.0.0.1]:{sshd.port} {sshd.public_key('rsa')}",
        "several": [f"SHA256:{'A' * 43}", sshd.fingerprint],
    }

    assert _fetch(bench, _resource(sshd, host_key=pins[form]))["sha256"] == DIGEST


@pytest.mark.parametrize("job_type", [SftpDownload, SftpUpload])
@pytest.mark.parametrize("pin", [None, f"SHA256:{'A' * 43}"])
def test_an_unknown_or_changed_host_key_fails_before_anything_of_the_login_is_sent(
    bench: Bench, sshd: Sshd, there: Path, job_type: type[SftpDownload] | type[SftpUpload], pin: str | None
) -> None:
    before = sshd.logins()
    resource = _resource(sshd, host_key=pin)

    failure = _failure(lambda: bench.call(job_type(), {"resource": "files", "path": "data 马.bin"}, resource))

    codes = DOWN if job_type is SftpDownload else UP
    assert failure.entry is (codes.changed if pin else codes.unpinned)
    assert not failure.entry.retryable
    assert sshd.fingerprint in failure.message
    assert sshd.logins() == before
    assert _fetch(bench, _resource(sshd))
    assert sshd.logins() > before


def test_a_key_that_changed_to_another_type_is_a_changed_one(bench: Bench, sshd: Sshd, there: Path) -> None:
    wrong = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA" + "A" * 60

    assert _failure(lambda: _fetch(bench, _resource(sshd, host_key=wrong))).entry is DOWN.changed


def test_a_url_has_its_host_key_beside_it(bench: Bench, sshd: Sshd, there: Path) -> None:
    """It has no private key, so that a login of this server ends in a refusal."""
    params = {"url": sshd.url.replace("@", ":wrong-Passw0rd@"), "path": "data 马.bin"}
    assert _failure(lambda: bench.call(SftpDownload(), {}, None, params)).entry is DOWN.unpinned

    params["host_key"] = sshd.fingerprint
    failure = _failure(lambda: bench.call(SftpDownload(), {}, None, params))

    assert failure.entry is DOWN.login
    assert "wrong-Passw0rd" not in f"{failure.message} {failure.details}"


# -- logins


def test_a_private_key_with_a_passphrase_logs_in(bench: Bench, sshd: Sshd, there: Path) -> None:
    assert _fetch(bench, _resource(sshd, secret=PASSPHRASE, key=str(sshd.locked_key)))["sha256"] == DIGEST


@pytest.mark.parametrize("secret", [None, "wrong"])
def test_a_private_key_that_stays_locked_is_reported(
    bench: Bench, sshd: Sshd, there: Path, secret: str | None
) -> None:
    before = sshd.logins()

    failure = _failure(lambda: _fetch(bench, _resource(sshd, secret=secret, key=str(sshd.locked_key))))

    assert failure.entry is DOWN.private_key
    assert sshd.logins() == before


@pytest.mark.parametrize("name", ["gone", "server.log", "files", "user.pub"])
def test_what_is_no_private_key_is_reported(bench: Bench, sshd: Sshd, there: Path, name: str) -> None:
    failure = _failure(lambda: _fetch(bench, _resource(sshd, key=str(sshd.place / name))))

    assert failure.entry is DOWN.private_key
    assert name in failure.message


def test_another_key_is_refused(bench: Bench, sshd: Sshd, there: Path) -> None:
    other = sshd.place / "host_rsa"

    assert _failure(lambda: _fetch(bench, _resource(sshd, key=str(other)))).entry is DOWN.login


# -- what goes wrong on the way


@pytest.mark.parametrize(
    ("keys", "entry"),
    [
        ({"path": "gone"}, DOWN.missing),
        ({"path": "."}, DOWN.missing),
        ({"path": ""}, DOWN.missing),
        ({"path": ".."}, DOWN.address),
        ({"path": "a\0b"}, DOWN.address),
        ({"target": "no/such/x"}, MISSING),
        ({"target": "a\0b"}, PARAMETER),
    ],
)
def test_what_cannot_be_fetched_is_reported(
    bench: Bench, sshd: Sshd, there: Path, keys: dict[str, Any], entry: object
) -> None:
    assert _failure(lambda: _fetch(bench, _resource(sshd), **keys)).entry is entry
    assert list(bench.outputs.iterdir()) == []


@pytest.mark.parametrize(
    ("keys", "entry"),
    [
        ({"path": "gone"}, MISSING),
        ({"path": ""}, PARAMETER),
        ({"target": "gone/x"}, UP.missing),
        ({"target": "/proc/x"}, UP.missing),
    ],
)
def test_what_cannot_be_sent_is_reported(
    bench: Bench, sshd: Sshd, there: Path, keys: dict[str, Any], entry: object
) -> None:
    assert _failure(lambda: _send(bench, _resource(sshd), **keys)).entry is entry
    assert [each.name for each in there.iterdir()] == ["data 马.bin"]


def test_a_folder_in_the_place_of_the_target_is_reported_and_kept(
    bench: Bench, sshd: Sshd, there: Path
) -> None:
    (there.parent / "taken").mkdir(exist_ok=True)

    failure = _failure(lambda: _send(bench, _resource(sshd), target=str(there.parent / "taken")))

    assert failure.entry is UP.answer
    assert (there.parent / "taken").is_dir()


def test_a_full_disk_of_the_server_is_reported_and_nothing_is_renamed(
    bench: Bench, sshd: Sshd, there: Path
) -> None:
    os.symlink("/dev/full", there / "x.part")

    failure = _failure(lambda: _send(bench, _resource(sshd), target="x"))

    assert failure.entry is UP.answer
    assert not (there / "x").exists()


def test_a_refused_last_piece_is_noticed(bench: Bench, sshd: Sshd, there: Path) -> None:
    os.symlink("/dev/full", there / "x.part")
    (bench.directory / "small").write_bytes(b"x")

    assert _failure(lambda: _send(bench, _resource(sshd), path="small", target="x")).entry is UP.answer


@pytest.mark.parametrize(
    "name", ["x y", "a'b\"c", "-rf", "$(touch hacked)", "a;b&c|d", "two\nlines", "\\", "马"]
)
def test_hostile_names_are_names(bench: Bench, sshd: Sshd, there: Path, name: str) -> None:
    (bench.directory / "small").write_bytes(b"small")

    result = _send(bench, _resource(sshd), path="small", target=name)

    assert result["path"] == f"{there}/{name}"
    assert {each.name for each in there.iterdir()} == {"data 马.bin", name}
    assert _fetch(bench, _resource(sshd), path=name, target="got")["sha256"] == result["sha256"]


def test_the_server_computes_hashes_where_it_may_run_programs(sshd: Sshd, there: Path) -> None:
    from resources.sftp import CODES, place_of

    (there / "it's\n\\here").write_bytes(CONTENT)
    for url, expected in ((sshd.url, DIGEST), (sshd.bare_url, None)):
        with sftp.session(place_of(_resource(sshd, url), CODES)) as session:
            assert session.sha256(f"{there}/it's\n\\here") == expected


def test_another_hash_on_the_server_is_noticed(
    bench: Bench, sshd: Sshd, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resources.clients.sftp._HASH_COMMAND", f"echo '{'0' * 64}  x' #")

    sent = _failure(lambda: _send(bench, _resource(sshd), target="x"))
    got = _failure(lambda: _fetch(bench, _resource(sshd), target="x"))

    assert (sent.entry, got.entry) == (sftp_upload.WHOLE.unlike, sftp_download.WHOLE.incomplete)
    assert not (there / "x").exists()
    assert not (bench.directory / "x").exists()
    assert not (bench.directory / "x.part").exists()


@pytest.mark.parametrize("action", [_fetch, _send])
def test_a_cancel_in_the_middle_leaves_only_a_part_which_resume_completes(
    bench: Bench, sshd: Sshd, there: Path, action: Callable[..., dict[str, Any]]
) -> None:
    stopping = stopping_halfway(bench.directory)

    assert _failure(lambda: action(stopping, _resource(sshd), target="x")).entry is CANCELLED
    place = bench.directory if action is _fetch else there
    assert (place / "x.part").exists()
    assert not (place / "x").exists()

    action(bench, _resource(sshd), target="x", resume=True)
    assert (place / "x").read_bytes() == CONTENT


# -- servers that are none


@pytest.fixture
def silent() -> Any:
    """Takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"sftp://u@127.0.0.1:{listener.getsockname()[1]}/"


def test_a_silent_server_is_given_up(bench: Bench, sshd: Sshd, silent: str) -> None:
    failure = _failure(lambda: _fetch(bench, _resource(sshd, silent, timeout="300ms")))

    assert failure.entry is DOWN.timed_out


def test_the_timeout_and_a_cancel_end_the_wait_for_it(bench: Bench, sshd: Sshd, silent: str) -> None:
    keys = {"resource": "files", "path": "x"}
    call = lambda: bench.call(SftpDownload(), keys, _resource(sshd, silent), timeout=0.3)  # noqa: E731
    assert _failure(call).entry is DOWN.timed_out

    threading.Timer(0.1, bench.cancel.request).start()
    assert _failure(lambda: _fetch(bench, _resource(sshd, silent))).entry is CANCELLED


def test_a_server_that_speaks_something_else_is_reported(
    bench: Bench, sshd: Sshd, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            client, _ = listener.accept()
            with client:
                client.sendall(b"220 hello, I speak FTP\r\n" * 200)

        threading.Thread(target=talk, daemon=True).start()
        url = f"sftp://u@127.0.0.1:{listener.getsockname()[1]}/"
        failure = _failure(lambda: _fetch(bench, _resource(sshd, url)))

    assert failure.entry is DOWN.unreachable
    assert capfd.readouterr() == ("", "")


def test_nobody_listens(bench: Bench, sshd: Sshd) -> None:
    assert _failure(lambda: _fetch(bench, _resource(sshd, "sftp://u@127.0.0.1:1/"))).entry is DOWN.unreachable
