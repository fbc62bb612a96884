"""The form of a bundle: names of its parts, its limits, canonical JSON (docs/bundle-format.md)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from engine.model.codes import bundles as codes
from engine.model.errors import ErrorCode, Refused
from engine.model.message import Message

Kind = Literal["diagnostic", "fix", "receipt", "delivery"]
Trust = Literal["known", "unknown", "unsigned", "revoked", "replaced", "not_allowed"]
KINDS: tuple[Kind, ...] = ("diagnostic", "fix", "receipt", "delivery")
CHANGING: frozenset[Kind] = frozenset({"fix", "delivery"})  # they are made to change a site
FORMAT = "skerry-bundle/1"
HEADER, SIGNATURE, README = "BUNDLE.json", "BUNDLE.json.sig", "README.txt"
SUFFIX = ".skerry"  # a bundle in one file
MIB = 1 << 20
OBJECT = 4 * MIB  # the most of a file that one object holds
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[. ].*)?")
_BAD_KINDS = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # controls, bidi and zero width, lone surrogates
_BAD_CHARACTERS = re.compile(r'[\\:*?"<>|]')


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a reader accepts at most; bytes unless said otherwise."""

    header: int = MIB
    signature: int = 16 << 10
    manifest: int = 64 * MIB  # plain and stored
    containers: int = 2_000_000  # lists and maps in the manifest
    depth: int = 64  # of the manifest
    object: int = OBJECT
    stored: int = OBJECT + (64 << 10)
    volume: int = 64 * MIB
    volumes: int = 8192
    total: int = 50 << 30  # of all files
    laid_out: int = 50 << 30  # of the files that are written one by one, and do not stay packed
    files: int = 2_000_000
    folders: int = 500_000
    levels: int = 32  # folders within each other
    names: int = 256 * MIB  # of all names of files and folders
    json: int = 4096 * MIB  # of all that is read as JSON: rows, definitions, context lines
    value: int = 16 * MIB  # of one row, one line or one document
    parts: int = 400_000  # lists, maps and values of one of these
    rows: int = 20_000_000

    def for_size(self, stored: int) -> ReadLimits:
        """What a bundle of ``stored`` bytes may hold: what it unpacks to is measured against what it weighs.

        An honest bundle stays below: an instance of 300 jobs that do nothing weighs 430 bytes for each file
        (many are alike), 860 for each folder, 1,700 for each row; logs are packed to a tenth or less.
        """
        return replace(
            self,
            manifest=min(self.manifest, 4 * MIB + stored // 2),
            containers=min(self.containers, 50_000 + stored // 100),
            total=min(self.total, 1024 * MIB + 256 * stored),
            laid_out=min(self.laid_out, 128 * MIB + 64 * stored),
            files=min(self.files, 4_000 + stored // 400),
            folders=min(self.folders, 4_000 + stored // 800),
            names=min(self.names, 4 * MIB + stored // 2),
            json=min(self.json, 24 * MIB + 6 * stored),
            rows=min(self.rows, 28_000 + stored // 800),
        )


USUAL = ReadLimits()


@dataclass(frozen=True, slots=True)
class Ref:
    """One object of a file: its sha256, its size in bytes, the number of its volume."""

    sha256: str
    size: int
    volume: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a bundle by its relative name. What a writer hands out has no ``objects`` yet."""

    name: str
    size: int
    role: str
    facts: dict[str, Any] = field(default_factory=dict)
    objects: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that was left out, and why; ``size`` in bytes where it is known."""

    name: str
    reason: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class BundleFinding:
    """Something about a bundle that a person should know: a code, a line, the part it is about."""

    code: int
    message: str
    where: str | None = None


def manifest_name(encrypted: bool) -> str:
    """``manifest.age``, or ``manifest.zst`` where nothing is encrypted."""
    return "manifest.age" if encrypted else "manifest.zst"


def volume_name(number: int, encrypted: bool) -> str:
    """``vol-000.age``, or ``vol-000.tar`` where nothing is encrypted."""
    return f"vol-{number:03d}.{'age' if encrypted else 'tar'}"


def namespace(kind: str) -> str:
    """What a signature is for, so that one kind can never pass for another."""
    return f"skerry-{kind}"


def canonical(tree: Any) -> bytes:
    """The one way in which a JSON tree is written: sorted keys, compact, UTF-8, a newline at the end."""
    text = json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def header_sum(header: dict[str, Any]) -> str:
    """The sha256 of a header without its own ``sum``."""
    return sha256(canonical({key: value for key, value in header.items() if key != "sum"})).hexdigest()


def fault_of_name(name: str) -> Message | None:
    """Why ``name`` cannot be the name of a file in a bundle; None if it can."""
    if not name or len(name.encode("utf-8", "surrogatepass")) > 1024:
        return Message.of("is empty or longer than 1,024 bytes")
    if not (name.isascii() and name.isprintable()):  # else there is nothing to look for
        if any(unicodedata.category(each) in _BAD_KINDS for each in name):
            return Message.of("has a control character or an invisible one")
        if not unicodedata.is_normalized("NFC", name):
            return Message.of("is not in its composed form (NFC)")
    return next((fault for part in name.split("/") if (fault := _fault_of_part(part))), None)


def _fault_of_part(part: str) -> Message | None:
    if part in ("", ".", ".."):
        return Message.of("leads elsewhere")
    if len(part.encode()) > 255:
        return Message.of("has a part of more than 255 bytes")
    if _BAD_CHARACTERS.search(part) or part[-1] in ". " or part[0] == " " or _RESERVED.fullmatch(part):
        return Message.of("means something else to some systems")
    return None


def folded(name: str) -> str:
    """What two names have in common that a file system without cases cannot keep apart."""
    return unicodedata.normalize("NFC", name.casefold())


class PartNames:
    """The names of one bundle: each is safe, and each is used once."""

    def __init__(self, limits: ReadLimits | None = None) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._limits = limits or ReadLimits()
        self._size = 0  # bytes of all of them

    def add(self, name: str) -> Message | None:
        """Why the name cannot be added; None when it was. Refused when there are too many."""
        if fault := fault_of_name(name):
            return fault
        key = folded(name)
        if name.count("/") > self._limits.levels:
            return Message.of("has more than {most} folders within each other", most=self._limits.levels)
        above = self._new_folders(key)
        if key in self._files or key in self._folders or above & self._files:
            return Message.of("is there already (upper and lower case count as one)")
        self._files.add(key)
        self._folders |= above
        self._size += len(key) + sum(map(len, above))
        self._check()
        return None

    def _new_folders(self, key: str) -> set[str]:
        """The folders above that are not there yet: where one is, all above it are."""
        found: set[str] = set()
        while (key := key.rpartition("/")[0]) and key not in self._folders:
            found.add(key)
        return found

    def _check(self) -> None:
        limits = self._limits
        for what, count, most in (
            ("files", len(self._files), limits.files),
            ("folders", len(self._folders), limits.folders),
            ("bytes of names", self._size, limits.names),
        ):
            if count > most:
                raise too_much(what, most, "manifest")


def hostile(template: str, where: str | None = None, **facts: object) -> Refused:
    """The bundle breaks a rule of the format."""
    return _refused(codes.BREAKS_RULES, template, where, **facts)


def too_much(what: str, most: int, where: str | None = None) -> Refused:
    """The bundle would unpack to more than one of its size may."""
    template = "it has more than {most:,} {what}, too many for its size"
    return _refused(codes.TOO_MUCH, template, where, most=most, what=Message.of(what))


def damaged(template: str, where: str | None = None, **facts: object) -> Refused:
    """Part of the bundle is not what was written."""
    return _refused(codes.DAMAGED, template, where, **facts)


def _refused(entry: ErrorCode, template: str, where: str | None, **facts: object) -> Refused:
    """The place that it has is ``{where}`` in the template."""
    return Refused(entry, Message.of(template, where=where, **facts), where=where)


def made_later(made: str, now: datetime) -> Message:
    """What is wrong with a package that was made in the future."""
    here = now.isoformat(timespec="seconds")
    return Message.of("it was made at {made}, but it is {now} here", made=made, now=here)


def zoned(text: Any) -> datetime | None:
    """A moment (ISO 8601) with its zone; None for anything else."""
    with suppress(ValueError, TypeError):
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is not None else None
    return None


def is_digest(value: object) -> bool:
    """Whether that is a sha256 as it is written: 64 small hexadecimal digits."""
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def all_fit(values: Iterable[object], kind: type) -> bool:
    """Whether all are of exactly that type (True is no number)."""
    return all(type(value) is kind for value in values)
