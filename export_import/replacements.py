"""What a redaction does to one file, line by line: for people to see before the file leaves the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from engine.model.clock import Clock
from engine.secrets.vault import Vault
from export_import.collecting import Guard
from export_import.export_plan import plan_export
from export_import.export_request import ExportRequest
from export_import.export_source import site_at
from export_import.keys import Keys
from export_import.redaction.redactor import redactor_for

LONGEST = 4 << 20  # bytes of a file that are looked at
MOST = 500  # lines
_WIDEST = 2000  # characters of a line
_HIDDEN = "••••••"  # a stored secret is not shown to anybody


@dataclass(frozen=True, slots=True)
class Replacement:
    """A line that is changed: its number from 1 on, how it is here and how it would be in the bundle."""

    line: int
    before: str
    after: str


def replacements(
    root: Path, request: ExportRequest, name: str, *, clock: Clock, vault: Vault | None = None
) -> tuple[Replacement, ...]:
    """Of the file that the bundle would have under ``name``, of its first bytes; empty where there is none.

    Values of stored secrets are hidden on both sides.
    """
    with site_at(root, request.choices, clock) as site, closing(Guard()) as guard:
        redactor = redactor_for(site, Keys(root, clock), vault, request.redact)
        for item, deadline in plan_export(site, guard, redactor).items:
            if item.name == name:
                raw = _beginning(guard.each(item.read, deadline))
                done = b"".join(bytes(each) for each in redactor.over(item.form, [raw]))
                changed = _changed(_lines(raw), _lines(done))
                return tuple(_hidden(each, redactor.secrets) for each in changed)[:MOST]
    return ()


def _beginning(pieces: Iterable[bytes]) -> bytes:
    """Whole lines of it, at most."""
    data = b""
    for piece in pieces:
        data += piece
        if len(data) > LONGEST:
            return data[: data.rfind(b"\n", 0, LONGEST) + 1 or LONGEST]
    return data


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()


def _changed(before: list[str], after: list[str]) -> Iterator[Replacement]:
    """Line by line; only where the redaction wrote the file otherwise the lines are matched first."""
    if len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), 1)
        yield from (Replacement(line, one, other) for line, (one, other) in pairs if one != other)
        return
    for tag, low, high, first, last in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag != "equal":
            yield Replacement(low + 1, "\n".join(before[low:high]), "\n".join(after[first:last]))


def _hidden(each: Replacement, secrets: frozenset[str]) -> Replacement:
    before = each.before
    for secret in sorted(secrets, key=len, reverse=True):
        before = before.replace(secret, _HIDDEN) if secret else before
    return Replacement(each.line, before[:_WIDEST], each.after[:_WIDEST])
