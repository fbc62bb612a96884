"""Reading a bundle: first who signed it, then what it holds; no byte is handed out unverified."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message
from export_import.container import form, tape
from export_import.container.form import BundleFinding, Entry, Kind, Omission, ReadLimits, Ref, Trust
from export_import.container.frames import expand
from export_import.container.header import (
    REMARKS,
    Header,
    Stored,
    insist,
    read_header,
    standing_of,
    within_scope,
)
from export_import.container.manifest import read_manifest
from export_import.container.media import MediumPart, Parts, parts_of
from export_import.container.readme import readme
from export_import.container.sealing import unseal
from export_import.container.workers import PoolTask, Workers

if TYPE_CHECKING:
    from engine.model.clock import Clock
    from export_import.keys import Keys

_AHEAD = timedelta(days=1)
_THREADS = 2
_WAITING = 12  # objects under way: as many as keep the threads at work while a volume is opened
_FEW = 3  # where memory counts
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An object that was verified: its content, and the frame that holds it."""

    ref: Ref
    data: bytes
    frame: bytes


def _worked(packed: bytes | SkerryError, ref: Ref, work: Callable[[Unpacked], T]) -> T | SkerryError:
    if isinstance(packed, SkerryError):
        return packed
    try:
        found = Unpacked(ref, expand(packed, ref), packed)
    except SkerryError as error:
        return error
    return work(found)


class Shelf:
    """The volumes of a bundle; the one read last is kept at hand."""

    def __init__(self, header: Header, parts: Parts, identities: Sequence[Any], limits: ReadLimits) -> None:
        self._header = header
        self._parts = parts
        self._identities = identities
        self._limits = limits
        self._at_hand: tuple[int, bytes, dict[str, tuple[int, int]]] = (-1, b"", {})

    def manifest(self) -> bytes:
        """The stored manifest, decrypted."""
        return self._whole(self._header.manifest, self._limits.manifest)

    def object(self, ref: Ref) -> bytes:
        """One object; Refused (lost, damaged) when it cannot be had as it was written."""
        return expand(self._frame(ref), ref)

    def each(
        self, refs: Iterable[Ref], work: Callable[[Unpacked], T], most: int = _WAITING
    ) -> Iterator[tuple[Ref, T | SkerryError]]:
        """What ``work`` makes of each object, unpacked and worked on in threads, ``most`` at once, in order.

        For a lost one: why it is lost.
        """
        with Workers(_THREADS) as workers:
            waiting: deque[tuple[Ref, PoolTask[T | SkerryError]]] = deque()
            for ref in refs:
                waiting.append((ref, workers.submit(_worked, self._packed(ref), ref, work)))
                if len(waiting) > most:
                    first, found = waiting.popleft()
                    yield first, found.result()
            for first, found in waiting:
                yield first, found.result()

    def _packed(self, ref: Ref) -> bytes | SkerryError:
        try:
            return self._frame(ref)
        except SkerryError as error:
            return error

    def _frame(self, ref: Ref) -> bytes:
        stored = self.stored(ref.volume).get(ref.sha256)
        if stored is None:
            raise form.damaged("{where} is not in its volume", f"o/{ref.sha256}")
        start, size = stored
        return self._at_hand[1][start : start + size]

    def stored(self, number: int) -> dict[str, tuple[int, int]]:
        """Where each object is on the tape of a volume: offset and size."""
        if self._at_hand[0] != number:
            self._at_hand = (-1, b"", {})  # two of them would be too much memory
            where = self._header.volumes[number]
            data = self._whole(where, self._limits.volume)
            self._at_hand = (number, data, self._contents(data, where.name))
        return self._at_hand[2]

    def _contents(self, data: bytes, where: str) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for name, start, size in tape.members(lambda at, size: data[at : at + size], len(data), where):
            digest = name.removeprefix("o/")
            if name == digest or not form.is_digest(digest) or digest in found or size > self._limits.stored:
                raise form.hostile("{where} has a member {name!r}", where, name=name)
            found[digest] = (start, size)
        return found

    def _whole(self, part: Stored, limit: int) -> bytes:
        """The first copy of a part that is what was written, decrypted."""
        copies = self._parts.get(part.name, [])
        for copy in copies:
            if copy.size == part.size:
                data = copy.read(limit)
                if sha256(data).hexdigest() == part.sha256:
                    return unseal(data, self._identities, part.name) if self._header.encrypted else data
                del data
        if copies:
            raise form.damaged("{where} is not what was written", part.name)
        raise Refused.at(codes.LOST, "{where} is missing", part.name)


