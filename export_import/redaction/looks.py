"""What is found by how it looks: secrets that nobody stored, names of hosts and users, addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from export_import.redaction.inventory import Inventory
from export_import.redaction.literals import options
from export_import.redaction.patterns import ADDRESSES, SECRETS, address_kind, goes_on
from export_import.redaction.windows import Span, replaced

_NUMBERS = frozenset({"ipv4", "ipv6"})


class Looks:
    """One automaton for all rules; ``renamed`` gives pseudonyms, ``counted`` hears of each rule that acts."""

    OVERLAP = 16 << 10  # bytes: the longest thing (a private key) that is found across windows for certain

    def __init__(
        self, names: Inventory, renamed: Callable[[str, str], str], counted: Callable[[str], None]
    ) -> None:
        import re2

        self._renamed = renamed
        self._counted = counted
        self._kinds = _kinds(names)
        self._rules = [(each, re2.compile(each.finds, options())) for each in SECRETS]
        known = _known(self._kinds)
        self._find = re2.compile(
            b"|".join((*(each.finds for each in SECRETS), *known, *ADDRESSES)), options()
        )
        self._names = re2.compile(b"|".join(known), options()) if known else None

    def __call__(self, text: bytes) -> Iterator[Span]:
        """What is to be replaced in ``text``, in order."""
        for match in self._find.finditer(text) if self._find.search(text) is not None else ():
            start, stop = match.span()
            new = self._new(text, start, stop)
            if new is not None:
                yield start, stop, new

    def _new(self, text: bytes, start: int, stop: int) -> bytes | None:
        found = text[start:stop]
        kind = self._kind(found)
        if kind is None and (kind := address_kind(found)) in _NUMBERS and goes_on(text, start, stop):
            return None
        if kind is not None:
            return self._pseudonym(kind, found)
        for rule, finds in self._rules:
            if finds.fullmatch(found):
                done = rule.replaced(found)
                if done is not None:
                    self._counted(rule.name)
                    return self._without_names(done)
        done = self._without_names(found)
        return None if done is found else done

    def _without_names(self, data: bytes) -> bytes:
        """What a rule left standing may still have a name in it."""
        return replaced(data, self._names_in) if self._names is not None else data

    def _names_in(self, text: bytes) -> Iterator[Span]:
        assert self._names is not None
        for match in self._names.finditer(text):
            start, stop = match.span()
            kind = self._kind(text[start:stop])
            if kind is not None:
                yield start, stop, self._pseudonym(kind, text[start:stop])

    def _kind(self, found: bytes) -> str | None:
        """Whether it is the name of a host, a domain (in any case) or a user (as it is written)."""
        exact, folded = self._kinds.get(found), self._kinds.get(found.lower())
        return exact or (folded if folded != "user" else None)

    def _pseudonym(self, kind: str, found: bytes) -> bytes:
        name = found if kind == "user" else found.lower()
        return self._renamed(kind, name.decode("utf-8", "replace")).encode()


def _kinds(names: Inventory) -> dict[bytes, str]:
    found = {each.encode(): "user" for each in names.users}
    found |= {each.encode(): "domain" for each in names.domains}
    return found | {each.encode(): "host" for each in names.hosts}


def _known(kinds: Mapping[bytes, str]) -> list[bytes]:
    """One pattern for the names in any case, one for those that are as they are."""
    import re2

    found: list[Any] = []
    for fold, users in ((b"(?i:", False), (b"(?:", True)):
        wanted = [name for name, kind in kinds.items() if (kind == "user") is users]
        if wanted:
            longest_first = sorted(wanted, key=lambda name: (-len(name), name))
            found.append(rb"\b" + fold + b"|".join(map(re2.escape, longest_first)) + rb")\b")
    return found
