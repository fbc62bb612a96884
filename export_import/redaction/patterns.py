"""What looks like a secret or an address although nobody has stored it; patterns for RE2, of bytes."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import NamedTuple

MASK = b"******"
_WORD = rb"(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)"
_KEY = rb" [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_QUOTED = rb"""\\{0,3}["'][^"'\\\n]{1,1000}"""
_BARE = rb"""[^\s"'\\,;&<>(){}\[\]*]{3,1000}"""
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


class Pattern(NamedTuple):
    """A rule: what it finds (RE2), and what stands there afterwards (None: it was harmless)."""

    name: str
    finds: bytes
    replaced: Callable[[bytes], bytes | None]


def _whole(_: bytes) -> bytes:
    return MASK


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
    if bare.lower() in _HARMLESS or bare[:1] in b"$<%*" or (b":" in head[-4:] and _is_word(value)):
        return None
    if b"token" in head.lower() and bare.isdigit():
        return None  # a number of tokens
    return head + value[: len(value) - len(value.lstrip(b"\\\"'"))] + MASK


def _is_word(value: bytes) -> bool:
    """A word of a sentence (``password: expected``) rather than a value."""
    return value.rstrip(b".!?:").isalpha()


def _behind_blank(found: bytes) -> bytes:
    parts = _OPTION.fullmatch(found)
    return parts[1] + MASK if parts else MASK


_ASSIGNED = re.compile(rb"(?is)(.*?(?:=>|[:=])\s{0,3})(.*)")
_OPTION = re.compile(rb"(?is)(.*[\s=])(.*)")

SECRETS: tuple[Pattern, ...] = (
    Pattern(
        "private-key",
        rb"-----BEGIN" + _KEY + rb"[^-]*(?:-----END" + _KEY + rb")?",
        _whole,
    ),
    Pattern(
        "url-password", rb"""[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"'<>]{0,100}:[^\s/@"'<>]{1,200}@""", _url
    ),
    Pattern(
        "authorization",
        rb"""(?i:authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|digest|token|negotiate)?|\bbearer)"""
        rb""" {0,3}[A-Za-z0-9+/=._~-]{12,}""",
        lambda found: _behind_blank(found) if b" " in found else MASK,
    ),
    Pattern(
        "assignment",
        rb"(?i:" + _WORD + rb"s?)\\{0,3}[\"']?\s{0,3}(?:=>|[:=])\s{0,3}(?:" + _QUOTED + rb"|" + _BARE + rb")",
        _assigned,
    ),
    Pattern(
        "option",
        rb"(?i:--(?:password|passwd|pass|passphrase|token|secret|api-key)[ =]|\bsshpass\s{1,3}-p ?)"
        rb"[^\s\"'-][^\s\"']{2,200}",
        _behind_blank,
    ),
    Pattern("jwt", rb"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}", _whole),
    Pattern(
        "token",
        rb"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|xox[abprs]-[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{20,}"
        rb"|AGE-SECRET-KEY-1[0-9A-Z]{58}|sk-[A-Za-z0-9]{32,})",
        _whole,
    ),
    Pattern("password-hash", rb"\$(?:1|2[aby]|5|6|y|argon2id?)\$[A-Za-z0-9./$=,+]{20,}", _whole),
)

IPV4 = rb"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b"
IPV6 = rb"(?i:\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}\b|\b(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}\b)"
MAC = rb"(?i:\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b)"
MAIL = rb"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}\b"


def address_kind(found: bytes) -> str | None:
    """``ipv4``, ``ipv6``, ``mac`` or ``mail``; None for what tells nothing about a site (or is none)."""
    if b"@" in found:
        return None if found.lower().endswith((b"example.invalid", b"example.com")) else "mail"
    if found.count(b":") == 5 and b"::" not in found and len(found) == 17:
        return "mac"
    try:
        address = ipaddress.ip_address(found.decode("ascii"))
    except ValueError:
        return None
    harmless = address.is_loopback or address.is_unspecified or address.is_multicast or _is_mask(found)
    return (
        None
        if harmless or found.startswith((b"198.18.", b"198.19.", b"2001:db8"))
        else f"ipv{address.version}"
    )


def _is_mask(found: bytes) -> bool:
    """255.255.255.0 and the like, and what begins with 0."""
    return found.startswith((b"255.", b"0."))
