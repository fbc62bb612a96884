"""The ``ftp_download`` job type: one file from an FTP server, resumed where it broke off."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from engine.model.codes.jobs import MISSING, NOT_A_FILE
from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import WRITING, ByteMeter, file_errors, open_regular, stop_if_asked
from engine.plugins.job_type import Call, CallType, ResultField
from jobs_builtin.codes import INCOMPLETE
from jobs_builtin.transfers import ftp_calls
from jobs_builtin.transfers.ftp_calls import TransferKeys
from resources.clients.ftp_codes import FtpCodes

if TYPE_CHECKING:
    from resources.clients.ftp import FtpSession, Place

CODES = FtpCodes(-1_20_17_000_000)
_OVERLAP = 64 * 1024  # bytes that are fetched again and compared before more is appended


class FtpDownload(CallType):
    """The target's name never belongs to half a file."""

    kind = "ftp_download"
    label = ("FTP download", "FTP 下载")
    help = (
        (
            "Fetches one file in passive mode, from a `resource` of type ftp or from a `url` "
            "(`ftp://user@host/folder/file`). `path` begins at the address's own path unless it begins with "
            "`/`. The file is written to `target` (default: `outputs/` and its name; a relative one starts "
            "at the job's directory; a folder takes the file under its name) by way of `target.part`, which "
            "takes the target's place when all has arrived. With `resume` an earlier `.part` is continued: "
            "its end is fetched again and compared first, and a file that has changed is fetched from the "
            "beginning. Cancel and timeout close the connection; the part stays."
        ),
        (
            "以被动模式下载一个文件，来源为 ftp 类型的 `resource` 或 `url`（`ftp://用户@主机/目录/文件`）。"
            "`path` 从地址自身的路径算起，以 `/` 开头时除外。文件写入 `target`"
            "（默认为 `outputs/` 加文件名；相对路径从作业目录算起；为目录时文件保存在其中），"
            "先写入 `target.part`，全部到达后再改名。启用 `resume` 时继续先前的 `.part`："
            "先重新获取并比较其末尾，文件已变化则从头下载。取消和超时会关闭连接，已下载部分保留。"
        ),
    )
    keys = TransferKeys
    rendered = frozenset({"url", "path", "target", "resume"})
    params: ClassVar[Mapping[str, ParamSpec]] = {
        "url": ParamSpec(kind="text", help="The address, where no resource is named."),
        "path": ParamSpec(kind="text", help="The file on the server."),
        "target": ParamSpec(kind="text", help="Where it is written."),
        "resume": ParamSpec(kind="boolean", help="Whether to go on with an earlier part."),
    }
    results = (
        ResultField("path", "file", "The file that was written.", "写入的文件。"),
        ResultField("size", "number", "Its size in bytes.", "文件的字节数。"),
    )
    codes = (*CODES, INCOMPLETE, *WRITING)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "resource": ("The FTP server, a resource.", "FTP 服务器资源。"),
        "url": ("The address, where no resource is named.", "未指定资源时的地址。"),
        "path": ("The file on the server.", "服务器上的文件。"),
        "target": ("Where it is written.", "写入的位置。"),
        "resume": (
            "Whether to go on with an earlier part (default: false).",
            "是否从先前中断处继续（默认 false）。",
        ),
    }
    example = """\
type: ftp_download
url: ftp://files.example/outgoing
path: today.csv
target: today.csv
resume: true
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path`` and ``size``. Raises SkerryError."""
        place = ftp_calls.place(call, CODES)
        remote = place.below(ftp_calls.text(call, "path") or "")
        target = _target(call, remote)
        transfer = _Transfer(call, place, remote, target.with_name(f"{target.name}.part"))
        if not (ftp_calls.resumes(call) and transfer.resumed()):
            transfer.whole()
        with file_errors(target):
            os.replace(transfer.part, target)
        return {"path": str(target), "size": target.stat().st_size}


class _Changed(Exception):
    """What is there already is not the beginning of the file."""


@dataclass(frozen=True)
class _Transfer:
    """One file on its way into ``part``."""

    call: Call
    place: Place
    remote: str
    part: Path

    def whole(self) -> None:
        with ftp_calls.session(self.call, self.place) as session:
            self._fetch(session, os.O_TRUNC, b"")

    def resumed(self) -> bool:
        """Go on with what is there; False when it is none of this file."""
        if not self.part.is_file():
            return False
        try:
            with ftp_calls.session(self.call, self.place) as session:
                self._fetch(session, 0, _end_of(self.part))
        except _Changed:
            return False
        return True

    @contextmanager
    def _opened(self, flags: int) -> Iterator[BinaryIO]:
        inside = self.part.is_relative_to(self.call.directory)
        options = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | flags
        with file_errors(self.part):
            handle = os.open(self.part, options, 0o600 if inside else 0o666)
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(handle)

    def _fetch(self, session: FtpSession, flags: int, known: bytes) -> None:
        """Append to the part, whose last bytes ``known`` must come first. Raises _Changed, SkerryError."""
        size = session.size(self.remote)
        with self._opened(flags) as file:
            have = file.seek(0, os.SEEK_END)
            if size is not None and have > size:
                raise _Changed
            have = self._append(session, file, known, have, size)
        if size is not None and have != size:
            message = "{have:,} of {size:,} bytes arrived"
            raise SkerryError(INCOMPLETE, message, where=self.remote, have=have, size=size)

    def _append(self, session: FtpSession, file: BinaryIO, known: bytes, have: int, size: int | None) -> int:
        """Write what follows; how much there is then."""
        meter = ByteMeter(self.call, size or 0, PurePosixPath(self.remote).name)
        for piece in _after(known, self._pieces(session, have - len(known))):
            file.write(piece)
            have += len(piece)
            if size:
                meter.reach(have)
            else:
                stop_if_asked(self.call)
        return have

    def _pieces(self, session: FtpSession, start: int) -> Iterator[bytes]:
        try:
            yield from session.pieces(self.remote, start)
        except SkerryError as error:
            if start and error.entry is CODES.answer:
                raise _Changed from error  # the server cannot begin in the middle
            raise


def _after(known: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What follows ``known``; _Changed when something else comes first."""
    for piece in pieces:
        if known[: len(piece)] != piece[: len(known)]:
            raise _Changed
        known, rest = known[len(piece) :], piece[len(known) :]
        if rest:
            yield rest
    if known:
        raise _Changed


def _end_of(part: Path) -> bytes:
    with open_regular(part) as file, file_errors(part):
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _OVERLAP, 0))
        return file.read(_OVERLAP)


def _target(call: Call, remote: str) -> Path:
    """The absolute path of the file; its folder must be there."""
    name = PurePosixPath(remote).name
    if not name or name == "..":
        raise SkerryError(CODES.address, "no path names the file on the server", where="path")
    text = ftp_calls.text(call, "target")
    target = arguments.as_path(call, "target", text) if text else call.outputs / name
    if text and (text.endswith("/") or target.is_dir()):
        target = target / name
    target = Path(os.path.abspath(target))
    if not target.parent.is_dir():
        message = "the folder is not there: {folder}"
        raise SkerryError(MISSING, message, where=str(target), folder=target.parent)
    if target.exists() and not target.is_file():
        raise SkerryError.at(NOT_A_FILE, "not a regular file: {where}", target)
    return target
