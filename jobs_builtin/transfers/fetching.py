"""One file from a server: fetched as a part, which an earlier try may have begun, compared, then renamed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from engine.model.codes.jobs import MISSING, NOT_A_FILE
from engine.model.errors import SkerryError
from engine.plugins import arguments
from engine.plugins.files import ByteMeter, file_errors, open_regular, stop_if_asked
from engine.plugins.job_type import Call
from jobs_builtin.transfers import keys
from jobs_builtin.transfers.fetching_codes import FetchingCodes
from jobs_builtin.transfers.remote import Remote, RemoteFiles

_OVERLAP = 64 * 1024  # bytes that are fetched again and compared before more is appended


def fetch_file(call: Call, remote: Remote, codes: FetchingCodes) -> Mapping[str, Any]:
    """``path``, ``size`` and ``sha256`` of the file that was written. Raises SkerryError."""
    source = remote.below(keys.text(call, "path") or "")
    target = _target(call, remote, source)
    part = target.with_name(f"{target.name}.part")
    digest = _Fetch(call, remote, codes, source, part).resumed() if keys.resumes(call) else None
    digest = digest or _Fetch(call, remote, codes, source, part).whole()
    with file_errors(target):
        os.replace(part, target)
    return {"path": str(target), "size": target.stat().st_size, "sha256": digest}


class _Changed(Exception):
    """What is there already is not the beginning of the file."""


@dataclass(frozen=True)
class _Fetch:
    """One file on its way into ``part``."""

    call: Call
    remote: Remote
    codes: FetchingCodes
    source: str
    part: Path
    hash: Any = field(default_factory=hashlib.sha256)

    def whole(self) -> str:
        """Its SHA-256. Raises SkerryError."""
        with self.remote.session() as session:
            self._fetch(session, os.O_TRUNC, b"")
            if self._differs(session):
                self.part.unlink(missing_ok=True)  # resume would keep what is wrong
                raise SkerryError(self.codes.incomplete, "its SHA-256 is another one", where=self.source)
        return str(self.hash.hexdigest())

    def resumed(self) -> str | None:
        """Go on with what is there; its SHA-256, None when it is none of this file."""
        if not self.part.is_file():
            return None
        end = self._known()
        try:
            with self.remote.session() as session:
                self._fetch(session, 0, end)
                return None if self._differs(session) else str(self.hash.hexdigest())
        except _Changed:
            return None

    def _differs(self, session: RemoteFiles) -> bool:
        return session.sha256(self.source) not in (None, self.hash.hexdigest())

    def _known(self) -> bytes:
        """The last bytes of the part; all of it counts for the hash."""
        with open_regular(self.part) as file, file_errors(self.part):
            end = b""
            while piece := file.read(1 << 20):
                stop_if_asked(self.call)
                self.hash.update(piece)
                end = (end + piece)[-_OVERLAP:]
            return end

    @contextmanager
    def _opened(self, flags: int) -> Iterator[BinaryIO]:
        inside = self.part.is_relative_to(self.call.directory)
        options = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | flags
        with file_errors(self.part):
            handle = os.open(self.part, options, 0o600 if inside else 0o666)
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(handle)

    def _fetch(self, session: RemoteFiles, flags: int, known: bytes) -> None:
        """Append to the part, whose last bytes ``known`` must come first. Raises _Changed, SkerryError."""
        size = session.size(self.source)
        with self._opened(flags) as file:
            have = file.seek(0, os.SEEK_END)
            if size is not None and have > size:
                raise _Changed
            have = self._append(session, file, known, have, size)
        if size is not None and have != size:
            message = "{have:,} of {size:,} bytes arrived"
            raise SkerryError(self.codes.incomplete, message, where=self.source, have=have, size=size)

    def _append(self, session: RemoteFiles, file: BinaryIO, known: bytes, have: int, size: int | None) -> int:
        """Write what follows; how much there is then."""
        meter = ByteMeter(self.call, size or 0, PurePosixPath(self.source).name)
        for piece in _after(known, self._pieces(session, have - len(known))):
            file.write(piece)
            self.hash.update(piece)
            have += len(piece)
            if size:
                meter.reach(have)
            else:
                stop_if_asked(self.call)
        return have

    def _pieces(self, session: RemoteFiles, start: int) -> Iterator[bytes]:
        try:
            yield from session.pieces(self.source, start)
        except SkerryError as error:
            if start and error.entry is self.remote.codes.answer:
                raise _Changed from error  # the server cannot begin in the middle
            raise


def _after(known: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What follows ``known``; _Changed when something else comes first."""
    for piece in pieces:
        if known[: len(piece)] != piece[: len(known)]:
            raise _Changed
        known, rest = known[len(piece) :], piece[len(known) :]
        if rest:
            yield rest
    if known:
        raise _Changed


def _target(call: Call, remote: Remote, source: str) -> Path:
    """The absolute path of the file; its folder must be there."""
    name = PurePosixPath(source).name
    if not name or name == "..":
        raise SkerryError(remote.codes.address, "no path names the file on the server", where="path")
    text = keys.text(call, "target")
    target = arguments.as_path(call, "target", text) if text else call.outputs / name
    if text and (text.endswith("/") or target.is_dir()):
        target = target / name
    target = Path(os.path.abspath(target))
    if not target.parent.is_dir():
        message = "the folder is not there: {folder}"
        raise SkerryError(MISSING, message, where=str(target), folder=target.parent)
    if target.exists() and not target.is_file():
        raise SkerryError.at(NOT_A_FILE, "not a regular file: {where}", target)
    return target
