"""Verifying a bundle as far as one can: with a key all of it, without one its shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from engine.model.codes import bundles as codes
from engine.model.errors import SkerryError
from engine.model.message import Message
from export_import.container.form import BundleFinding, ReadLimits
from export_import.container.header import REMARKS as OF_SIGNERS
from export_import.container.header import Header, read_header, standing_of
from export_import.container.media import Parts, parts_of
from export_import.container.reader import Bundle, open_bundle

if TYPE_CHECKING:
    from engine.model.clock import Clock
    from export_import.keys import Keys

REMARKS = OF_SIGNERS | {codes.NOT_FOR_US.number}


@dataclass(frozen=True, slots=True)
class Check:
    """What a verification found: what is wrong, what is only to be known, and the bundle if it opened."""

    wrong: tuple[BundleFinding, ...]
    remarks: tuple[BundleFinding, ...]
    bundle: Bundle | None

    @property
    def intact(self) -> bool:
        """Whether every byte is what was written."""
        return not self.wrong


def check_bundle(paths: Sequence[Path], keys: Keys | None, *, clock: Clock) -> Check:
    """Look at every byte; Invalid only when there is nothing at ``paths``."""
    try:
        bundle = open_bundle(paths, keys, clock=clock)
    except SkerryError as error:
        if not all(path.exists() for path in paths):
            raise
        if error.entry is codes.NOT_FOR_US:
            return _shell_only(paths, keys, error)
        return Check((BundleFinding(error.code, error.message, error.where),), (), None)
    remarks = tuple(each for each in bundle.findings if each.code in REMARKS)
    return Check(bundle.verify(), remarks, bundle)


def _shell_only(paths: Sequence[Path], keys: Keys | None, error: SkerryError) -> Check:
    """The signature and every part's hash, which need no key."""
    limits, parts = ReadLimits(), parts_of(paths)
    header, data = read_header(parts, limits)
    standing = standing_of(header, data, parts, keys, limits)
    wrong = [each for each in standing.findings if each.code not in REMARKS]
    wrong += _wrong_parts(header, parts, limits)
    remarks = [each for each in standing.findings if each.code in REMARKS]
    error.reword("{message}: only its outside was looked at")
    return Check(tuple(wrong), (*remarks, BundleFinding(error.code, error.message, error.where)), None)


def _wrong_parts(header: Header, parts: Parts, limits: ReadLimits) -> list[BundleFinding]:
    found = []
    for stored in (header.manifest, *header.volumes):
        copies = [copy for copy in parts.get(stored.name, ()) if copy.size == stored.size]
        whole = any(sha256(copy.read(limits.volume)).hexdigest() == stored.sha256 for copy in copies)
        if not whole:
            entry = codes.DAMAGED if stored.name in parts else codes.LOST
            message = Message.of("{file} is missing or damaged", file=stored.name)
            found.append(BundleFinding(entry.number, message, stored.name))
    return found
