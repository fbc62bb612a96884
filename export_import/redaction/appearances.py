"""What is found by how it looks: secrets that are not in the store, names of hosts and users, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import re2

from export_import.redaction.addresses import ADDRESSES, address_kind, goes_on
from export_import.redaction.inventory import Inventory
from export_import.redaction.literals import RULES_MEMORY, options
from export_import.redaction.mentions import MENTIONED
from export_import.redaction.rule import MASK, Candidate, Range
from export_import.redaction.secret_names import SecretNames
from export_import.redaction.secret_rules import secret_rules
from export_import.redaction.tables import HEADER, cells, head_before
from export_import.redaction.windows import Span

_NUMBERS = frozenset({"ipv4", "ipv6"})
_SHORT = 6  # bytes of a find
_NEAR = 2 << 10  # bytes before a cut that are read again, and up to _FAR for whole lines: a name is that near
_FAR = 64 << 10
_AGAIN = 512  # bytes at the end of a harmless find that are looked at again
_WORD = re.compile(rb"\W|\w+")
_TABLE = 0  # the number of what finds heads of tables; the rules follow it


class Looks:
    """One automaton for all rules; ``renamed`` gives pseudonyms, ``counted`` hears of each rule that acts."""

    OVERLAP = 16 << 10  # bytes: the longest thing (a private key) that is found across windows for certain

    def __init__(
        self,
        names: Inventory,
        secret_names: SecretNames,
        renamed: Callable[[str, str], str],
        counted: Callable[[str], None],
    ) -> None:
        self._renamed = renamed
        self._counted = counted
        self._secret_names = secret_names
        self._kinds = _kinds(names)
        rules = secret_rules(secret_names.further)
        self._rules = rules
        self._which = _which((HEADER, *(each.finds for each in rules)))
        self._beginning = _set(re2.Set.MatchSet, (each.finds for each in rules))
        self._each = [re2.compile(each.finds, options()) for each in rules]
        secret, known = [each.finds for each in rules], _known(self._kinds)
        self._heads = re2.compile(HEADER, options())
        self._secrets = _both(secret)
        self._all = _both((*secret, *known, *ADDRESSES))
        further = (b"(?i:" + re2.escape(each.encode()) + b")" for each in secret_names.further)
        self._mentioned = re2.compile(b"|".join((MENTIONED, *further)), options())
        self._names = re2.compile(b"|".join((*known, *ADDRESSES)), options())

    def __call__(self, text: bytes) -> Iterator[Span]:
        """What is to be replaced in ``text``, in order."""
        return self._spans_in(self._all, text)

    def mentioned(self, text: bytes) -> bool:
        """Whether a name of a secret may be in it."""
        return self._mentioned.search(text) is not None

    def secrets(self, text: bytes) -> Iterator[Span]:
        """The same without names and addresses."""
        return self._spans_in(self._secrets, text, False)

    def before(self, text: bytes, end: int) -> bytes:
        """What is read again before what follows ``end``: the last lines, and the heads of their columns."""
        line = text.rfind(b"\n", max(end - _FAR, 0), max(end - _NEAR, 0)) + 1
        near = text[line or max(end - _NEAR, 0) : end]
        starts, position = [], 0
        while (match := self._heads.search(text, position, end)) is not None:
            starts.append(match.start())
            position = max(match.end(), match.start() + 1)
        return head_before(text, starts, end, self._secret_names) + near

    def _spans_in(
        self, automata: tuple[Any, Any], text: bytes, rename: bool = True, start: int = 0, limit: int = -1
    ) -> Iterator[Span]:
        position = done = start
        limit = len(text) if limit < 0 else limit
        while (match := automata[0].search(text, position, limit)) is not None:
            start, stop = match.span()
            which = self._which(text[start:stop])
            if _TABLE in which and automata[0] is not automata[1]:
                for span in self._table(automata[1], text, match.span(), done, rename):
                    yield span
                    position = done = span[1]
                if position > stop:
                    continue
                line = min(max(text.find(b"\n", stop), stop), limit)
                other = automata[1].search(text, start, line)  # no table: what else is there?
                if other is None or other.start() >= stop:
                    position = max(stop - 1, start + 1)
                    continue
                match = automata[1].search(text, other.start(), limit)
                start, stop = match.span()
                which = self._which(text[start:stop])
            reached = done
            for begin, end, rule in self._secrets_at(text, start, min(stop, limit), which, limit):
                if begin >= limit:
                    continue
                if rename:
                    yield from self._renames(text, max(start, done), begin)
                self._counted(rule)
                yield begin, min(end, limit), MASK
                start = done = end
            if which and done == reached:  # harmless, but something else may begin in it
                position = _next_word(text, match.start(), stop)
                for span in self._renames(text, max(start, done), stop, position) if rename else ():
                    yield span
                    position = max(position, span[1])
                done = max(done, position)
                continue
            if rename:
                yield from self._renames(text, max(start, done), stop)
            # A mark behind a name may be before the next; what begins like a short option may be a long one.
            position = max(
                match.start() + 2 if stop - match.start() < _SHORT else stop - 1, match.start() + 1, done
            )
            done = max(done, stop - 1)

    def _table(self, automaton: Any, text: bytes, heads: Range, done: int, rename: bool) -> Iterator[Span]:
        """The secret cells below ``heads``, and what else is in their rows; nothing where no such cell is."""
        position = text.find(b"\n", heads[1])
        for number, (begin, end) in enumerate(cells(text, heads[0], self._secret_names)):
            position = position if number else min(position, begin) if position >= 0 else begin
            if not number and rename:
                yield from self._renames(text, max(heads[0], done), position)
            yield from self._spans_in((automaton, automaton), text, rename, position, begin)
            self._counted("column")
            yield begin, end, MASK
            position = end

    def _secrets_at(
        self, text: bytes, start: int, stop: int, which: Sequence[int], limit: int
    ) -> list[tuple[int, int, str]]:
        """The secret there with the name of the rule that found it."""
        numbers = [number - 1 for number in which if number != _TABLE]
        for number, end in chain(
            ((each, stop) for each in numbers), self._others(text, start, limit, numbers)
        ):
            rule = self._rules[number]
            secret: Range | None = rule.locate(Candidate(text, start, end, self._secret_names))
            if secret is not None and secret[0] < secret[1] and text[secret[0] : secret[1]] != MASK:
                return [(*secret, rule.name)]
        return []

    def _others(self, text: bytes, start: int, limit: int, known: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The other rules that find something from the same byte on, which the automaton did not name.

        Sentences are none of them: what is no value behind ``name:`` is none behind the words of a sentence.
        """
        if not known:
            return
        for number in sorted(self._beginning.Match(text[start : min(start + _AGAIN, limit)]) or ()):
            if number in known or self._rules[number].name == "sentence":
                continue
            if (match := self._each[number].match(text, start, limit)) is not None:
                yield number, match.end()

    def _renames(self, text: bytes, start: int, stop: int, before: int | None = None) -> Iterator[Span]:
        """Names and addresses between two places; with ``before`` those that begin before it."""
        while start < stop and (match := self._names.search(text, start, stop)) is not None:
            begin, start = match.span()
            if before is not None and begin >= before:
                return
            new = self._pseudonym_of(text, begin, start)
            if new is not None:
                yield begin, start, new
            start = max(start, begin + 1)

    def _pseudonym_of(self, text: bytes, start: int, stop: int) -> bytes | None:
        name = text[start:stop]
        kind = self._kind(name)
        if kind is None and (kind := address_kind(name)) in _NUMBERS and goes_on(text, start, stop):
            return None
        return None if kind is None else self._pseudonym(kind, name)

    def _kind(self, name: bytes) -> str | None:
        """Whether it is the name of a host, a domain (in any case) or a user (as it is written)."""
        exact, folded = self._kinds.get(name), self._kinds.get(name.lower())
        return exact or (folded if folded != "user" else None)

    def _pseudonym(self, kind: str, text: bytes) -> bytes:
        name = text if kind == "user" else text.lower()
        return self._renamed(kind, name.decode("utf-8", "replace")).encode()


