"""The public header: its shape, and who signed it. It is the first thing that is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from engine.model.codes import bundles as codes
from engine.model.errors import ErrorCode, Refused
from engine.model.message import Message
from engine.model.plain_words import wording
from export_import.container import form
from export_import.container.form import BundleFinding, Kind, ReadLimits, Trust
from export_import.container.media import Parts
from export_import.container.signature import WrongSignature, fingerprint, verify
from export_import.container.strict_json import parse

if TYPE_CHECKING:
    from export_import.keys import Keys

_KEYS = {"format", "kind", "id", "created", "tool", "recipients", "signer", "manifest", "volumes", "sum"}


@dataclass(frozen=True, slots=True)
class Stored:
    """A part as the header knows it: name, size in bytes, sha256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Header:
    """What a bundle says of itself in public."""

    kind: Kind
    id: str
    created: datetime
    tool: str
    recipients: tuple[str, ...]
    signer: str | None
    manifest: Stored
    volumes: tuple[Stored, ...]

    @property
    def encrypted(self) -> bool:
        """Whether it was written for certain keys."""
        return bool(self.recipients)


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a signature is believed, whose it is, and what a person should know about it."""

    trust: Trust
    signer: str | None
    findings: tuple[BundleFinding, ...] = ()


def read_header(parts: Parts, limits: ReadLimits) -> tuple[Header, bytes]:
    """The header and its bytes; Refused when it is not what a Skerry wrote."""
    copies = {part.read(limits.header) for part in parts[form.HEADER]}
    if len(copies) > 1:
        raise form.damaged("these are parts of different bundles: their {where} differ", form.HEADER)
    data = copies.pop()
    try:
        tree = parse(data, limits, form.HEADER)
    except Refused as refused:
        raise Refused(codes.DAMAGED, refused.message, where=form.HEADER) from None
    _check_format(tree)
    if form.canonical(tree) != data or tree.get("sum") != form.header_sum(tree):
        raise form.damaged("{where} is not what was written", form.HEADER)
    return _header(tree, limits), data


def _check_format(tree: dict[str, Any]) -> None:
    given = tree.get("format")
    match = re.fullmatch(r"skerry-bundle/([1-9][0-9]{0,5})", given) if isinstance(given, str) else None
    if match is None:
        raise form.damaged("{where} names no format", form.HEADER)
    if match[1] != "1":
        message = "the bundle has format {version}"
        raise Refused(codes.NEWER_FORMAT, message, where=form.HEADER, version=match[1])


def _header(tree: dict[str, Any], limits: ReadLimits) -> Header:
    if tree.keys() != _KEYS or tree["kind"] not in form.KINDS:
        raise form.hostile("{where} has other entries than it may have", form.HEADER)
    texts = [tree["id"], tree["created"], tree["tool"], tree["signer"] or ""]
    recipients, volumes = tree["recipients"], tree["volumes"]
    if not form.all_fit([recipients, volumes], list) or not form.all_fit([*texts, *recipients], str):
        raise form.hostile("{where} has entries of the wrong kind", form.HEADER)
    if len(volumes) > limits.volumes or not re.fullmatch(r"[0-9a-f]{32}", tree["id"]):
        raise form.hostile("{where} has too many volumes or a wrong id", form.HEADER)
    sealed = bool(recipients)
    names = [form.volume_name(number, sealed) for number in range(len(volumes))]
    return Header(
        tree["kind"],
        tree["id"],
        _time(tree["created"]),
        tree["tool"][:100],
        tuple(recipients),
        tree["signer"],
        _stored(tree["manifest"], form.manifest_name(sealed), limits.manifest),
        tuple(_stored(each, name, limits.volume) for each, name in zip(volumes, names, strict=True)),
    )


def _stored(tree: Any, name: str, limit: int) -> Stored:
    fits = isinstance(tree, dict) and tree.keys() == {"name", "size", "sha256"} and tree["name"] == name
    if not fits or type(tree["size"]) is not int or not form.is_digest(tree["sha256"]):
        raise form.hostile("{where} does not tell of {name} as it must", form.HEADER, name=name)
    if not 0 < tree["size"] <= limit:
        message = "{where} would have {size} bytes; at most {limit} are allowed"
        raise form.hostile(message, name, size=tree["size"], limit=limit)
    return Stored(name, tree["size"], tree["sha256"])


def _time(text: str) -> datetime:
    found = form.zoned(text)
    if found is None:
        raise form.hostile("{where} has no proper time", form.HEADER)
    return found


def standing_of(header: Header, data: bytes, parts: Parts, keys: Keys | None, limits: ReadLimits) -> Standing:
    """Who signed the header, and whether that is believed here. A wrong signature counts as none."""
    if form.SIGNATURE not in parts:
        lost = Message.of("the header names a signer, but the signature is missing")
        found = (BundleFinding(codes.SIGNATURE_WRONG.number, lost, form.SIGNATURE),) if header.signer else ()
        return Standing("unsigned", None, found)
    try:
        armoured = parts[form.SIGNATURE][0].read(limits.signature)
        public = verify(armoured, form.namespace(header.kind), data)
        if fingerprint(public) != header.signer:
            raise WrongSignature("it was made by another key than the header names")
    except (WrongSignature, Refused) as error:
        message = Message.of("the signature does not fit: {error}", error=wording(error))
        found = (BundleFinding(codes.SIGNATURE_WRONG.number, message, form.SIGNATURE),)
        return Standing("unsigned", None, found)
    trust: Trust = keys.standing(public, header.kind, header.created) if keys is not None else "unknown"
    return Standing(trust, header.signer, remarks(trust, header.signer))


_REMARKS: dict[Trust, tuple[ErrorCode, str]] = {
    "unknown": (codes.UNTRUSTED, "the signer {signer} is not known here"),
    "revoked": (codes.REVOKED, "the key {signer} was revoked here"),
    "replaced": (codes.REPLACED, "it was signed with {signer} after another key had taken its place"),
    "not_allowed": (codes.NOT_ALLOWED, "the key {signer} is trusted here, but not for this"),
}
REMARKS = frozenset(code.number for code, _ in _REMARKS.values())


def remarks(trust: Trust, signer: str | None) -> tuple[BundleFinding, ...]:
    """What a person should know of a signer who is not simply believed."""
    if trust not in _REMARKS:
        return ()
    code, message = _REMARKS[trust]
    return (BundleFinding(code.number, Message.of(message, signer=signer), form.SIGNATURE),)


def within_scope(standing: Standing, kind: Kind, facts: Mapping[str, Any], keys: Keys | None) -> Standing:
    """The standing, looked at once more where the key is for certain sites only."""
    key = keys.trusted_key(standing.signer or "") if keys is not None else None
    if keys is None or key is None or not key.scope.sites or standing.trust != "known":
        return standing
    site = keys.fingerprint if kind in form.CHANGING else facts.get("site")
    if site in key.scope.sites:
        return standing
    return Standing("not_allowed", standing.signer, remarks("not_allowed", standing.signer))


def insist(standing: Standing) -> None:
    """Refused unless the bundle is signed by a key that is trusted here."""
    if standing.trust == "known":
        return
    entry = _REMARKS[standing.trust][0] if standing.trust in _REMARKS else codes.UNTRUSTED
    if any(finding.code == codes.SIGNATURE_WRONG.number for finding in standing.findings):
        entry = codes.SIGNATURE_WRONG
    message = standing.findings[0].message if standing.findings else "the bundle is not signed"
    raise Refused(entry, message, where=form.SIGNATURE)
