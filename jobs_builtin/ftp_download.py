"""The ``ftp_download`` job type: one file from an FTP server, resumed where it broke off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.plugins.files import WRITING
from engine.plugins.job_type import Call, CallType
from jobs_builtin.transfers import declared, fetching, ftp_calls
from jobs_builtin.transfers.fetching_codes import FetchingCodes
from jobs_builtin.transfers.keys import TransferKeys
from resources.clients.ftp_codes import FtpCodes

CODES = FtpCodes(-1_20_17_000_000)
WHOLE = FetchingCodes(-1_20_17_000_000)


class FtpDownload(CallType):
    """The target's name never belongs to half a file."""

    kind = "ftp_download"
    label = ("FTP download", "FTP 下载")
    help = (
        (
            "Fetches one file in passive mode, from a `resource` of type ftp or from a `url` "
            "(`ftp://user@host/folder/file`). `path` begins at the address's own path unless it begins "
            "with `/`. The file is written to `target` (default: `outputs/` and its name; a relative one "
            "starts at the job's directory; a folder takes the file under its name) by way of "
            "`target.part`, which takes the target's place when all has arrived: by size, and by SHA-256 "
            "where the server offers XSHA256 or HASH. With `resume` an earlier `.part` is continued: its "
            "end is fetched again and compared first, and a file that has changed is fetched from the "
            "beginning. Cancel and timeout close the connection; the part stays."
        ),
        (
            "以被动模式下载一个文件，来源为 ftp 类型的 `resource` 或 `url`（`ftp://用户@主机/目录/文件`）。"
            "`path` 从地址自身的路径算起，以 `/` 开头时除外。文件写入 `target`（默认为 `outputs/` 加文件名；"
            "相对路径从作业目录算起；为目录时文件保存在其中），先写入 `target.part`，全部到达（比较大小，服"
            "务器支持 XSHA256 或 HASH 时还比较 SHA-256）后再改名。启用 `resume` 时继续先前的 `.part`：先重"
            "新获取并比较其末尾，文件已变化则从头下载。取消和超时会关闭连接，已下载部分保留。"
        ),
    )
    keys = TransferKeys
    resource_type = "ftp"
    meanings = declared.fetching("FTP")
    params = declared.params(meanings)
    rendered = frozenset(params)
    results = declared.FETCHED
    codes = (*CODES, *WHOLE, *WRITING)
    example = """\
type: ftp_download
url: ftp://files.example/outgoing
path: today.csv
target: today.csv
resume: true
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path``, ``size`` and ``sha256``. Raises SkerryError."""
        return fetching.fetch_file(call, ftp_calls.remote(call, CODES), WHOLE)
