"""Names that stand for hosts, workers, addresses and users: the same for the same, in every bundle of a site.

The map stays at the site (``keys/pseudonyms.json``), which can so translate a supporter's answer back.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import re
from pathlib import Path

from engine.execution.files import replace
from engine.model.codes import bundles as codes
from engine.model.errors import SkerryError
from export_import.keys import Keys

_FILE = "pseudonyms.json"
_NAMED = ("host-", "domain-", "worker-")
_BENCHMARK = int(ipaddress.IPv4Address("198.18.0.0"))  # RFC 2544: no real host has such an address
_DOCUMENTATION = int(ipaddress.IPv6Address("2001:db8::"))  # RFC 3849


class Pseudonyms:
    """The map of one site; ``save`` makes new entries last."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._secret = keys.site_secret
        self._by_name: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}
        for shown, (kind, name) in _loaded(keys.folder / _FILE).items():
            self._by_name[kind, name] = shown
            self._names[shown] = name
        self._saved = len(self._names)

    def of(self, kind: str, name: str) -> str:
        """The pseudonym of a host, domain, user, worker, mail, ipv4, ipv6 or mac (``kind``)."""
        known = self._by_name.get((kind, name))
        if known is None:
            known = self._by_name[kind, name] = self._fresh(kind, name)
            self._names[known] = name
        return known

    def translate(self, text: str) -> str:
        """``text`` with the real names instead of pseudonyms."""
        if not self._names:
            return text
        longest_first = sorted(self._names, key=len, reverse=True)
        pattern = "|".join(map(_whole, longest_first))
        return re.sub(pattern, lambda match: self._names[match[0]], text)

    def save(self) -> None:
        """Write the map; 0600, as a whole."""
        if len(self._names) == self._saved:
            return
        payload = {shown: [kind, name] for (kind, name), shown in self._by_name.items()}
        try:
            replace(
                str(self._keys.folder / _FILE), json.dumps(payload, ensure_ascii=False, indent=0).encode()
            )
        except OSError as error:
            message = "{where}: {error}"
            raise SkerryError.at(codes.KEYS_DAMAGED, message, _FILE, error=error.strerror) from error
        self._saved = len(self._names)

    def _fresh(self, kind: str, name: str) -> str:
        """From the site's secret, so that it says nothing; another one where two would be alike."""
        for again in range(1 << 20):
            digest = hmac.digest(
                self._secret, f"{kind}\0{again}\0{name}".encode("utf-8", "replace"), "sha256"
            )
            shown = _shaped(kind, digest)
            if shown not in self._names:
                return shown
        raise AssertionError("no name is left")


def _whole(shown: str) -> str:
    """A pattern for one; a name may be a part of a longer one (``host-2f81aa-data``), an address is none."""
    if shown.startswith(_NAMED):
        return rf"(?<!\w){re.escape(shown)}(?!\w)"
    return rf"(?<![\w.-]){re.escape(shown)}(?![\w-])"


def _shaped(kind: str, digest: bytes) -> str:
    """An address stays one that programs can read."""
    number = int.from_bytes(digest[:8], "big")
    if kind == "ipv4":
        return str(ipaddress.IPv4Address(_BENCHMARK + number % (1 << 17)))
    if kind == "ipv6":
        return str(ipaddress.IPv6Address(_DOCUMENTATION + number % (1 << 64)))
    if kind == "mac":
        return ":".join(("02", *(f"{byte:02x}" for byte in digest[:5])))
    return f"user-{digest.hex()[:6]}@example.invalid" if kind == "mail" else f"{kind}-{digest.hex()[:6]}"


def _loaded(path: Path) -> dict[str, list[str]]:
    try:
        entries = json.loads(path.read_bytes()) if path.exists() else {}
        return {str(shown): [str(kind), str(name)] for shown, (kind, name) in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where} cannot be read", path) from error
