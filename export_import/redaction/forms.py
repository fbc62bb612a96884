"""Every way in which a secret may be written down: the engine's own list, and what bundles add to it."""

from __future__ import annotations

import html
import json
from base64 import b32encode
from collections.abc import Iterable, Iterator

from engine.secrets.mask_stream import SHORTEST, literals


def forms_of(secrets: Iterable[str]) -> frozenset[bytes]:
    """The byte strings that stand for one of these texts; texts of fewer than four characters have none."""
    wanted = {text for each in secrets for text in (each, each.strip()) if len(text) >= SHORTEST}
    found = set(literals(wanted, dumps=False))  # thousands of forms cost an export its speed
    for text in wanted:
        found.update(_more(text))
    return frozenset(found)


def _more(text: str) -> Iterator[bytes]:
    raw = text.encode("utf-8", "surrogatepass")
    yield from (text.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be"))
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")  # as in a path of the context, or Python's repr
    for form in (quoted, json.dumps(quoted, ensure_ascii=False)[1:-1], json.dumps(quoted)[1:-1]):
        yield form.encode("utf-8", "surrogatepass")
    escaped = html.escape(text)
    for form in (escaped, html.escape(text, quote=False), escaped.replace("&#x27;", "&#39;")):
        yield form.encode("utf-8", "surrogatepass")
        yield form.replace("&#x27;", "&apos;").encode("utf-8", "surrogatepass")
    for case in ("x", "X"):
        digits = [format(byte, f"02{case}") for byte in raw]
        yield from (glue.join(digits).encode() for glue in (" ", ":", "-"))
        yield "".join(f"\\x{each}" for each in digits).encode()
        yield "".join(f"%{each}" for each in digits).encode()
        yield "".join(f"\\u{ord(each):04{case}}" for each in text).encode()
    yield "".join(f"\\{byte:03o}" for byte in raw).encode()
    yield b32encode(raw).rstrip(b"=")
