"""One file to a server: sent as a part, which an earlier try may have begun, compared, then renamed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from engine.model.errors import SkerryError
from engine.plugins import arguments
from engine.plugins.files import ByteMeter, file_errors, open_regular
from engine.plugins.job_type import Call
from jobs_builtin.transfers import keys
from jobs_builtin.transfers.remote import Remote, RemoteFiles
from jobs_builtin.transfers.sending_codes import SendingCodes

_OVERLAP = 64 * 1024  # bytes at the end of an earlier part that are fetched and compared
_PIECE = 256 * 1024


def send_file(call: Call, remote: Remote, codes: SendingCodes) -> Mapping[str, Any]:
    """``path``, ``size`` and ``sha256`` of the file on the server. Raises SkerryError."""
    source = _source(call)
    target = remote.below(_name(call, source))
    with open_regular(source) as file, remote.session() as session:
        upload = _Upload(call, remote, codes, session, file, source, f"{target}.part")
        upload = upload.made(upload.matching() if keys.resumes(call) else 0)
        if not session.renamed(upload.path, target):
            upload = upload.directly(target)
    return {"path": target, "size": upload.size, "sha256": upload.digest()}


@dataclass
class _Upload:
    """One file on its way to ``path``."""

    call: Call
    remote: Remote
    codes: SendingCodes
    session: RemoteFiles
    file: BinaryIO
    source: Path
    path: str
    size: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def digest(self) -> str:
        return str(self._hash.hexdigest())

    def matching(self) -> int:
        """How many bytes of the file an earlier part has; 0 when it is another file, or cannot be read."""
        try:
            have = self.session.size(self.path) or 0
            if not 0 < have <= os.fstat(self.file.fileno()).st_size:
                return 0
            start = max(have - _OVERLAP, 0)
            there = b"".join(self.session.pieces(self.path, start))
        except SkerryError as error:
            if error.entry in (self.remote.codes.missing, self.remote.codes.answer):
                return 0
            raise
        with file_errors(self.source):
            self.file.seek(start)
            return have if self.file.read(have - start) == there else 0

    def made(self, have: int) -> _Upload:
        """Sent whole, after ``have`` bytes of an earlier part; again if that was another's."""
        try:
            self._send(have)
            return self
        except SkerryError as error:
            if not have or error.entry is not self.codes.unlike:
                raise
        return self._again(self.path)

    def directly(self, target: str) -> _Upload:
        """Sent once more under its own name, where the server cannot rename."""
        made = self._again(target)
        with suppress(SkerryError):
            self.session.delete(self.path)
        return made

    def _again(self, path: str) -> _Upload:
        upload = _Upload(self.call, self.remote, self.codes, self.session, self.file, self.source, path)
        upload._send(0)
        return upload

    def _send(self, have: int) -> None:
        """All that follows the first ``have`` bytes; those are only read for the hash."""
        self.session.send(self.path, self._rest(have), have)
        there = self.session.size(self.path)
        if there is not None and there != self.size:
            message = "the server has {there:,} of {size:,} bytes"
            raise SkerryError(self.codes.unlike, message, where=self.path, there=there, size=self.size)
        if self.session.sha256(self.path) not in (None, self.digest()):
            raise SkerryError(self.codes.unlike, "its SHA-256 is another one", where=self.path)

    def _rest(self, have: int) -> Iterator[bytes]:
        with file_errors(self.source):
            meter = ByteMeter(self.call, os.fstat(self.file.fileno()).st_size, self.source.name)
            self.file.seek(0)
        while piece := self._read(have - self.size if self.size < have else _PIECE):
            self._hash.update(piece)
            self.size += len(piece)
            meter.reach(self.size)
            if self.size > have:
                yield piece

    def _read(self, most: int) -> bytes:
        with file_errors(self.source):
            return self.file.read(min(most, _PIECE))


def _source(call: Call) -> Path:
    text = keys.text(call, "path")
    if not text:
        raise arguments.unfit("path", "a text is needed, not {value}", value="nothing")
    return arguments.as_path(call, "path", text)


def _name(call: Call, source: Path) -> str:
    """The path on the server as it was written; without one, or for a folder, with the file's own name."""
    text = keys.text(call, "target") or ""
    return f"{text}{source.name}" if not text or text.endswith("/") else text