def _next_word(text: bytes, start: int, stop: int) -> int:
    """Where the first word ends of what is between two places; near the end of what is very long."""
    word = _WORD.match(text, start, stop)
    return max(word.end() if word else start, start + 1, stop - _AGAIN)


def _which(patterns: Iterable[bytes]) -> Callable[[bytes], list[int]]:
    """Gives the numbers of the patterns that a whole text fits."""
    every = _set(re2.Set.FullMatchSet, patterns)
    return lru_cache(maxsize=1 << 12)(lambda text: sorted(every.Match(text) or ()))


def _set(made: Callable[[Any], Any], patterns: Iterable[bytes]) -> Any:
    every = made(options())
    for each in patterns:
        every.Add(each)
    every.Compile()
    return every


def _both(patterns: Iterable[bytes]) -> tuple[Any, Any]:
    """One automaton with the heads of tables, one without."""
    rules, large = tuple(patterns), options(memory=RULES_MEMORY)
    with_heads = re2.compile(b"|".join((HEADER, *rules)), large)
    return with_heads, re2.compile(b"|".join(rules) or b"[^\\x00-\\xff]", large)


def _kinds(names: Inventory) -> dict[bytes, str]:
    kinds = {each.encode(): "user" for each in names.users}
    kinds |= {each.encode(): "domain" for each in names.domains}
    return kinds | {each.encode(): "host" for each in names.hosts}


def _known(kinds: Mapping[bytes, str]) -> list[bytes]:
    """One pattern for the names in any case, one for those that are as they are."""
    patterns: list[Any] = []
    for fold, users in ((b"(?i:", False), (b"(?:", True)):
        known = [name for name, kind in kinds.items() if (kind == "user") is users]
        if known:
            longest_first = sorted(known, key=lambda name: (-len(name), name))
            patterns.append(rb"\b" + fold + b"|".join(map(re2.escape, longest_first)) + rb")\b")
    return patterns
