"""Key cards: what one side gives the other, once, so that signatures and encryption work both ways."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused
from engine.model.message import Message
from engine.model.plain_words import wording
from export_import.container.form import ReadLimits, canonical
from export_import.container.signature import WrongSignature, fingerprint, raw_public, sign, verify
from export_import.container.strict_json import parse

_NAMESPACE, _SUCCESSION = "skerry-key", "skerry-key-succession"
_AGE = re.compile(r"age1[0-9a-z]{58}")
_LARGEST = 16 << 10
_SIGNED = ("name", "created", "signing", "encryption")
_KEYS = {"skerry_key", "proof", "follows", *_SIGNED}


@dataclass(frozen=True, slots=True)
class Follows:
    """The key that this one replaces, and the old key's signature that says so."""

    signing: str
    proof: str


@dataclass(frozen=True, slots=True)
class KeyCard:
    """The public half of a pair of keys: ``ssh-ed25519 …`` to verify with, ``age1…`` to encrypt to."""

    name: str
    signing: str | None
    encryption: str | None
    created: str | None = None
    follows: Follows | None = None

    @property
    def fingerprint(self) -> str:
        """What people compare; of a card that only encrypts its recipient text."""
        return fingerprint(self.signing) if self.signing else str(self.encryption)


def written(card: KeyCard, key: Ed25519PrivateKey) -> bytes:
    """The card as a file: the signing key vouches for the whole of it."""
    tree = _content_of(card)
    follows = {"signing": card.follows.signing, "proof": card.follows.proof} if card.follows else None
    proof = sign(key, _NAMESPACE, canonical(tree)).decode()
    return canonical({**tree, "proof": proof, "follows": follows})


def succession(card: KeyCard, old: Ed25519PrivateKey) -> str:
    """The old key's word for a new one."""
    return sign(old, _SUCCESSION, canonical(_content_of(card))).decode()


def follows_rightly(card: KeyCard) -> bool:
    """Whether the key that the card replaces has confirmed it with its own signature."""
    if card.follows is None:
        return False
    try:
        signer = verify(card.follows.proof.encode(), _SUCCESSION, canonical(_content_of(card)))
        return fingerprint(signer) == fingerprint(card.follows.signing)
    except ValueError:
        return False


def card_bytes(path: Path) -> bytes:
    """What lies in the file of a card; Invalid when that is no plain file of the size of a card."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        text = (error.strerror or "") if isinstance(error, OSError) else "no file can have this name"
        message = Message.of(text)
        raise Invalid.at(codes.KEY_TEXT, "{where}: {message}", path, message=message) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Invalid.at(codes.KEY_TEXT, "{where} is no plain file", path)
        data = os.read(descriptor, _LARGEST + 1)
    finally:
        os.close(descriptor)
    if len(data) > _LARGEST:
        raise Invalid.at(codes.KEY_TEXT, "{where} is larger than a key card can be", path)
    return data


def read_card(data: bytes, name: str = "") -> KeyCard:
    """A card from the text of a key card, of ``age1…`` or of ``ssh-ed25519 …``; Invalid otherwise."""
    text = data[:_LARGEST].decode("utf-8", "replace").strip()
    if "PRIVATE KEY" in text or "AGE-SECRET-KEY" in text.upper():
        raise Invalid(codes.KEY_TEXT, "this is a private key; it must not leave its workspace")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) == 1 and _AGE.fullmatch(lines[0].strip()):
        return KeyCard(name, None, lines[0].strip())
    if len(lines) == 1 and lines[0].startswith("ssh-ed25519 "):
        return _from_openssh(lines[0], name)
    return _from_file(data)


def _from_openssh(line: str, name: str) -> KeyCard:
    try:
        raw_public(line)
    except ValueError as error:
        raise Invalid(codes.KEY_TEXT, "that is no ssh-ed25519 key") from error
    words = line.split()
    return KeyCard(name or " ".join(words[2:]), " ".join(words[:2]), None)


def _from_file(data: bytes) -> KeyCard:
    try:
        tree = parse(data[:_LARGEST], ReadLimits(containers=10, depth=4), "the key card")
    except Refused as refused:
        raise Invalid(codes.KEY_TEXT, "that is no key: {message}", message=refused.message) from None
    if tree.get("skerry_key") != 1 or tree.keys() != _KEYS:
        raise Invalid(codes.KEY_TEXT, "that is no key card of a form that is known here")
    card = _card(tree)
    try:
        signer = verify(str(tree["proof"]).encode(), _NAMESPACE, canonical(_content_of(card)))
    except WrongSignature as error:
        raise Invalid(codes.KEY_TEXT, "the key card was changed: {error}", error=wording(error)) from error
    if signer != card.signing:
        raise Invalid(codes.KEY_TEXT, "the key card was signed by another key than its own")
    return card


def _card(tree: dict[str, Any]) -> KeyCard:
    texts = [tree[key] for key in _SIGNED]
    follows = tree["follows"]
    if not all(isinstance(each, str) for each in texts) or not _AGE.fullmatch(tree["encryption"]):
        raise Invalid(codes.KEY_TEXT, "the key card lacks something")
    if follows is not None:
        fits = isinstance(follows, dict) and all(isinstance(each, str) for each in follows.values())
        if not fits or follows.keys() != {"signing", "proof"}:
            raise Invalid(codes.KEY_TEXT, "the key card does not tell properly what it replaces")
        follows = Follows(**follows)
    return KeyCard(tree["name"], tree["signing"], tree["encryption"], tree["created"], follows)


def _content_of(card: KeyCard) -> dict[str, Any]:
    return {"skerry_key": 1, **{name: getattr(card, name) for name in _SIGNED}}
