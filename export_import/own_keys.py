"""The keys of a workspace itself: made at first use, replaced by a rotation, and the card that others get."""

from __future__ import annotations

import hmac
import os
import shutil
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyrage
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.execution.files import replace as replace_file
from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.errors import SkerryError
from engine.model.summed_json import summed, unsummed
from engine.secrets.vault_file import only_writer
from export_import import key_cards
from export_import.container.form import zoned
from export_import.container.signature import fingerprint, sign
from export_import.key_cards import Follows, KeyCard
from export_import.key_files import (
    AGE,
    SIGNING,
    load_age,
    load_signing,
    load_ssh_identity,
    public_of,
    read,
    recipient_of,
)

TRUSTED = "trusted.json"  # the keys of others; its lock is that of the whole folder
_CARD = "card.json"
_SECRET, _NEXT = "site.secret", "next"
_SECRET_SIZE = 32  # bytes, and the sha256 of them


class OwnKeys:
    """The folder ``keys`` of the workspace at ``root``; a pair of keys for signing and one for encryption.

    Made when they are first needed, 0600: an Ed25519 key in OpenSSH's form and an age identity. Older
    ones stay after a rotation, in ``keys/old-N``: they still open what was written to them.
    """

    def __init__(self, root: Path, clock: Clock) -> None:
        self.folder = root / "keys"
        self._clock = clock

    @cached_property
    def signing(self) -> Ed25519PrivateKey:
        self._make()
        return load_signing(self.folder / SIGNING)

    @property
    def public(self) -> str:
        """``ssh-ed25519 AAAA…``."""
        self._make()
        return public_of(self.folder)

    @property
    def name(self) -> str:
        """What others see on our card; empty before it was set."""
        return str(self._facts()["name"])

    @property
    def fingerprint(self) -> str:
        """``SHA256:…``, what people compare."""
        return fingerprint(self.public)

    @property
    def recipient(self) -> str:
        """``age1…``, to which others encrypt for us."""
        self._make()
        return recipient_of(self.folder)

    def sign(self, namespace: str, message: bytes) -> bytes:
        return sign(self.signing, namespace, message)

    def identities(self) -> list[Any]:
        """Everything that opens what was encrypted to us, the present keys first; makes none."""
        found: list[Any] = []
        for folder in (self.folder, *self._old()):
            if (folder / AGE).exists():
                found.append(load_age(folder / AGE))
            if (folder / SIGNING).exists():
                found.append(load_ssh_identity(folder / SIGNING))
        return found

    @property
    def site_secret(self) -> bytes:
        """32 bytes that never leave this workspace; pseudonyms and the site's hashes hang on them."""
        path = self.folder / _SECRET
        if not path.exists():
            with self._only_writer():
                if not path.exists():
                    secret = os.urandom(_SECRET_SIZE)
                    self._replace(path, secret + sha256(secret).digest())
        data = read(path)
        secret, check = data[:_SECRET_SIZE], data[_SECRET_SIZE:]
        if len(secret) < _SECRET_SIZE or check not in (b"", sha256(secret).digest()):
            raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is damaged", path)
        return secret

    def site_digest(self) -> hmac.HMAC:
        """A hash of this site's own: without its secret no guess can be verified."""
        return hmac.new(self.site_secret, b"skerry-site-hash\0", "sha256")

    def card(self, name: str | None = None) -> bytes:
        """Our key card, to be given to others; ``name`` is what they will see (kept for the next time)."""
        payload = self._facts()
        if name is not None and name != payload["name"]:
            payload = {**payload, "name": name, "follows": self._vouched({**payload, "name": name})}
            self._replace(self.folder / _CARD, summed(payload))
        follows = Follows(**payload["follows"]) if payload["follows"] else None
        card = KeyCard(payload["name"], self.public, self.recipient, payload["created"], follows)
        return key_cards.written(card, self.signing)

    def rotate(self) -> bytes:
        """Replaces the keys; gives the card that says so, signed by the old one too."""
        old, old_public, facts = self.signing, self.public, self._facts()
        with self._only_writer():
            fresh = self._draft()
            card = KeyCard(facts["name"], public_of(fresh), recipient_of(fresh), self._now())
            follows = {"signing": old_public, "proof": key_cards.succession(card, old)}
            self._keep_old()
            facts = {"name": card.name, "created": card.created, "follows": follows}
            self._replace(fresh / _CARD, summed(facts))  # from here on the new ones count
            self._take_draft()
        return self.card()

    def _vouched(self, payload: dict[str, Any]) -> dict[str, str] | None:
        """The previous key's proof for the present one, with the name in ``payload``; None: a first key."""
        old = next((each for each in self._old() if (each / SIGNING).exists()), None)
        if payload["follows"] is None or old is None:
            return None
        card = KeyCard(payload["name"], self.public, self.recipient, payload["created"])
        proof = key_cards.succession(card, load_signing(old / SIGNING))
        return {"signing": public_of(old), "proof": proof}

    def _make(self) -> None:
        drafted = (self.folder / _NEXT / _CARD).exists()
        if (self.folder / _CARD).exists() and not drafted:
            return
        with self._only_writer():
            if drafted:
                self._take_draft()
            elif not (self.folder / _CARD).exists():
                self._make_first()

    def _make_first(self) -> None:
        if (self.folder / SIGNING).exists():  # existing keys are never replaced
            path = self.folder / _CARD
            raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is missing", path)
        fresh = self._draft()
        payload = {"name": "", "created": self._now(), "follows": None}
        self._replace(fresh / _CARD, summed(payload))
        self._take_draft()

    def _draft(self) -> Path:
        """A folder with new keys that do not count yet: its card says that they do."""
        path = self.folder / _NEXT
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(0o700)
        self._make_pair(path)
        return path

    def _keep_old(self) -> None:
        """A copy of the present keys beside the older ones, as a whole."""
        draft = self.folder / f"{_NEXT}-old"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(0o700)
        for name in (SIGNING, AGE, _CARD):
            self._replace(draft / name, read(self.folder / name))
        os.rename(draft, self.folder / f"old-{len(self._old()) + 1}")

    def _take_draft(self) -> None:
        """Replace the present keys by drafted ones; completes what a killed process began."""
        path = self.folder / _NEXT
        for name in (SIGNING, AGE, _CARD):  # the card last: until then it says that this is to be done
            if (path / name).exists():
                os.replace(path / name, self.folder / name)
        shutil.rmtree(path, ignore_errors=True)
        self.__dict__.pop("signing", None)

    def _facts(self) -> dict[str, Any]:
        """What our card's file says: name, created, follows."""
        self._make()
        path = self.folder / _CARD
        try:
            payload: dict[str, Any] = unsummed(read(path))
            return {key: payload[key] for key in ("name", "created", "follows")}
        except (ValueError, TypeError, KeyError) as error:
            raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is damaged", path) from error

    def _now(self) -> str:
        return self._clock.now().isoformat()

    def _make_pair(self, folder: Path) -> None:
        """A key to sign with and one to be written to."""
        plain = form.NoEncryption()
        pem = Ed25519PrivateKey.generate().private_bytes(form.Encoding.PEM, form.PrivateFormat.OpenSSH, plain)
        self._replace(folder / SIGNING, pem)
        self._replace(folder / AGE, f"{pyrage.x25519.Identity.generate()}\n".encode())

    def _only_writer(self) -> Any:
        self.folder.mkdir(0o700, exist_ok=True)
        return only_writer(self.folder / TRUSTED)

    def _replace(self, path: Path, data: bytes) -> None:
        try:
            replace_file(str(path), data)
        except OSError as error:
            message = "{where}: {error}"
            raise SkerryError.at(codes.KEYS_DAMAGED, message, path, error=error.strerror) from error

    def _old(self) -> list[Path]:
        """The folders of replaced keys, the latest first."""
        found = [each for each in self.folder.glob("old-*") if each.name[4:].isdigit()]
        return sorted(found, key=lambda each: -int(each.name[4:]))

    def _own_replaced(self) -> dict[str, datetime | None]:
        """Our keys by their fingerprints, and when each was replaced; None: not yet."""
        found: dict[str, datetime | None] = {}
        until: datetime | None = None
        for folder in (each for each in (self.folder, *self._old()) if (each / SIGNING).exists()):
            found.setdefault(fingerprint(public_of(folder)), until)
            until = _made_at(folder) or until
        return found


def _made_at(folder: Path) -> datetime | None:
    """When the keys in a folder were made, by their card; None: unknown."""
    with suppress(ValueError, TypeError, KeyError, SkerryError):
        return zoned(unsummed(read(folder / _CARD))["created"])
    return None
