"""The FTP server that a call names, and a login there."""

from __future__ import annotations

from contextlib import AbstractContextManager

from engine.plugins.job_type import Call
from jobs_builtin.transfers import keys
from jobs_builtin.transfers.remote import Remote, RemoteFiles
from resources.clients.checking import read_keys
from resources.clients.ftp_codes import FtpCodes
from resources.ftp import FtpRequest


def remote(call: Call, codes: FtpCodes) -> Remote:
    """That of the resource, else of the url. Raises SkerryError."""
    from resources.clients import ftp

    silence = None
    if call.resource is not None:
        place = ftp.place_of(call.resource, codes)
        silence = read_keys(FtpRequest, call.resource.request, "request").timeout
    else:
        place = ftp.read_place(keys.url(call), codes)

    def session() -> AbstractContextManager[RemoteFiles]:
        return ftp.session(place, on_cancel=call.cancel.on_cancel, seconds=call.timeout, silence=silence)

    return Remote(place.below, session, codes)
