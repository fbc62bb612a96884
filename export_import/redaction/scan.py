"""The second look: the finished bundle is read back and searched for every stored secret, independently.

Nothing of the redactor is used here: the encodings are derived anew, from the standard library alone, and
what is searched is what a receiver would unpack. Any find means that there is no bundle.
"""

from __future__ import annotations

import base64
import html
import json
import shlex
import urllib.parse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.errors import Refused, SkerryError
from export_import.container import Bundle, open_bundle
from export_import.keys import Keys
from export_import.wanted import Cancelled

_SHORTEST = 4  # characters of a secret that is looked for within longer text
_ENCODED = 6  # bytes of an encoding; shorter ones stand anywhere by chance
_END = 7  # bytes of an encoding that are looked for first
_NEWLINE = b"\n"
_QUOTED = str.maketrans({"'": "\\'", "\\": "\\\\"})  # as paths of a context have it


def second_look(part: Path, keys: Keys, secrets: Iterable[str], clock: Clock, cancelled: Cancelled) -> None:
    """Refused when a secret is found in the bundle, or when the bundle cannot be read back whole."""
    bundle = open_bundle([part], keys, clock=clock, must_be_trusted=True)
    eye = Eye(secrets)
    for name in _suspects(bundle, eye):
        if cancelled():
            raise Refused(codes.CANCELLED, "the export was cancelled")
        if name is not None:
            _look_through(bundle, name, eye)
    if eye.sees(_manifest(bundle)) is not None:
        raise Refused(codes.SECRET_FOUND, "a secret stands in the manifest", where="manifest")


def _suspects(bundle: Bundle, eye: Eye) -> Iterator[str | None]:
    """For each object the name of its file if a secret is there or across its beginning; else None.

    Everything is read and verified, also when nothing is looked for.
    """
    last, tail = "", b""
    for name, found in bundle.stretches(eye.glance):
        if isinstance(found, SkerryError):
            raise found
        if name != last:
            last, tail = name, b""
        across = bool(tail) and eye.sees(tail + found.head) is not None
        yield name if found.seen or across else None
        tail = (tail + found.tail)[-eye.longest :] if eye.longest else b""


def _look_through(bundle: Bundle, name: str, eye: Eye) -> None:
    """Refused with the line where the secret is."""
    tail, lines = b"", 1
    for piece in bundle.chunks(name):
        text = tail + piece
        place = eye.sees(text)
        if place is not None:
            where = f"{name}:{lines + text.count(_NEWLINE, 0, place)}"
            raise Refused(codes.SECRET_FOUND, f"{where} holds a stored secret", where=where)
        kept = max(len(text) - eye.longest, 0)
        lines += text.count(_NEWLINE, 0, kept)
        tail = text[kept:]


def _manifest(bundle: Bundle) -> bytes:
    """Everything that the manifest says in words."""
    files = [[each.name, each.facts] for each in bundle.entries.values()]
    omitted = [[each.name, each.reason] for each in bundle.omitted]
    return json.dumps([dict(bundle.facts), files, omitted], ensure_ascii=False).encode()


class Glance(NamedTuple):
    """Whether a secret is in an object, and the ends of the object, across which another may be."""

    seen: bool
    head: bytes
    tail: bytes


class Eye:
    """Looks for the ends of all encodings at once, then whether what stands before an end fits it."""

    def __init__(self, secrets: Iterable[str]) -> None:
        import re2

        forms = {form for each in secrets if len(each) >= _SHORTEST for form in encodings(each)}
        self.longest = max(map(len, forms), default=0)
        self._by_end: dict[bytes, list[bytes]] = {}
        for form in forms:
            self._by_end.setdefault(form[-_END:], []).append(form)
        options = re2.Options()
        options.max_mem = max(12 << 20, 2400 * len(self._by_end))  # with less the automaton gives up
        options.log_errors = False
        options.never_capture = True
        options.encoding = re2.Options.Encoding.LATIN1
        pattern = b"|".join(re2.escape(each) for each in sorted(self._by_end))
        self._find = re2.compile(pattern, options) if pattern else None

    def glance(self, text: bytes) -> Glance:
        """What there is to see in one object of a file."""
        ends = self.longest
        return Glance(self.sees(text) is not None, text[:ends], text[-ends:] if ends else b"")

    def sees(self, text: bytes) -> int | None:
        """Where the first secret begins; None when there is none."""
        place = 0
        while self._find is not None and (match := self._find.search(text, place)) is not None:
            found = self._begin(text, match.start())
            if found is not None:
                return found
            place = match.start() + 1
        return None

    def _begin(self, text: bytes, end: int) -> int | None:
        """Where an encoding begins whose end begins at ``end``."""
        for length in range(1, _END + 1):
            stop = end + length
            for form in self._by_end.get(text[end:stop], ()):
                if text.endswith(form, 0, stop):
                    return stop - len(form)
        return None


def encodings(secret: str) -> Iterator[bytes]:
    """The secret as it is, and as URLs, JSON, shells, HTML, hexadecimal and base64 would have it."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield raw
    text = raw.decode("utf-8", "replace")
    texts = {
        urllib.parse.quote(raw, safe=""),
        urllib.parse.quote_plus(raw),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(text)[1:-1])[1:-1],
        text.translate(_QUOTED),
        json.dumps(text.translate(_QUOTED), ensure_ascii=False)[1:-1],
        shlex.quote(text).strip("'"),
        html.escape(text),
        raw.hex(),
        raw.hex().upper(),
        base64.b32encode(raw).decode().rstrip("="),
    }
    yield from (each.encode() for each in texts if len(each) >= _ENCODED)
    yield from _base64(raw)


def _base64(raw: bytes) -> Iterator[bytes]:
    """What base64 makes of it at each of three places within a longer text."""
    for before in range(3):
        for coded in (base64.b64encode(bytes(before) + raw), base64.urlsafe_b64encode(bytes(before) + raw)):
            bits = 8 * before
            first, last = -(-bits // 6), (bits + 8 * len(raw)) // 6
            if last - first >= _ENCODED:
                yield coded[first:last]
