"""The SFTP server that a call names, and a login there."""

from __future__ import annotations

from contextlib import AbstractContextManager

from engine.plugins.job_type import Call
from jobs_builtin.transfers import keys
from jobs_builtin.transfers.keys import TransferKeys
from jobs_builtin.transfers.remote import Remote, RemoteFiles
from resources.clients.sftp_codes import SftpCodes
from resources.clients.sftp_place import Login, read_place
from resources.sftp import place_of, request_of


class SftpKeys(TransferKeys):
    """A url needs the server's host key beside it; a resource has its own."""

    host_key: str | None = None


def remote(call: Call, codes: SftpCodes) -> Remote:
    """That of the resource, else of the url. Raises SkerryError."""
    from resources.clients import sftp

    silence = None
    if call.resource is not None:
        place = place_of(call.resource, codes)
        silence = request_of(call.resource).timeout
    else:
        pin = keys.text(call, "host_key")
        place = read_place(keys.url(call), codes, Login(host_key=(pin,) if pin else ()))

    def session() -> AbstractContextManager[RemoteFiles]:
        return sftp.session(place, on_cancel=call.cancel.on_cancel, seconds=call.timeout, silence=silence)

    return Remote(place.below, session, codes)
