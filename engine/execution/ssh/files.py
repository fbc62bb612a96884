"""Files on their way to and from a host, by SFTP: in pieces, resumed, compared; links are not followed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from engine.execution.files import write_all
from engine.execution.ssh import refusals, rounds
from engine.execution.ssh.connect import SECONDS, said
from engine.execution.ssh.link import SshLink
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import ShellSession, ssh_errors
from engine.model.codes.ssh import FETCH_FAILED, HOST_UNREACHABLE, NO_SFTP, SEND_FAILED
from engine.model.disk import full, no_room
from engine.model.errors import ErrorCode, SkerryError
from engine.model.threads import Threads

if TYPE_CHECKING:
    import paramiko

_BLOCK = rounds.PIECE * rounds.WINDOW  # bytes that are under way of one file
_SMALL = 256 * 1024  # bytes; what is not longer needs no channel of its own
_TOGETHER = 16  # small files under way
_TRIES = 3  # of a file that changes while it is read
_DIGEST_SECONDS = 600.0  # that a host may take to sum up a file, and more for a big one:
_SLOWEST = 1 << 20  # bytes that it reads in a second at least
_ANSWER_SECONDS = 30.0
_FREED = 0.5  # seconds after which a host has noticed that a channel was closed
_CLOSED = ("Socket is closed",)  # the library's OSError for a channel that has ended
_PART = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class GrowingFile(NamedTuple):
    """What a growing file has behind an offset, and who takes it."""

    remote: str
    offset: int
    take: Callable[[bytes], None]


class WantedFile(NamedTuple):
    """A file there that is to be here; its ``size`` as it was seen there."""

    remote: str
    local: str
    size: int


class Files:
    """Small steps share one channel, each with its turn; what is long has one of its own.

    Where the host allows no further channel (``MaxSessions``) what is long takes its turn too.
    """

    def __init__(self, link: SshLink, threads: Threads) -> None:
        self._link = link
        self._threads = threads
        self._lock = threads.lock()
        self._counting = threads.lock()
        self._own_channels = 0
        self._given: ShellSession | None = None  # over which there were files: a failure is an accident then
        self._small: tuple[ShellSession, paramiko.SFTPClient] | None = None

    def read(self, tails: Sequence[GrowingFile], folder: str | None = None) -> list[tuple[str, int]]:
        """Hand on what plain files have behind their offsets; gives those of a ``folder`` with their sizes.

        Raises SkerryError.
        """
        if not tails and folder is None:
            return []
        with self._turn(folder or tails[0].remote) as sftp:
            steps: list[rounds.Steps[Any]] = [rounds.appended(sftp, *each) for each in tails]
            found = rounds.together(sftp, [*steps, *([rounds.entries(sftp, folder)] if folder else ())])
        return [
            (name, each.st_size or 0)
            for name, each in (found[-1] if folder else ())
            if stat.S_ISREG(each.st_mode or 0) and "/" not in name and name not in (".", "..")
        ]

    def fetch_all(self, wanted: Sequence[WantedFile]) -> None:
        """Have plain files here as a whole: small ones together. SkerryError, OSError."""
        small = [each for each in wanted if each.size <= _SMALL]
        for at in range(0, len(small), _TOGETHER):
            for each in self._fetch_small(small[at : at + _TOGETHER]):
                self.fetch(each.remote, each.local)
        for each in wanted:
            if each.size > _SMALL:
                self.fetch(each.remote, each.local)

    def _fetch_small(self, wanted: Sequence[WantedFile]) -> list[WantedFile]:
        """Those that have changed meanwhile are not here yet."""
        with ExitStack() as stack:
            parts = [open(f"{each.local}.part", "w+b", opener=_private) for each in wanted]  # noqa: SIM115
            for part in parts:
                stack.enter_context(part)
            sums = [self._ask_digest(each.remote, each.size) for each in wanted]
            with self._turn(wanted[0].remote) as sftp:
                steps = [
                    rounds.appended(sftp, each.remote, 0, partial(write_all, part.fileno()))
                    for each, part in zip(wanted, parts, strict=True)
                ]
                rounds.together(sftp, steps)
            same = [_is_sum(part.fileno(), found()) for part, found in zip(parts, sums, strict=True)]
        for each, is_same in zip(wanted, same, strict=True):
            if is_same:
                os.replace(f"{each.local}.part", each.local)
        return [each for each, is_same in zip(wanted, same, strict=True) if not is_same]

    def fetch(self, remote: str, local: str) -> None:
        """Have a plain file here as a whole: first as ``.part``, then compared. SkerryError, OSError."""
        part = f"{local}.part"
        for _ in range(_TRIES):
            fd = os.open(part, _PART, 0o600)
            try:
                with self._own(remote) as sftp:
                    if not _is_plain(sftp, remote):
                        raise SkerryError.at(FETCH_FAILED, "{where} is no plain file", remote)
                    _copy(sftp, remote, fd)
                if self._same(remote, fd):
                    os.replace(part, local)
                    return
                os.ftruncate(fd, 0)
            finally:
                os.close(fd)
        raise SkerryError.at(FETCH_FAILED, "{where} changes while it is read", remote)

    def put(self, source: BinaryIO, part: str, remote: str, check: Callable[[], None]) -> None:
        """Have what ``source`` holds there as a whole, first as ``part``. SkerryError, or of ``check``.

        What is there of it already is not sent again. DISK_FULL: there is no room on the host.
        """
        for _ in range(_TRIES):
            size = source.seek(0, os.SEEK_END)
            if self._is_there(remote) and self._digest(remote, size) == _sum(source, check):
                return
            with self._own(remote, SEND_FAILED) as sftp:
                self._copy_there(sftp, source, part, check)
                if self._digest(part, size) in (None, _sum(source, check)):
                    return sftp.posix_rename(os.fsencode(part), os.fsencode(remote))
                sftp.remove(os.fsencode(part))
        raise SkerryError.at(SEND_FAILED, "what is sent as {where} changes while it is read", remote)

    def _copy_there(
        self, sftp: paramiko.SFTPClient, source: BinaryIO, part: str, check: Callable[[], None]
    ) -> None:
        """What is not in the part yet, in blocks of which each is known to be there before the next."""
        at, size = _size(sftp, part), source.seek(0, os.SEEK_END)
        at = at if at <= size else 0
        try:
            with sftp.open(os.fsencode(part), "r+b" if at else "wb") as target:
                source.seek(at)
                target.seek(at)
                while block := source.read(_BLOCK):
                    check()
                    _write(target, block)
                    at += len(block)
        except OSError as error:
            if error.errno is not None or error.args == _CLOSED:
                raise
            with suppress(OSError):
                sftp.truncate(os.fsencode(part), at)
            raise self._refusal(error, part) from error

    def _refusal(self, error: OSError, remote: str) -> SkerryError:
        """SFTP has no number for a disk that is full, so the host is asked."""
        answer = self._link.answer_to(lambda number, place: call("room", number), _ANSWER_SECONDS)
        if answer is None:
            return _unreachable(self._link)
        where = str(self._link.settings.target)
        if answer[0] == "none":
            return refusals.no_room_there(where)
        return SkerryError.at(
            SEND_FAILED, "{where} cannot be written on {host}: {error}", remote, host=where, error=str(error)
        )

    def _is_there(self, remote: str) -> bool:
        with self._turn(remote) as sftp:
            return _is_plain(sftp, remote)

    def _same(self, remote: str, fd: int) -> bool:
        return _is_sum(fd, self._digest(remote, os.fstat(fd).st_size))

    def _digest(self, remote: str, size: int) -> str | None:
        """Its sha256 as the host says, in time that goes by ``size``; None: it has no program for that."""
        return self._ask_digest(remote, size)()

    def _ask_digest(self, remote: str, size: int) -> Callable[[], str | None]:
        """Ask for it; the answer is waited for by whoever calls what this gives."""
        wait = self._link.asked(lambda number, place: call("beside", number, "digest", remote))

        def found() -> str | None:
            answer = wait(_DIGEST_SECONDS + size / _SLOWEST)
            if answer is None:
                raise _unreachable(self._link)
            if answer[0] == "failed":
                raise refusals.no_process(self._link.settings.target)
            return None if answer[1] == "none" else answer[1]

        return found

    @contextmanager
    def _turn(self, remote: str, entry: ErrorCode = FETCH_FAILED) -> Iterator[paramiko.SFTPClient]:
        with self._lock, _troubles(self._link, remote, entry):
            session = self._link.session
            if self._small is None or self._small[0] is not session:
                self._small = None
                if session is None:
                    raise _unreachable(self._link)
                self._small = session, self._shared(session)
            yield self._small[1]

    def _shared(self, session: ShellSession) -> paramiko.SFTPClient:
        """The one channel that all can use. Raises SkerryError: NO_SFTP where there can be none."""
        for _ in range(_TRIES):
            try:
                return self._client(session)
            except ssh_errors() as error:
                if not _is_refused(error) or self._own_channels:  # it is asked again when these have ended
                    raise
                problem = no_sftp(str(self._link.settings.target), error)
            except SkerryError as error:
                problem = error
            self._threads.event().wait(_FREED)
        raise problem

    def _client(self, session: ShellSession) -> paramiko.SFTPClient:
        where = self._link.settings.target
        try:
            client = sftp_client(session, str(where))
        except SkerryError as error:
            if self._given is session:
                raise refusals.no_process(where) from error
            raise
        self._given = session
        return client

    @contextmanager
    def _own(self, remote: str, entry: ErrorCode = FETCH_FAILED) -> Iterator[paramiko.SFTPClient]:
        session = self._link.session
        if session is None:
            raise _unreachable(self._link)
        with _troubles(self._link, remote, entry), self._counted():
            client = self._one_more(session)
            if client is not None:
                with closing(client):
                    yield client
                return
        with self._turn(remote, entry) as shared:
            yield shared

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        with self._counting:
            self._own_channels += more

    def _one_more(self, session: ShellSession) -> paramiko.SFTPClient | None:
        """None: the host allows so few."""
        try:
            return self._client(session)
        except ssh_errors() as error:
            if not _is_refused(error):
                raise
        return None


def _is_refused(error: Exception) -> bool:
    """Whether the host answered that it opens no further channel."""
    from paramiko import ChannelException

    return isinstance(error, ChannelException)


def _copy(sftp: paramiko.SFTPClient, remote: str, fd: int) -> None:
    """What is not in the part yet."""
    offset = os.lseek(fd, 0, os.SEEK_END)
    rounds.together(sftp, [rounds.appended(sftp, remote, offset, partial(write_all, fd))])


def _is_sum(fd: int, theirs: str | None) -> bool:
    """Whether a file here has that sha256, if there is one."""
    with open(fd, "rb", closefd=False) as file:
        file.seek(0)
        return theirs in (None, hashlib.file_digest(file, "sha256").hexdigest())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _write(target: paramiko.SFTPFile, block: bytes) -> None:
    """All of it under way at once; an answer for each piece has come when this returns. OSError."""
    target.set_pipelined(True)
    target.write(block[:-1])
    target.set_pipelined(False)  # reads what all of them came to
    target.write(block[-1:])


def _sum(source: BinaryIO, check: Callable[[], None]) -> str:
    found = hashlib.sha256()
    source.seek(0)
    while data := source.read(_BLOCK):
        check()
        found.update(data)
    return found.hexdigest()


def _is_plain(sftp: paramiko.SFTPClient, remote: str) -> bool:
    with suppress(FileNotFoundError):
        return stat.S_ISREG(sftp.lstat(os.fsencode(remote)).st_mode or 0)
    return False


def _size(sftp: paramiko.SFTPClient, remote: str) -> int:
    with suppress(FileNotFoundError):
        return sftp.lstat(os.fsencode(remote)).st_size or 0
    return 0


def sftp_client(session: ShellSession, where: str) -> paramiko.SFTPClient:
    """A channel of SFTP over the connection of a session. OSError, EOFError, SSHException.

    SkerryError: the host gives none, though it answers. Once may be an accident: it is asked again.
    """
    from paramiko import SSHException

    transport = session.connection.transport
    for _ in range(_TRIES):
        channel = transport.open_session(timeout=SECONDS)
        try:
            return _spoken(channel)
        except (EOFError, SSHException) as error:
            channel.close()
            if not transport.is_active():
                raise
            problem = no_sftp(where, error)
    raise problem


def no_sftp(where: str, error: Exception) -> SkerryError:
    """A host that answers, and gives no files."""
    return SkerryError.at(NO_SFTP, "{where} gives no files by SFTP: {error}", where, error=said(error))


def _spoken(channel: paramiko.Channel) -> paramiko.SFTPClient:
    from paramiko import SFTPClient

    channel.settimeout(SECONDS)  # where something else answers, or nobody
    channel.invoke_subsystem("sftp")
    client = SFTPClient(channel)
    channel.settimeout(None)
    return client


def check_sftp(session: ShellSession, folder: str, where: str) -> None:
    """Raises SkerryError: files of that folder cannot be had."""
    try:
        client = sftp_client(session, where)
        client.lstat(os.fsencode(folder))
        client.close()
    except (OSError, EOFError, ssh_errors()) as error:
        raise no_sftp(where, error) from error


@contextmanager
def _troubles(link: SshLink, remote: str, entry: ErrorCode = FETCH_FAILED) -> Iterator[None]:
    from paramiko import SSHException

    try:
        yield
    except (EOFError, SSHException) as error:
        raise _unreachable(link) from error
    except OSError as error:
        if no_room(error):  # here: SFTP has no number for it
            raise full(error, ".") from error
        if link.session is None or error.args == _CLOSED:  # which is seen before the link is known to be lost
            raise _unreachable(link) from error
        message = "{where} on {host}: {error}"
        host, why = str(link.settings.target), error.strerror or str(error)
        raise SkerryError.at(entry, message, remote, host=host, error=why) from error


def _unreachable(link: SshLink) -> SkerryError:
    return SkerryError.at(HOST_UNREACHABLE, "the link to {where} was cut", str(link.settings.target))
