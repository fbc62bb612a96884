"""The ``sftp_download`` job type: one file from an SFTP server, resumed where it broke off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.plugins.files import WRITING
from engine.plugins.job_type import Call, CallType
from jobs_builtin.transfers import declared, fetching, sftp_calls
from jobs_builtin.transfers.fetching_codes import FetchingCodes
from jobs_builtin.transfers.sftp_calls import SftpKeys
from resources.clients.sftp_codes import SftpCodes

CODES = SftpCodes(-1_20_32_000_000)
WHOLE = FetchingCodes(-1_20_32_000_000)


class SftpDownload(CallType):
    """The target's name never belongs to half a file."""

    kind = "sftp_download"
    label = ("SFTP download", "SFTP 下载")
    help = (
        (
            "Fetches one file from a `resource` of type sftp, which pins the server's host key, or from a "
            "`url` (`sftp://user@host/folder`) with `host_key` beside it; without the pinned key nothing "
            "of the login is sent. `path` begins at the address's own path unless it begins with `/`. The "
            "file is written to `target` (default: `outputs/` and its name; a relative one starts at the "
            "job's directory; a folder takes the file under its name) by way of `target.part`, which takes "
            "the target's place when all has arrived: by size, and by SHA-256 where the server computes it "
            "(the check-file extension, or `sha256sum` for a login that may run programs). With `resume` "
            "an earlier `.part` is continued: its end is fetched again and compared first, and a file that "
            "has changed is fetched from the beginning. Cancel and timeout close the connection; the part "
            "stays."
        ),
        (
            "下载一个文件，来源为 sftp 类型的 `resource`（其中固定了服务器的主机密钥），"
            "或 `url`（`sftp://用户@主机/目录`）加 `host_key`；没有固定的密钥时不发送任何登录信息。"
            "`path` 从地址自身的路径算起，以 `/` 开头时除外。文件写入 `target`"
            "（默认为 `outputs/` 加文件名；相对路径从作业目录算起；为目录时文件保存在其中），"
            "先写入 `target.part`，全部到达后再改名：比较大小，服务器能够计算 SHA-256 时"
            "（check-file 扩展，或登录用户可以运行的 `sha256sum`）还比较 SHA-256。"
            "启用 `resume` 时继续先前的 `.part`：先重新获取并比较其末尾，文件已变化则从头下载。"
            "取消和超时会关闭连接，已下载部分保留。"
        ),
    )
    keys = SftpKeys
    resource_type = "sftp"
    meanings = declared.fetching("SFTP", declared.PINNED)
    params = declared.params(meanings)
    rendered = frozenset(params)
    results = declared.FETCHED
    codes = (*CODES, *WHOLE, *WRITING)
    example = """\
type: sftp_download
url: sftp://clerk@files.example/outgoing
host_key: SHA256:LgZjQzAn5qLWPcR6tnBHIq5+0jS5mEgjhSqGiLAD1eA
path: today.csv
target: today.csv
resume: true
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path``, ``size`` and ``sha256``. Raises SkerryError."""
        return fetching.fetch_file(call, sftp_calls.remote(call, CODES), WHOLE)
