"""The ``sftp_upload`` job type: one file to an SFTP server, resumed where it broke off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from engine.model.job import ParamSpec
from engine.plugins.files import READING
from engine.plugins.job_type import Call, CallType, ResultField
from jobs_builtin.transfers import sending, sftp_calls
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
    rendered = frozenset({"url", "host_key", "path", "target", "resume"})
    params: ClassVar[Mapping[str, ParamSpec]] = {
        "url": ParamSpec(kind="text", help="The address, where no resource is named."),
        "host_key": ParamSpec(kind="text", help="The pinned host key of the url's server."),
        "path": ParamSpec(kind="text", help="The file to send."),
        "target": ParamSpec(kind="text", help="Its path on the server."),
        "resume": ParamSpec(kind="boolean", help="Whether to go on with an earlier part."),
    }
    results = (
        ResultField("path", "text", "The file's path on the server.", "文件在服务器上的路径。"),
        ResultField("size", "number", "Its size in bytes.", "文件的字节数。"),
        ResultField("sha256", "text", "The SHA-256 of what was sent.", "所发送内容的 SHA-256。"),
    )
    codes = (*CODES, *WHOLE, *READING)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "resource": ("The SFTP server, a resource.", "SFTP 服务器资源。"),
        "url": ("The address, where no resource is named.", "未指定资源时的地址。"),
        "host_key": (
            "The pinned host key of the url's server: a fingerprint or a public key.",
            "url 所指服务器的固定主机密钥：指纹或公钥。",
        ),
        "path": ("The file to send.", "要发送的文件。"),
        "target": ("Its path on the server.", "在服务器上的路径。"),
        "resume": (
            "Whether to go on with an earlier part (default: false).",
            "是否从先前中断处继续（默认 false）。",
        ),
    }
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
