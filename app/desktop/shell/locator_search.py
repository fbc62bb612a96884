"""What the locator finds: entries of several kinds, ranked by how well they fit; no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.desktop.kernel.console import Target
from app.desktop.shell.other_words import wordings

PREFIXES = {">": frozenset({"command"}), "#": frozenset({"instance"}), "!": frozenset({"code"}),
            "@": frozenset({"task", "job", "node", "resource", "calendar"})}  # fmt: skip
ICONS = {"command": "keyboard", "instance": "instance", "code": "mode-codes", "task": "task", "job": "job",
         "node": "graph", "resource": "resource", "calendar": "calendar", "rule": "rule"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LocatorEntry:
    """One thing that can be found: its ``name`` (an id, a number, a command), a line about it, its place."""

    kind: str
    name: str
    about: str = ""
    target: Target | None = None
    command: str | None = None  # the id of an action
    refused: bool = False  # it cannot be done now: ``about`` says why


def find(entries: Iterable[LocatorEntry], query: str, limit: int = 30) -> list[LocatorEntry]:
    """The entries that fit, the best first; a prefix (``> # @ !``) keeps one kind."""
    kinds, words = parse(query)
    ranked = [
        (rank, place, entry)
        for place, entry in enumerate(entries)
        if (not kinds or entry.kind in kinds) and (rank := fit(entry, words)) is not None
    ]
    ranked += [(0, -1, entry) for entry in _by_number(kinds, words)]
    best: dict[LocatorEntry, None] = dict.fromkeys(
        entry for _, _, entry in sorted(ranked, key=lambda r: r[:2])
    )
    return list(best)[:limit]


def parse(query: str) -> tuple[frozenset[str], list[str]]:
    """The kinds that are wanted (empty: all) and the words, in lower case.

    >>> parse("@Nightly load")[1]
    ['nightly', 'load']
    """
    text = query.strip()
    kinds = PREFIXES.get(text[:1], frozenset())
    return kinds, (text[1:] if kinds else text).casefold().split()


def fit(entry: LocatorEntry, words: list[str]) -> int | None:
    """How well all words fit, 0 best; None when one of them does not."""
    worst = 3 if entry.refused else 0
    for word in words:
        ranks = [rank for each in wordings(word) if (rank := _fit(entry, each)) is not None]
        if not ranks:
            return None
        worst = max(worst, min(ranks))
    return worst


def _fit(entry: LocatorEntry, word: str) -> int | None:
    name, about = entry.name.casefold(), entry.about.casefold()
    if name == word:
        return 0
    if name.startswith(word):
        return 1
    if any(part.startswith(word) for part in about.split()):
        return 2
    if word in name:
        return 3
    return 4 if word in about else 5 if _scattered(word, name) else None


def _scattered(word: str, name: str) -> bool:
    """Whether the name has its letters in their order."""
    rest = iter(name)
    return len(word) > 2 and all(letter in rest for letter in word)


def _by_number(kinds: frozenset[str], words: list[str]) -> Iterable[LocatorEntry]:
    """A number is an instance, also one that is not in the list."""
    if len(words) == 1 and words[0].isascii() and words[0].isdigit() and (not kinds or "instance" in kinds):
        yield LocatorEntry("instance", words[0], "", Target("instance", words[0]))
