"""The samples of this machine around the runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from export_import.collecting import BundleItem, pieces_of
from export_import.export_source import Site

DEADLINE = 20.0
_AROUND = timedelta(minutes=30)


def items(site: Site) -> Iterator[BundleItem]:
    """``monitor/<day>.csv``: the heading, and the lines from half an hour before to half an hour after."""
    spans = [_span(each.row.created_at, each.row.ended_at, site) for each in site.chosen]
    for path in sorted(site.workspace.monitor.glob("*.csv")):
        size = path.stat().st_size
        yield BundleItem(f"monitor/{path.name}", "monitor", 5, size, partial(_lines, path, spans))


def _span(start: str, end: str | None, site: Site) -> tuple[datetime, datetime]:
    last = datetime.fromisoformat(end) if end else site.clock.now()
    return datetime.fromisoformat(start) - _AROUND, last + _AROUND


def _lines(path: Path, spans: list[tuple[datetime, datetime]]) -> Iterator[bytes]:
    rest, first = b"", True
    for piece in pieces_of(path):
        *lines, rest = (rest + piece).split(b"\n")
        kept = [line + b"\n" for line in lines[:1] if first]
        kept += [line + b"\n" for line in lines[first:] if _within(line, spans)]
        first = first and not lines
        yield b"".join(kept)


def _within(line: bytes, spans: list[tuple[datetime, datetime]]) -> bool:
    try:
        moment = datetime.fromisoformat(line.partition(b",")[0].decode())
    except ValueError:
        return False
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return any(start <= moment <= end for start, end in spans)
