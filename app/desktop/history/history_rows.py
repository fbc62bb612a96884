"""The history's rows, read from the workspace's store on connections of their own."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.desktop.history.columns import CSV_HEADER, csv_fields
from engine.store.browsing import Browser, SortedFilter
from engine.store.rows import InstanceRow

if TYPE_CHECKING:
    from engine.store.sql_store import Store

_AT_ONCE = 500
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run


class HistoryRows:
    """The store, opened when something is first read, and closed at the end; from any thread."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._store: Store | None = None

    def browser(self) -> Browser:
        """To look around; SkerryError when there is no database yet."""
        if self._store is None:
            self._store = self._open()
        return self._store.browser()

    def close(self) -> None:
        """Let the database go."""
        if self._store is not None:
            self._store.close()
            self._store = None


class Instances:
    """The instances that a filter wants; see ``widgets.paged.Source``."""

    def __init__(self, shelf: HistoryRows, wanted: SortedFilter) -> None:
        self._shelf = shelf
        self._wanted = wanted

    def ids(self) -> Iterator[array[int]]:
        return self._shelf.browser().ids(self._wanted)

    def rows(self, ids: Sequence[int]) -> dict[int, InstanceRow]:
        return {row.id: row for row in self._shelf.browser().rows(ids)}

    def export(self, path: Path) -> Iterator[int]:
        """Write them all as CSV; gives the number of lines so far."""
        written = 0
        with path.open(
            "w", newline="", encoding="utf-8-sig"
        ) as file:  # the mark makes spreadsheets read UTF-8
            writer = csv.writer(file)
            writer.writerow(CSV_HEADER)
            for ids in self.ids():
                for low in range(0, len(ids), _AT_ONCE):
                    rows = self._shelf.browser().rows(ids[low : low + _AT_ONCE])
                    writer.writerows([_safe(field) for field in csv_fields(row)] for row in rows)
                    written += len(rows)
                    yield written


def _safe(field: str) -> str:
    """A text that a spreadsheet would take for a formula gets a quote before it; numbers stay."""
    if field.startswith(_FORMULAS) and not field.lstrip("-").isdigit():
        return f"'{field}"
    return field
