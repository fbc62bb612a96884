"""The form of a bundle: names of its parts, its limits, canonical JSON (docs/bundle-format.md)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused

Kind = Literal["diagnostic", "fix", "receipt", "delivery"]
Trust = Literal["known", "unknown", "unsigned", "revoked", "replaced", "not_allowed"]
KINDS: tuple[Kind, ...] = ("diagnostic", "fix", "receipt", "delivery")
FORMAT = "skerry-bundle/1"
HEADER, SIGNATURE, README = "BUNDLE.json", "BUNDLE.json.sig", "README.txt"
SUFFIX = ".skerry"  # a bundle in one file
MIB = 1 << 20
OBJECT = 4 * MIB  # the most of a file that one object holds
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[. ].*)?")
_BAD_KINDS = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # controls, bidi and zero width, lone surrogates
_BAD_CHARACTERS = frozenset('\\:*?"<>|')


@dataclass(frozen=True, slots=True)
class Limits:
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
class Finding:
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


def fault_of_name(name: str) -> str | None:
    """Why ``name`` cannot be the name of a file in a bundle; None if it can."""
    if not name or len(name.encode("utf-8", "surrogatepass")) > 1024:
        return "is empty or longer than 1,024 bytes"
    if any(unicodedata.category(each) in _BAD_KINDS for each in name):
        return "has a control character or an invisible one"
    if not unicodedata.is_normalized("NFC", name):
        return "is not in its composed form (NFC)"
    return next((fault for part in name.split("/") if (fault := _fault_of_part(part))), None)


def _fault_of_part(part: str) -> str | None:
    if part in ("", ".", ".."):
        return "leads elsewhere"
    if len(part.encode()) > 255:
        return "has a part of more than 255 bytes"
    if _BAD_CHARACTERS & set(part) or part[-1] in ". " or part[0] == " " or _RESERVED.fullmatch(part):
        return "means something else to some systems"
    return None


def folded(name: str) -> str:
    """What two names have in common that a file system without cases cannot keep apart."""
    return unicodedata.normalize("NFC", name.casefold())


class Names:
    """The names of one bundle: each is safe, and none stands for two things."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, name: str) -> str | None:
        """Why the name cannot be added; None when it was."""
        if fault := fault_of_name(name):
            return fault
        key = folded(name)
        parts = key.split("/")
        above = {"/".join(parts[:end]) for end in range(1, len(parts))}
        if key in self._files or key in self._folders or above & self._files:
            return "stands there already (upper and lower case count as one)"
        self._files.add(key)
        self._folders |= above
        return None


def hostile(message: str, where: str | None = None) -> Refused:
    """The bundle breaks a rule of the format."""
    return Refused(codes.BREAKS_RULES, message, where=where)


def damaged(message: str, where: str | None = None) -> Refused:
    """Part of the bundle is not what was written."""
    return Refused(codes.DAMAGED, message, where=where)


def bad_name(name: str, fault: str) -> Invalid:
    """The writer's own refusal of a name."""
    return Invalid(codes.NAME, f"{name!r} {fault}", where=name)


def is_digest(value: object) -> bool:
    """Whether that is a sha256 as it is written: 64 small hexadecimal digits."""
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def all_fit(values: Iterable[object], kind: type) -> bool:
    """Whether all are of exactly that type (True is no number)."""
    return all(type(value) is kind for value in values)
