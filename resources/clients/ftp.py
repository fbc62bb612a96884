"""A session with an FTP server: passive, over TLS where asked for, broken off from outside."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ftplib import FTP, FTP_TLS, Error, error_perm, error_reply, error_temp
from urllib.parse import unquote, urlsplit

from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message
from engine.plugins.resource_type import ResolvedResource
from engine.secrets.masking import ValueMasker
from resources.clients import remote_path
from resources.clients.breaking import Breaker, breakable
from resources.clients.checking import OnCancel
from resources.clients.ftp_codes import FtpCodes

_CONNECT = 10.0  # seconds
_SILENCE = 60.0  # seconds without a byte
_PIECE = 256 * 1024
_UNKNOWN = (500, 502, 504)  # replies of a server that does not have the command (RFC 959, 4.2)


@dataclass(frozen=True)
class Place:
    """A server, how to get in, and a path on it. ``secret`` is the password."""

    host: str
    port: int
    secure: bool
    user: str
    secret: str = field(repr=False)
    path: str
    codes: FtpCodes

    def below(self, path: str) -> str:
        """The path on the server that ``path`` means: from the address's own on, unless it begins with /."""
        return remote_path.below(self.path, path)

    def __str__(self) -> str:
        """The address for messages."""
        return f"{'ftps' if self.secure else 'ftp'}://{self.host}:{self.port}"


def read_place(uri: str, codes: FtpCodes, user: str | None = None, secret: str | None = None) -> Place:
    """The place that an address names; without a user it is ``anonymous``. SkerryError when it is none."""
    try:
        url = urlsplit(uri)
        port = url.port or 21
    except ValueError:
        url, port = urlsplit(""), 0
    if url.scheme not in ("ftp", "ftps") or not url.hostname:
        raise SkerryError(codes.address, "this is not an ftp or ftps address")
    name = user or unquote(url.username or "") or "anonymous"
    password = secret if secret is not None else unquote(url.password or "")
    if name == "anonymous" and not password:
        password = "anonymous@"
    path = unquote(url.path)
    return Place(url.hostname, port, url.scheme == "ftps", name, password, path, codes)


def place_of(resource: ResolvedResource, codes: FtpCodes) -> Place:
    user = resource.request.get("user")
    return read_place(resource.uri, codes, str(user) if user else None, resource.secret)


class FtpSession:
    """A login. Made by ``session``."""

    def __init__(self, wire: _FtpWires, place: Place, breaker: Breaker) -> None:
        self._wire = wire
        self._ftp = wire.ftp
        self._place = place
        self.breaker = breaker

    def size(self, path: str) -> int | None:
        """The size of a file in bytes; None when the server does not say. SkerryError when it is missing."""
        with translated(self._place):
            self._ftp.voidcmd("TYPE I")
            try:
                return self._ftp.size(path)
            except error_perm as error:
                if _code(error) != 550:
                    return None
                raise

    def exists(self, path: str) -> bool:
        try:
            self.size(path)
        except SkerryError as error:
            if error.entry is not self._place.codes.missing:
                raise
            return self._is_folder(path)
        return True

    def pieces(self, path: str, start: int) -> Iterator[bytes]:
        """The bytes of a file from ``start`` on; SkerryError when the server says that it broke off."""
        with translated(self._place):
            self._ftp.voidcmd("TYPE I")
            data = self._ftp.transfercmd(f"RETR {path}", start or None)
            self._wire.data = data
            with data:
                while piece := data.recv(_PIECE):
                    yield piece
                self.breaker.check()  # a cut transfer looks like one that has ended
                if isinstance(data, ssl.SSLSocket):
                    with suppress(OSError):
                        data.unwrap()
            self._ftp.voidresp()

    def send(self, path: str, pieces: Iterable[bytes], start: int) -> None:
        """Write what follows the first ``start`` bytes. SkerryError has the server's words if it refuses."""
        with translated(self._place):
            self._ftp.voidcmd("TYPE I")
            data = self._ftp.transfercmd(f"{'APPE' if start else 'STOR'} {path}")
            self._wire.data = data
            with data:
                try:
                    for piece in pieces:
                        data.sendall(piece)
                except ConnectionError:
                    self.breaker.check()
                    self._ftp.voidresp()  # why it hung up, such as a full disk
                    raise
                self.breaker.check()
                if isinstance(data, ssl.SSLSocket):
                    with suppress(OSError):
                        data.unwrap()
            self._ftp.voidresp()

    def renamed(self, path: str, name: str) -> bool:
        """Whether ``path`` now has the other name; False when the server cannot rename at all."""
        with translated(self._place):
            try:
                self._ftp.rename(path, name)
            except error_perm as error:
                if _code(error) not in _UNKNOWN:
                    raise
                return False
        return True

    def delete(self, path: str) -> None:
        with translated(self._place):
            self._ftp.delete(path)

    def sha256(self, path: str) -> str | None:
        """The hash that the server computes, in lower case; None when it cannot."""
        with translated(self._place):
            try:
                offers = self._ftp.sendcmd("FEAT").upper()
                if "XSHA256" in offers:
                    return _hash_in(self._ftp.sendcmd(f"XSHA256 {path}"))
                if "HASH" in offers and "SHA-256" in offers:
                    self._ftp.sendcmd("OPTS HASH SHA-256")
                    return _hash_in(self._ftp.sendcmd(f"HASH {path}"))
            except (error_perm, error_temp):
                return None
        return None

    def _is_folder(self, path: str) -> bool:
        with translated(self._place):
            here = self._ftp.pwd()
            try:
                self._ftp.cwd(path)
            except error_perm:
                return False
            self._ftp.cwd(here)
        return True


