"""Transfers over a link that is cut in the middle of a file: what arrived stays, and goes on from there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.model.errors import SkerryError
from engine.plugins.job_type import CallType
from engine.plugins.resource_type import ResolvedResource
from jobs_builtin.ftp_download import FtpDownload
from jobs_builtin.ftp_upload import FtpUpload
from jobs_builtin.sftp_download import SftpDownload
from jobs_builtin.sftp_upload import SftpUpload
from tests.servers.cable import Cable, cable
from tests.servers.calls import Bench
from tests.servers.sshd import Sshd
from tests.servers.vsftpd import Vsftpd

CONTENT = bytes(range(256)) * 64_000  # 16 MB: more than all buffers on the way hold

Transfer = Callable[[Bench, bool], Mapping[str, Any]]


class _Cutting(list[str]):
    """Cuts the link once half of the file is reported."""

    def __init__(self, link: Cable) -> None:
        super().__init__()
        self._link = link

    def append(self, line: str) -> None:
        if not any(_percent(each) >= 50 for each in self) and _percent(line) >= 50:
            self._link.cut()
        super().append(line)


def _percent(line: str) -> int:
    return int(line.split()[0])


@pytest.fixture
def ssh_link(sshd: Sshd) -> Iterator[Cable]:
    with cable(sshd.port) as link:
        yield link


@pytest.fixture
def ftp_link(vsftpd: Vsftpd) -> Iterator[Cable]:
    """Of the connection for commands; the one for data is another."""
    with cable(vsftpd.port) as link:
        yield link


def _transfer(job_type: CallType, resource: ResolvedResource) -> Transfer:
    keys = {"resource": "files", "path": "data", "target": "x"}
    return lambda bench, resume: bench.call(job_type, {**keys, "resume": resume}, resource)


def _cut(transfer: Transfer, folder: Path, link: Cable) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        transfer(Bench(folder, _Cutting(link)), False)
    return caught.value


def _goes_on(transfer: Transfer, folder: Path, place: Path, link: Cable) -> None:
    """The link is cut in the middle, then mended, and the transfer is tried again."""
    failure = _cut(transfer, folder, link)

    assert failure.entry.retryable, failure
    part = place / "x.part"
    assert part.stat().st_size > 0
    assert not (place / "x").exists()

    link.mend()
    result = transfer(Bench(folder), True)

    assert (place / "x").read_bytes() == CONTENT
    assert result["size"] == len(CONTENT)
    assert not part.exists()


@pytest.mark.parametrize("job_type", [SftpDownload, SftpUpload])
def test_sftp_goes_on_where_the_link_was_cut(
    tmp_path: Path, sshd: Sshd, ssh_link: Cable, job_type: type[CallType]
) -> None:
    shutil.rmtree(sshd.files)
    sshd.files.mkdir()
    source, place = (sshd.files, tmp_path) if job_type is SftpDownload else (tmp_path, sshd.files)
    (source / "data").write_bytes(CONTENT)
    url = f"sftp://{sshd.user}@127.0.0.1:{ssh_link.port}{sshd.files}"
    login = {"key": str(sshd.key), "host_key": sshd.fingerprint}
    resource = ResolvedResource("files", "sftp", url, login, {}, None)

    _goes_on(_transfer(job_type(), resource), tmp_path, place, ssh_link)

    assert ssh_link.carried < 1.6 * len(CONTENT), "what had arrived was sent again"


@pytest.mark.parametrize("job_type", [FtpDownload, FtpUpload])
def test_ftp_is_completed_after_a_cut_of_its_commands(
    tmp_path: Path, vsftpd: Vsftpd, ftp_link: Cable, job_type: type[CallType]
) -> None:
    incoming = vsftpd.files / "incoming"
    for each in incoming.iterdir():
        each.unlink()
    source, place = (incoming, tmp_path) if job_type is FtpDownload else (tmp_path, incoming)
    (source / "data").write_bytes(CONTENT)
    (source / "data").chmod(0o666)
    url = f"ftp://127.0.0.1:{ftp_link.port}/incoming"
    resource = ResolvedResource("files", "ftp", url, {}, {}, vsftpd.password)

    _goes_on(_transfer(job_type(), resource), tmp_path, place, ftp_link)
