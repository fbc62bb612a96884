"""The extract of the execution log: what engine and operators did around the chosen runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from export_import.collecting import BundleItem, pieces_of
from export_import.export_source import Site

DEADLINE = 20.0
_AROUND = timedelta(minutes=30)
_TIME = 32  # bytes of a time at the beginning of a line


def items(site: Site) -> Iterator[BundleItem]:
    """``logs/execution.log`` and its older parts, cut to the times of the runs."""
    spans = [_span(each.row.created_at, each.row.ended_at) for each in site.chosen]
    for path in sorted(site.workspace.logs.glob("execution.log*")):
        size = path.stat().st_size
        yield BundleItem(f"logs/{path.name}", "audit", 3, size, partial(_lines, path, spans), cut=True)


def _span(start: str, end: str | None) -> tuple[str, str]:
    first = datetime.fromisoformat(start) - _AROUND
    last = (datetime.fromisoformat(end) + _AROUND).isoformat() if end else "9999"
    return first.isoformat(), last


def _lines(path: Path, spans: list[tuple[str, str]]) -> Iterator[bytes]:
    """Lines within one of the spans; a line without a time belongs to the one before it."""
    rest, within = b"", False
    for piece in pieces_of(path):
        *lines, rest = (rest + piece).split(b"\n")
        kept: list[bytes] = []
        for line in lines:
            if line[:4].isdigit() and line[4:5] == b"-":
                moment = line[:_TIME].decode("ascii", "replace")
                within = any(start <= moment <= end for start, end in spans)
            kept += [line, b"\n"] if within else []
        yield b"".join(kept)
    yield rest if within else b""
