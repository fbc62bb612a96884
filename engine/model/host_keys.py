"""Host keys as a person pins them, fingerprints or public keys, and as a server proves them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

_PIN = re.compile(r"SHA256:[A-Za-z0-9+/]{43}|AAAA[A-Za-z0-9+/]{40,}={0,2}")


def pinned(text: str) -> str | None:
    """What of a pin is compared: a fingerprint, or the key in base64 out of a line; None when it is neither.

    >>> pinned("[h]:22 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMHtK0uI3cN0m1y8zq2r4f6h8j0k2l4n6p8r0t2v4x6z")
    'AAAAC3NzaC1lZDI1NTE5AAAAIMHtK0uI3cN0m1y8zq2r4f6h8j0k2l4n6p8r0t2v4x6z'
    """
    return next((word for word in text.split() if _PIN.fullmatch(word)), None)


def fingerprint(key: bytes) -> str:
    """That of a public key as it is on the wire, as ``ssh-keygen -lf`` shows it."""
    return f"SHA256:{base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip('=')}"


def matches(key: bytes, pins: Iterable[str]) -> bool:
    """Whether one of the pins is the key's."""
    own = {fingerprint(key), base64.b64encode(key).decode()}
    return any(pinned(each) in own for each in pins)


def key_types(pins: Iterable[str]) -> set[str]:
    """The types of the keys that are pinned in full, such as ``ssh-ed25519``."""
    whole = (each for each in map(pinned, pins) if each and not each.startswith("SHA256:"))
    return {_type(base64.b64decode(each + "=" * (-len(each) % 4))) for each in whole}


def _type(key: bytes) -> str:
    """The first field of a public key (RFC 4253, 6.6)."""
    size = int.from_bytes(key[:4], "big")
    return key[4 : 4 + size].decode("ascii", "replace")
