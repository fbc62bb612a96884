"""Connections of SSH: the server's key is compared before anything of ours is sent to it.

paramiko takes a fifth of a second to load, so it is loaded when a first connection is made.
"""

from __future__ import annotations

import logging
import os
import socket
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import yaml  # noqa: F401  paramiko loads it too: two threads that do so at once find it half loaded

from engine.execution.ssh.settings import Endpoint, HostKey, SshSettings
from engine.model.codes import ssh as codes
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    import paramiko

SECONDS = 20.0  # for each step of a connection; a busy host takes its time
_FAREWELL = 100  # characters of what a server says as it ends a connection
_NO_GREETING = "Error reading SSH protocol banner"  # with what the library came upon, in words of its own
_MOST_BEFORE_LOGIN = 256 * 1024  # bytes; keys and banners of real servers have a few thousand
_IDLE = (
    2.0  # seconds; the library has a tenth, so that a hundred idle connections wake a thousand times a second
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class SshConnection:
    """A user who is logged in at the target, through all jumps."""

    def __init__(self, transports: list[paramiko.Transport]) -> None:
        self._transports = transports

    @property
    def transport(self) -> paramiko.Transport:
        """That of the target."""
        return self._transports[-1]

    def close(self) -> None:
        """From any thread, also while another one waits for an answer."""
        for each in reversed(self._transports):
            with suppress(Exception):
                each.sock.shutdown(socket.SHUT_RDWR)  # else its thread notices only after its timeout
            with suppress(Exception):
                each.close()


def connect(settings: SshSettings) -> SshConnection:
    """Log in at the target. Blocks; raises SkerryError of :mod:`engine.model.codes.ssh`."""
    with _chain(settings) as chain:
        for hop in settings.jumps:
            _pinned(chain, hop)
            _log_in(chain[-1], hop, settings, password=None)
        _pinned(chain, settings.target)
        _log_in(chain[-1], settings.target, settings, password=settings.password)
        return SshConnection(chain)


def key_of(settings: SshSettings, endpoint: Endpoint | None = None) -> HostKey:
    """The key that the target (or one of the jumps) shows now; nothing is sent to it. Raises SkerryError."""
    with _chain(settings) as chain:
        for hop in settings.jumps:
            if hop == endpoint:
                break
            _pinned(chain, hop)
            _log_in(chain[-1], hop, settings, password=None)
        found = _handshake(chain, endpoint or settings.target)
        for each in chain:
            each.close()
        return found


@contextmanager
def _chain(settings: SshSettings) -> Iterator[list[paramiko.Transport]]:
    """The transports made so far; closed when one of the steps fails."""
    chain: list[paramiko.Transport] = []
    try:
        yield chain
    except BaseException:
        SshConnection(chain).close()
        raise


def _pinned(chain: list[paramiko.Transport], endpoint: Endpoint) -> None:
    """A connection to a server whose key is the pinned one. Raises SkerryError."""
    if endpoint.host_key is None:
        message = "the key of {where} was never compared"
        raise SkerryError.at(codes.UNTRUSTED_HOST, message, str(endpoint))
    found = _handshake(chain, endpoint)
    if found != endpoint.host_key:
        message = "{where} has the key {found}, not {pinned}"
        seen, pinned = found.fingerprint, endpoint.host_key.fingerprint
        details: dict[str, object] = {"kind": found.kind, "data": found.data}
        raise SkerryError.at(
            codes.HOST_KEY_CHANGED, message, str(endpoint), details=details, found=seen, pinned=pinned
        )


def _handshake(chain: list[paramiko.Transport], endpoint: Endpoint) -> HostKey:
    """Keys are exchanged, and nobody is logged in yet; gives that of the server."""
    library = _paramiko()
    measured = _Measured(_socket(chain, endpoint))
    transport: paramiko.Transport = library.Transport(measured)
    transport._parse_disconnect = measured.hear  # type: ignore[attr-defined]
    chain.append(transport)
    transport.banner_timeout = transport.auth_timeout = transport.handshake_timeout = SECONDS
    transport.channel_timeout = SECONDS
    _prefer_cheap(transport)
    if endpoint.host_key is not None:
        _prefer(transport, endpoint.host_key.kind)
    with _troubles(endpoint, measured.is_exhausted):
        transport.start_client(timeout=SECONDS)  # which returns as well when the time is up
        found = transport.get_remote_server_key()
    return HostKey(found.get_name(), found.get_base64())


def _prefer_cheap(transport: paramiko.Transport) -> None:
    """Ask for a cipher that needs no sum of its own: a third less work for big files."""
    options = transport.get_security_options()
    options.ciphers = sorted(options.ciphers, key=lambda each: "gcm" not in each)


def _prefer(transport: paramiko.Transport, kind: str) -> None:
    """Ask for the key that is pinned: a server may have several."""
    options = transport.get_security_options()
    ours = [each for each in options.key_types if each == kind or (kind == "ssh-rsa" and "rsa" in each)]
    options.key_types = (*ours, *(each for each in options.key_types if each not in ours))


def _socket(chain: list[paramiko.Transport], endpoint: Endpoint) -> Any:
    with _troubles(endpoint):
        if chain:
            target, origin = (endpoint.host, endpoint.port), ("127.0.0.1", 0)
            return chain[-1].open_channel("direct-tcpip", target, origin, timeout=SECONDS)
        made = socket.create_connection((endpoint.host, endpoint.port), SECONDS)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else 40 ms for each answer
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return made


class _Measured:
    """A socket that ends when a server sends more than it can have to say before anybody is logged in."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._left: int | None = _MOST_BEFORE_LOGIN
        self.farewell: str | None = None  # why the server ends the connection, in its words

    def hear(self, message: Any) -> None:
        """The server ends the connection: the library only logs that."""
        message.get_int()
        self.farewell = " ".join(message.get_text().split())[:_FAREWELL]

    def recv(self, size: int) -> bytes:
        data: bytes = self._real.recv(size)
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:
                return b""
        return data

    def trust(self) -> None:
        """From now on it may send whatever it wants."""
        self._left = None

    def is_exhausted(self) -> bool:
        return self._left is not None and self._left < 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _log_in(
    transport: paramiko.Transport, endpoint: Endpoint, settings: SshSettings, *, password: str | None
) -> None:
    library = _paramiko()
    measured: Any = transport.sock  # a _Measured
    failed: Exception | None = None
    with _troubles(endpoint, measured.is_exhausted):
        for offer in _offers(endpoint, settings, password):
            try:
                offer(transport)
            except library.AuthenticationException as error:
                if failed is None and measured.farewell is None and not transport.is_active():
                    raise EOFError from error  # the link was cut: nobody was refused
                failed = error
                if not transport.is_active():
                    break  # enough was offered, says the server
            if transport.is_authenticated():
                measured.trust()
                transport.sock.settimeout(_IDLE)
                return
    message = "{where} does not let the user in"
    if measured.farewell:
        message = "{where} does not let the user in: {error}"
    raise SkerryError.at(codes.LOGIN_REFUSED, message, str(endpoint), error=measured.farewell) from failed


def _offers(
    endpoint: Endpoint, settings: SshSettings, password: str | None
) -> Iterator[Callable[[paramiko.Transport], Any]]:
    if settings.key_file is not None:
        key = _private_key(settings.key_file)
        yield lambda transport: transport.auth_publickey(endpoint.user, key)
    for each in _agent_keys(settings):
        yield lambda transport, each=each: transport.auth_publickey(endpoint.user, each)  # type: ignore[misc]
    if password is not None:
        yield lambda transport: transport.auth_password(endpoint.user, password)


def _agent_keys(settings: SshSettings) -> Sequence[paramiko.AgentKey]:
    return _paramiko().Agent().get_keys() if settings.agent else ()


def offers(settings: SshSettings) -> object:
    """What logs in, but for the password: another value when the key file or the keys of the agent change."""
    found: list[object] = []
    with suppress(OSError):
        if settings.key_file is not None:
            state = os.stat(settings.key_file)
            found += [state.st_ino, state.st_mtime_ns, state.st_size, state.st_mode]
    with suppress(Exception):  # an agent that is gone has none
        found += [each.asbytes() for each in _agent_keys(settings)]
    return found


def _private_key(path: str) -> paramiko.PKey:
    library = _paramiko()
    try:
        if os.stat(path).st_mode & _OTHERS:
            message = "other users of this machine may read {where}"
            raise SkerryError.at(codes.KEY_UNUSABLE, message, path)
        key: paramiko.PKey = library.PKey.from_path(path)
        return key
    except OSError as error:
        raise SkerryError.at(codes.KEY_UNUSABLE, "{error}: {where}", path, error=error.strerror) from error
    except (library.SSHException, ValueError, TypeError) as error:
        message = "{where} is no private key without a passphrase"
        raise SkerryError.at(codes.KEY_UNUSABLE, message, path) from error


@contextmanager
def _troubles(endpoint: Endpoint, exhausted: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """What goes wrong while a server is talked to, as SkerryError."""
    try:
        yield
    except SkerryError:
        raise
    except Exception as error:  # whatever the library's own thread came upon is raised again in ours
        if exhausted():
            message = "{where} sends more than {most:,} bytes before anybody is logged in"
            most = _MOST_BEFORE_LOGIN
            raise SkerryError.at(codes.TALKS_TOO_MUCH, message, str(endpoint), most=most) from error
        message = "{where} cannot be reached: {error}"
        raise SkerryError.at(codes.HOST_UNREACHABLE, message, str(endpoint), error=said(error)) from error


def said(error: Exception) -> str:
    """What went wrong, in the words of the system or of the host, without those that Python has for it."""
    words = str(getattr(error, "strerror", None) or getattr(error, "text", None) or error)
    if words.startswith(_NO_GREETING):
        return "no server of SSH answers there"
    return words or "the connection was closed"


def _paramiko() -> Any:
    import paramiko

    logging.getLogger("paramiko").addHandler(_SILENT)  # else its errors go to our standard error
    return paramiko


_SILENT = logging.NullHandler()
