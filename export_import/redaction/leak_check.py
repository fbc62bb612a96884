"""The check for leaks: a finished bundle is read back and searched for every stored secret, independently.

Nothing of the redactor is used (see ``leak_scanner``), and what is searched is what a receiver would unpack.
Any find means that there is no bundle.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.errors import Refused, SkerryError
from export_import.container import Bundle, open_bundle
from export_import.export_request import Cancelled
from export_import.keys import Keys
from export_import.redaction.leak_scanner import LeakScanner

_NEWLINE = b"\n"


def check_for_leaks(
    part: Path, keys: Keys, secrets: Iterable[str], clock: Clock, cancelled: Cancelled
) -> None:
    """Refused when a secret is found in the bundle, or when the bundle cannot be read back whole."""
    bundle = open_bundle([part], keys, clock=clock, must_be_trusted=True)
    scanner = LeakScanner(secrets)
    for name in _suspects(bundle, scanner):
        if cancelled():
            raise Refused(codes.CANCELLED, "the export was cancelled")
        if name is not None:
            _look_through(bundle, name, scanner)
    if scanner.first_leak(_manifest(bundle)) is not None:
        raise Refused(codes.SECRET_FOUND, "a secret is in the manifest", where="manifest")


def _suspects(bundle: Bundle, scanner: LeakScanner) -> Iterator[str | None]:
    """For each object the name of its file if a secret is there or across its beginning; else None.

    Everything is read and verified, also when there is no secret.
    """
    last, tail = "", b""
    for name, result in bundle.stretches(scanner.scan):
        if isinstance(result, SkerryError):
            raise result
        if name != last:
            last, tail = name, b""
        across = bool(tail) and scanner.first_leak(tail + result.head) is not None
        yield name if result.seen or across else None
        tail = (tail + result.tail)[-scanner.longest :] if scanner.longest else b""


def _look_through(bundle: Bundle, name: str, scanner: LeakScanner) -> None:
    """Refused with the line where the secret is."""
    tail, lines = b"", 1
    for piece in bundle.chunks(name):
        text = tail + piece
        position = scanner.first_leak(text)
        if position is not None:
            where = f"{name}:{lines + text.count(_NEWLINE, 0, position)}"
            raise Refused.at(codes.SECRET_FOUND, "{where} holds a stored secret", where)
        kept = max(len(text) - scanner.longest, 0)
        lines += text.count(_NEWLINE, 0, kept)
        tail = text[kept:]


def _manifest(bundle: Bundle) -> bytes:
    """Everything that the manifest says in words."""
    files = [[each.name, each.facts] for each in bundle.entries.values()]
    omitted = [[each.name, each.reason] for each in bundle.omitted]
    return json.dumps([dict(bundle.facts), files, omitted], ensure_ascii=False).encode()
