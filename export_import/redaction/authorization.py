"""What follows ``Bearer`` and ``Basic``."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from export_import.redaction.rule import Found, Place, Rule
from export_import.redaction.secret_values import strong


def _authorization(at: Found) -> Place | None:
    """What follows ``Bearer`` or ``Basic``."""
    start = at.found.rindex(b" ") + 1 + at.start if b" " in at.found else at.start
    secret = at.text[start : at.stop].rstrip(b".,")
    if b"asic" in at.found.split()[0].lower():
        try:
            decoded = b64decode(secret + b"=" * (-len(secret) % 4), validate=True)
        except (Error, ValueError):
            return None
        return (start, at.stop) if b":" in decoded and decoded.isascii() else None
    return (start, at.stop) if len(secret) >= 12 and (strong(secret) or len(secret) > 24) else None


RULES = (Rule("authorization", rb"(?i:\bbearer|\bbasic)[ \t]+[A-Za-z0-9+/=._~-]+", _authorization),)
