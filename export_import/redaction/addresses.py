"""What looks like the address of a host or a person; RE2, of bytes, without counted repetitions."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

_HEX = rb"[0-9A-Fa-f]+"
ADDRESSES = (
    rb"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]*[A-Za-z]",
    rb"\b" + rb":".join([_HEX] * 4) + rb":[0-9A-Fa-f:]*[0-9A-Fa-f]",
    rb"\b" + _HEX + rb"(?::" + _HEX + rb")*::[0-9A-Fa-f:]*[0-9A-Fa-f]",
    rb"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+",
)


@lru_cache(maxsize=1 << 16)
def address_kind(text: bytes) -> str | None:
    """``ipv4``, ``ipv6``, ``mac`` or ``mail``; None for what says nothing about a site (or is none)."""
    if b"://" in text:
        return None
    if b"@" in text:
        return None if text.lower().endswith((b"example.invalid", b"example.com")) else "mail"
    if text.count(b":") == 5 and b"::" not in text and len(text) == 17:
        return "mac"
    if not any(48 <= byte <= 57 for byte in text):
        return None
    try:
        address = ipaddress.ip_address(text.decode("ascii"))
    except ValueError:
        return None
    harmless = address.is_loopback or address.is_unspecified or address.is_multicast
    harmless = harmless or text.startswith((b"255.", b"0.", b"198.18.", b"198.19.", b"2001:db8"))
    return None if harmless else f"ipv{address.version}"


def goes_on(text: bytes, start: int, stop: int) -> bool:
    """A part of something longer, or the number of a version."""
    before, after = text[max(start - 9, 0) : start].lower(), text[stop : stop + 2]
    if before[-1:].isalnum() or before[-1:] in (b".", b"_") or before.endswith((b"version ", b"version=")):
        return True
    return after[:1].isalpha() or after[:1] == b"_" or (after[:1] in (b".", b"-") and after[1:].isdigit())
