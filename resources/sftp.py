"""The ``sftp`` resource: a server for files, with the host key that it must prove."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BeforeValidator

from engine.model.base import Frozen, Id, Seconds
from engine.plugins.resource_type import ResolvedResource
from resources.clients import files_check
from resources.clients.checking import CheckedAnswer, CheckedType, OnCancel, read_keys
from resources.clients.files_check import FilesCheck, as_texts
from resources.clients.sftp_codes import SftpCodes
from resources.clients.sftp_place import Login, SftpPlace, read_place

CODES = SftpCodes(-1_30_05_000_000)


class SftpRequest(Frozen):
    """How to get in, and what the server must prove. ``timeout`` in seconds is the longest wait for it."""

    user: str | None = None
    secret: Id | None = None
    key: str | None = None
    host_key: Annotated[tuple[str, ...], BeforeValidator(as_texts)] = ()
    timeout: Seconds | None = None


def request_of(resource: ResolvedResource) -> SftpRequest:
    """The keys of ``request``. SkerryError names one that does not fit."""
    return read_keys(SftpRequest, resource.request, "request")


def place_of(resource: ResolvedResource, codes: SftpCodes) -> SftpPlace:
    """The server and folder, and how to get in. Raises SkerryError."""
    request = request_of(resource)
    return read_place(
        resource.uri, codes, Login(request.user, resource.secret, request.key, request.host_key)
    )


class Sftp(CheckedType):
    """SFTP, version 3, over SSH."""

    kind = "sftp"
    label = ("SFTP server", "SFTP 服务器")
    help = (
        (
            "An SFTP server as `sftp://user@host:port/folder`; `sftp://host/~/folder` begins at the "
            "login's own folder. `request.host_key` pins the server: its fingerprint (`SHA256:…`), its "
            "public key, or a line of known_hosts; a list takes several. Without it, or when the server "
            "shows another key, nothing of the login is sent and the error has the fingerprint that was "
            "seen: compare it with what the server's administrator reads out (`ssh-keygen -lf "
            "/etc/ssh/ssh_host_ed25519_key.pub`). `request.user` and `request.secret` log in; with "
            "`request.key`, the path of a private key on this machine, the secret is its passphrase. The "
            "check logs in; `exists` names files or folders that must be there (from the uri's path on "
            "unless they begin with /), `true` that path itself."
        ),
        (
            "SFTP 服务器，写作 `sftp://用户@主机:端口/目录`；`sftp://主机/~/目录` 从登录目录算起。"
            "`request.host_key` 固定服务器的主机密钥：指纹（`SHA256:…`）、公钥或 known_hosts 中的一行，可以"
            "给出列表。没有给出，或服务器出示其他密钥时，不发送任何登录信息，错误消息中有所见的指纹：请与服"
            "务器管理员读出的指纹核对（`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`）。用 "
            "`request.user` 和 `request.secret` 登录；给出 `request.key`（本机上私钥的路径）时，机密为其口"
            "令。检查会进行登录；`exists` 列出必须存在的文件或目录（不以 / 开头时从 uri 的路径算起），"
            "`true` 表示 uri 本身的路径。"
        ),
    )
    check_keys = FilesCheck
    request_keys = SftpRequest
    codes = tuple(CODES)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "user": ("The user (default: that of the uri).", "用户名（默认为 uri 中的用户名）。"),
        "secret": (
            "The name of a stored secret: the password, or the passphrase of `key`.",
            "已存机密的名称：密码，或 `key` 的口令。",
        ),
        "key": ("The path of a private key on this machine.", "本机上私钥文件的路径。"),
        "host_key": (
            "The pinned host key: a fingerprint or a public key, or a list of them.",
            "固定的主机密钥：指纹或公钥，或其列表。",
        ),
        "timeout": (
            "The longest wait for the server (default 60s; a check as a whole 30s).",
            "等待服务器的最长时间（默认 60s；整个检查为 30s）。",
        ),
        "login": ("Whether to log in (default true).", "是否登录（默认 true）。"),
        "exists": ("A path or paths that must be there.", "必须存在的一个或多个路径。"),
    }
    example = """\
type: sftp
uri: sftp://files.example/outgoing
request:
  user: clerk
  secret: sftp_password
  host_key: SHA256:LgZjQzAn5qLWPcR6tnBHIq5+0jS5mEgjhSqGiLAD1eA
check: {exists: ready.txt}
"""

    def look(self, resource: ResolvedResource, on_cancel: OnCancel | None) -> CheckedAnswer:
        """Log in, and look for what must be there."""
        keys = read_keys(FilesCheck, resource.check, "check")
        place = place_of(resource, CODES)
        details = {"server": str(place), "user": place.user}
        if not keys.looks:
            return CheckedAnswer("nothing is looked for", details)
        from resources.clients import sftp

        limit = request_of(resource).timeout or 30.0
        with sftp.session(place, on_cancel=on_cancel, seconds=limit, silence=limit) as session:
            paths = [place.below(path) or "." for path in keys.exists]
            return files_check.found(paths, session.exists, details, CODES.missing)
