"""The ``ftp_upload`` job type: one file to an FTP server, resumed where it broke off, compared at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.plugins.files import READING
from engine.plugins.job_type import Call, CallType
from jobs_builtin.transfers import declared, ftp_calls, sending
from jobs_builtin.transfers.keys import TransferKeys
from jobs_builtin.transfers.sending_codes import SendingCodes
from resources.clients.ftp_codes import FtpCodes

CODES = FtpCodes(-1_20_31_000_000)
WHOLE = SendingCodes(-1_20_31_000_000)


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
    resource_type = "ftp"
    meanings = declared.sending("FTP")
    params = declared.params(meanings)
    rendered = frozenset(params)
    results = declared.SENT
    codes = (*CODES, *WHOLE, *READING)
    example = """\
type: ftp_upload
url: ftp://files.example/incoming
path: today.csv
resume: true
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path``, ``size`` and ``sha256``. Raises SkerryError."""
        return sending.send_file(call, ftp_calls.remote(call, CODES), WHOLE)
