"""What the history is filtered by, as it is chosen, kept under a name, and asked of the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.store.browsing import SortedFilter
from engine.store.rows import time_text

SPANS = {  # key -> days back from now; 0: since midnight
    "": None,
    "today": 0,
    "day": 1,
    "week": 7,
    "month": 30,
    "year": 365,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Everything given must hold. ``span`` is a key of SPANS, so that a kept filter stays true tomorrow."""

    statuses: tuple[str, ...] = ()
    task: str = ""
    span: str = ""
    code: str = ""
    node: str = ""
    text: str = ""
    between: str = ""  # ``first/last`` in seconds since 1970; takes precedence over ``span``

    def wanted(self, now: datetime, order: str = "scheduled_time", ascending: bool = False) -> SortedFilter:
        """What to ask the store for; ``now`` is local and aware. ValueError when the code is no number."""
        return SortedFilter(
            task=self.task or None,
            statuses=self.statuses,
            since=self._interval(0) or _since(self.span, now),
            until=self._interval(1),
            code=_code(self.code),
            node=self.node or None,
            text=self.text,
            offline_until=time_text(now),
            order=order,
            ascending=ascending,
        )

    def _interval(self, end: int) -> str | None:
        parts = self.between.split("/")
        return time_text(datetime.fromtimestamp(float(parts[end]), UTC)) if len(parts) == 2 else None


def _since(span: str, now: datetime) -> str | None:
    days = SPANS[span]
    if days is None:
        return None
    if days == 0:
        return time_text(now.replace(hour=0, minute=0, second=0, microsecond=0))
    return time_text(now - timedelta(days=days))


def _code(text: str) -> int | None:
    """A code as it is shown, or without its minus sign."""
    text = text.strip().replace(" ", "")
    return -abs(int(text)) if text else None


def kept(text: str) -> dict[str, Filter]:
    """The filters that were kept, by name; what cannot be read is left out."""
    try:
        found = json.loads(text or "{}")
        return {name: _filter(each) for name, each in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _filter(values: Mapping[str, Any]) -> Filter:
    texts = {name: str(values.get(name, "")) for name in ("task", "span", "code", "node", "text")}
    statuses = tuple(str(each) for each in values.get("statuses", ()))
    return Filter(statuses, **(texts | {"span": texts["span"] if texts["span"] in SPANS else ""}))


def to_keep(filters: dict[str, Filter]) -> str:
    """The text that ``kept`` reads."""
    return json.dumps({name: asdict(each) for name, each in filters.items()}, ensure_ascii=False)
