"""The vault: named secrets in one encrypted file, opened by a passphrase, a key file or the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from threading import Lock

from engine.model.codes import secrets as codes
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message
from engine.model.names import is_id
from engine.secrets import credentials, vault_file
from engine.secrets.credentials import Credential
from engine.secrets.file_seal import check_age, check_seal, record_label, sealed
from engine.secrets.sealing import Unsealable, derived_key, random_key, random_salt, seal, unseal
from engine.secrets.vault_file import Content, KeySlot, Record

_LARGEST = 64 * 1024
_HOW = Message.of(
    "give the passphrase, or set {variables} or {last}",
    variables=", ".join(credentials.VARIABLES[:-1]),
    last=credentials.VARIABLES[-1],
)


class Vault:
    """Secrets by name in the file ``path``, which is made with the first secret.

    A random key seals each secret under its name and version; the file holds that key sealed by what
    the passphrase or key file gives, so neither it nor any value is ever on the disk in clear. The file
    is read again each time: what another process stored is seen at once. With ``environ`` it opens by
    itself when the first value is needed, and costs nothing (0.2 s) before.
    """

    def __init__(self, path: Path, environ: Mapping[str, str] | None = None) -> None:
        self.path = path
        self._environ = {name: (environ or {}).get(name, "") for name in credentials.VARIABLES}
        self._opening = Lock()
        self._key: bytes | None = None
        self._fresh: Content | None = None  # of a vault that is not written yet
        self._key_id = ""

    @property
    def exists(self) -> bool:
        """Whether a secret was ever stored here."""
        return self.path.exists()

    @property
    def locked(self) -> bool:
        """Whether values can not be read now."""
        return self._key is None

    @property
    def closed(self) -> bool:
        """Whether it is locked and will not open by itself either."""
        return self.locked and not any(self._environ.values())

    def unlock(
        self,
        *,
        passphrase: str | None = None,
        key_file: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> bool:
        """Open with the first that is given; False when the environment has nothing to open with.

        Where there is no file yet, this chooses what opens it later. Refused when it does not fit.
        """
        if passphrase is not None:
            return self._open(credentials.of_passphrase(passphrase))
        if key_file is not None:
            return self._open(credentials.of_key_file(key_file))
        credential = credentials.of_environment(env or {})
        return self._open(credential) if credential else False

    def lock(self) -> None:
        """Forget the key."""
        self._key, self._fresh, self._key_id = None, None, ""

    def names(self) -> tuple[str, ...]:
        """The names of all secrets, in order; needs no key."""
        return tuple(sorted(self._content().records))

    def get(self, name: str) -> str:
        """The value of a secret; coded errors when it is unknown, locked or damaged."""
        known, content = self._found()
        record = self._record(content, known, name)
        self._open_by_itself()
        return _value(self._usable_key(content, known), content, name, record)

    def check(self) -> None:
        """Refused when it is locked, or the file is not what the last change left."""
        known, content = self._found()
        self._open_by_itself()
        self._usable_key(content, known)

    def accept(self) -> tuple[str, ...]:
        """Take the file as it is now for the last change, whatever was done to it; the names in it."""
        self._open_by_itself()
        with vault_file.only_writer(self.path):
            content = self._content()
            self._write(content, self._fitting_key(content), {})
        return tuple(sorted(content.records))

    def set(self, name: str, value: str) -> None:
        """Store or replace a secret; durable, and proven to be readable, when this returns."""
        if not is_id(name):
            raise Invalid.at(codes.SECRET_NAME, "'{where}' cannot be the name of a secret", name)
        plain = _checked_value(value)
        self._open_by_itself()
        with vault_file.only_writer(self.path):
            known, content = self._found()
            key = self._usable_key(content, known)
            version = content.records[name].version + 1 if name in content.records else 1
            record = Record(version, seal(key, plain, record_label(content, name, version)))
            self._write(replace(content, records={**content.records, name: record}), key, {name: value})

    def remove(self, name: str) -> None:
        with vault_file.only_writer(self.path):
            known, content = self._found()
            self._record(content, known, name)
            self._open_by_itself()
            key = self._usable_key(content, known)
            kept = {each: record for each, record in content.records.items() if each != name}
            self._write(replace(content, records=kept), key, {})

    def rekey(self, *, passphrase: str | None = None, key_file: Path | None = None) -> None:
        """Seal everything again under what is given (one or both open it); the old ways are void."""
        ways = [credentials.of_passphrase(passphrase)] if passphrase is not None else []
        ways += [credentials.of_key_file(key_file)] if key_file is not None else []
        self._open_by_itself()
        with vault_file.only_writer(self.path):
            known, content = self._found()
            old_key = self._usable_key(content, known)
            values = {n: _value(old_key, content, n, record) for n, record in content.records.items()}
            key = random_key()
            self._write(_sealed_again(values, key, ways), key, values)

    def _open_by_itself(self) -> None:
        with self._opening:
            if self.locked:
                self.unlock(env=self._environ)

    def _open(self, credential: Credential) -> bool:
        content = vault_file.read(self.path)
        if content is None:
            self._key = random_key()
            self._fresh = content = _sealed_again({}, self._key, [credential])
        else:
            self._key, self._fresh = _opened(content, credential), None
        self._key_id = content.key_id
        return True

    def _found(self) -> tuple[int | None, Content]:
        """The last known change and the file; in this order, while another process may write both."""
        known, content = vault_file.last_known(self.path), vault_file.read(self.path)
        if known is None and content is not None and content.counter:  # perhaps its first change is just made
            known, content = vault_file.last_known(self.path), vault_file.read(self.path)
        return (None, self._fresh or Content("", ())) if content is None else (known, content)

    def _content(self) -> Content:
        return vault_file.read(self.path) or self._fresh or Content("", ())

    def _record(self, content: Content, known: int | None, name: str) -> Record:
        if name in content.records:
            return content.records[name]
        if self.exists and not self.closed:
            self._open_by_itself()
            self._usable_key(content, known)  # it may have been taken out
        near = get_close_matches(name, content.records, 1)
        hint = Message.of("; did you mean '{name}'?", name=near[0]) if near else ""
        raise Invalid.at(codes.SECRET_UNKNOWN, "there is no secret '{where}'{hint}", name, hint=hint)

    def _usable_key(self, content: Content, known: int | None) -> bytes:
        """The key, when the file is what the last change left."""
        check_age(content, known)
        key = self._fitting_key(content)
        check_seal(content, key)
        return key

    def _fitting_key(self, content: Content) -> bytes:
        if self._key is None:
            raise Refused(codes.VAULT_LOCKED, "the secrets are locked: {remedy}", remedy=_HOW)
        if content.key_id != self._key_id:
            message = "another command has encrypted the secrets again: {remedy}"
            raise Refused(codes.VAULT_LOCKED, message, remedy=_HOW)
        return self._key

    def _write(self, content: Content, key: bytes, values: Mapping[str, str]) -> None:
        """Fail closed: nothing counts before it was read back, opened, and found not to be in clear."""

        def test(written: Content) -> None:
            for name, value in values.items():
                _check_written(key, written, name, value)
            check_seal(written, key)

        now = vault_file.read(self.path)
        last = max(vault_file.last_known(self.path) or 0, now.counter if now else 0)
        vault_file.write(self.path, sealed(content, key, last + 1), test)
        self._key, self._key_id, self._fresh = key, content.key_id, None


def _sealed_again(values: Mapping[str, str], key: bytes, ways: list[Credential]) -> Content:
    if not ways:
        raise Refused(codes.WRONG_PASSPHRASE, "a passphrase or a key file is needed")
    content = Content(os.urandom(8).hex(), ())
    slots = tuple(_slot(content, key, way) for way in ways)
    records = {n: Record(1, seal(key, v.encode(), record_label(content, n, 1))) for n, v in values.items()}
    return replace(content, slots=slots, records=records)


def _slot(content: Content, key: bytes, way: Credential) -> KeySlot:
    salt = random_salt()
    return KeySlot(way.kind, salt, seal(derived_key(way.secret, salt), key, f"slot {content.key_id}"))


def _opened(content: Content, credential: Credential) -> bytes:
    for slot in content.slots:
        if slot.kind != credential.kind:
            continue
        try:
            return unseal(derived_key(credential.secret, slot.salt), slot.key, f"slot {content.key_id}")
        except Unsealable:
            continue
    kind = credential.kind.replace("_", " ")
    raise Refused(codes.WRONG_PASSPHRASE, "this {kind} does not open the secrets", kind=Message.of(kind))


def _value(key: bytes, content: Content, name: str, record: Record) -> str:
    try:
        return unseal(key, record.value, record_label(content, name, record.version)).decode()
    except Unsealable as error:
        message = "the record of the secret '{name}' is damaged"
        raise SkerryError(codes.VAULT_DAMAGED, message, name=name) from error


def _check_written(key: bytes, written: Content, name: str, value: str) -> None:
    record = written.records[name]
    in_clear = len(value) > 3 and value.encode() in record.value.data
    if in_clear or _value(key, written, name, record) != value:
        message = "the secret '{name}' was not sealed as it should be"
        raise SkerryError(codes.VAULT_UNWRITTEN, message, name=name)


def _checked_value(value: str) -> bytes:
    try:
        plain = value.encode()
    except UnicodeEncodeError as error:
        raise Invalid(codes.SECRET_VALUE, "the value is not valid text") from error
    if not 0 < len(plain) <= _LARGEST:
        raise Invalid(codes.SECRET_VALUE, "the value is empty or longer than 64 KiB")
    return plain
