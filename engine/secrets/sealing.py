"""The cryptography of the vault: a key from a passphrase (Argon2id), and sealed records (AES-256-GCM)."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from typing import Any, NamedTuple

from argon2.low_level import Type, hash_secret_raw

KEY_BYTES = 32
_SALT_BYTES = 16
_NONCE_BYTES = 12


class Unsealable(Exception):
    """The key is not the right one, or the record is not what was sealed."""


class Sealed(NamedTuple):
    """An encrypted text that can only be opened with its key and under its label."""

    nonce: bytes
    data: bytes

    def as_json(self) -> dict[str, str]:
        """``{"nonce", "data"}`` in base64."""
        return {"nonce": as_text(self.nonce), "data": as_text(self.data)}

    @classmethod
    def of_json(cls, raw: Any) -> Sealed:
        """Read it back; ValueError, KeyError or TypeError when it is not one."""
        return cls(as_bytes(raw["nonce"]), as_bytes(raw["data"]))


def random_key() -> bytes:
    return os.urandom(KEY_BYTES)


def random_salt() -> bytes:
    """A new salt for ``derived_key``."""
    return os.urandom(_SALT_BYTES)


def derived_key(secret: bytes, salt: bytes) -> bytes:
    """The key that comes of a passphrase: Argon2id, 64 MiB, 3 rounds, 4 lanes; about 0.15 s.

    The cost is a constant of the format, not read from the file: a forged file cannot raise it.
    """
    return hash_secret_raw(secret, salt, 3, 64 * 1024, 4, KEY_BYTES, Type.ID)


def seal(key: bytes, plain: bytes, label: str) -> Sealed:
    """Encrypt ``plain``; ``label`` is not secret but must be the same when it is opened."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE_BYTES)
    return Sealed(nonce, AESGCM(key).encrypt(nonce, plain, label.encode()))


def unseal(key: bytes, sealed: Sealed, label: str) -> bytes:
    """What was sealed; Unsealable when key, label or any byte differ."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(sealed.nonce, sealed.data, label.encode())
    except (InvalidTag, ValueError) as error:
        raise Unsealable from error


def as_text(data: bytes) -> str:
    """Base64."""
    return b64encode(data).decode()


def as_bytes(text: str) -> bytes:
    """The bytes of a strict base64 text; ValueError or TypeError otherwise."""
    return b64decode(text, validate=True)
