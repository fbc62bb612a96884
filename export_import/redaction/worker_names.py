"""Which names of workers a site has, and where they are in what leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import re2

from engine.model.worker import LOCAL
from export_import.redaction.literals import options
from export_import.redaction.own_words import KEYS
from export_import.redaction.windows import Span, replaced

_SHORTEST = 3
_WORDS = KEYS | {"engine", "host", "job", "node", "server", "task", "worker", "workers"}
_FIELDS = frozenset({"worker", "workers", "names", "WORKER", "WORKERS"})
_BEFORE = (
    rb"(?:[\w.\])-]@|\bWORKERS(?:\[\\*[\"']|\.)|/workers/|\bworkers?:? \\*[\"']?|\bWORKER=[\"']?"
    rb"|\bruns? (?:it: |on ))"
)
_GOES_ON = rb"(?: \([^()\n]*\))?, "
_AFTER = rb" (?:is not reached|still runs this job)"
_LIST = "workers: "


@dataclass(frozen=True, slots=True)
class WorkerNames:
    """``anywhere``: names that mean a worker wherever they are. ``short``: only as a whole value, or where
    something says so; ``shared``: only there, for definitions, or everybody, use the same word for other
    things. ``longer``: ids and hosts, in which such a name may be a part.
    """

    anywhere: frozenset[str] = frozenset()
    short: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    longer: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str], ids: Set[str], common: Set[str], hosts: Set[str]) -> WorkerNames:
        """``ids``, ``common`` words and ``hosts`` in small letters; this machine has no name of its own."""
        own = {name for name in names if name not in ("", LOCAL)}
        shared = {name for name in own if name.casefold() in ids | common | _WORDS}
        short = {name for name in own - shared if len(name) < _SHORTEST}
        return cls(
            frozenset(own - shared - short), frozenset(short), frozenset(shared), frozenset(ids | hosts)
        )

    @property
    def all(self) -> frozenset[str]:
        return self.anywhere | self.short | self.shared


class WorkerPlaces:
    """A finder of names of workers in texts, and what knows them in trees; ``renamed`` gives pseudonyms."""

    def __init__(self, names: WorkerNames, renamed: Callable[[str], str]) -> None:
        self._names = names
        self._renamed = renamed
        self._quoted = [f'"{each}"'.encode() for each in names.short | names.shared]
        every = _one_of(names.all)
        vague = _one_of(names.short | names.shared)
        self._next = re2.compile(_GOES_ON + b"(" + every + b")", _captures())
        patterns = [rb"\b(" + _one_of(names.anywhere) + rb")\b"] if names.anywhere else []
        if names.short | names.shared:
            patterns += [_BEFORE + b"(" + vague + rb")\b", rb"\b(" + vague + b")" + _AFTER]
        self._finds = re2.compile(b"|".join(patterns) or b"[^\\x00-\\xff]", _captures())

    def __bool__(self) -> bool:
        return bool(self._names.all)

    def __call__(self, text: bytes) -> Iterator[Span]:
        """What is to be replaced in ``text``, in order."""
        position = 0
        while (match := self._finds.search(text, position)) is not None:
            start, stop = next(match.span(n) for n in range(1, 4) if match.group(n) is not None)
            position = max(stop, match.start() + 1)
            while True:
                if self._is_whole(text, start, stop):
                    yield start, stop, self._renamed(text[start:stop].decode()).encode()
                following = self._next.match(text, stop)
                if following is None:
                    break
                start, stop = following.span(1)
                position = stop

    def is_hidden(self, data: bytes) -> bool:
        """Whether something may be in it that only its place in a tree tells."""
        return any(each in data for each in self._quoted)

    def value(self, text: str, field: str) -> str | None:
        """The text with pseudonyms where all of it is one name, or a list of names; None where it is none."""
        known = self._names.all if is_of_workers(field) else self._names.anywhere | self._names.short
        if text in known:
            return self._renamed(text)
        done = replaced((_LIST + text).encode(), self).decode() if is_of_workers(field) else _LIST + text
        return None if done == _LIST + text else done.removeprefix(_LIST)

    def key(self, key: str, field: str) -> str | None:
        """The same of a key in the map below ``field``."""
        return self._renamed(key) if field.endswith("WORKERS") and key in self._names.all else None

    def _is_whole(self, text: bytes, start: int, stop: int) -> bool:
        """Not a part of an id or of the name of a host."""
        begin, end = start, stop
        while begin and _is_of_a_name(text[begin - 1]):
            begin -= 1
        while end < len(text) and _is_of_a_name(text[end]):
            end += 1
        longer = text[begin:end].strip(b".-")
        return longer == text[start:stop] or longer.lower().decode() not in self._names.longer


def is_of_workers(field: str) -> bool:
    """Whether what is under a key, or at a path of a context, names workers."""
    return field in _FIELDS or field.endswith((".WORKER", ".WORKERS"))


def field_of(tree: Mapping[str, Any], key: str, field: str) -> str:
    """The field that the value of ``key`` is of: of a context line its path, of a list of workers that."""
    if key == "name" and field == "workers":
        return field
    path = tree.get("path")
    return path if key in ("old", "new") and isinstance(path, str) and is_of_workers(path) else key


def _one_of(names: Iterable[str]) -> bytes:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return b"|".join(re2.escape(name.encode()) for name in longest_first) or b"[^\\x00-\\xff]"


def _captures() -> Any:
    settings = options()
    settings.never_capture = False
    return settings


def _is_of_a_name(byte: int) -> bool:
    return byte < 128 and (chr(byte).isalnum() or byte in b"._-")
