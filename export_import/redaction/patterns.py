"""What looks like a secret or an address although nobody has stored it; patterns for RE2, of bytes.

None of them counts repetitions: that would make the automaton a hundred times slower (measured). How
long something must be is looked at afterwards.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

MASK = b"******"
_KEY = rb" [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
_WORD = rb"(?i:(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private)[_-]?key|credential)s?)"
_VALUE = rb"""(?:\\*["'][^"'\\\n]+|[^\s"'\\,;&<>(){}\[\]*]+)"""
_HARMLESS = {
    b"true",
    b"false",
    b"null",
    b"none",
    b"yes",
    b"no",
    b"undefined",
    b"required",
    b"optional",
    b"string",
}
_ASSIGNED = re.compile(rb"(?is)(.*?(?:=>|[:=])[ \t]*)(.*)")
_OPTION = re.compile(rb"(?is)(.*[\s=])(.*)")
_SHORTEST = 3  # bytes of a value


class Pattern(NamedTuple):
    """A rule: what it finds (RE2), and what stands there afterwards (None: it was harmless)."""

    name: str
    finds: bytes
    replaced: Callable[[bytes], bytes | None]


def _of_at_least(size: int) -> Callable[[bytes], bytes | None]:
    return lambda found: MASK if len(found) >= size else None


def _url(found: bytes) -> bytes:
    """``scheme://user:`` stays."""
    head, _, rest = found.partition(b"://")
    return head + b"://" + rest.partition(b":")[0] + b":" + MASK + b"@"


def _assigned(found: bytes) -> bytes | None:
    parts = _ASSIGNED.fullmatch(found)
    if parts is None:
        return MASK
    head, value = parts[1], parts[2]
    bare = value.strip(b"\\\"'")
    if len(bare) < _SHORTEST or bare.lower() in _HARMLESS or bare[:1] in b"$<%*":
        return None
    if _is_word(value) and b":" in head[-4:]:
        return None
    if b"token" in head.lower() and bare.isdigit():
        return None  # a number of tokens
    return head + value[: len(value) - len(value.lstrip(b"\\\"'"))] + MASK


def _is_word(value: bytes) -> bool:
    """A word of a sentence (``password: expected``) rather than a value."""
    return value.rstrip(b".!?:").isalpha()


def _last_word(size: int) -> Callable[[bytes], bytes | None]:
    def replaced(found: bytes) -> bytes | None:
        parts = _OPTION.fullmatch(found)
        head, value = (parts[1], parts[2]) if parts else (b"", found)
        return head + MASK if len(value) >= size else None

    return replaced


SECRETS: tuple[Pattern, ...] = (
    Pattern("private-key", rb"-----BEGIN" + _KEY + rb"[^-]*(?:-----END" + _KEY + rb")?", _of_at_least(0)),
    Pattern("url-password", rb"""[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:[^\s/@"'<>]+@""", _url),
    Pattern(
        "authorization",
        rb"""(?i:authorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|digest|token|negotiate)?|\bbearer)"""
        rb"""[ \t]+[A-Za-z0-9+/=._~-]+""",
        _last_word(12),
    ),
    Pattern("assignment", _WORD + rb"\\*[\"']?[ \t]*(?:=>|[:=])[ \t]*" + _VALUE, _assigned),
    Pattern(
        "option",
        rb"(?i:--(?:password|passwd|pass|passphrase|token|secret|api-key)[ =]|\bsshpass[ \t]+-p ?)"
        rb"[^\s\"'-][^\s\"']+",
        _last_word(_SHORTEST),
    ),
    Pattern("jwt", rb"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", _of_at_least(36)),
    Pattern(
        "token",
        rb"\b(?:AKIA[0-9A-Z]+|gh[pousr]_[A-Za-z0-9]+|xox[abprs]-[A-Za-z0-9-]+|glpat-[A-Za-z0-9_-]+"
        rb"|AGE-SECRET-KEY-1[0-9A-Z]+|sk-[A-Za-z0-9]+)",
        _of_at_least(20),
    ),
    Pattern("password-hash", rb"\$(?:1|2[aby]|5|6|y|argon2id?)\$[A-Za-z0-9./$=,+]+", _of_at_least(24)),
)
_HEX = rb"[0-9A-Fa-f]+"
ADDRESSES = (
    rb"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]*[A-Za-z]",
    rb"\b" + rb":".join([_HEX] * 4) + rb":[0-9A-Fa-f:]*[0-9A-Fa-f]",
    rb"\b" + _HEX + rb"(?::" + _HEX + rb")*::[0-9A-Fa-f:]*[0-9A-Fa-f]",
    rb"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+",
)


@lru_cache(maxsize=1 << 16)
def address_kind(found: bytes) -> str | None:
    """``ipv4``, ``ipv6``, ``mac`` or ``mail``; None for what tells nothing about a site (or is none)."""
    if b"://" in found:
        return None
    if b"@" in found:
        return None if found.lower().endswith((b"example.invalid", b"example.com")) else "mail"
    if found.count(b":") == 5 and b"::" not in found and len(found) == 17:
        return "mac"
    if not any(48 <= byte <= 57 for byte in found):
        return None
    try:
        address = ipaddress.ip_address(found.decode("ascii"))
    except ValueError:
        return None
    harmless = address.is_loopback or address.is_unspecified or address.is_multicast
    harmless = harmless or found.startswith((b"255.", b"0.", b"198.18.", b"198.19.", b"2001:db8"))
    return None if harmless else f"ipv{address.version}"


def goes_on(text: bytes, start: int, stop: int) -> bool:
    """A part of something longer, or the number of a version."""
    before, after = text[max(start - 9, 0) : start].lower(), text[stop : stop + 2]
    if before[-1:].isalnum() or before[-1:] in (b".", b"_") or before.endswith((b"version ", b"version=")):
        return True
    return after[:1].isalpha() or after[:1] == b"_" or (after[:1] in (b".", b"-") and after[1:].isdigit())
