"""One long-lived ``sh`` on a host: requests are text of sh, answers lines that begin with a secret word."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.execution.ssh.connect import SECONDS, SshConnection, connect, said
from engine.execution.ssh.quoting import call
from engine.execution.ssh.settings import SshSettings
from engine.model.codes import ssh as codes
from engine.model.errors import ErrorCode, SkerryError
from engine.model.plain_words import quoted

if TYPE_CHECKING:
    import paramiko

SILENCE = 10.0  # seconds without a line after which the host is asked whether it is there
_NAP = 0.1  # seconds between two looks at what a start file writes to standard error
_SHOWN = 80  # bytes of what a login shell prints
_PIECE = 1 << 16
_WINDOW = 1 << 22  # bytes; more than a host may send before some of it was read
_ROOT_TROUBLES: dict[str, tuple[ErrorCode, str]] = {
    "readonly": (codes.ROOT_READ_ONLY, "{where} cannot be written on {host}"),
    "foreign": (codes.ROOT_FOREIGN, "{where} on {host} has other things in it"),
    "full": (codes.ROOT_FULL, "there is no room in {where} on {host}"),
    "noexec": (codes.ROOT_NOEXEC, "nothing may be executed in {where} on {host}"),
    "unnamed": (codes.ROOT_READ_ONLY, "{where} on {host} is no absolute path of one line"),
    "unfit": (codes.NO_SHELL, "the sh of {host} cannot write into the file that it reads"),
}
_CUT = "the link to {where} was cut"
_PRINTS = "the login shell on {where} prints something: {text}"


class RemotePlace(NamedTuple):
    """What is known of a host once its shell answers."""

    boot: str
    root: str  # absolute
    key: str  # the secret word of its answers
    home: str = ""
    uptime: float = 0.0  # seconds, when it answered
    shown: str = ""  # the fingerprint of its host key

    def path(self, root: str) -> str:
        """A root there as it is registered, absolute."""
        return root if root.startswith("/") else f"{self.home}/{root}"


class ShellSession:
    """Made by :func:`open_session`; one thread sends, another one reads."""

    def __init__(self, connection: SshConnection, channel: paramiko.Channel, key: str) -> None:
        self.connection = connection
        self.key = key
        self._channel = channel
        self._rest = b""
        self._parts: dict[str, list[str]] = {}  # of long answers, which come in several lines, by number

    def send(self, text: bytes) -> None:
        """OSError when the link is gone."""
        self._channel.sendall(text)

    def lines(self) -> Iterator[list[str]]:
        """The words of each answer; an empty list after each ``SILENCE``. Ends with the link."""
        self._channel.settimeout(SILENCE)
        while True:
            self._drop_errors()
            try:
                data = self._channel.recv(_PIECE)
            except TimeoutError:
                yield []
                continue
            if not data:
                return
            *lines, rest = (self._rest + data).split(b"\n")
            self._rest = rest[-_PIECE:]  # an answer is shorter; whatever is longer is none
            for line in lines:
                # what a process of a start file prints meanwhile may stand before it
                _, found, answer = line.decode("utf-8", "surrogateescape").rpartition(f"{self.key} ")
                words = answer.split(" ")
                if found and len(words) > 1 and (whole := self._whole(*words)):
                    yield whole

    def _whole(self, number: str, word: str, *words: str) -> list[str] | None:
        """An answer, once the last of its lines is there."""
        if word != "...":
            return [number, *self._parts.pop(number, ()), word, *words]
        self._parts.setdefault(number, []).extend(words)
        return None

    def ask(self, request: bytes, where: str) -> list[str]:
        """The words of the answer behind its first; only while nobody reads ``lines``. Raises SkerryError."""
        try:
            self.send(request)
            return self._line(where)[1:]
        except (OSError, EOFError) as error:
            raise SkerryError.at(codes.HOST_UNREACHABLE, _CUT, where) from error

    def first_answers(self, settings: SshSettings) -> RemotePlace:
        """Of ``hello`` and ``root``. Raises SkerryError."""
        where = str(settings.target)
        hello = self._line(where)
        if hello[0] != "hello":
            message = "{where} has no {what}"
            raise SkerryError.at(codes.NO_SHELL, message, where, what=" ".join(hello[1:]))
        root = self._line(where)
        if root[0] != "root":
            entry, message = _ROOT_TROUBLES[root[0]]
            raise SkerryError.at(entry, message, " ".join(root[1:]), host=where)
        _, boot, uptime, *home = hello
        shown, folder = settings.target.host_key, " ".join(home).rstrip("/")
        print_ = "" if shown is None else shown.fingerprint
        return RemotePlace(boot, " ".join(root[1:]), self.key, folder, float(uptime), print_)

    def _line(self, where: str) -> list[str]:
        """The words of the next answer behind its number; whatever else is printed is too much."""
        whole = None
        while whole is None:
            words = self._words(where)
            whole = self._whole(*words)
        return whole[1:]

    def _words(self, where: str) -> list[str]:
        """Those of the next line, from the number on."""
        while b"\n" not in self._rest:
            data = self._received()
            self._rest += data
            if not data:
                break
            if not self._rest.startswith(self.key.encode()[: len(self._rest)]):
                text = _beginning(self._rest if self._rest.strip() else self._rest + self._received())
                raise SkerryError.at(codes.SHELL_PRINTS, _PRINTS, where, text=text)
        line, _, self._rest = self._rest.partition(b"\n")
        words = line.decode("utf-8", "surrogateescape").split(" ")
        if words[0] != self.key or len(words) < 3:
            if not self.connection.transport.is_active():
                raise SkerryError.at(codes.HOST_UNREACHABLE, _CUT, where)
            raise SkerryError.at(codes.NO_SHELL, "no sh answers on {where}", where)
        return words[1:]

    def _received(self) -> bytes:
        """What comes next; nothing where the host takes too long or the link is gone."""
        self._channel.settimeout(_NAP)
        for _ in range(round(SECONDS / _NAP)):
            self._drop_errors()
            try:
                return self._channel.recv(_PIECE)
            except TimeoutError:
                continue
            except OSError:
                break
        return b""

    def _drop_errors(self) -> None:
        """Start files may write to standard error: while that is not read, nothing else comes in the end."""
        if self._channel.recv_stderr_ready():
            self._channel.recv_stderr(_WINDOW)

    def close(self) -> None:
        """From any thread."""
        self.connection.close()


def open_session(settings: SshSettings) -> tuple[ShellSession, RemotePlace]:
    """Log in and have a shell that knows our functions. Blocks; raises SkerryError, and nothing else."""
    try:
        return _open_session(settings)
    except SkerryError:
        raise
    except Exception as error:  # the library raises what its own thread came upon; a host may say anything
        message, where = "{where} cannot be reached: {error}", str(settings.target)
        raise SkerryError.at(codes.HOST_UNREACHABLE, message, where, error=said(error)) from error


def _open_session(settings: SshSettings) -> tuple[ShellSession, RemotePlace]:
    connection = connect(settings)
    try:
        channel = connection.transport.open_session(timeout=SECONDS)
        session = ShellSession(connection, channel, secrets.token_hex(8))
        _execute(channel, "exec sh")
        asked = call("hello", "0") + call("root", "0", settings.root)
        with suppress(OSError):  # what ends before it has taken all of it may have said why
            channel.sendall(b"K=" + session.key.encode() + b"\n" + _functions() + asked)
        return session, session.first_answers(settings)
    except BaseException:
        connection.close()
        raise


def _execute(channel: Any, command: str) -> None:
    """As ``exec_command``, which waits without end for a server that takes the request and says nothing."""
    import paramiko
    from paramiko.common import cMSG_CHANNEL_REQUEST

    request: Any = paramiko.Message()
    request.add_byte(cMSG_CHANNEL_REQUEST)
    request.add_int(channel.remote_chanid)
    request.add_string("exec")
    request.add_boolean(False)  # no reply is wanted: the first line of the shell is one
    request.add_string(command)
    channel.transport._send_user_message(request)


@cache
def _functions() -> bytes:
    return Path(__file__).with_name("shell.sh").read_bytes()


def _beginning(printed: bytes) -> str:
    """Of what a host says that was not asked for: so much that it is recognized."""
    line = printed[:_SHOWN].lstrip().partition(b"\n")[0]
    return quoted(line.decode("utf-8", "replace"))


def ssh_errors() -> type[Exception]:
    """What the library raises beside OSError and EOFError."""
    import paramiko

    return paramiko.SSHException
