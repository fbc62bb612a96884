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
from typing import Any

from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.errors import Refused
from export_import.container import Bundle, open_bundle
from export_import.keys import Keys
from export_import.wanted import Cancelled

_SHORTEST = 4  # characters of a secret that is looked for within longer text
_ENCODED = 6  # bytes of an encoding; shorter ones stand anywhere by chance


def second_look(part: Path, keys: Keys, secrets: Iterable[str], clock: Clock, cancelled: Cancelled) -> None:
    """Refused when a secret is found in the bundle, or when the bundle cannot be read back whole."""
    bundle = open_bundle([part], keys, clock=clock, must_be_trusted=True)
    find, longest = _finder(secrets)
    for name in bundle.entries:
        if cancelled():
            raise Refused(codes.CANCELLED, "the export was cancelled")
        _look_through(bundle, name, find, longest)
    told = json.dumps(
        [dict(bundle.facts), [[e.name, e.facts] for e in bundle.entries.values()]], ensure_ascii=False
    )
    omitted = json.dumps([[each.name, each.reason] for each in bundle.omitted], ensure_ascii=False)
    if find is not None and (find.search(told.encode()) or find.search(omitted.encode())):
        raise Refused(codes.SECRET_FOUND, "a secret stands in the manifest", where="manifest")


def _look_through(bundle: Bundle, name: str, find: Any, longest: int) -> None:
    tail, lines = b"", 1
    for piece in bundle.chunks(name):  # reads and verifies, also when nothing is looked for
        text = tail + piece
        if find is not None and (match := find.search(text)) is not None:
            line = lines + text.count(b"\n", 0, match.start())
            raise Refused(
                codes.SECRET_FOUND, f"{name} line {line} holds a stored secret", where=f"{name}:{line}"
            )
        kept = len(text) - longest if longest < len(text) else 0
        lines += text.count(b"\n", 0, kept)
        tail = text[kept:]


def _finder(secrets: Iterable[str]) -> tuple[Any, int]:
    import re2

    forms = {form for each in secrets if len(each) >= _SHORTEST for form in encodings(each)}
    if not forms:
        return None, 0
    options = re2.Options()
    options.max_mem = 64 << 20
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1
    wanted = b"|".join(re2.escape(each) for each in sorted(forms))
    return re2.compile(wanted, options), max(map(len, forms))


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
