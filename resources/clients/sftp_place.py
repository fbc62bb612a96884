"""Where an SFTP server is, how to get in, and the host keys that it must prove."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from engine.model import host_keys
from engine.model.errors import SkerryError
from engine.model.plain_words import quoted
from resources.clients import remote_path
from resources.clients.sftp_codes import SftpCodes


@dataclass(frozen=True)
class SftpPlace:
    """A server, how to get in, and a path on it. ``secret``: the password, or the passphrase of ``key``."""

    host: str
    port: int
    user: str
    path: str
    codes: SftpCodes
    secret: str = field(default="", repr=False)
    key: str | None = None
    host_key: tuple[str, ...] = ()

    def below(self, path: str) -> str:
        """The path on the server that ``path`` means: from the address's own on, unless it begins with /."""
        if "\0" in path:  # servers hang up
            raise SkerryError(self.codes.address, "a path or name has a line end or NUL in it")
        return remote_path.below(self.path, path)

    def __str__(self) -> str:
        """The address for messages."""
        return f"sftp://{self.host}:{self.port}"


class Login(NamedTuple):
    """What is said about getting in beside the address; each is optional."""

    user: str | None = None
    secret: str | None = None
    key: str | None = None
    host_key: tuple[str, ...] = ()


def read_place(uri: str, codes: SftpCodes, login: Login) -> SftpPlace:
    """The place that an address names; ``/~/`` begins at the login's folder. SkerryError when it is none."""
    try:
        url = urlsplit(uri)
        port = url.port or 22
    except ValueError:
        url, port = urlsplit(""), 0
    if url.scheme != "sftp" or not url.hostname:
        raise SkerryError(codes.address, "this is not an sftp address")
    user = login.user or unquote(url.username or "")
    if not user:
        raise SkerryError(codes.address, "no user is named")
    if wrong := [each for each in login.host_key if host_keys.pinned(each) is None]:
        message = "{pin} is neither a fingerprint (SHA256:…) nor a public key"
        raise SkerryError(codes.address, message, where="host_key", pin=quoted(wrong[0]))
    secret = login.secret if login.secret is not None else unquote(url.password or "")
    path = unquote(url.path).removeprefix("/~/")
    return SftpPlace(url.hostname, port, user, path, codes, secret, login.key, login.host_key)
