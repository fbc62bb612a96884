"""The ``ftp`` resource: a server that files are fetched from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from engine.model.base import Frozen, Id, Seconds
from engine.plugins.resource_type import ResolvedResource
from resources.clients import files_check
from resources.clients.checking import CheckedAnswer, CheckedType, OnCancel, read_keys
from resources.clients.files_check import FilesCheck
from resources.clients.ftp_codes import FtpCodes

CODES = FtpCodes(-1_30_04_000_000)


class FtpRequest(Frozen):
    """How to get in. ``timeout`` in seconds is the longest wait for the server."""

    user: str | None = None
    secret: Id | None = None
    timeout: Seconds | None = None


class Ftp(CheckedType):
    """FTP, plain or over TLS."""

    kind = "ftp"
    label = ("FTP server", "FTP 服务器")
    help = (
        (
            "An FTP server as `ftp://host:port/folder`, or `ftps://` for TLS on the same port (the "
            "certificate must be trusted by this machine). `request.user` and `request.secret` log in, "
            "without them it is `anonymous`. The check logs in; `exists` names files or folders that must "
            "be there (from the uri's path on unless they begin with /), `true` that path itself. Transfers "
            "are passive."
        ),
        (
            "FTP 服务器，写作 `ftp://主机:端口/目录`，或用 `ftps://` 在同一端口使用 TLS"
            "（证书须受本机信任）。用 `request.user` 和 `request.secret` 登录，不给出时为 `anonymous`。"
            "检查会进行登录；`exists` 列出必须存在的文件或目录，`true` 表示 uri 本身的路径。"
            "传输使用被动模式。"
        ),
    )
    check_keys = FilesCheck
    request_keys = FtpRequest
    codes = tuple(CODES)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "user": ("The user (default: anonymous).", "用户名（默认 anonymous）。"),
        "secret": ("The name of a stored secret, the password.", "已存机密（密码）的名称。"),
        "timeout": (
            "The longest wait for the server (default 60s; a check as a whole 30s).",
            "等待服务器的最长时间（默认 60s；整个检查为 30s）。",
        ),
        "login": ("Whether to log in (default true).", "是否登录（默认 true）。"),
        "exists": ("A path or paths that must be there.", "必须存在的一个或多个路径。"),
    }
    example = """\
type: ftp
uri: ftp://files.example/outgoing
request: {user: clerk, secret: ftp_password}
check: {exists: [/outgoing/ready.txt]}
"""

    def look(self, resource: ResolvedResource, on_cancel: OnCancel | None) -> CheckedAnswer:
        """Log in, and look for what must be there."""
        from resources.clients import ftp

        keys = read_keys(FilesCheck, resource.check, "check")
        request = read_keys(FtpRequest, resource.request, "request")
        place = ftp.place_of(resource, CODES)
        details = {"server": str(place), "user": place.user}
        if not keys.looks:
            return CheckedAnswer("nothing is looked for", details)
        limit = request.timeout or 30.0
        with ftp.session(place, on_cancel=on_cancel, seconds=limit, silence=limit) as session:
            paths = [place.below(path) or "/" for path in keys.exists]
            return files_check.found(paths, session.exists, details, CODES.missing)
