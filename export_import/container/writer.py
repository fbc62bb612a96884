"""Writing a bundle: streamed, bounded in memory, taken up again after a broken end, whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from engine import __version__
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused
from export_import.container import form, tape
from export_import.container.form import Entry, Kind, Omission, PartNames
from export_import.container.media import is_of_a_bundle
from export_import.container.pieces import USUAL, Bytes, Piece, Press, compress, cut
from export_import.container.readme import readme
from export_import.container.sealing import recipient_of, seal
from export_import.container.volumes import Volumes, cannot, put, sync_folder

if TYPE_CHECKING:
    from engine.model.clock import Clock
    from export_import.keys import Keys

VOLUME = 2 * form.MIB
_SMALLEST = 64 << 10


class BundleWriter:
    """A bundle on its way to ``path``: a folder, or one file where the name ends in ``.skerry``.

    ``recipients`` are ``age1…`` or ``ssh-ed25519 …`` texts; with none nothing is encrypted. ``keys`` sign it.
    Everything goes to ``<path>.part`` first. With ``journal`` (a file on this computer) a writer that was
    broken off is gone on with, if it had the same ``mark`` (whatever its content depends on, as its
    redaction): objects in finished volumes are not written again. ``volume_size`` is the most that a volume
    has, in bytes (4 MiB). Left without ``finish`` there is no bundle.
    """

    def __init__(
        self,
        path: Path,
        *,
        kind: Kind,
        clock: Clock,
        keys: Keys | None = None,
        recipients: Sequence[str] = (),
        volume_size: int | None = None,
        journal: Path | None = None,
        mark: str = "",
    ) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self._kind: Kind = kind
        self._clock = clock
        self._keys = keys
        self._recipients = tuple(dict.fromkeys(recipients))
        self._to = [recipient_of(each) for each in self._recipients]
        self._journal = journal
        place = os.fsencode(self.part.absolute()).decode("utf-8", "backslashreplace")
        self._made_for = [kind, list(self._recipients), mark, place]
        size = min(max(volume_size or VOLUME, _SMALLEST), form.ReadLimits().volume // 2)
        self._most = min(USUAL, size // 2)
        self._names = PartNames()
        self._files: list[tuple[Entry, list[tuple[str, int, int]]]] = []
        self._omitted: list[Omission] = []
        self._held: int | None = None
        with ExitStack() as begun:
            begun.callback(self._let_go)
            self._begin()
            self._volumes = Volumes(self.part, self._to, size, journal)
            begun.callback(self._volumes.close)
            self._press = Press(self._volumes.places.__contains__, self._store)
            begun.pop_all()
        self._sealed = False

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._press.close()
            self._volumes.close()
            if self._journal is None and self.part.exists():
                self.discard()
        finally:
            self._let_go()

    def add(self, name: str, chunks: Iterable[Bytes], *, role: str = "file", **facts: Any) -> Entry:
        """A file by its relative name; ``facts`` are JSON values. Invalid when the name cannot be.

        A map given as ``facts=`` may still be filled while the chunks are taken.
        """
        given = facts.pop("facts", {})
        if fault := self._names.add(name):
            raise Invalid.at(codes.NAME, "{where!r} {fault}", name, fault=fault)
        refs: list[tuple[str, int, int]] = []
        size = 0
        for piece in cut(chunks, self._most):
            size += len(piece)
            self._press.put(piece, refs)
        entry = Entry(name, size, role, {**given, **facts})
        self._files.append((entry, refs))
        return entry

    @property
    def stored(self) -> int:
        """Bytes that the objects take so far; what is under way counts as it is."""
        return self._volumes.size + self._press.under_way

    def omit(self, name: str, reason: str, size: int | None = None) -> None:
        """List something that is left out."""
        self._omitted.append(Omission(name, reason, size))

    def finish(self, **facts: Any) -> Path:
        """Sign, publish, and give the bundle's path; ``facts`` are the manifest's own."""
        self.seal(**facts)
        return self.publish()

    def settle(self) -> None:
        """All files are added: wait until every volume is durable."""
        self._press.drain()
        self._press.close()
        self._volumes.settle()

    def seal(self, **facts: Any) -> Path:
        """Finish the content; it is whole at the given path and can be read, but it is not published."""
        self.settle()
        manifest = seal(compress(form.canonical(self._manifest(facts))), self._to)
        name = form.manifest_name(bool(self._to))
        put(self.part / name, manifest)
        payload = {"name": name, "size": len(manifest), "sha256": sha256(manifest).hexdigest()}
        header = form.canonical(self._header(payload))
        put(self.part / form.README, readme(self._kind, bool(self._to), self._keys is not None))
        if self._keys is not None:
            put(self.part / form.SIGNATURE, self._keys.sign(form.namespace(self._kind), header))
        put(self.part / form.HEADER, header)
        sync_folder(self.part)
        self._sealed = True
        return self.part

    def publish(self) -> Path:
        """Give the sealed bundle its name, at one blow."""
        assert self._sealed
        try:
            self._clear_rest()
            if self.path.suffix == form.SUFFIX:
                tape.pack(self.part, self.path)
            else:
                os.rename(self.part, self.path)
        except OSError as error:
            raise cannot(error, self.path) from error
        sync_folder(self.path.parent)
        self._forget()
        return self.path

    def discard(self) -> None:
        """Leave nothing behind, also no volumes to go on with."""
        shutil.rmtree(self.part, ignore_errors=True)
        self._forget()

    def _begin(self) -> None:
        """Make the folder for the parts, or take up the one that an earlier writer of the same kind left."""
        if os.path.lexists(self.part) and not is_of_a_bundle(self.part):
            raise Refused.at(codes.TARGET, "{where} is in the way", self.part)
        try:
            there = self.part.is_dir() and self._hold()
            if os.path.lexists(self.path):
                raise Refused.at(codes.TARGET, "{where} is already there", self.path)
            if there and self._journal is not None and self._left_for() == self._made_for:
                return
            self.discard()
            self.part.mkdir(0o700)
            self._hold()
            if self._journal is not None:
                put(self._mark, form.canonical(self._made_for))
        except OSError as error:
            raise cannot(error, self.part) from error

    def _hold(self) -> bool:
        """Lock the folder for the parts, as one of two writers does; False when it has gone meanwhile."""
        self._let_go()
        try:
            self._held = os.open(self.part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            flock(self._held, LOCK_EX | LOCK_NB)
            return os.path.samestat(os.fstat(self._held), os.stat(self.part))
        except BlockingIOError as error:
            raise Refused.at(codes.TARGET, "another export is writing {where}", self.path) from error
        except FileNotFoundError:
            return False
        except OSError:  # a medium that knows no locks
            return True

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

    @property
    def _mark(self) -> Path:
        """Beside the journal: what the parts belong to."""
        assert self._journal is not None
        return self._journal.with_suffix(".mark")

    def _left_for(self) -> Any:
        with suppress(OSError, ValueError):
            return json.loads(self._mark.read_bytes())
        return None

    def _forget(self) -> None:
        if self._journal is not None:
            self._journal.unlink(missing_ok=True)
            self._mark.unlink(missing_ok=True)

    def _clear_rest(self) -> None:
        """Files of an earlier writer that this one did not need."""
        needed = {each["name"] for each in self._volumes.done}
        needed |= {form.HEADER, form.SIGNATURE, form.README, form.manifest_name(bool(self._to))}
        for each in self.part.iterdir():
            if each.name not in needed:
                each.unlink()

    def _store(self, piece: Piece) -> int:
        known = self._volumes.places.get(piece.digest)
        if known is not None or piece.stored is None:
            return self._volumes.places[piece.digest]
        return self._volumes.add(piece.digest, piece.stored)

    def _manifest(self, facts: dict[str, Any]) -> dict[str, Any]:
        return {
            "format": form.FORMAT,
            "kind": self._kind,
            "facts": facts,
            "files": [_file(entry, refs) for entry, refs in self._files],
            "omitted": [{"name": o.name, "reason": o.reason, "size": o.size} for o in self._omitted],
        }

    def _header(self, manifest: dict[str, Any]) -> dict[str, Any]:
        header: dict[str, Any] = {
            "format": form.FORMAT,
            "kind": self._kind,
            "id": os.urandom(16).hex(),
            "created": self._clock.now().isoformat(),  # exact: see Keys.rotate
            "tool": f"skerry {__version__}",
            "recipients": list(self._recipients),
            "signer": self._keys.fingerprint if self._keys else None,
            "manifest": manifest,
            "volumes": self._volumes.done,
        }
        return {**header, "sum": form.header_sum(header)}


def _file(entry: Entry, refs: list[tuple[str, int, int]]) -> dict[str, Any]:
    payload = {"name": entry.name, "size": entry.size, "role": entry.role, "objects": [list(r) for r in refs]}
    return {**payload, "facts": entry.facts} if entry.facts else payload
