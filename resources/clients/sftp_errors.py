"""What an SFTP server and the network say, as errors of the catalogue without the password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, ENOENT

from paramiko import AuthenticationException, ChannelException, SFTPError, SSHException

from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message
from engine.secrets.masking import ValueMasker
from resources.clients.sftp_place import SftpPlace


@contextmanager
def translated(place: SftpPlace) -> Iterator[None]:
    """Errors inside become SkerryErrors under the numbers of the place."""
    codes = place.codes
    try:
        yield
    except TimeoutError as error:
        raise failed(place, codes.timed_out, "no answer in time") from error
    except AuthenticationException as error:
        said = Message.of("user {user!r}: {problem}", user=place.user, problem=_words(place, error))
        raise failed(place, codes.login, said) from None
    except ChannelException as error:
        raise failed(place, codes.answer, _words(place, error)) from None
    except EOFError as error:
        raise failed(place, codes.unreachable, "it hung up") from error
    except (SSHException, SFTPError) as error:
        raise failed(place, codes.unreachable, _words(place, error) or "it hung up") from error
    except OSError as error:
        raise failed(place, _entry(place, error), _words(place, error)) from error
    except ValueError as error:  # a NUL, or what UTF-8 cannot say
        raise SkerryError(codes.address, "a path has a character that cannot be sent") from error


def failed(place: SftpPlace, entry: ErrorCode, problem: str, **details: object) -> SkerryError:
    """The error about a server; ``details`` are facts beside the sentence."""
    problem = Message.of(problem)
    return SkerryError.at(entry, "{where}: {problem}", str(place), problem=problem, details=details)


def _entry(place: SftpPlace, error: OSError) -> ErrorCode:
    """The server's refusals come as OSErrors: two with a number, all others with the server's words alone."""
    if error.errno == ENOENT:
        return place.codes.missing
    if error.errno == EACCES:
        return place.codes.denied
    return place.codes.answer if error.errno is None else place.codes.unreachable


def _words(place: SftpPlace, error: Exception) -> str:
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    return ValueMasker([place.secret]).text(" ".join(said.split()))
