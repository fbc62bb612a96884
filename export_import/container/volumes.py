"""The writing side of volumes: objects are gathered in memory and leave as whole, durable files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.execution.files import append_all, open_log, sync, write_new
from engine.model.codes import bundles as codes
from engine.model.disk import full, no_room
from engine.model.errors import SkerryError
from export_import.container import tape
from export_import.container.form import volume_name
from export_import.container.sealing import seal
from export_import.container.workers import PoolTask, Workers


class Volumes:
    """Objects on their way into ``folder``; with a ``journal`` a later writer goes on behind what is there.

    The journal (a line for each finished volume, with the objects in it) stays on this computer: on the
    medium the hashes of what is encrypted would tell what it is. It needs not be durable, nor the volumes
    before the end: what it says is looked at before it is believed.
    """

    def __init__(self, folder: Path, recipients: Sequence[Any], size: int, journal: Path | None) -> None:
        self._folder = folder
        self._recipients = recipients
        self._size = size
        self._journal = journal
        self._tape: list[bytes] = []
        self._filled = 0  # bytes on the tape
        self._waiting: list[str] = []  # objects on the tape
        self.done: list[dict[str, Any]] = []  # as the header lists them
        self.places: dict[str, int] = {}  # object -> number of its volume
        self._under_way: PoolTask[None] | None = None
        self._synced: list[PoolTask[None]] = []
        self._finished = 0  # bytes in finished volumes
        self._take_up()
        self._number = len(self.done)  # of the volume that is gathered
        self._writing = Workers(1)  # the next one is gathered meanwhile
        try:
            self._syncing = Workers(1)  # a slow medium delays nothing before the end
        except SkerryError:
            self._writing.close()
            raise

    @property
    def size(self) -> int:
        """Bytes of all volumes, with the one that is gathered."""
        self._wait()
        return self._finished + self._filled

    def add(self, digest: str, stored: bytes) -> int:
        """Put an object on the tape; the number of its volume."""
        room = len(tape.END) + 2 * tape.BLOCK + len(stored)
        if self._waiting and self._filled + room > self._size:
            self.flush()
        for piece in (tape.member(f"o/{digest}", len(stored)), stored, tape.padding(len(stored))):
            self._tape.append(piece)
            self._filled += len(piece)
        self._waiting.append(digest)
        self.places[digest] = self._number
        return self._number

    def flush(self) -> None:
        """Let the volume be finished beside: sealed, whole, then in the journal."""
        if not self._waiting:
            return
        self._wait()
        self._under_way = self._writing.submit(self._finish, self._tape, self._waiting)
        self._number += 1
        self._tape, self._filled, self._waiting = [], 0, []

    def _wait(self) -> None:
        """For the volume that is being finished: its error is raised before another begins."""
        if self._under_way is not None:
            self._under_way.result()

    def _finish(self, pieces: list[bytes], objects: list[str]) -> None:
        plain = b"".join((*pieces, tape.END))
        pieces.clear()
        data = seal(plain, self._recipients)
        del plain
        name = volume_name(len(self.done), bool(self._recipients))
        put(self._folder / name, data, durable=False)
        self._synced.append(self._syncing.submit(sync, str(self._folder / name)))
        payload = {"name": name, "size": len(data), "sha256": sha256(data).hexdigest()}
        self._note({**payload, "objects": objects})
        self.done.append(payload)
        self._finished += len(data)

    def settle(self) -> None:
        """Wait until every volume is durable."""
        self.flush()
        self._wait()
        try:
            for each in self._synced:
                each.result()
        except OSError as error:
            raise cannot(error, self._folder) from error
        self.close()

    def close(self) -> None:
        self._writing.close()
        self._syncing.close(drop=True)

    def _note(self, line: dict[str, Any]) -> None:
        if self._journal is None:
            return
        try:
            fd = open_log(str(self._journal))
            try:
                append_all(fd, json.dumps(line).encode() + b"\n")
            finally:
                os.close(fd)
        except OSError as error:
            raise cannot(error, self._journal) from error

    def _take_up(self) -> None:
        """Go on behind the volumes that an earlier writer finished, as far as they are still whole."""
        for line in _lines(self._journal):
            number = len(self.done)
            expected = volume_name(number, bool(self._recipients))
            if line.get("name") != expected or not _is_whole(self._folder / expected, line):
                break
            self.places.update(dict.fromkeys(line["objects"], number))
            self.done.append({key: line[key] for key in ("name", "size", "sha256")})
            self._finished += int(line["size"])
        self._rewrite_journal()

    def _rewrite_journal(self) -> None:
        """Leave only what was found whole; the rest is written again."""
        if self._journal is None or not self._journal.exists():
            return
        kept = _lines(self._journal)[: len(self.done)]
        draft = self._journal.with_suffix(".new")
        draft.unlink(missing_ok=True)
        write_new(str(draft), b"".join(json.dumps(each).encode() + b"\n" for each in kept))
        draft.replace(self._journal)


def put(path: Path, data: bytes, *, durable: bool = True) -> None:
    """A whole file, or none: written beside, synced, renamed."""
    draft = path.with_name(path.name + ".part")
    try:
        with suppress(FileNotFoundError):
            draft.unlink()
        write_new(str(draft), data)
        if durable:
            sync(str(draft))
        draft.replace(path)
    except OSError as error:
        raise cannot(error, path) from error


def sync_folder(path: Path) -> None:
    """Make names in a folder durable; some media cannot, and need not."""
    with suppress(OSError):
        sync(str(path))


def cannot(error: OSError, path: Path) -> SkerryError:
    """The coded form of the medium's error."""
    if no_room(error):
        return full(error, str(path))
    return SkerryError.at(codes.TARGET, "{where}: {error}", path, error=error.strerror or error)


def _lines(journal: Path | None) -> list[dict[str, Any]]:
    """What the journal says; its torn last line does not count."""
    if journal is None or not journal.exists():
        return []
    found: list[dict[str, Any]] = []
    for line in journal.read_bytes().splitlines(keepends=True):
        try:
            if not line.endswith(b"\n"):
                break
            found.append(json.loads(line))
        except ValueError:
            break
    return found


def _is_whole(path: Path, line: dict[str, Any]) -> bool:
    try:
        data = path.read_bytes() if path.stat().st_size == line["size"] else b""
    except (OSError, KeyError):
        return False
    return sha256(data).hexdigest() == line.get("sha256")
