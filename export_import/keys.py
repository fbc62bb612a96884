"""The keys of a workspace: its own (made at first use), and those of others that people here trust."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, SkerryError
from engine.model.plain_words import quoted
from engine.model.summed_json import summed, unsummed
from export_import import key_cards
from export_import.container.form import Kind, Trust, zoned
from export_import.container.signature import fingerprint
from export_import.key_cards import KeyCard
from export_import.key_files import read
from export_import.own_keys import TRUSTED, OwnKeys
from export_import.trust import KeyScope, Role, TrustedKey, trusted_from


class Keys(OwnKeys):
    """The keys in the workspace at ``root``: its own, and those of others in ``keys/trusted.json``."""

    def trusted(self) -> tuple[TrustedKey, ...]:
        """The keys of others, also revoked ones, in the order they came."""
        path = self.folder / TRUSTED
        if not path.exists():
            return ()
        try:
            return tuple(trusted_from(each) for each in unsummed(read(path)))
        except (ValueError, TypeError, AttributeError, Invalid) as error:
            raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is damaged", path) from error

    def trust(
        self, data: bytes, name: str | None = None, roles: Sequence[Role] = (), scope: KeyScope | None = None
    ) -> TrustedKey:
        """Believe the key of a card (or a bare key) from now on, in these roles.

        A key whose card is vouched for by a trusted one takes its place, with its name, and with its roles
        and scope where none are given. Invalid: no key, its name is taken, or its role is not given.
        """
        card = key_cards.read_card(data, name or "")
        with self._only_writer():
            known = {each.id: each for each in self.trusted()}
            before = self.before(card)
            spoken = before.name if before and before.name != before.id else card.name
            new_name = name or spoken or card.fingerprint
            self._check_free(card, new_name, known, before)
            like = known.get(card.fingerprint) or before
            key = TrustedKey(
                card.fingerprint, new_name, card.signing, card.encryption, self._now(),
                roles=self._roles(card, roles, like),
                scope=scope or (like.scope if like and not roles else KeyScope()),
            )  # fmt: skip
            if before is not None:
                known[before.id] = replace(before, replaced_by=key.id, replaced_at=self._when(card))
            self._write_trusted([*(each for each in known.values() if each.id != key.id), key])
        return key

    def say_role(self, which: str, roles: Sequence[Role], scope: KeyScope | None = None) -> TrustedKey:
        """Other roles for a key that is trusted already, by its name or fingerprint; Invalid: none is."""
        with self._only_writer():
            keys = self.trusted()
            found = self._named(which, [each for each in keys if each.is_current])
            if found is None:
                raise Invalid.at(codes.KEY_UNKNOWN, "there is no key {where!r} here", which)
            made = replace(found, roles=tuple(roles), scope=scope or KeyScope())
            self._write_trusted([made if each is found else each for each in keys])
        return made

    def _roles(self, card: KeyCard, roles: Sequence[Role], like: TrustedKey | None) -> tuple[Role, ...]:
        """Those that are given, else those it had; a key that signs nothing needs none."""
        found = tuple(roles) or (like.roles if like else ())
        if not found and card.signing:
            message = "say in which role the key is trusted: site, support or author"
            raise Invalid(codes.ROLE_NEEDED, message, where=card.fingerprint)
        return found

    def _when(self, card: KeyCard) -> str:
        """When the key of a card was made: from then on the one before it signs nothing more."""
        created = zoned(card.created)
        return created.isoformat() if created else self._now()

    def before(self, card: KeyCard) -> TrustedKey | None:
        """The trusted key that vouches for that card's, if there is one."""
        if card.follows is None or not key_cards.follows_rightly(card):
            return None
        found = self.trusted_key(fingerprint(card.follows.signing))
        return found if found and not found.revoked_at else None

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
                raise Invalid.at(codes.KEY_UNKNOWN, "there is no key {where!r} here", which)
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
        return next((each for each in self.trusted() if each.id == id), None)

    def is_own(self, id: str) -> bool:
        """Whether that is the fingerprint of a key of this workspace, of its present one or of an older."""
        return id in self._own_replaced()

    def recipient_for(self, text: str) -> str:
        """The text to encrypt to: of a trusted key's name or fingerprint, a key, or a file with one."""
        found = self._named(text, [each for each in self.trusted() if not each.replaced_by])
        if found is not None:
            if found.revoked_at:
                raise Invalid(codes.KEY_TAKEN, "the key {name!r} was revoked", where=text, name=found.name)
            return str(found.encryption or found.signing)
        card = key_cards.read_card(_given(text))
        return str(card.encryption or card.signing)

    def _write_trusted(self, keys: Sequence[TrustedKey]) -> None:
        self._replace(self.folder / TRUSTED, summed([asdict(each) for each in keys]))

    def _own_named(self, which: str) -> TrustedKey | None:
        """A key of our own that is to be believed no more."""
        if which not in self._own_replaced():
            return None
        return TrustedKey(which, f"own {which[7:15]}", None, None, self._now())

    def _named(self, which: str, keys: Sequence[TrustedKey]) -> TrustedKey | None:
        return next((each for each in keys if which in (each.id, each.name)), None)

    def _check_free(
        self, card: KeyCard, name: str, known: dict[str, TrustedKey], before: TrustedKey | None
    ) -> None:
        same = known.get(card.fingerprint)
        if same and same.revoked_at:
            raise Invalid(codes.KEY_TAKEN, "the key {name!r} was revoked", where=name, name=same.name)
        free = (card.fingerprint, before.id if before else None)
        taken = (each for each in known.values() if each.id not in free and not each.replaced_by)
        if any(name in (each.name, each.id) for each in taken):
            raise Invalid.at(codes.KEY_TAKEN, "{where!r} is the name of another key", name)


def _given(text: str) -> bytes:
    """A key as it was given: the text itself, or the file that it names."""
    if text.startswith(("age1", "ssh-ed25519 ")):
        return text.encode()
    try:
        is_file = os.path.lexists(text)
    except ValueError:
        is_file = False
    if not is_file:
        message = "{text} is neither a trusted key nor a file"
        raise Invalid(codes.KEY_UNKNOWN, message, where=text, text=quoted(text))
    return key_cards.card_bytes(Path(text))
