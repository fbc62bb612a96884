"""What the FTP types read from their calls: the server, a session with it, keys and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from engine.model.base import Id
from engine.model.job import JobKeys
from engine.model.plain_words import quoted
from engine.plugins import arguments
from engine.plugins.job_type import Call
from resources.clients.checking import read_keys
from resources.clients.ftp_codes import FtpCodes
from resources.ftp import FtpRequest

if TYPE_CHECKING:
    from resources.clients.ftp import FtpSession, Place


class TransferKeys(JobKeys):
    """Each key may also be given as a parameter of that name; the key wins."""

    resource: Id | None = None
    url: str | None = None
    path: str | None = None
    target: str | None = None
    resume: Any = None


def value(call: Call, name: str) -> Any:
    """The key, else the parameter, of that name."""
    own = getattr(call.settings, name, None)
    return call.params.get(name) if own is None else own


def text(call: Call, name: str) -> str | None:
    """The same, which must be a text. Raises SkerryError."""
    found = value(call, name)
    if found is not None and not isinstance(found, str):
        raise arguments.unfit(name, "a text is needed, not {value}", value=quoted(found))
    return found


def resumes(call: Call) -> bool:
    """Whether an earlier part is to be continued."""
    return value(call, "resume") in (True, "true")


def place(call: Call, codes: FtpCodes) -> Place:
    """The server and folder of the resource, else of the url. Raises SkerryError."""
    from resources.clients import ftp

    if call.resource is not None:
        return ftp.place_of(call.resource, codes)
    url = text(call, "url")
    if not url:
        raise arguments.unfit("url", "a resource or a url is needed")
    return ftp.read_place(url, codes)


@contextmanager
def session(call: Call, server: Place) -> Iterator[FtpSession]:
    """A login that the call's cancel and timeout break off. Raises SkerryError."""
    from resources.clients import ftp

    silence = None
    if call.resource is not None:
        silence = read_keys(FtpRequest, call.resource.request, "request").timeout
    with ftp.session(
        server, on_cancel=call.cancel.on_cancel, seconds=call.timeout, silence=silence
    ) as opened:
        yield opened
