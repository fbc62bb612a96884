"""The ways to write a secret down in one piece that are looked for in every byte of a bundle."""

from __future__ import annotations

import json
from base64 import b32encode
from collections.abc import Iterable, Iterator

from engine.secrets.spellings import SHORTEST, base64, spellings, wide_base64


def forms_of(secrets: Iterable[str]) -> frozenset[bytes]:
    """The byte strings that stand for one of these texts; texts of fewer than four characters have none.

    Fewer than are masked in live output: thousands of forms cost an export its speed.
    """
    wanted = {text for each in secrets for text in (each, each.strip()) if len(text) >= SHORTEST}
    found = {form for text in wanted for form in _encoded(text) if len(form) >= SHORTEST}
    return frozenset(found.union(spellings(wanted).plain))


def _encoded(text: str) -> Iterator[bytes]:
    raw = text.encode("utf-8", "surrogatepass")
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")  # as in a path of the context, or Python's repr
    for form in (quoted, json.dumps(quoted, ensure_ascii=False)[1:-1], json.dumps(quoted)[1:-1]):
        yield form.encode("utf-8", "surrogatepass")
    for case in ("%02x", "%02X"):
        digits = [case % byte for byte in raw]
        yield from (glue.join(digits).encode() for glue in ("", " ", ":", "-", "\\x", "%"))
    yield from base64(raw)
    yield from wide_base64(text)
    yield b32encode(raw).rstrip(b"=")