class _SecureFtp(FTP_TLS):
    """Takes the control connection's TLS session over to the data connection: many servers insist on it."""

    def ntransfercmd(self, cmd: str, rest: int | str | None = None) -> tuple[socket.socket, int | None]:
        plain, size = FTP.ntransfercmd(self, cmd, rest)
        session = self.sock.session if isinstance(self.sock, ssl.SSLSocket) else None
        return self.context.wrap_socket(plain, server_hostname=self.host, session=session), size


class _FtpWires:
    """Both connections, which another thread may cut."""

    def __init__(self, ftp: FTP) -> None:
        self.ftp = ftp
        self.data: socket.socket | None = None

    def cut(self) -> None:
        """Make every wait for the server fail at once."""
        for each in (self.ftp.sock, self.data):
            if each is not None:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


@contextmanager
def session(
    place: Place,
    *,
    on_cancel: OnCancel | None = None,
    seconds: float | None = None,
    silence: float | None = None,
) -> Iterator[FtpSession]:
    """A login at a server. ``seconds`` limits the whole session, ``silence`` each wait for the server."""
    wire = _FtpWires(_SecureFtp(context=ssl.create_default_context()) if place.secure else FTP())
    with breakable(wire.cut, on_cancel, seconds, place.codes.timed_out) as breaker:
        try:
            breaker.check()
            _connect(wire.ftp, place, silence or _SILENCE)
            breaker.check()
            _log_in(wire.ftp, place)
            yield FtpSession(wire, place, breaker)
        finally:
            wire.ftp.close()


@contextmanager
def translated(place: Place) -> Iterator[None]:
    """Errors of the server and of the network become SkerryErrors without the password."""
    try:
        yield
    except ssl.SSLError as error:
        raise _failed(place, place.codes.unreachable, _tls_words(error)) from error
    except TimeoutError as error:
        raise _failed(place, place.codes.timed_out, "no answer in time") from error
    except (error_perm, error_temp, error_reply) as error:
        raise _refused(place, error) from None
    except (Error, EOFError) as error:
        raise _failed(place, place.codes.unreachable, "it hung up") from error
    except OSError as error:
        raise _failed(place, place.codes.unreachable, error.strerror or str(error)) from error
    except ValueError as error:  # ftplib refuses line ends
        raise SkerryError(place.codes.address, "a path or name has a line end or NUL in it") from error


def _connect(ftp: FTP, place: Place, silence: float) -> None:
    with translated(place):
        ftp.connect(place.host, place.port, timeout=min(silence, _CONNECT))
        ftp.timeout = silence
        if ftp.sock is not None:
            ftp.sock.settimeout(silence)


def _log_in(ftp: FTP, place: Place) -> None:
    with translated(place):
        try:
            ftp.login(place.user, place.secret)
        except error_perm as error:
            said = Message.of("user {user!r}: {problem}", user=place.user, problem=_words(place, error))
            raise _failed(place, place.codes.login, said) from None
        if isinstance(ftp, FTP_TLS):
            ftp.prot_p()


def _hash_in(reply: str) -> str | None:
    found = re.search(r"\b[0-9A-Fa-f]{64}\b", reply)
    return found[0].lower() if found else None


def _refused(place: Place, error: Exception) -> SkerryError:
    code = _code(error)
    if code == 550:
        return _failed(place, place.codes.missing, _words(place, error))
    return _failed(place, place.codes.answer, _words(place, error), code)


def _failed(place: Place, entry: ErrorCode, problem: str, extra: int = 0) -> SkerryError:
    problem = Message.of(problem)
    return SkerryError.at(entry, "{where}: {problem}", str(place), problem=problem, extra=extra)


def _code(error: Exception) -> int:
    text = str(error)[:3]
    return int(text) if text.isdigit() else 0


def _words(place: Place, error: Exception) -> str:
    return ValueMasker([place.secret]).text(" ".join(str(error).split()))


def _tls_words(error: ssl.SSLError) -> str:
    return getattr(error, "verify_message", "") or error.reason or "TLS failed"
