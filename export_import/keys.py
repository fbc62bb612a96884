"""The keys of a workspace: its own (made at first use), and those of others that people here trust."""

from __future__ import annotations

import hmac
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.execution.files import replace as replace_file
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, SkerryError
from engine.model.summed_json import summed, unsummed
from engine.secrets.vault_file import only_writer
from export_import import key_cards
from export_import.container.form import Kind, Trust
from export_import.container.signature import fingerprint, sign
from export_import.key_cards import Card, Follows
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
from export_import.trust import Role, Scope, TrustedKey, trusted_from

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from engine.model.clock import Clock

_TRUSTED, _CARD = "trusted.json", "card.json"
_SECRET, _NEXT = "site.secret", "next"
_SECRET_SIZE = 32  # bytes, and the sha256 of them


class Keys:
    """The folder ``keys`` of the workspace at ``root``; a pair of keys for signing and one for encryption.

    Made when they are first needed, 0600: an Ed25519 key in OpenSSH's form and an age identity. Older
    ones stay after a rotation, in ``keys/old-N``: they still open what was written to them.
    """

    def __init__(self, root: Path, clock: Clock) -> None:
        self.folder = root / "keys"
        self._clock = clock

    # -- our own -------------------------------------------------------------------------------

    @cached_property
    def signing(self) -> Ed25519PrivateKey:
        """The key that signs."""
        self._make()
        return load_signing(self.folder / SIGNING)

    @property
    def public(self) -> str:
        """``ssh-ed25519 AAAA…``."""
        self._make()
        return public_of(self.folder)

    @property
    def name(self) -> str:
        """What others see on our card; empty before anybody said it."""
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
        """The signature file for ``message``."""
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
        place = self.folder / _SECRET
        if not place.exists():
            with self._only_writer():
                if not place.exists():
                    secret = os.urandom(_SECRET_SIZE)
                    self._replace(place, secret + sha256(secret).digest())
        data = read(place)
        secret, check = data[:_SECRET_SIZE], data[_SECRET_SIZE:]
        if len(secret) < _SECRET_SIZE or check not in (b"", sha256(secret).digest()):
            raise SkerryError(codes.KEYS_DAMAGED, f"{place} is damaged", where=str(place))
        return secret

    def site_digest(self) -> hmac.HMAC:
        """A hash of this site's own: without its secret nobody can try out what was hashed."""
        return hmac.new(self.site_secret, b"skerry-site-hash\0", "sha256")

    def card(self, name: str | None = None) -> bytes:
        """Our key card, to be given to others; ``name`` is what they will see (kept for the next time)."""
        payload = self._facts()
        if name is not None and name != payload["name"]:
            payload = {**payload, "name": name, "follows": self._vouched({**payload, "name": name})}
            self._replace(self.folder / _CARD, summed(payload))
        follows = Follows(**payload["follows"]) if payload["follows"] else None
        card = Card(payload["name"], self.public, self.recipient, payload["created"], follows)
        return key_cards.written(card, self.signing)

    def rotate(self) -> bytes:
        """New keys in the place of the present ones; the card that says so, signed by the old one too."""
        old, old_public, facts = self.signing, self.public, self._facts()
        with self._only_writer():
            fresh = self._draft()
            card = Card(facts["name"], public_of(fresh), recipient_of(fresh), self._now())
            follows = {"signing": old_public, "proof": key_cards.succession(card, old)}
            self._keep_old()
            facts = {"name": card.name, "created": card.created, "follows": follows}
            self._replace(fresh / _CARD, summed(facts))  # from here on the new ones count
            self._take_draft()
        return self.card()

    def _vouched(self, payload: dict[str, Any]) -> dict[str, str] | None:
        """The word of the key before for the present one, under the name that is told; None: a first key."""
        old = next((each for each in self._old() if (each / SIGNING).exists()), None)
        if payload["follows"] is None or old is None:
            return None
        card = Card(payload["name"], self.public, self.recipient, payload["created"])
        proof = key_cards.succession(card, load_signing(old / SIGNING))
        return {"signing": public_of(old), "proof": proof}

    # -- those of others -----------------------------------------------------------------------

    def trusted(self) -> tuple[TrustedKey, ...]:
        """The keys of others, also revoked ones, in the order they came."""
        place = self.folder / _TRUSTED
        if not place.exists():
            return ()
        try:
            return tuple(trusted_from(each) for each in unsummed(read(place)))
        except (ValueError, TypeError, AttributeError, Invalid) as error:
            raise SkerryError(codes.KEYS_DAMAGED, f"{place} is damaged", where=str(place)) from error

    def trust(
        self, data: bytes, name: str | None = None, roles: Sequence[Role] = (), scope: Scope | None = None
    ) -> TrustedKey:
        """Believe the key of a card (or a bare key) from now on, in these roles.

        A key whose card is vouched for by a trusted one takes its place, with its name, and with its roles
        and scope where none are given. Invalid: no key, its name is taken, or nobody said its role.
        """
        card = key_cards.read_card(data, name or "")
        with self._only_writer():
            known = {each.id: each for each in self.trusted()}
            before = self._before(card, known)
            spoken = before.name if before and before.name != before.id else card.name
            wanted = name or spoken or card.fingerprint
            self._check_free(card, wanted, known, before)
            like = known.get(card.fingerprint) or before
            key = TrustedKey(
                card.fingerprint, wanted, card.signing, card.encryption, self._now(),
                roles=self._roles(card, roles, like),
                scope=scope or (like.scope if like and not roles else Scope()),
            )  # fmt: skip
            if before is not None:
                known[before.id] = replace(before, replaced_by=key.id, replaced_at=self._when(card))
            self._write_trusted([*(each for each in known.values() if each.id != key.id), key])
        return key

    def say_role(self, which: str, roles: Sequence[Role], scope: Scope | None = None) -> TrustedKey:
        """Other roles for a key that is trusted already, by its name or fingerprint; Invalid: none is."""
        with self._only_writer():
            keys = self.trusted()
            found = self._named(
                which, [each for each in keys if not each.replaced_by and not each.revoked_at]
            )
            if found is None:
                raise Invalid(codes.KEY_UNKNOWN, f"there is no key {which!r} here", where=which)
            made = replace(found, roles=tuple(roles), scope=scope or Scope())
            self._write_trusted([made if each is found else each for each in keys])
        return made

    def _roles(self, card: Card, roles: Sequence[Role], like: TrustedKey | None) -> tuple[Role, ...]:
        """Those that are given, else those it had; a key that signs nothing needs none."""
        found = tuple(roles) or (like.roles if like else ())
        if not found and card.signing:
            message = "say in which role the key is trusted: site, support or author"
            raise Invalid(codes.ROLE_NEEDED, message, where=card.fingerprint)
        return found

    def _when(self, card: Card) -> str:
        """When the key of a card was made: from then on the one before it signs nothing more."""
        with suppress(ValueError):
            created = datetime.fromisoformat(card.created or "")
            if created.tzinfo is not None:
                return created.isoformat()
        return self._now()

    def before(self, card: Card) -> TrustedKey | None:
        """The trusted key that vouches for that card's, if there is one."""
        return self._before(card, {each.id: each for each in self.trusted()})

    def revoke(self, which: str, reason: str) -> TrustedKey:
        """Never believe a key again: one by its fingerprint (also of our own), all that have a name by that.

        A key and those that it replaced have the same name; gives the latest of them.
        """
        now = self._now()
        with self._only_writer():
            keys = list(self.trusted())
            own = self._own_named(which)
            found = [each for each in keys if each.id == which] or [
                each for each in keys if each.name == which
            ]
            if not found and own is None:
                raise Invalid(codes.KEY_UNKNOWN, f"there is no key {which!r} here", where=which)
            revoked = [
                replace(each, revoked_at=each.revoked_at or now, reason=each.reason or reason)
                for each in found or filter(None, [own])
            ]
            ids = {each.id for each in revoked}
            self._write_trusted([*(each for each in keys if each.id not in ids), *revoked])
        return next((each for each in revoked if not each.replaced_by), revoked[-1])

    def standing(self, public: str, kind: Kind, created: datetime) -> Trust:
        """Whether a bundle of that kind and time, signed by that public key, is believed here."""
        id = fingerprint(public)
        found = self.trusted_key(id)
        if found is not None:
            return found.standing(kind, created)
        own = self._own_replaced()
        if id not in own:
            return "unknown"
        until = own[id]
        return "replaced" if until is not None and created > until else "known"

    def trusted_key(self, id: str) -> TrustedKey | None:
        """The key of another with that fingerprint."""
        return next((each for each in self.trusted() if each.id == id), None)

    def is_own(self, id: str) -> bool:
        """Whether that is the fingerprint of a key of this workspace, of its present one or of an older."""
        return id in self._own_replaced()

    def recipient_for(self, text: str) -> str:
        """The text to encrypt to: of a trusted key's name or fingerprint, a key, or a file with one."""
        found = self._named(text, [each for each in self.trusted() if not each.replaced_by])
        if found is not None:
            if found.revoked_at:
                raise Invalid(codes.KEY_TAKEN, f"the key {found.name!r} was revoked", where=text)
            return str(found.encryption or found.signing)
        card = key_cards.read_card(_given(text))
        return str(card.encryption or card.signing)

    # -- files ---------------------------------------------------------------------------------

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
        if (self.folder / SIGNING).exists():  # nothing takes the place of keys that are there
            place = self.folder / _CARD
            raise SkerryError(codes.KEYS_DAMAGED, f"{place} is missing", where=str(place))
        fresh = self._draft()
        payload = {"name": "", "created": self._now(), "follows": None}
        self._replace(fresh / _CARD, summed(payload))
        self._take_draft()

    def _draft(self) -> Path:
        """A folder with new keys that do not count yet: its card says that they do."""
        place = self.folder / _NEXT
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(0o700)
        self._make_pair(place)
        return place

    def _keep_old(self) -> None:
        """A copy of the present keys beside the older ones, as a whole."""
        draft = self.folder / f"{_NEXT}-old"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(0o700)
        for name in (SIGNING, AGE, _CARD):
            self._replace(draft / name, read(self.folder / name))
        os.rename(draft, self.folder / f"old-{len(self._old()) + 1}")

    def _take_draft(self) -> None:
        """Put drafted keys in the place of the present ones; whoever was killed here is gone on for."""
        place = self.folder / _NEXT
        for name in (SIGNING, AGE, _CARD):  # the card last: until then it says that this is to be done
            if (place / name).exists():
                os.replace(place / name, self.folder / name)
        shutil.rmtree(place, ignore_errors=True)
        self.__dict__.pop("signing", None)

    def _facts(self) -> dict[str, Any]:
        """What our card's file tells: name, created, follows."""
        self._make()
        place = self.folder / _CARD
        try:
            payload: dict[str, Any] = unsummed(read(place))
            return {key: payload[key] for key in ("name", "created", "follows")}
        except (ValueError, TypeError, KeyError) as error:
            raise SkerryError(codes.KEYS_DAMAGED, f"{place} is damaged", where=str(place)) from error

    def _now(self) -> str:
        return self._clock.now().isoformat()

    def _make_pair(self, folder: Path) -> None:
        """A key to sign with and one to be written to."""
        import pyrage
        from cryptography.hazmat.primitives import serialization as form
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        plain = form.NoEncryption()
        pem = Ed25519PrivateKey.generate().private_bytes(form.Encoding.PEM, form.PrivateFormat.OpenSSH, plain)
        self._replace(folder / SIGNING, pem)
        self._replace(folder / AGE, f"{pyrage.x25519.Identity.generate()}\n".encode())

    def _only_writer(self) -> Any:
        self.folder.mkdir(0o700, exist_ok=True)
        return only_writer(self.folder / _TRUSTED)

    def _replace(self, path: Path, data: bytes) -> None:
        try:
            replace_file(str(path), data)
        except OSError as error:
            raise SkerryError(codes.KEYS_DAMAGED, f"{path}: {error.strerror}", where=str(path)) from error

    def _write_trusted(self, keys: Sequence[TrustedKey]) -> None:
        self._replace(self.folder / _TRUSTED, summed([asdict(each) for each in keys]))

    def _old(self) -> list[Path]:
        """The folders of replaced keys, the latest first."""
        found = [each for each in self.folder.glob("old-*") if each.name[4:].isdigit()]
        return sorted(found, key=lambda each: -int(each.name[4:]))

    def _own_replaced(self) -> dict[str, datetime | None]:
        """Our keys by their fingerprints, and when another took the place of each; None: not yet."""
        found: dict[str, datetime | None] = {}
        until: datetime | None = None
        for folder in (each for each in (self.folder, *self._old()) if (each / SIGNING).exists()):
            found.setdefault(fingerprint(public_of(folder)), until)
            until = _made_at(folder) or until
        return found

    def _own_named(self, which: str) -> TrustedKey | None:
        """A key of our own that is to be believed no more."""
        if which not in self._own_replaced():
            return None
        return TrustedKey(which, f"own {which[7:15]}", None, None, self._now())

    def _named(self, which: str, keys: Sequence[TrustedKey]) -> TrustedKey | None:
        return next((each for each in keys if which in (each.id, each.name)), None)

    def _before(self, card: Card, known: dict[str, TrustedKey]) -> TrustedKey | None:
        """The trusted key that vouches for this one, if there is one."""
        if card.follows is None or not key_cards.follows_rightly(card):
            return None
        found = known.get(fingerprint(card.follows.signing))
        return found if found and not found.revoked_at else None

    def _check_free(
        self, card: Card, name: str, known: dict[str, TrustedKey], before: TrustedKey | None
    ) -> None:
        same = known.get(card.fingerprint)
        if same and same.revoked_at:
            raise Invalid(codes.KEY_TAKEN, f"the key {same.name!r} was revoked", where=name)
        free = (card.fingerprint, before.id if before else None)
        taken = (each for each in known.values() if each.id not in free and not each.replaced_by)
        if any(name in (each.name, each.id) for each in taken):
            raise Invalid(codes.KEY_TAKEN, f"{name!r} is the name of another key", where=name)


def _made_at(folder: Path) -> datetime | None:
    """When the keys in a folder were made, as their card tells; None: nobody knows."""
    with suppress(ValueError, TypeError, KeyError, SkerryError):
        found = datetime.fromisoformat(unsummed(read(folder / _CARD))["created"])
        return found if found.tzinfo is not None else None
    return None


def _given(text: str) -> bytes:
    """A key as it was given: the text itself, or the file that it names."""
    if text.startswith(("age1", "ssh-ed25519 ")):
        return text.encode()
    try:
        is_file = os.path.lexists(text)
    except ValueError:
        is_file = False
    if not is_file:
        raise Invalid(codes.KEY_UNKNOWN, f"{text!r} is neither a trusted key nor a file", where=text)
    return key_cards.card_bytes(Path(text))
