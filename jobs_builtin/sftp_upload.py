"""The ``sftp_upload`` job type: one file to an SFTP server, resumed where it broke off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.plugins.files import READING
from engine.plugins.job_type import Call, CallType
from jobs_builtin.transfers import declared, sending, sftp_calls
from jobs_builtin.transfers.sending_codes import SendingCodes
from jobs_builtin.transfers.sftp_calls import SftpKeys
from resources.clients.sftp_codes import SftpCodes

CODES = SftpCodes(-1_20_33_000_000)
WHOLE = SendingCodes(-1_20_33_000_000)


class SftpUpload(CallType):
    """The target's name on the server never belongs to half a file."""

    kind = "sftp_upload"
    label = ("SFTP upload", "SFTP 上传")
    help = (
        (
            "Sends the file `path` to a `resource` of type sftp, which pins the server's host key, or to a "
            "`url` (`sftp://user@host/folder`) with `host_key` beside it; without the pinned key nothing "
            "of the login is sent. `target` (default: the file's name; with `/` at the end a folder) "
            "begins at the address's own path unless it begins with `/`; its folder must be there. The "
            "file is sent as `target.part`, compared by size, and by SHA-256 where the server computes it "
            "(the check-file extension, or `sha256sum` for a login that may run programs), then renamed: "
            "in one step where the server can, else an older target is deleted just before. With `resume` "
            "an earlier `.part` is continued when its last bytes are those of the file; else it is sent "
            "from the beginning. Cancel and timeout close the connection; the part stays."
        ),
        (
            "把文件 `path` 发送到 sftp 类型的 `resource`（其中固定了服务器的主机密钥），或 `url`（`sftp://"
            "用户@主机/目录`）加 `host_key`；没有固定的密钥时不发送任何登录信息。`target`（默认为文件名；以"
            " `/` 结尾时为目录）从地址自身的路径算起，以 `/` 开头时除外；目录必须已存在。先以 "
            "`target.part` 发送，比较大小，服务器能够计算 SHA-256 时（check-file 扩展，或登录用户可以运行的"
            " `sha256sum`）还比较 SHA-256，然后改名：服务器支持时一步替换，否则先删除旧的目标文件。启用 "
            "`resume` 时，若先前 `.part` 的末尾与文件一致则继续发送，否则从头发送。取消和超时会关闭连接，已"
            "上传部分保留。"
        ),
    )
    keys = SftpKeys
    resource_type = "sftp"
    meanings = declared.sending("SFTP", declared.PINNED)
    params = declared.params(meanings)
    rendered = frozenset(params)
    results = declared.SENT
    codes = (*CODES, *WHOLE, *READING)
    example = """\
type: sftp_upload
url: sftp://clerk@files.example/incoming
host_key: SHA256:LgZjQzAn5qLWPcR6tnBHIq5+0jS5mEgjhSqGiLAD1eA
path: today.csv
resume: true
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path``, ``size`` and ``sha256``. Raises SkerryError."""
        return sending.send_file(call, sftp_calls.remote(call, CODES), WHOLE)
