"""The ``ftp_upload`` job type: one file to an FTP server, resumed where it broke off, compared at the end."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import READING, ByteMeter, file_errors, open_regular
from engine.plugins.job_type import Call, CallType, ResultField
from jobs_builtin.codes import SENT_UNLIKE
from jobs_builtin.transfers import ftp_calls
from jobs_builtin.transfers.ftp_calls import TransferKeys
from resources.clients.ftp_codes import FtpCodes

if TYPE_CHECKING:
    from resources.clients.ftp import FtpSession

CODES = FtpCodes(-1_20_31_000_000)
_OVERLAP = 64 * 1024  # bytes at the end of an earlier part that are fetched and compared
_PIECE = 256 * 1024


class FtpUpload(CallType):
    """The target's name on the server never belongs to half a file."""

    kind = "ftp_upload"
    label = ("FTP upload", "FTP 上传")
    help = (
        (
            "Sends the file `path` in passive mode to a `resource` of type ftp or to a `url` "
            "(`ftp://user@host/folder`, `ftps://` for TLS). `target` (default: the file's name; with `/` "
            "at the end a folder) begins at the address's own path unless it begins with `/`; its folder "
            "must be there. The file is sent as `target.part`, compared by size, and by SHA-256 where the "
            "server offers XSHA256 or HASH, then renamed; a server that cannot rename gets it directly. "
            "With `resume` an earlier `.part` is continued when its last bytes can be fetched and are "
            "those of the file; else it is sent from the beginning. Cancel and timeout close the "
            "connection; the part stays."
        ),
        (
            "以被动模式把文件 `path` 发送到 ftp 类型的 `resource` 或 `url`"
            "（`ftp://用户@主机/目录`，`ftps://` 表示使用 TLS）。"
            "`target`（默认为文件名；以 `/` 结尾时为目录）"
            "从地址自身的路径算起，以 `/` 开头时除外；目录必须已存在。先以 `target.part` 发送，"
            "比较大小，服务器支持 XSHA256 或 HASH 时还比较 SHA-256，然后改名；不能改名的服务器则直接写入。"
            "启用 `resume` 时，若先前 `.part` 的末尾能够取回且与文件一致则继续发送，否则从头发送。"
            "取消和超时会关闭连接，已上传部分保留。"
        ),
    )
    keys = TransferKeys
    rendered = frozenset({"url", "path", "target", "resume"})
    params: ClassVar[Mapping[str, ParamSpec]] = {
        "url": ParamSpec(kind="text", help="The address, where no resource is named."),
        "path": ParamSpec(kind="text", help="The file to send."),
        "target": ParamSpec(kind="text", help="Its path on the server."),
        "resume": ParamSpec(kind="boolean", help="Whether to go on with an earlier part."),
    }
    results = (
        ResultField("path", "text", "The file's path on the server.", "文件在服务器上的路径。"),
        ResultField("size", "number", "Its size in bytes.", "文件的字节数。"),
        ResultField("sha256", "text", "The SHA-256 of what was sent.", "所发送内容的 SHA-256。"),
    )
    codes = (*CODES, SENT_UNLIKE, *READING)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "resource": ("The FTP server, a resource.", "FTP 服务器资源。"),
        "url": ("The address, where no resource is named.", "未指定资源时的地址。"),
        "path": ("The file to send.", "要发送的文件。"),
        "target": ("Its path on the server.", "在服务器上的路径。"),
        "resume": (
            "Whether to go on with an earlier part (default: false).",
            "是否从先前中断处继续（默认 false）。",
        ),
    }
    example = """\
type: ftp_upload
url: ftp://files.example/incoming
path: today.csv
resume: true
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path``, ``size`` and ``sha256``. Raises SkerryError."""
        server = ftp_calls.place(call, CODES)
        source = _source(call)
        target = server.below(_name(call, source))
        with open_regular(source) as file, ftp_calls.session(call, server) as session:
            upload = _Upload(call, session, file, source, f"{target}.part")
            upload.send(upload.matching() if ftp_calls.resumes(call) else 0)
            upload.compare()
            if not session.renamed(upload.remote, target):
                upload = upload.directly(target)
        return {"path": target, "size": upload.size, "sha256": upload.digest()}


@dataclass
class _Upload:
    """One file on its way to ``remote``."""

    call: Call
    session: FtpSession
    file: BinaryIO
    source: Path
    remote: str
    size: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def digest(self) -> str:
        return str(self._hash.hexdigest())

    def matching(self) -> int:
        """How many bytes of the file an earlier part has; 0 when it is another file, or cannot be read."""
        try:
            have = self.session.size(self.remote) or 0
            if not 0 < have <= os.fstat(self.file.fileno()).st_size:
                return 0
            start = max(have - _OVERLAP, 0)
            there = b"".join(self.session.pieces(self.remote, start))
        except SkerryError as error:
            if error.entry in (CODES.missing, CODES.answer):
                return 0
            raise
        with file_errors(self.source):
            self.file.seek(start)
            return have if self.file.read(have - start) == there else 0

    def send(self, have: int) -> None:
        """All that follows the first ``have`` bytes; those are only read for the hash."""
        self.session.send(self.remote, self._rest(have), append=have > 0)

    def compare(self) -> None:
        """SkerryError when the server has something else."""
        there = self.session.size(self.remote)
        if there is not None and there != self.size:
            message = "the server has {there:,} of {size:,} bytes"
            raise SkerryError(SENT_UNLIKE, message, where=self.remote, there=there, size=self.size)
        if self.session.sha256(self.remote) not in (None, self.digest()):
            raise SkerryError(SENT_UNLIKE, "its SHA-256 is another one", where=self.remote)

    def directly(self, target: str) -> _Upload:
        """Sent once more under its own name, where the server cannot rename."""
        again = _Upload(self.call, self.session, self.file, self.source, target)
        again.send(0)
        again.compare()
        with suppress(SkerryError):
            self.session.delete(self.remote)
        return again

    def _rest(self, have: int) -> Iterator[bytes]:
        with file_errors(self.source):
            meter = ByteMeter(self.call, os.fstat(self.file.fileno()).st_size, self.source.name)
            self.file.seek(0)
        while piece := self._read(have - self.size if self.size < have else _PIECE):
            self._hash.update(piece)
            self.size += len(piece)
            meter.reach(self.size)
            if self.size > have:
                yield piece

    def _read(self, most: int) -> bytes:
        with file_errors(self.source):
            return self.file.read(min(most, _PIECE))


def _source(call: Call) -> Path:
    text = ftp_calls.text(call, "path")
    if not text:
        raise arguments.unfit("path", "a text is needed, not {value}", value="nothing")
    return arguments.as_path(call, "path", text)


def _name(call: Call, source: Path) -> str:
    """The path on the server as it was written; without one, or for a folder, with the file's own name."""
    text = ftp_calls.text(call, "target") or ""
    return f"{text}{source.name}" if not text or text.endswith("/") else text
