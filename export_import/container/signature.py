"""Signatures in OpenSSH's own form: ``ssh-keygen -Y verify`` checks them (PROTOCOL.sshsig)."""

from __future__ import annotations

import base64
import binascii
import struct
from hashlib import sha256, sha512

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_MAGIC, _HASH, _TYPE = b"SSHSIG", b"sha512", b"ssh-ed25519"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_WIDTH = 70


class WrongSignature(ValueError):
    """It is no signature of this kind, or not of these bytes."""


def sign(key: Ed25519PrivateKey, namespace: str, message: bytes) -> bytes:
    """The armoured signature file for ``message``."""
    public = _string(_TYPE) + _string(key.public_key().public_bytes_raw())
    proof = _string(_TYPE) + _string(key.sign(_signed(namespace, message)))
    parts = (public, namespace.encode(), b"", _HASH, proof)
    blob = _MAGIC + struct.pack(">I", 1) + b"".join(map(_string, parts))
    text = base64.b64encode(blob).decode()
    lines = [text[start : start + _WIDTH] for start in range(0, len(text), _WIDTH)]
    return "\n".join((_BEGIN, *lines, _END, "")).encode()


def verify(armoured: bytes, namespace: str, message: bytes) -> str:
    """The public key (``ssh-ed25519 AAAA…``) that signed ``message``; WrongSignature otherwise."""
    public, given, reserved, digest, proof = _parts(armoured)
    if (given, reserved, digest) != (namespace.encode(), b"", _HASH):
        raise WrongSignature("it was made for something else")
    raw, signature = _ed25519(public, 32), _ed25519(proof, 64)
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(signature, _signed(namespace, message))
    except InvalidSignature:
        raise WrongSignature("it does not fit the content") from None
    return public_text(raw)


def public_text(raw: bytes) -> str:
    """A public key as OpenSSH writes it, without a comment."""
    return f"ssh-ed25519 {base64.b64encode(_string(_TYPE) + _string(raw)).decode()}"


def raw_public(text: str) -> bytes:
    """The 32 bytes of a key ``ssh-ed25519 AAAA… [comment]``; ValueError if it is none."""
    words = text.split()
    if len(words) < 2 or words[0] != "ssh-ed25519":
        raise ValueError("not an ssh-ed25519 key")
    return _ed25519(base64.b64decode(words[1], validate=True), 32)


def fingerprint(public: str) -> str:
    """``SHA256:…`` of a public key, as ``ssh-keygen -l`` shows it."""
    blob = _string(_TYPE) + _string(raw_public(public))
    return "SHA256:" + base64.b64encode(sha256(blob).digest()).decode().rstrip("=")


def _signed(namespace: str, message: bytes) -> bytes:
    parts = (namespace.encode(), b"", _HASH, sha512(message).digest())
    return _MAGIC + b"".join(map(_string, parts))


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _parts(armoured: bytes) -> list[bytes]:
    """Public key, namespace, reserved, hash name, signature."""
    try:
        lines = armoured.decode("ascii").split()
        first, last = " ".join(lines[:3]), " ".join(lines[-3:])
        if (first, last) != (_BEGIN, _END):
            raise WrongSignature("it is no signature")
        blob = base64.b64decode("".join(lines[3:-3]), validate=True)
    except (UnicodeDecodeError, binascii.Error):
        raise WrongSignature("it is no signature") from None
    if blob[:10] != _MAGIC + struct.pack(">I", 1):
        raise WrongSignature("it is no signature of version 1")
    return _strings(blob[10:], 5)


def _ed25519(blob: bytes, size: int) -> bytes:
    kind, raw = _strings(blob, 2)
    if kind != _TYPE or len(raw) != size:
        raise WrongSignature("it is not of an Ed25519 key")
    return raw


def _strings(data: bytes, count: int) -> list[bytes]:
    """Exactly so many length-prefixed strings, and nothing behind them."""
    found: list[bytes] = []
    for _ in range(count):
        size = int.from_bytes(data[:4], "big")
        if len(data) < 4 + size or len(data) < 4:
            raise WrongSignature("it is cut off")
        found.append(data[4 : 4 + size])
        data = data[4 + size :]
    if data:
        raise WrongSignature("it has more than it should")
    return found