@dataclass(frozen=True)
class Bundle:
    """An opened bundle. ``findings`` are what the opening noticed; ``verify`` looks at every byte.

    ``trust``: the signer is known here, unknown, revoked, or there is no signature that holds.
    """

    kind: Kind
    id: str
    created: datetime
    tool: str
    encrypted: bool
    trust: Trust
    signer: str | None
    facts: Mapping[str, Any]
    entries: Mapping[str, Entry]
    omitted: tuple[Omission, ...]
    findings: tuple[BundleFinding, ...]
    volumes: tuple[str, ...] = ()
    limits: ReadLimits = form.USUAL  # of what it may unpack to, by what it weighs
    _shelf: Shelf = field(repr=False, kw_only=True)

    def read(self, name: str, limit: int = 64 * form.MIB) -> bytes:
        """A whole file; Refused when it is lost, damaged, or larger than ``limit`` bytes."""
        entry = self._entry(name)
        if entry.size > limit:
            raise Refused.at(codes.TOO_LARGE, "{where} has {size} bytes", name, size=entry.size)
        return b"".join(self.chunks(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in pieces of at most 4 MiB, each verified."""
        for ref in self._entry(name).objects:
            yield self._shelf.object(ref)

    def object(self, ref: Ref) -> bytes:
        """One object of one of the entries; Refused when it is lost."""
        return self._shelf.object(ref)

    def objects(self, work: Callable[[Unpacked], T]) -> Iterator[tuple[Ref, T | SkerryError]]:
        """What ``work`` makes, in threads, of every object that a file needs: once, volume after volume.

        For a lost one: why it is lost.
        """
        refs = {ref.sha256: ref for entry in self.entries.values() for ref in entry.objects}
        return self._shelf.each(sorted(refs.values(), key=lambda ref: ref.volume), work)

    def stretches(self, work: Callable[[bytes], T]) -> Iterator[tuple[str, T | SkerryError]]:
        """The same, file after file, with the names; an object of two files is worked on twice."""
        names = [(name, ref) for name, entry in self.entries.items() for ref in entry.objects]
        found = self._shelf.each((ref for _, ref in names), lambda found: work(found.data), _FEW)
        return ((name, each) for (name, _), (_, each) in zip(names, found, strict=True))

    def verify(self) -> tuple[BundleFinding, ...]:
        """What is not as it was written, in the whole bundle; empty when it is intact."""
        wrong = [each for each in self.findings if each.code not in REMARKS]
        reported = {each.where for each in wrong}
        for number, name in enumerate(self.volumes):
            try:
                self._shelf.stored(number)
            except SkerryError as error:
                if name not in reported:
                    wrong.append(BundleFinding(error.code, error.message, name))
                reported.add(name)
        for ref, found in self.objects(lambda found: None):
            if isinstance(found, SkerryError) and self.volumes[ref.volume] not in reported:
                wrong.append(BundleFinding(found.code, found.message, found.where))
        return tuple(wrong)

    def _entry(self, name: str) -> Entry:
        if name not in self.entries:
            raise Invalid.at(codes.NO_SUCH_FILE, "the bundle has no file {where!r}", name)
        return self.entries[name]


def open_bundle(
    paths: Sequence[Path],
    keys: Keys | None,
    *,
    clock: Clock,
    must_be_trusted: bool = False,
    limits: ReadLimits = form.USUAL,
) -> Bundle:
    """Open a bundle: its folder, its one file, or several media with parts of it.

    With ``must_be_trusted`` nothing inside is decrypted or parsed before the signature of a trusted key
    holds. Invalid: there is no bundle. Refused: it is damaged, breaks a rule, or is encrypted to others.
    A missing volume is a finding, not an error.
    """
    parts = parts_of(paths)
    header, data = read_header(parts, limits)
    standing = standing_of(header, data, parts, keys, limits)
    if must_be_trusted:
        insist(standing)
    identities = keys.identities() if keys is not None and header.encrypted else ()
    shelf = Shelf(header, parts, identities, limits)
    limits = limits.for_size(_weight(header, parts))
    manifest = read_manifest(shelf.manifest(), header, limits)
    standing = within_scope(standing, header.kind, manifest.facts, keys)
    if must_be_trusted:
        insist(standing)
    return Bundle(
        header.kind,
        header.id,
        header.created,
        header.tool,
        header.encrypted,
        standing.trust,
        standing.signer,
        manifest.facts,
        manifest.entries,
        manifest.omitted,
        (*standing.findings, *_noticed(header, parts, clock)),
        tuple(each.name for each in header.volumes),
        limits,
        _shelf=shelf,
    )


def _weight(header: Header, parts: Parts) -> int:
    """Bytes of the parts that are really there: what the header promises weighs nothing."""
    return sum(
        each.size
        for each in (header.manifest, *header.volumes)
        if any(copy.size == each.size for copy in parts.get(each.name, ()))
    )


def _is_leaflet(copy: MediumPart, header: Header) -> bool:
    """Whether it has the one text that there is for such a bundle; no signature covers it."""
    text = readme(header.kind, header.encrypted, header.signer is not None)
    return copy.size == len(text) and copy.read(len(text)) == text


def _noticed(header: Header, parts: Parts, clock: Clock) -> Iterator[BundleFinding]:
    if header.created > clock.now() + _AHEAD:
        message = Message.of("it was made in the future ({time})", time=header.created.isoformat())
        yield BundleFinding(codes.UNTRUSTED.number, message, "created")
    if not all(_is_leaflet(copy, header) for copy in parts.get(form.README, ())):
        template = "{file} is not the one that goes with such a bundle: do not follow it"
        message = Message.of(template, file=form.README)
        yield BundleFinding(codes.DAMAGED.number, message, form.README)
    for volume in header.volumes:
        if not any(copy.size == volume.size for copy in parts.get(volume.name, ())):
            message = Message.of("{file} is missing or has another size", file=volume.name)
            yield BundleFinding(codes.LOST.number, message, volume.name)
